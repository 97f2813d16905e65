import type { FieldErrors } from '../../../core/http/errors';
import { choiceField, type ChoiceField } from '../choices';
import { contactChoices } from '../contacts/choices';
import { contactPath } from '../contacts/wire';
import { peopleOptions, type FieldGiven, type Confirmation } from '../fieldViews';
import { tagsOf, type FormField } from '../forms';
import { memberNames } from '../lookups';
import type { PageAnswer, PageRequest } from '../page';
import { ticketForm } from './form';
import { choices, clocksOf, type Clock } from './labels';
import { propertyViews, type PropertyView } from './properties';
import { loadStream, type StreamView } from './stream';
import { moveQuestion, ticketPath, type WirePipeline, type WireStage, type WireTicket } from './wire';

const contactsShown = 100;

/** The forms of the page beside that of the ticket's own fields, by the names of their actions. */
type FormName = 'comments' | 'contacts' | 'escalate';

interface Fact {
  readonly label: string;
  readonly text: string;
}

/** A stage of the ticket's pipeline, and what a move there does. */
interface StepView extends Pick<WireStage, 'id' | 'name' | 'color'> {
  readonly isCurrent: boolean;
  readonly title: string;
  readonly question: Confirmation | null;
}

interface PersonView {
  readonly name: string;
  readonly href: string;
}

interface RelatedView {
  readonly href: string;
  readonly title: string;
  readonly stage: string;
}

/** A ticket's page. */
interface TicketView {
  readonly ticket: WireTicket;
  readonly path: string;
  readonly board: string;
  readonly form: Awaited<ReturnType<typeof ticketForm>>;
  /** The description is being edited. */
  readonly isEdited: boolean;
  readonly text: readonly FormField[];
  /** The title as it saves itself, for who may change it. */
  readonly title: PropertyView | null;
  /** What saves itself, for who may change it. */
  readonly properties: readonly PropertyView[];
  readonly notes: readonly NoteView[];
  readonly watch: { readonly value: string; readonly button: string };
  readonly customer: PersonView | null;
  readonly affected: readonly (PersonView & { readonly id: number; readonly remove: string })[];
  /** How many more are affected; empty: none. */
  readonly moreAffected: string;
  readonly addContact: ChoiceField;
  readonly parent: { readonly href: string; readonly text: string } | null;
  readonly subTickets: readonly RelatedView[];
  readonly duplicates: readonly RelatedView[];
  readonly newSubTicket: string;
  readonly stream: StreamView;
  readonly newComment: { readonly errors: FieldErrors; readonly fields: readonly FieldGiven[] };
  readonly clocks: readonly (Clock & { readonly style: string })[];
  /** The fields for who may only read. */
  readonly facts: readonly Fact[];
  /** The stages of its pipeline, for who may move it. */
  readonly steps: readonly StepView[];
  readonly watchers: string;
  /** Empty: never. */
  readonly reopened: string;
  readonly workflows: string | null;
  /** Null when there is no member to escalate to, or who may not. */
  readonly escalate: { readonly errors: FieldErrors; readonly fields: readonly FieldGiven[] } | null;
  /** The form to escalate was refused, and stands open. */
  readonly isEscalated: boolean;
}

/** What stands above everything else. */
interface NoteView {
  readonly style: string;
  readonly text: string;
  /** What the text ends in. */
  readonly link: { readonly href: string; readonly text: string } | null;
}

const clockStyles = { met: 'tag-good', missed: 'tag-bad', paused: '', running: 'tag-accent', ended: '' } as const;

