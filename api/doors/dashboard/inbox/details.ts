import { snoozeTimerStart } from '../../../../workflows/starts';
import type { FieldErrors } from '../../../core/http/errors';
import { answerDeadline } from '../../../services/resources/conversations/sla';
import { optOutForm, type OptOutForm } from '../contacts/marketing';
import type { WirePage } from '../contacts/wire';
import {
  changedFields,
  choicesOf,
  definitionsFor,
  editedTags,
  formField,
  shownValue,
  tagsOf,
  type FieldDefinition,
  type FormField,
} from '../forms';
import { initialOf } from '../formats';
import type { PageRequest } from '../page';
import type { InboxFilters } from './filters';
import { loadUpcoming, type UpcomingView } from './upcoming';
import { withPlus, type ThreadView, type WireConversation } from './load';

interface Fact {
  readonly label: string;
  readonly text: string;
}

/** The panel beside a thread. */
export interface DetailsView {
  /** The conversation that it belongs to. */
  readonly path: string;
  readonly title: string;
  readonly initial: string;
  readonly phone: string;
  readonly username: string;
  readonly isOptedOut: boolean;
  /** Where its forms go. */
  readonly action: string;
  /** The tags as a list and as they are typed; null: their form is one that only the API knows. */
  readonly tags: { readonly list: readonly string[]; readonly text: string } | null;
  readonly profile: readonly FormField[];
  /** What is known of the person, for who may only read. */
  readonly profileFacts: readonly Fact[];
  readonly fields: readonly FormField[];
  /** The custom values that the member may only read. */
  readonly fieldFacts: readonly Fact[];
  /** Why a form was refused, by the form. */
  readonly errors: { readonly tags: FieldErrors; readonly profile: FieldErrors; readonly fields: FieldErrors };
  readonly firstMessage: string | null;
  /** Until when an answer is promised; null: there is no promise, or it is kept. */
  readonly answer: { readonly until: Date; readonly style: string } | null;
  readonly snooze: { readonly until: string | null; readonly workflow: string | null } | null;
  /** What will happen by itself. */
  readonly upcoming: readonly UpcomingView[];
  readonly ad: string;
  readonly optOut: OptOutForm;
  readonly activity: string;
  /** Tickets of the person; null: the member may not see tickets. */
  readonly tickets: {
    readonly items: readonly TicketLink[];
    readonly make: string;
  } | null;
}

/** A ticket of the person. */
interface TicketLink {
  readonly id: number;
  readonly title: string;
  readonly stage_name: string;
}

const ticketsShown = 5;
const profileFields = [
  ['name', 'Name', 'text'],
  ['email', 'Email', 'email'],
  ['company', 'Company', 'text'],
  ['notes', 'Notes', 'textarea'],
] as const;
const inputTypes: Readonly<Record<string, string>> = {
  number: 'number',
  date: 'date',
  select: 'select',
  boolean: 'select',
};

/** Builds the panel; `form` and `errors` are those of a form of it that was refused. */
export async function loadDetails(
  page: PageRequest,
  thread: ThreadView,
  filters: InboxFilters,
  form: Readonly<Record<string, string>> = {},
  errors: FieldErrors = {},
): Promise<DetailsView> {
  const { conversation, title, path } = thread;
  const [definitions, contact, tickets, promised, upcoming] = await Promise.all([
    definitionsFor(page, 'contacts', 'conversations'),
    // A field that applies to contacts only is not among the conversation's.
    page.callIfPermitted<Pick<WireConversation, 'custom_fields'>>(
      'contacts.get',
      { receiver_id: conversation.receiver_id },
      conversation,
    ),
    page.workspace.ticketing
      ? page.callIfPermitted<WirePage<TicketLink> | null>(
          'tickets.list',
          { receiver: conversation.contact_id, limit: ticketsShown },
          null,
        )
      : null,
    answerDeadline(page.ctx, conversation.id),
    loadUpcoming(page, conversation.receiver_id, path),
  ]);
  const known = { ...conversation.custom_fields, ...contact.custom_fields };
  const errorsOf = (name: string): FieldErrors => (form['form'] === name ? errors : {});
  const typedIn = (name: string): Pick<PageRequest, 'form'> => ({ form: form['form'] === name ? form : {} });
  const mayWrite = (definition: FieldDefinition): boolean => page.may(writerOf(definition));
  // Null when the tags are not a list of texts: such tags can be changed over the API only.
  const tags = tagsOf(conversation.tags);
  return {
    path,
    title,
    initial: initialOf(title),
    phone: withPlus(conversation.phone_number),
    username: conversation.username ? `@${conversation.username}` : '',
    isOptedOut: conversation.marketing_opt_out,
    action: page.link(`${path}details/`, filters),
    tags: tags && { list: tags, text: tags.join(', ') },
    profile: profileFields.map(([name, label, type]) =>
      formField(
        typedIn('profile'),
        { name, id: `person-${name}`, label, type, attributes: { 'data-submit': '', autocomplete: 'off' } },
        conversation[name],
        errorsOf('profile'),
      ),
    ),
    profileFacts: profileFields.flatMap(([name, label]) => {
      const text = conversation[name];
      return name === 'name' || !text ? [] : [{ label, text }];
    }),
    fields: definitions
      .filter(mayWrite)
      .map((definition) => customField(typedIn('fields'), definition, known[definition.name])),
    fieldFacts: definitions
      .filter((definition) => !mayWrite(definition))
      .map(({ name, label }) => ({ label: label || name, text: shownValue(known[name]) || '–' })),
    errors: { tags: errorsOf('tags'), profile: errorsOf('profile'), fields: errorsOf('fields') },
    firstMessage: conversation.first_message_at,
    answer: promised === null ? null : { until: promised, style: conversation.sla_breached ? 'bad' : '' },
    snooze:
      conversation.conv_status === 'snoozed'
        ? {
            until: conversation.snoozed_until,
            workflow: page.workflow(snoozeTimerStart(page.workspace.id, conversation.id)),
          }
        : null,
    upcoming,
    ad: conversation.ctwa_headline ?? '',
    optOut: optOutForm(conversation.marketing_opt_out, title),
    activity: page.link(`${path}activity/`, filters),
    tickets: tickets && {
      items: tickets.items,
      make: page.link('/dashboard/tickets/new/', { receiver_id: conversation.receiver_id }),
    },
  };
}

