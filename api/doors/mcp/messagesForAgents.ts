import { isPlainObject } from '../../core/http/fields';
import { wire, type JsonSchema } from '../../core/http/shapes';
import { isFileKind } from '../../services/resources/files/rows';
import { messageShape } from '../../services/resources/messages/serializer';
import { phoneNumberObjectShape } from '../../services/resources/phoneNumbers/serializer';
import { cut } from '../../core/text/cut';

type Json = Record<string, unknown>;

/** How much a result tells: what agents work with, or all that there is. */
export const formats = ['concise', 'detailed'] as const;
export type Format = (typeof formats)[number];

/** What is told of each kind of object unless all is asked for; nothing that is false, zero or usual. */
const told = {
  conversation: [
    ...['receiver_id', 'id', 'name', 'chat_status', 'conv_status', 'snoozed_until', 'priority', 'assigned_member'],
    ...['assigned_team_inbox', 'tags', 'custom_fields', 'marketing_opt_out', 'unread_count', 'waiting_since'],
    ...['thread_owner', 'last_message'],
  ],
  contact: [
    ...['receiver_id', 'id', 'phone', 'name', 'username', 'email', 'company', 'notes', 'tags', 'custom_fields'],
    'marketing_opt_out',
  ],
  message: [
    ...['id', 'created_at', 'direction', 'sent_by', 'type', 'text', 'content', 'file', 'message_status'],
    ...['reply_to_wamid', 'edited_at', 'deleted', 'error_title', 'error_message', 'group', 'payment_status'],
  ],
  ticket: [
    ...['id', 'title', 'description', 'pipeline', 'pipeline_name', 'stage', 'stage_name', 'receiver', 'receiver_name'],
    ...['receiver_phone', 'affected_contacts', 'assigned_to', 'assigned_to_name', 'assigned_inbox', 'sub_tickets'],
    ...['parent_ticket', 'duplicate_of', 'duplicates', 'created_at', 'due_at', 'type', 'severity', 'priority'],
    ...['outcome', 'escalated_at', 'sla_breached', 'comment_count', 'tags', 'custom_fields'],
  ],
  comment: ['id', 'is_internal', 'created_at'],
} as const;

/** Of which kind the objects are that a tool answers with; of others all is told. */
const kinds: Readonly<Record<string, keyof typeof told>> = {
  read_conversations: 'conversation',
  update_conversation: 'conversation',
  read_messages: 'message',
  search_contacts: 'contact',
  update_contact: 'contact',
  list_tickets: 'ticket',
  get_ticket: 'ticket',
  create_ticket: 'ticket',
  update_ticket: 'ticket',
  comment_on_ticket: 'comment',
};

/** Returns the fields that a tool tells of its objects unless all is asked for; undefined where it always tells all. */
export function toldBy(tool: string): readonly string[] | undefined {
  const kind = kinds[tool];
  return kind && told[kind];
}

/** Of the last message in a list of conversations: what it is about. */
const maxLast = 60;

/** What a lean message has as REST has it. */
const asItIs = ['id', 'created_at', 'direction', 'message_status'] as const;
/** The same, where it says something. */
const ifTold = [
  'reply_to_wamid',
  'edited_at',
  'error_code',
  'error_title',
  'error_message',
  'referred_product',
  'group',
  'payment_status',
] as const;

const fileShape = wire.object({
  name: wire.text(),
  type: wire.text(),
  size: wire.integer('In bytes.'),
  status: wire.text('pending or lost; it is kept where nothing is said.'),
  image: wire.integer('Which of the images of this result it is, from 1.'),
});

/** A message as `lean` returns it; its other fields are in the conversation, once. */
export const leanMessageShape: JsonSchema = wire.object({
  ...propertiesOf(messageShape, asItIs),
  sent_by: wire.nullable(wire.text('The member in whose name it was sent.')),
  type: wire.text(),
  text: wire.nullable(wire.text('What was written; of a file its caption.')),
  content: wire.any('Of other types: as the platform has it.'),
  file: wire.nullable(fileShape),
  deleted: wire.nullable(wire.boolean('Its author deleted it.')),
  wamid: wire.text('Of reply_to_wamid.'),
  ...propertiesOf(phoneNumberObjectShape, ['phone_number_id']),
  ...propertiesOf(messageShape, ifTold),
});

/** The last message of a conversation in a list, in a few words. */
export const lastMessageShape: JsonSchema = wire.object({
  ...propertiesOf(messageShape, ['created_at', 'direction']),
  type: wire.text(),
  text: wire.text(),
  file: fileShape,
  content: wire.any(),
  deleted: wire.boolean(),
});

