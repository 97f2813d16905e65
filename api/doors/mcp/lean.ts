import { isPlainObject } from '../../core/http/fields';
import { wire, type JsonSchema } from '../../core/http/shapes';
import { messageShape } from '../../services/resources/messages/serializer';
import { phoneNumberObjectShape } from '../../services/resources/phoneNumbers/serializer';

type Json = Record<string, unknown>;

/** What a lean message has as REST has it. */
const asItIs = ['id', 'created_at', 'direction', 'message_status'] as const;
/** The same, where it says something. */
const ifTold = [
  'reply_to_wamid',
  'error_code',
  'error_title',
  'error_message',
  'referred_product',
  'group',
  'payment_status',
] as const;

/** A message as `lean` returns it; its other fields are in the conversation, once. */
export const leanMessageShape: JsonSchema = wire.object({
  ...propertiesOf(messageShape, asItIs),
  sent_by: wire.nullable(wire.text('The member in whose name it was sent.')),
  type: wire.text(),
  text: wire.nullable(wire.text('What was written.')),
  content: wire.any('Of other types than text: as the platform has it.'),
  wamid: wire.text('Of reply_to_wamid.'),
  ...propertiesOf(phoneNumberObjectShape, ['phone_number_id']),
  ...propertiesOf(messageShape, ifTold),
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
 * Returns the result of a tool without what its items repeat: a conversation is told once, its messages in a few lines
 * each.
 */
export function lean(tool: string, result: Json): Json {
  if (tool !== 'read_messages' || !Array.isArray(result['results'])) return result;
  const messages = result['results'].filter(isPlainObject);
  const receiver = messages[0]?.['receiver'];
  return {
    ...(isPlainObject(receiver) ? { conversation: receiver } : {}),
    ...result,
    results: messages.map(leanMessage),
  };
}

/** A text is told as it is; other content as the platform has it. */
function leanMessage(message: Json): Json {
  const body = objectOf(message['body']);
  const type = String(body['type'] ?? 'unknown');
  const content = body[type];
  const sender = objectOf(message['send_by'])['name'];
  const { id, created_at, direction, message_status, message_id: wamid } = message;
  return {
    id,
    created_at,
    direction,
    ...(sender === undefined ? {} : { sent_by: sender }),
    type,
    ...(type === 'text' && isPlainObject(content) ? { text: content['body'] } : { content }),
    message_status,
    wamid,
    phone_number_id: objectOf(message['phone_number'])['phone_number_id'],
    ...Object.fromEntries(ifTold.filter((key) => message[key] !== undefined).map((key) => [key, message[key]])),
  };
}

function objectOf(value: unknown): Json {
  return isPlainObject(value) ? value : {};
}
