import { cut } from '../../core/text/cut';
import { printable, isPlainObject } from '../../core/http/fields';
import type { JsonSchema } from '../../core/http/shapes';
import { maxVariables } from '../../services/resources/templates/variables';
import {
  convStatuses,
  priorities,
  severities,
  ticketOutcomes,
  ticketSources,
  ticketTypes,
} from '../../../models/enums';

const idOr = (...others: string[]): JsonSchema[] => ['integer', ...others].map((type) => ({ type }));

/** Returns one word of a list, or several of them. */
const anyOfWords = (words: readonly string[], description: string): JsonSchema => {
  const word = { type: 'string', enum: [...words] };
  return { anyOf: [word, { type: 'array', items: word }], description };
};

const idsOrNames = (description: string): JsonSchema => ({
  anyOf: [...idOr('string'), { type: 'array', items: { anyOf: idOr('string') } }],
  description,
});

const variable: JsonSchema = {
  type: 'object',
  properties: {
    source: { type: 'string', enum: ['static', 'field'], description: 'Where the value comes from.' },
    value: { type: 'string', description: 'With static: the text.' },
    field: {
      type: 'string',
      enum: ['name', 'phone', 'email', 'company'],
      description: 'With field: which field of the contact.',
    },
  },
  required: ['source'],
};
const placeholders: JsonSchema = {
  type: 'object',
  description: `Placeholder number ("1" to "${maxVariables}") to its value: a text, or a field of the contact.`,
  additionalProperties: { anyOf: [{ type: 'string' }, variable] },
};
const parameter: JsonSchema = {
  type: 'object',
  description: 'As {"type":"text","text":"…"} or {"type":"image","image":{"link":"https://…"}}.',
  properties: {
    type: { type: 'string', description: 'text, image, currency …; names the key of the value.' },
    parameter_name: { type: 'string', description: 'Name of the placeholder, where the template names them.' },
    text: { type: 'string', description: 'With text: what fills the placeholder.' },
  },
  required: ['type'],
};

const conversationOf = 'Digits or user id from search_contacts or read_conversations, for example 4915112345678.';
const tags: JsonSchema = {
  anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }],
  description: 'Replaces all tags; null removes them.',
  examples: [['vip']],
};
const customFields: JsonSchema = {
  type: 'object',
  additionalProperties: true,
  description: 'Field name (see the instructions) to value; merged, null removes a value.',
  examples: [{ plan: 'pro' }],
};
const filtered = {
  member: { anyOf: idOr('string'), description: 'Id, name or email of a member, or "none".' },
  inbox: { anyOf: idOr('string'), description: 'Id or name of a team inbox, or "none".' },
};
const chosen = {
  member: { anyOf: idOr('string', 'null'), description: 'Id, name or email of a member; null: no member.' },
  inbox: { anyOf: idOr('string', 'null'), description: 'Id or name of a team inbox; null: no inbox.' },
};