function propertiesOf(shape: JsonSchema, names: readonly string[]): Record<string, JsonSchema> {
  const properties = shape['properties'] as Readonly<Record<string, JsonSchema>>;
  return Object.fromEntries(
    names.map((name) => {
      const own = properties[name];
      if (!own) throw new Error(`the API has no property ${name}`);
      return [name, own];
    }),
  );
}

/**
 * Returns the result of a tool without what its items repeat, and without what agents seldom need: a conversation is
 * told once, its messages in a few lines each.
 */
export function lean(tool: string, result: Json, format: Format): Json {
  const kind = kinds[tool];
  if (kind === undefined) return result;
  const { results } = result;
  if (!Array.isArray(results)) return terse(kind, result, format);
  const items = results.filter(isPlainObject);
  if (kind !== 'message') return { ...result, results: items.map((item) => terse(kind, item, format)) };
  const receiver = items[0]?.['receiver'];
  return {
    ...(isPlainObject(receiver) ? { conversation: terse('conversation', receiver, format) } : {}),
    ...result,
    results: items.map((item) => terse(kind, leanMessage(item, format), format)),
  };
}

/** Returns of an object what is told in this format. */
function terse(kind: keyof typeof told, item: Json, format: Format): Json {
  if (format === 'detailed') return item;
  const short: Json = {};
  for (const name of told[kind]) {
    const value = item[name];
    if (value === undefined || value === false || value === 0 || (name === 'priority' && value === 'normal')) continue;
    short[name] = /_(at|until|since)$/.test(name) ? toTheSecond(value) : value;
  }
  const last = short['last_message'];
  if (isPlainObject(last)) short['last_message'] = lastMessage(last);
  return short;
}

const toTheSecond = (time: unknown): unknown => (typeof time === 'string' ? time.replace(/\.\d{3}Z$/, 'Z') : time);

function lastMessage(message: Json): Json {
  const { created_at, direction, deleted, type, text, file, content } = leanMessage(message, 'concise');
  const words = typeof text === 'string' ? text : '';
  const short = cut(words, maxLast);
  return {
    created_at: toTheSecond(created_at),
    direction,
    ...(type === 'text' ? {} : { type }),
    ...(words === '' ? {} : { text: short === words ? words : `${short}…` }),
    ...(file === undefined ? {} : { file }),
    ...(content === undefined || JSON.stringify(content).length > maxLast ? {} : { content }),
    ...(deleted === undefined ? {} : { deleted }),
  };
}

/** A text is told as it is, a file by its caption and name; other content as the platform has it. */
function leanMessage(message: Json, format: Format): Json {
  const body = objectOf(message['body']);
  const type = String(body['type'] ?? message['type'] ?? 'unknown');
  const content = body[type];
  const sender = objectOf(message['send_by'])['name'];
  const { id, created_at, direction, message_status, message_id: wamid } = message;
  const isFile = isFileKind(type) && isPlainObject(content);
  return {
    id,
    created_at,
    direction,
    ...(sender === undefined ? {} : { sent_by: sender }),
    type,
    ...(type === 'text' && isPlainObject(content) ? { text: content['body'] } : {}),
    ...(isFile && content['caption'] !== undefined ? { text: content['caption'] } : {}),
    ...(type !== 'text' && (!isFile || format === 'detailed') && content !== undefined ? { content } : {}),
    ...(isFile ? { file: fileOf(content, objectOf(message['media'])) } : {}),
    ...(format === 'concise' && direction === 'inbound' ? {} : { message_status }),
    ...(message['deleted_at'] ? { deleted: true } : {}),
    wamid,
    phone_number_id: objectOf(message['phone_number'])['phone_number_id'],
    ...Object.fromEntries(ifTold.filter((key) => message[key] !== undefined).map((key) => [key, message[key]])),
  };
}

/** What we keep of the file of a message, and what its sender said where we keep nothing. */
function fileOf(content: Json, { filename, mime_type, size, status }: Json): Json {
  const name = filename ?? content['filename'];
  const type = mime_type ?? content['mime_type'];
  return {
    ...(name === undefined ? {} : { name }),
    ...(type === undefined ? {} : { type }),
    ...(size === undefined ? {} : { size }),
    ...(status === undefined || status === 'stored' ? {} : { status }),
  };
}

function objectOf(value: unknown): Json {
  return isPlainObject(value) ? value : {};
}