/** Shows a ticket; `refused` names the form that was, with its errors. */
export async function showTicket(
  page: PageRequest,
  ticket: WireTicket,
  refused = '',
  errors: FieldErrors = {},
): Promise<PageAnswer> {
  const pipelines = await page.call<WirePipeline[]>('ticketPipelines.list');
  const form = await ticketForm(page, ticket, pipelines, refused === 'edit' ? errors : {});
  const stages = pipelines.flatMap((pipeline) => pipeline.stages);
  const isClosed = stages.find(({ id }) => id === ticket.stage)?.is_terminal ?? false;
  const people = memberNames(form.members);
  const names = {
    stage: new Map<unknown, string>(stages.map(({ id, name }) => [id, name])),
    pipeline: new Map<unknown, string>(pipelines.map(({ id, name }) => [id, name])),
    assigned_to: people,
    escalated_to: people,
    watcher_ids: people,
    affected_contact_ids: new Map<unknown, string>(
      ticket.affected_contacts.map(({ id, name, phone }) => [id, name || phone]),
    ),
  };
  const path = ticketPath(ticket.id);
  const watches = ticket.watchers.some(({ id }) => id === page.member.id);
  const typed = typedIn(page, refused, errors);
  const [title = null, ...properties] = page.may('tickets.update') ? propertyViews(ticket, form, page.form) : [];
  const data: TicketView = {
    ticket,
    path,
    board: `/dashboard/tickets/?pipeline=${ticket.pipeline}`,
    form,
    isEdited: page.may('tickets.update') && (page.form['description'] ?? page.query['edit']) !== undefined,
    text: form.main.filter(({ name }) => name !== 'title'),
    title,
    properties,
    notes: notesOf(page, ticket),
    watch: watches ? { value: 'false', button: 'Stop watching' } : { value: 'true', button: 'Watch' },
    ...contactViews(ticket),
    addContact: await choiceField(page, contactChoices, {
      name: 'add',
      label: 'Add an affected contact',
      refused: Object.values(typed('contacts').errors).flat(),
      required: true,
    }),
    parent: ticket.parent_ticket ? linkTo(ticket.parent_ticket) : null,
    subTickets: ticket.sub_tickets.map(relatedView),
    duplicates: ticket.duplicates.map(relatedView),
    newSubTicket: `/dashboard/tickets/new/?parent_ticket=${ticket.id}`,
    stream: await loadStream(page, ticket, names),
    newComment: commentForm(typed('comments')),
    clocks: clocksOf(page, ticket, isClosed).map((clock) => ({ ...clock, style: clockStyles[clock.state] })),
    facts: factsOf(page, ticket, form.custom),
    steps: page.may('tickets.update') ? stepViews(pipelines, ticket) : [],
    watchers: ticket.watchers.map(({ name, email }) => name || email).join(', ') || 'Nobody',
    reopened: ticket.reopened_count > 0 ? `${ticket.reopened_count} times` : '',
    workflows: page.workflowsOf('TicketId', ticket.id),
    escalate:
      page.may('tickets.escalate') && form.members.length > 0 ? escalateForm(typed('escalate'), form.members) : null,
    isEscalated: refused === 'escalate',
  };
  return page.page('/tickets/show', data, {
    title: `#${ticket.id} ${ticket.title}`,
    place: 'tickets',
    styles: ['desk.css'],
    scripts: ['choices.js'],
    status: refused === '' ? 200 : 422,
  });
}

/** What was typed into a form that was refused, and why it was. */
interface Typed {
  readonly errors: FieldErrors;
  readonly values: Readonly<Record<string, string>>;
}

/** Returns what each form is to show again: that of the one which was refused, nothing of the others. */
function typedIn(page: PageRequest, refused: string, errors: FieldErrors): (form: FormName) => Typed {
  return (form) => (form === refused ? { errors, values: page.form } : { errors: {}, values: {} });
}

function linkTo(id: number): { readonly href: string; readonly text: string } {
  return { href: ticketPath(id), text: `#${id}` };
}

function notesOf(page: PageRequest, ticket: WireTicket): NoteView[] {
  const { sla_breached: isLate, escalated_at: escalatedAt, escalated_to_name: to, duplicate_of: original } = ticket;
  const by = `Escalated to ${to ?? 'a former member'}, ${page.moment(escalatedAt)}`;
  return [
    ...(isLate ? [{ style: 'note-bad', text: 'A deadline of this ticket was missed.', link: null }] : []),
    ...(escalatedAt === null ? [] : [{ style: 'note-warn', text: by, link: null }]),
    ...(original === null ? [] : [{ style: '', text: 'A duplicate of', link: linkTo(original) }]),
  ];
}