/** What an argument is, for agents: its words, and its schema where the API's own says too little. */
const common: Readonly<Record<string, JsonSchema>> = {
  receiver_id: { description: conversationOf },
  cursor: { description: 'next_cursor of the page before.' },
  limit: { description: 'Results at most.' },
  offset: { description: 'Results to skip.' },
  ordering: { description: 'Sort key; "-" in front: descending.' },
  search: { description: 'A part of a name, phone, email or company.' },
  tag: { description: 'Only those with this tag.' },
  unread: { description: 'true: only those with unread messages.' },
  window_open: { description: 'true: only those to whom send_message is possible now.' },
  has_messages: { description: 'false: only those who never wrote nor were written to.' },
  updated_after: { description: 'ISO 8601 time.' },
  created_after: { description: 'ISO 8601 time.' },
  created_before: { description: 'ISO 8601 time.' },
  due_before: { description: 'ISO 8601 time.' },
  due_at: { description: 'ISO 8601 time, or a day: its end; null removes it.' },
  opted_out: { description: 'Whether they opted out of marketing.' },
  custom_field: {
    description: 'Field name to the value looked for; of a multi_select one option.',
    examples: [{ plan: 'pro' }],
  },
  custom_fields: customFields,
  tags,
  to: { description: 'Phone number as +4915112345678, or the user id (bsuid) of a contact.' },
  text: { description: 'What the customer reads.' },
  reply_to_wamid: { description: 'wamid of the message that is answered: read_messages, response_format detailed.' },
  phone_number_id: {
    description:
      'Number to send from (ids in the instructions). Needed only with several numbers and no earlier message.',
  },
  msgapp_business_account_id: { description: 'Account whose number sends (ids in the instructions).' },
  send_at: {
    anyOf: [
      { type: 'string', format: 'date-time' },
      { type: 'string', enum: ['opening'] },
    ],
    description: 'Sent then: ISO 8601 time, or when the team works next.',
  },
  if_customer_writes: { description: 'With send_at, if they write before; hold unless told.' },
  template_id: { description: 'Id or name from get_templates; give template_variables with it.' },
  template_variables: {
    type: 'object',
    description: 'Values of the placeholders {{1}}, {{2}} … of template_id.',
    properties: { header: placeholders, body: placeholders },
    examples: [{ body: { '1': { source: 'field', field: 'name' }, '2': 'Friday' } }],
  },
  template: {
    type: 'object',
    description: 'Instead of template_id: a template by its name with filled components.',
    properties: {
      name: { type: 'string', description: 'From get_templates.' },
      language: { type: 'string', description: 'As en or pt_BR.' },
      components: {
        type: 'array',
        description: 'Values for each part that has placeholders.',
        items: {
          type: 'object',
          properties: {
            type: {
              type: 'string',
              enum: ['header', 'body', 'button', 'carousel', 'limited_time_offer'],
              description: 'Which part.',
            },
            sub_type: { type: 'string', description: 'Of a button: url, quick_reply, copy_code or flow.' },
            index: { anyOf: idOr('string'), description: 'Of a button: its place from 0.' },
            parameters: { type: 'array', items: parameter, description: 'In the order of the placeholders.' },
          },
          required: ['type'],
        },
      },
    },
    required: ['name', 'language'],
    examples: [
      {
        name: 'ticket_update',
        language: 'en',
        components: [{ type: 'body', parameters: [{ type: 'text', text: 'Anna' }] }],
      },
    ],
  },
  snoozed_until: {
    description:
      "Future ISO 8601 time; no offset: the workspace's clock. Alone, it gives a snoozed conversation another time.",
  },
  conv_status: { description: 'snoozed needs snoozed_until.' },
  priority: { description: 'How urgent.' },
  assigned_member: chosen.member,
  assigned_team_inbox: chosen.inbox,
  assigned_to: chosen.member,
  assigned_inbox: chosen.inbox,
  watcher_ids: {
    type: 'array',
    items: { anyOf: idOr('string') },
    description: 'Ids, names or emails of members; replaces the list.',
  },
  macro_id: { anyOf: idOr('string'), description: 'Id or name of a macro (listed in the instructions).' },
  chat_id: { description: 'id of a conversation from read_conversations; or give receiver_id.' },
  ticket_id: { description: 'id of a ticket, from list_tickets.' },
  id: { description: 'id of a ticket, from list_tickets.' },
  name: { description: 'Name of the customer; null empties it.' },
  email: { description: 'Email of the customer; null empties it.' },
  company: { description: 'Company of the customer; null empties it.' },
  notes: { description: 'Internal notes; replaces them, null empties them.' },
  marketing_opt_out: { description: 'true: the customer gets no marketing templates.' },
  title: { description: 'One line.' },
  description: { description: 'What happened.' },
  body: { description: 'The note.' },
  pipeline: {
    anyOf: idOr('string'),
    description: 'Id or name from list_ticket_pipelines. A change without stage takes its first stage.',
  },
  stage: {
    anyOf: idOr('string'),
    description: 'Id or name from list_ticket_pipelines. Moving there sends the template of a stage that notifies.',
  },
  receiver: { description: 'Primary contact by id; or give receiver_id.' },
  affected_contact_ids: { description: 'ids from search_contacts; replaces the list.' },
  affected_receiver_ids: { description: 'Instead of affected_contact_ids: receiver_ids from search_contacts.' },
  parent_ticket: { description: 'id of the ticket of which this is a part; null: none.' },
  duplicate_of: { description: 'id of the ticket that this one repeats; null: none.' },
  outcome: { description: 'How it ended.' },
  type: { description: 'Kind of ticket.' },
  severity: { description: 'sev1 is the worst.' },
  with_images: { description: 'true: also show the newest pictures of the customer, at most four.' },
  response_format: { description: 'detailed: all fields.' },
  search_messages: { description: 'Words in their messages.' },
  note: { description: 'Writes an internal note, never sent; @name tells a member.' },
};

