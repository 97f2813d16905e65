import { invalidField, type FieldErrors } from '../../../core/http/errors';
import { localOf, momentOfLocal } from '../../../core/zones';
import { choiceField, readChosen } from '../choices';
import type { ChoiceField } from '../choiceParts';
import { contactChoices } from '../contacts/choices';
import { peopleOptions, type FormField } from '../fieldViews';
import {
  changedFields,
  customValueViews,
  definitionsFor,
  editedTags,
  formField,
  readCustomValues,
  tagsOf,
  textOf,
  unshown,
  type CustomValueView,
  type Typed,
} from '../forms';
import { loadInboxes, loadMembers } from '../lookups';
import type { PageRequest } from '../page';
import { words } from '../words';
import { ticketChoices } from './choices';
import { choices } from './labels';
import type { Pipeline, Ticket } from './read';

const { fields: said } = words.tickets;

/** Texts, which may be empty where the API allows it, and choices, which are left out where nothing is chosen. */
const plain = ['title', 'description', 'pipeline', 'stage', 'type', 'priority', 'severity'] as const;
/** What is null where the field is empty: a nullable text, too. */
const clearable = ['assigned_to', 'assigned_inbox', 'outcome'] as const;
const mayBeNull: readonly string[] = clearable;
/** Other tickets, and what they are to this one. */
const links = ['parent_ticket', 'duplicate_of'] as const;
/** What the form changes, beside the custom fields. */
export const changedByForm = [...plain, ...clearable, ...links, 'due_at', 'tags'] as const;

/** The selects of the form, by the names of their labels. */
type Named = (typeof clearable)[number] | Exclude<(typeof plain)[number], 'title' | 'description'>;

/** The fields of a ticket's form. */
export interface TicketForm {
  readonly main: readonly FormField[];
  /** Whose ticket a new one is. */
  readonly customer: ChoiceField | null;
  readonly side: readonly FormField[];
  /** Other tickets. */
  readonly links: readonly ChoiceField[];
  readonly custom: readonly CustomValueView[];
  readonly errors: FieldErrors;
  /** The fields that show their own errors. */
  readonly named: readonly string[];
  readonly members: Awaited<ReturnType<typeof loadMembers>>;
}

