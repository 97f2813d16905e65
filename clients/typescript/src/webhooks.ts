import { SignatureError } from './errors.js';
import type { EventData, WebhookEvent } from './generated.js';

/** What a request brings: `Headers`, or an object of them in small letters as Node and its frameworks have it. */
export type GivenHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

const toleranceSeconds = 300;

/** Events that show an id alone. */
const ofWhatIsGone = ['contact.deleted', 'ticket.deleted'];

/**
 * Checks the signature of a webhook and returns its event. `body` is the text or bytes as they came, before anything
 * parsed them; `secret` that of the subscription, several during a rotation. Throws a `SignatureError`.
 */
export async function verifyWebhook(
  secret: string | readonly string[],
  headers: GivenHeaders,
  body: string | Uint8Array,
): Promise<WebhookEvent> {
  const read = (name: string): string => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name];
    return typeof value === 'string' ? value : '';
  };
  const at = Number(read('webhook-timestamp') || NaN);
  if (!(Math.abs(Date.now() / 1000 - at) <= toleranceSeconds)) throw new SignatureError('The event is too old.');
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${read('webhook-id')}.${read('webhook-timestamp')}.${text}`);
  const given = read('webhook-signature')
    .split(' ')
    .filter((part) => part.startsWith('v1,'))
    .map((part) => bytesOf(part.slice(3)));
  for (const one of [secret].flat()) {
    const raw = bytesOf(one.replace(/^whsec_/, ''));
    if (!raw) throw new TypeError('The secret is no Base64.');
    const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
    for (const signature of given)
      if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed)))
        return JSON.parse(text) as WebhookEvent;
  }
  throw new SignatureError('The signature does not fit.');
}

/** Returns the object that an event shows; null where it was gone before the event could show it. */
export function shownBy<T extends keyof EventData>(event: {
  readonly type: T;
  readonly data: object;
}): EventData[T] | null {
  const isGone = Object.keys(event.data).every((name) => name === 'id' || name === 'ticket');
  return isGone && !ofWhatIsGone.includes(event.type) ? null : (event.data as EventData[T]);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
}
