import { snoozeTimerStart } from '../../../../workflows/starts';
import type { FieldErrors } from '../../../core/http/errors';
import { optOutForm, type OptOutForm } from '../contacts/marketing';
import type { FieldGiven } from '../fieldViews';
import { readTags, tagsOf } from '../forms';
import { initialOf } from '../formats';
import type { PageRequest } from '../page';
import type { InboxFilters } from './filters';
import { withPlus, type ThreadView, type WireConversation } from './load';

interface Definition {
  readonly name: string;
  readonly label: string;
  readonly field_type: string;
  readonly applies_to: readonly string[];
  readonly options: readonly string[];
}

/** A custom value as a field of the form. */
interface CustomFieldView extends FieldGiven {
  readonly label: string;
  readonly value: string | number | boolean;
}

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
  readonly profile: readonly FieldGiven[];
  /** What is known of the person, for who may only read. */
  readonly profileFacts: readonly Fact[];
  readonly fields: readonly CustomFieldView[];
  readonly fieldFacts: readonly Fact[];
  /** Why a form was refused, by the form. */
  readonly errors: { readonly tags: FieldErrors; readonly profile: FieldErrors; readonly fields: FieldErrors };
  readonly firstMessage: string | null;
  /** Until when an answer is promised; null: there is no promise, or it is kept. */
  readonly answer: { readonly until: string; readonly style: string } | null;
  readonly snooze: { readonly until: string | null; readonly workflow: string | null } | null;
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
  const [definitions, contact, tickets] = await Promise.all([
    page.callIfPermitted<Definition[]>('customFields.list', {}, []),
    // A field that applies to contacts only is not among the conversation's.
    page.callIfPermitted<Pick<WireConversation, 'custom_fields'>>(
      'contacts.get',
      { receiver_id: conversation.receiver_id },
      conversation,
    ),
    page.workspace.ticketing
      ? page.callIfPermitted<readonly TicketLink[] | null>(
          'tickets.list',
          { receiver: conversation.contact_id, limit: ticketsShown },
          null,
        )
      : null,
  ]);
  const known = { ...conversation.custom_fields, ...contact.custom_fields };
  const errorsOf = (name: string): FieldErrors => (form['form'] === name ? errors : {});
  const fields = definitions
    .filter(({ applies_to: subjects }) => subjects.includes('contacts') || subjects.includes('conversations'))
    .map((definition) => viewOf(definition, known, form));
  // Null when the tags are not a list of texts: such tags can be changed over the API only.
  const tags = tagsOf(conversation.tags);
  const promised = conversation.first_response_at ? null : conversation.sla_first_response_deadline;
  return {
    path,
    title,
    initial: initialOf(title),
    phone: withPlus(conversation.phone_number),
    username: conversation.username ? `@${conversation.username}` : '',
    isOptedOut: conversation.marketing_opt_out,
    action: page.link(`${path}details/`, filters),
    tags: tags && { list: tags, text: tags.join(', ') },
    profile: profileFields.map(([name, label, type]) => ({
      name,
      id: `person-${name}`,
      label,
      type,
      value: form['form'] === 'profile' ? (form[name] ?? '') : conversation[name],
      errors: errorsOf('profile'),
      attributes: { 'data-submit': '', autocomplete: 'off' },
    })),
    profileFacts: profileFields.flatMap(([name, label]) => {
      const text = conversation[name];
      return name === 'name' || !text ? [] : [{ label, text }];
    }),
    fields,
    fieldFacts: fields.map(({ label, value }) => ({ label, text: value === '' ? '–' : String(value) })),
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
    ad: conversation.ctwa_headline ?? '',
    optOut: optOutForm(conversation.marketing_opt_out, title),
    activity: page.link(`${path}activity/`, filters),
    tickets: tickets && {
      items: tickets,
      make: page.link('/dashboard/tickets/new/', { receiver_id: conversation.receiver_id }),
    },
  };
}

const yesNo = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
];

function viewOf(
  definition: Definition,
  known: Readonly<Record<string, unknown>>,
  form: Readonly<Record<string, string>>,
): CustomFieldView {
  const { name, label, field_type: type } = definition;
  const stored = known[name];
  const typed = form['form'] === 'fields' ? form[`custom.${name}`] : undefined;
  const options = type === 'boolean' ? yesNo : definition.options.map((option) => ({ value: option, label: option }));
  const shown = Array.isArray(stored) ? stored.join('; ') : ((stored ?? '') as CustomFieldView['value']);
  return {
    name: `custom.${name}`,
    label,
    type: inputTypes[type] ?? 'text',
    value: typed ?? shown,
    options: inputTypes[type] === 'select' ? [{ value: '', label: '–' }, ...options] : [],
    hint: type === 'multi_select' ? 'With semicolons between them' : '',
    attributes: { 'data-submit': '', ...(type === 'number' ? { step: 'any' } : {}) },
  };
}

/** Returns the operation that a form of the panel asks for, with its input. */
export async function readDetails(page: PageRequest): Promise<{ operationId: string; input: Record<string, unknown> }> {
  const { form } = page;
  if (form['form'] === 'tags') {
    const tags = readTags(form['tags'] ?? '');
    return { operationId: 'conversations.update', input: { tags } };
  }
  if (form['form'] === 'opt_out')
    return { operationId: 'contacts.update', input: { marketing_opt_out: form['marketing_opt_out'] === 'true' } };
  if (form['form'] === 'fields') {
    const definitions = await page.callIfPermitted<Definition[]>('customFields.list', {}, []);
    const custom: Record<string, unknown> = {};
    for (const { name, field_type: type } of definitions) {
      const given = form[`custom.${name}`];
      if (given !== undefined) custom[name] = valueOf(type, given);
    }
    return { operationId: 'contacts.update', input: { custom_fields: custom } };
  }
  return {
    operationId: 'contacts.update',
    input: Object.fromEntries(profileFields.map(([name]) => [name, form[name] ?? ''])),
  };
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
