import { cut } from '../../../core/text/cut';
import { convStatuses, priorities, ticketOutcomes } from '../../../../models/enums';
import { sameValue } from '../../../core/db/changes';
import { invalid, invalidField } from '../../../core/http/errors';
import {
  choice,
  datetime,
  Fault,
  input,
  integer,
  isPlainObject,
  jsonObject,
  list,
  notAccepted,
  nullable,
  pk,
  required,
  text,
  type Field,
  type InputSchema,
  type InputOf,
} from '../../../core/http/fields';
import { validate } from '../../../core/http/validate';
import { profile } from '../contacts/schema';
import { readContent, sendableTypes } from '../messages/content';
import { laterFields } from '../messages/schema';
import { createCommentInput, createTicketInput, escalateInput } from '../tickets/schema';
import { parseVariables, type TemplateVariables } from '../templates/variables';
import { reason } from '../reasons';

type Params = Record<string, unknown>;

const maxSnoozeMinutes = 5 * 366 * 24 * 60;
const tagList = required(list(text({ max: 255, blank: false }), { min: 1, max: 100 }));
/** A key that must be there, though it may be null. */
const present = <T>(schema: Field<T>): Field<T> => schema.defined(() => reason('required')) as unknown as Field<T>;

/**
 * How the parameters of each action are read (contract 10); names of REST fields count as other names. A reader returns
 * the parameters as they are kept, and throws the 400 that names what is wrong with them. The types of actions follow
 * from it.
 */
export const paramReaders = {
  set_status: fields(
    input({
      status: required(choice(convStatuses)),
      snoozed_until: datetime(),
      snooze_minutes: integer({ min: 1, max: maxSnoozeMinutes }),
    }),
    { conv_status: 'status', conversation_status: 'status' },
    (params) => {
      if (params.status !== 'snoozed') return { status: params.status };
      if ((params.snoozed_until === undefined) === (params.snooze_minutes === undefined))
        throw invalidField('snoozed_until', reason('snoozeEither'));
      return params;
    },
  ),
  set_priority: fields(input({ priority: required(choice(priorities)) })),
  assign_member: fields(input({ assigned_member: present(nullable(pk())) }), {
    member: 'assigned_member',
    member_id: 'assigned_member',
    assigned_to: 'assigned_member',
  }),
  assign_inbox: fields(input({ assigned_team_inbox: present(nullable(pk())) }), {
    inbox: 'assigned_team_inbox',
    inbox_id: 'assigned_team_inbox',
    team_inbox: 'assigned_team_inbox',
    assigned_inbox: 'assigned_team_inbox',
  }),
  add_tags: fields(input({ tags: tagList })),
  remove_tags: fields(input({ tags: tagList })),
  set_custom_fields: fields(input({ custom_fields: required(jsonObject()) }), {
    fields: 'custom_fields',
    values: 'custom_fields',
  }),
  update_contact: fields(input(profile), {}, (params) => {
    if (Object.keys(params).length === 0)
      throw invalid({ non_field_errors: [reason('giveOneOf', { known: Object.keys(profile).join(', ') })] });
    return params;
  }),
  send_message: readMessage,
  send_template: readTemplate,
  create_ticket: fields(createTicketInput),
  move_stage: fields(input({ stage: required(pk()) }), { stage_id: 'stage' }),
  set_outcome: fields(input({ outcome: present(nullable(choice(ticketOutcomes))) })),
  add_comment: fields(createCommentInput, { comment: 'body', text: 'body' }),
  escalate: fields(escalateInput, { member: 'escalated_to', member_id: 'escalated_to' }),
} satisfies Readonly<Record<string, (params: Params) => object>>;

function fields<S extends InputSchema>(
  schema: S,
  aliases: Readonly<Record<string, string>> = {},
  check: (params: InputOf<S>) => InputOf<S> = (params) => params,
): (params: Params) => InputOf<S> {
  return (params) => {
    const given = aliased(params, aliases);
    refuseUnknown(given, Object.keys(schema.fields));
    return check(validate(schema, given));
  };
}

/** Returns the parameters under their own names. Throws the 400 of two names that say different things. */
function aliased(params: Params, aliases: Readonly<Record<string, string>>): Params {
  const read = new Map<string, unknown>();
  for (const [key, value] of Object.entries(params)) {
    const own = Object.hasOwn(aliases, key) ? (aliases[key] ?? key) : key;
    if (read.has(own) && !sameValue(read.get(own), value))
      throw invalidField(own, 'Two names of this parameter say different things. Send one of them.');
    read.set(own, value);
  }
  return Object.fromEntries(read);
}