/** The same where one tool means something else by the name. */
const special: Readonly<Record<string, JsonSchema>> = {
  'read_conversations.status': anyOfWords(convStatuses, 'The same as conv_status.'),
  'read_conversations.conv_status': anyOfWords(convStatuses, 'One status or several.'),
  'read_conversations.priority': anyOfWords(priorities, 'One priority or several.'),
  'read_conversations.assigned_member': filtered.member,
  'read_conversations.assigned_team_inbox': filtered.inbox,
  'search_contacts.conv_status': anyOfWords(convStatuses, 'Status of their conversation, one or several.'),
  'search_contacts.priority': anyOfWords(priorities, 'Priority of their conversation, one or several.'),
  'search_contacts.assigned_member': filtered.member,
  'search_contacts.assigned_team_inbox': filtered.inbox,
  'search_contacts.search': { description: 'A part of phone, name, email, company, username or user id.' },
  'get_templates.status': { description: 'APPROVED, PENDING, REJECTED …' },
  'get_templates.category': { description: 'MARKETING, UTILITY or AUTHENTICATION.' },
  'run_macro.receiver_id': { description: `The conversation. ${conversationOf}` },
  'create_ticket.stage': {
    anyOf: idOr('string'),
    description: 'Id or name from list_ticket_pipelines. Creating a ticket notifies nobody.',
  },
  'create_ticket.receiver_id': { description: `Primary contact. ${conversationOf}` },
  'update_ticket.receiver_id': { description: `Primary contact. ${conversationOf}` },
  'list_tickets.assigned_to': filtered.member,
  'list_tickets.assigned_inbox': filtered.inbox,
  'list_tickets.pipeline': idsOrNames('One id or name, or several, from list_ticket_pipelines.'),
  'list_tickets.stage': idsOrNames('One id or name, or several, from list_ticket_pipelines.'),
  'list_tickets.open': { description: 'true: not in a terminal stage.' },
  'list_tickets.receiver': { description: 'Primary contact by id; or give receiver_id.' },
  'list_tickets.receiver_id': { description: `Primary contact. ${conversationOf}` },
  'list_tickets.affected_contact': { description: 'Affected contact by id; or give affected_receiver_id.' },
  'list_tickets.affected_receiver_id': { description: 'Affected contact by receiver_id.' },
  'list_tickets.priority': anyOfWords(priorities, 'One or several.'),
  'list_tickets.severity': anyOfWords(severities, 'One or several.'),
  'list_tickets.type': anyOfWords(ticketTypes, 'One or several.'),
  'list_tickets.source': anyOfWords(ticketSources, 'Where it was made, one or several.'),
  'list_tickets.outcome': anyOfWords(ticketOutcomes, 'How it ended, one or several.'),
  'list_tickets.sla_breached': { description: 'true: a deadline was missed.' },
  'list_tickets.escalated': { description: 'true: only escalated ones.' },
  'list_tickets.parent_ticket': { anyOf: idOr('string'), description: 'Only parts of this ticket (id), or "none".' },
  'list_tickets.search': { description: 'A part of title or description, or the id.' },
};