function contactViews(ticket: WireTicket): Pick<TicketView, 'customer' | 'affected' | 'moreAffected'> {
  const { receiver_name: name, receiver_phone: phone, affected_contacts: affected } = ticket;
  const person = (title: string, handle: string): PersonView => ({ name: title || handle, href: contactPath(handle) });
  const more = affected.length - contactsShown;
  return {
    customer: phone === null ? null : person(name ?? '', phone),
    affected: affected.slice(0, contactsShown).map((contact) => ({
      ...person(contact.name, contact.phone),
      id: contact.id,
      remove: `Remove ${contact.name || contact.phone}`,
    })),
    moreAffected: more > 0 ? `and ${more} more` : '',
  };
}

function relatedView({ id, title, stage_name: stage }: WireTicket['sub_tickets'][number]): RelatedView {
  return { href: ticketPath(id), title: `#${id} ${title}`, stage };
}

function commentForm({ errors, values }: Typed): TicketView['newComment'] {
  return {
    errors,
    fields: [
      {
        name: 'body',
        id: 'comment',
        label: 'New comment',
        type: 'textarea',
        value: values['body'],
        errors,
        required: true,
        attributes: { 'data-key': 'c', 'data-sends': '' },
      },
      {
        name: 'answered',
        label: 'Notes an answer that the customer was given',
        type: 'checkbox',
        hint: 'It counts as the first response.',
        value: values['answered'],
      },
    ],
  };
}

function escalateForm(
  { errors, values }: Typed,
  members: Parameters<typeof peopleOptions>[0],
): NonNullable<TicketView['escalate']> {
  return {
    errors,
    fields: [
      {
        name: 'escalated_to',
        label: 'To',
        type: 'select',
        value: values['escalated_to'],
        errors,
        options: [{ value: '', label: 'Choose a colleague' }, ...peopleOptions(members)],
      },
      { name: 'reason', label: 'Reason', type: 'textarea', rows: 2, value: values['reason'], errors },
    ],
  };
}

function factsOf(
  page: PageRequest,
  ticket: WireTicket,
  custom: readonly { readonly label: string; readonly shown: string }[],
): Fact[] {
  const label = (kind: keyof typeof choices, value: string | null): string =>
    choices[kind].find((option) => option.value === value)?.label ?? value ?? '';
  const facts: readonly (readonly [string, string])[] = [
    ['Stage', ticket.stage_name],
    ['Assigned to', ticket.assigned_to_name ?? 'Nobody'],
    ['Priority', label('priority', ticket.priority)],
    ['Severity', label('severity', ticket.severity)],
    ['Type', label('type', ticket.type)],
    ['Due', page.moment(ticket.due_at)],
    ['Tags', (tagsOf(ticket.tags) ?? []).join(', ')],
    ['Outcome', label('outcome', ticket.outcome)],
    ...custom.map((field) => [field.label, field.shown] as const),
  ];
  return facts.map(([name, text]) => ({ label: name, text: text || '–' }));
}

function stepViews(pipelines: readonly WirePipeline[], ticket: WireTicket): StepView[] {
  const stages = pipelines.find(({ id }) => id === ticket.pipeline)?.stages ?? [];
  return stages.map((stage) => {
    const { id, name, color } = stage;
    const question = moveQuestion(ticket, stage);
    const title = question ? `Move to ${name}: ${question.text}` : `Move to ${name}`;
    return { id, name, color, isCurrent: id === ticket.stage, title, question };
  });
}

/** Shows the form of a new ticket. */
export async function showNew(page: PageRequest, errors: FieldErrors = {}): Promise<PageAnswer> {
  const pipelines = await page.call<WirePipeline[]>('ticketPipelines.list');
  const form = await ticketForm(page, null, pipelines, errors);
  return page.page(
    '/tickets/new',
    { form },
    {
      title: 'New ticket',
      place: 'tickets',
      styles: ['desk.css'],
      scripts: ['choices.js'],
      status: Object.keys(errors).length > 0 ? 422 : 200,
    },
  );
}