/** Refuses what the step does not know, so that nothing that was meant is dropped in silence. */
function refuseUnknown(params: Params, known: readonly string[]): void {
  const unknown = Object.keys(params).filter((key) => !known.includes(key));
  if (unknown.length > 0)
    throw invalid(Object.fromEntries(unknown.slice(0, 20).map((key) => [cut(key, 100), [notAccepted]])));
}

/** What a step that sends takes beside content. */
export const sendChoice = input({
  phone_number_id: nullable(text({ max: 64 })),
  msgapp_business_account_id: nullable(text({ max: 64 })),
  ...laterFields,
});
const sendKeys = Object.keys(sendChoice.fields);

/** The parameters of a step that sends: the number, the moment, and content that is read when it is sent. */
type SendParams = Params & InputOf<typeof sendChoice>;

/** Returns the parameters without those that are undefined. Throws the 400 that names one that is not known. */
function only(params: Params, keys: readonly string[]): Params {
  const given = Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));
  refuseUnknown(given, keys);
  return given;
}

/**
 * Returns what `POST /messages/` takes but for `to`; a text may hold {{1}} where `template_variables` say what stands
 * there.
 */
function readMessage(raw: Params): SendParams {
  const given = aliased(raw, { message: 'body', variables: 'template_variables' });
  const short = given['text'];
  if (typeof short === 'string' && given['body'] !== undefined && given['body'] !== short)
    throw invalidField('body', 'Two names of this parameter say different things. Send one of them.');
  const params = only(typeof short === 'string' ? { ...given, text: undefined, body: short } : given, [
    ...sendableTypes,
    'type',
    'body',
    'reply_to_wamid',
    'template_variables',
    ...sendKeys,
  ]);
  requireChoice(params);
  const content = readContent(withoutVariables(params));
  if (content.kind === 'template') throw invalidField('type', 'Use send_template to send a template.');
  const variables = readVariables(params['template_variables']);
  if (variables) {
    const missing = placeholdersIn(textOf(content.body) ?? '').filter((place) => !variables.body?.[place]);
    if (missing.length > 0)
      throw invalid({
        template_variables: missing.map((place) => reason('placeholderRequired').at(`body.${place}: `)),
      });
  }
  return params;
}

/** `template_id` with `template_variables`, or `template` with its components, as `POST /messages/` takes them. */
function readTemplate(raw: Params): SendParams {
  const given = aliased(raw, { variables: 'template_variables' });
  const { name, language, components, ...rest } = given;
  const flat = Object.fromEntries(
    Object.entries({ name, language, components }).filter(([, value]) => value !== undefined),
  );
  if (rest['template'] !== undefined && Object.keys(flat).length > 0)
    throw invalidField('template', 'Send either template or name, language and components, not both.');
  const params = only(Object.keys(flat).length > 0 ? { ...rest, template: flat } : rest, [
    'template_id',
    'template',
    'template_variables',
    ...sendKeys,
  ]);
  requireChoice(params);
  readContent({ ...params, type: 'template' });
  readVariables(params['template_variables']);
  return params;
}

/** Returns the content of a text whose placeholders are filled when the macro is run. */
export function withoutVariables(params: Params): Params {
  return Object.fromEntries(Object.entries(params).filter(([key]) => key !== 'template_variables'));
}

function requireChoice(params: Params): asserts params is SendParams {
  validate(sendChoice, params);
}

/** Returns a mapping of contract 6.6 with all its sources; null where there is none. */
export function readVariables(raw: unknown): TemplateVariables | null {
  if (raw === undefined || raw === null || raw === '' || (isPlainObject(raw) && Object.keys(raw).length === 0))
    return null;
  const variables = parseVariables(raw, ['static', 'field', 'ticket']);
  if (variables instanceof Fault) throw invalid({ template_variables: [...variables.reasons] });
  return variables;
}

const placeholder = /\{\{\s*(\d{1,2})\s*\}\}/g;

/** Returns the placeholders of a text, each once. */
function placeholdersIn(words: string): string[] {
  return [...new Set([...words.matchAll(placeholder)].map((match) => match[1] ?? ''))];
}

/** Returns the text with its placeholders replaced. */
export function fillText(words: string, valueOf: (place: string) => string): string {
  return words.replace(placeholder, (_whole, place: string) => valueOf(place));
}

/** Returns the words of an upstream-shaped text message. */
export function textOf(body: Readonly<Record<string, unknown>>): string | null {
  const inner = body['text'];
  return isPlainObject(inner) && typeof inner['body'] === 'string' ? inner['body'] : null;
}