/** Returns the operation that writes a custom field: each takes those alone that apply to its object. */
function writerOf({ applies_to: subjects }: FieldDefinition): string {
  return subjects.includes('contacts') ? 'contacts.update' : 'conversations.update';
}

function customField(typed: Pick<PageRequest, 'form'>, definition: FieldDefinition, stored: unknown): FormField {
  const { name, label, field_type: type } = definition;
  const isSelect = inputTypes[type] === 'select';
  return formField(
    typed,
    {
      name: `custom.${name}`,
      label: label || name,
      type: inputTypes[type] ?? 'text',
      options: isSelect ? [{ value: '', label: '–' }, ...choicesOf(definition, stored)] : [],
      hint: type === 'multi_select' ? 'With semicolons between them' : '',
      attributes: { 'data-submit': '', ...(type === 'number' ? { step: 'any' } : {}) },
    },
    Array.isArray(stored) ? stored.join('; ') : stored,
  );
}

/** Saves a form of the panel. Returns the conversation where its tags changed, which can be taken back, else null. */
export async function saveDetails(page: PageRequest, before: WireConversation): Promise<WireConversation | null> {
  let tagged: WireConversation | null = null;
  for (const { operationId, input } of await readDetails(page, before)) {
    const saved = await page.call<WireConversation>(operationId, { receiver_id: before.receiver_id, ...input });
    if ('tags' in input) tagged = saved;
  }
  return tagged;
}

/** A call of an operation. */
interface Call {
  readonly operationId: string;
  readonly input: Record<string, unknown>;
}

/** Returns what a form of the panel asks for: what was changed in it, so that no colleague's newer value is lost. */
async function readDetails(page: PageRequest, { tags: stored }: WireConversation): Promise<Call[]> {
  const { form } = page;
  if (form['form'] === 'tags') {
    const tags = editedTags(stored, form['was.tags'], form['tags']);
    return [{ operationId: 'conversations.update', input: { tags } }];
  }
  if (form['form'] === 'opt_out')
    return [{ operationId: 'contacts.update', input: { marketing_opt_out: form['marketing_opt_out'] === 'true' } }];
  if (form['form'] === 'fields') return readFields(page);
  const input = changedFields(
    page,
    profileFields.map(([name]) => name),
  );
  return Object.keys(input).length > 0 ? [{ operationId: 'contacts.update', input }] : [];
}

async function readFields(page: PageRequest): Promise<Call[]> {
  const definitions = await definitionsFor(page, 'contacts', 'conversations');
  const given = changedFields(
    page,
    definitions.map(({ name }) => `custom.${name}`),
  );
  const changed = definitions.filter(({ name }) => given[`custom.${name}`] !== undefined);
  return [...new Set(changed.map(writerOf))].map((operationId) => {
    const own = changed.filter((definition) => writerOf(definition) === operationId);
    const values = own.map(({ name, field_type: type }): [string, unknown] => [
      name,
      valueOf(type, given[`custom.${name}`] ?? ''),
    ]);
    return { operationId, input: { custom_fields: Object.fromEntries(values) } };
  });
}

/**
 * Returns a typed text as the field's type wants it; one that is wrong goes on as it is, to be refused by its field.
 */
function valueOf(type: string, text: string): unknown {
  if (text.trim() === '') return null;
  if (type === 'number') return Number.isFinite(Number(text)) ? Number(text) : text;
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return type === 'multi_select'
    ? text
        .split(';')
        .map((part) => part.trim())
        .filter(Boolean)
    : text;
}