/**
 * Returns an argument's schema as agents get it: with its words, nothing empty, and without lists of types, which
 * several model vendors do not take.
 */
export function argumentSchema(tool: string, name: string, own: JsonSchema): JsonSchema {
  const said = special[`${tool}.${name}`] ?? common[name] ?? {};
  return 'type' in said || 'anyOf' in said ? said : portable({ ...own, ...said });
}

function portable(schema: JsonSchema): JsonSchema {
  const { type, description, ...rest } = schema;
  const words = description === undefined ? {} : { description };
  if (!Array.isArray(type)) return schema;
  const [first, ...others] = type as string[];
  return { anyOf: [{ type: first, ...rest }, ...others.map((other) => ({ type: other }))], ...words };
}

/**
 * Returns what of the arguments is not of the declared type, by argument. Null and what is missing is the field's
 * question.
 */
export function typeFaults(
  schema: { readonly properties?: Readonly<Record<string, JsonSchema>> },
  args: Readonly<Record<string, unknown>>,
): Record<string, string[]> {
  const faults: Record<string, string[]> = {};
  for (const [name, value] of Object.entries(args)) {
    const declared = schema.properties?.[name];
    const fault = value === null || !declared ? null : typeFault(declared, value, '');
    if (fault !== null) faults[name] = [fault];
  }
  return faults;
}

const named: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'a boolean: true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

function typeFault(schema: JsonSchema, value: unknown, place: string): string | null {
  if (Array.isArray(schema['anyOf'])) {
    const variants = schema['anyOf'] as JsonSchema[];
    // A filter takes its words with commas between them, too.
    if (typeof value === 'string' && value.includes(',') && variants.some(({ type }) => type === 'array'))
      return typeFault(
        schema,
        value.split(',').map((word) => word.trim()),
        place,
      );
    const ofType = variants.find((variant) => isOfType(String(variant['type']), value));
    if (ofType) return typeFault(ofType, value, place);
    return told(place, variants.map((variant) => named[String(variant['type'])]).join(' or '), value);
  }
  const type = schema['type'];
  if (typeof type !== 'string') return null;
  if (!isOfType(type, value)) return told(place, named[type] ?? type, value);
  const words: unknown = schema['enum'];
  if (Array.isArray(words) && !words.includes(value))
    return `${at(place)}"${printable(value)}" is not a valid choice. Give one of: ${words.join(', ')}.`;
  const inside = Array.isArray(value)
    ? value.map((item, index) => [String(index), item, schema['items']] as const)
    : isPlainObject(value)
      ? Object.entries(value).map(([key, item]) => [key, item, propertyOf(schema, key)] as const)
      : [];
  for (const [key, item, declared] of inside) {
    if (!isPlainObject(declared) || item === null) continue;
    const fault = typeFault(declared, item, place === '' ? key : `${place}.${key}`);
    if (fault !== null) return fault;
  }
  return null;
}

function propertyOf(schema: JsonSchema, key: string): unknown {
  const properties = schema['properties'];
  return isPlainObject(properties) && Object.hasOwn(properties, key) ? properties[key] : schema['additionalProperties'];
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isPlainObject(value);
  if (type === 'null') return value === null;
  return typeof value === type;
}

function at(place: string): string {
  return place === '' ? '' : `${cut(place, 100)}: `;
}

function told(place: string, wanted: string, value: unknown): string {
  const got = wanted.startsWith('a boolean') ? '' : ` (got ${printable(value)})`;
  return `${at(place)}Must be ${wanted}${got}.`;
}