/** Builds the form of a ticket, or of a new one; `typed` is what it shows again, `first` what a new one begins with. */
export async function ticketForm(
  page: PageRequest,
  ticket: Ticket | null,
  pipelines: readonly Pipeline[],
  errors: FieldErrors = {},
  typed: Typed = page,
  first: Readonly<Record<string, string | undefined>> = {},
): Promise<TicketForm> {
  const [members, inboxes, definitions] = await Promise.all([
    loadMembers(page),
    loadInboxes(page),
    definitionsFor(page, 'tickets'),
  ]);
  const tags = ticket ? tagsOf(ticket.tags) : [];
  const stored: Readonly<Record<string, unknown>> = ticket
    ? {
        ...ticket,
        due_at: ticket.due_at === null ? '' : localOf(new Date(ticket.due_at), page.workspace.timezone),
        tags: tags?.join(', ') ?? '',
      }
    : {
        stage: page.query['stage'],
        type: 'other',
        priority: 'normal',
        severity: 'sev3',
        parent_ticket: page.query['parent_ticket'],
        ...first,
      };
  const nobody = { value: '', label: said.nobody };
  const people = peopleOptions(members);
  // Who may not read the team still sees who has the ticket.
  if (ticket?.assigned_to && !people.some(({ value }) => value === ticket.assigned_to))
    people.push({ value: ticket.assigned_to, label: ticket.assigned_to_name ?? said.member(ticket.assigned_to) });
  const stages = pipelines.flatMap((pipeline) =>
    pipeline.stages.map(({ id, name }) => ({
      value: id,
      label: pipelines.length > 1 ? said.stageOf(pipeline.name, name) : name,
    })),
  );
  const make = (fields: readonly Omit<FormField, 'was' | 'value'>[]): FormField[] =>
    fields.map((field) => ({
      ...formField(typed, field, stored[field.name], errors),
      // A new ticket has all that its form says.
      ...(ticket ? {} : { was: '' }),
    }));
  const select = (name: Named, options: NonNullable<FormField['options']>) => ({
    name,
    label: said[name],
    type: 'select',
    options,
  });
  const main = make([
    { name: 'title', label: said.title, required: true, attributes: { maxlength: '255', autocomplete: 'off' } },
    { name: 'description', label: said.description, type: 'textarea', rows: 5 },
  ]);
  const side = make([
    // The stages of a ticket have buttons; another pipeline puts it into its first stage.
    ...(!ticket
      ? [select('stage', [{ value: '', label: said.firstStage }, ...stages])]
      : pipelines.length > 1
        ? [
            select(
              'pipeline',
              pipelines.map(({ id, name }) => ({ value: id, label: name })),
            ),
          ]
        : []),
    select('assigned_to', [nobody, ...people]),
    ...(inboxes.length > 0
      ? [
          select('assigned_inbox', [
            { value: '', label: said.noInbox },
            ...inboxes.map(({ id, name }) => ({ value: id, label: name })),
          ]),
        ]
      : []),
    select('priority', choices.priority()),
    select('severity', choices.severity()),
    select('type', choices.type()),
    { name: 'due_at', label: said.due_at, type: 'datetime-local', hint: said.zone(page.workspace.timezone) },
    ...(tags ? [{ name: 'tags', label: said.tags, hint: said.tagsHint }] : []),
    ...(ticket ? [select('outcome', [{ value: '', label: said.noOutcome }, ...choices.outcome()])] : []),
  ]);
  const customer = {
    name: 'receiver_id',
    label: said.customer,
    stored: first['receiver_id'] ?? page.query['receiver_id'],
    refused: errors['receiver_id'],
  };
  const custom = customValueViews(typed, definitions, ticket?.custom_fields ?? {}, errors['custom_fields']);
  return {
    main,
    customer: ticket ? null : await choiceField(page, contactChoices, customer),
    side,
    links: await Promise.all(
      // Nothing is a duplicate from the start.
      links.slice(0, ticket ? 2 : 1).map((name) => {
        const asked = {
          name,
          label: said[name],
          stored: textOf(stored[name]),
          refused: errors[name],
          isEdited: ticket !== null,
        };
        return choiceField(page, ticketChoices, ticket ? { ...asked, except: String(ticket.id) } : asked, typed.form);
      }),
    ),
    custom,
    errors: unshown(errors, custom),
    named: ['receiver_id', ...links, ...[...main, ...side].map(({ name }) => name)],
    members,
  };
}

/** Reads what the form of a ticket, or of a new one, changed, as the API takes it. */
export async function readTicket(page: PageRequest, ticket?: Ticket): Promise<Record<string, unknown>> {
  const changed = changedFields(page, [...plain, ...clearable, 'due_at', 'tags']);
  const input: Record<string, unknown> = {};
  const customer = readChosen(page, 'receiver_id');
  if (customer !== '') input['receiver_id'] = customer;
  for (const [name, given] of Object.entries(changed)) {
    const text = given.trim();
    if (name === 'tags') input['tags'] = editedTags(ticket?.tags, page.form['was.tags'], text);
    else if (name === 'due_at')
      input['due_at'] = text === '' ? null : (momentOfLocal(text, page.workspace.timezone)?.toISOString() ?? text);
    else if (mayBeNull.includes(name)) input[name] = text === '' ? null : text;
    // The field of the title shows all of a long one, but has one line.
    else if (name === 'title') input[name] = text.replace(/[\r\n]+/g, ' ');
    else if (name === 'description' || text !== '') input[name] = text;
  }
  for (const name of links) {
    const given = readChosen(page, name);
    const number = given.replace(/^#/, '');
    if (number === (page.form[`was.${name}`] ?? '')) continue;
    if (!/^\d*$/.test(number)) throw invalidField(name, said.nothingFound(given));
    input[name] = number === '' ? null : number;
  }
  const custom = readCustomValues(page, await definitionsFor(page, 'tickets'));
  return custom ? { ...input, custom_fields: custom } : input;
}
