import { isPlainObject } from '../../core/fields';

type Json = Record<string, unknown>;

/**
 * Returns the result of a tool without what its items repeat: a conversation is told once, its messages in a few lines
 * each.
 */
export function lean(tool: string, result: unknown): unknown {
  if (tool !== 'read_messages' || !isPlainObject(result) || !Array.isArray(result['results'])) return result;
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
  const number = objectOf(message['phone_number'])['phone_number_id'];
  const { id, created_at, direction, message_status, message_id: wamid } = message;
  const rest = Object.fromEntries(
    ['reply_to_wamid', 'error_code', 'error_title', 'error_message', 'referred_product', 'group', 'payment_status']
      .filter((key) => message[key] !== undefined)
      .map((key) => [key, message[key]]),
  );
  return {
    id,
    created_at,
    direction,
    ...(sender === undefined ? {} : { sent_by: sender }),
    type,
    ...(type === 'text' && isPlainObject(content) ? { text: content['body'] } : { content }),
    message_status,
    wamid,
    phone_number_id: number,
    ...rest,
  };
}

function objectOf(value: unknown): Json {
  return isPlainObject(value) ? value : {};
}
