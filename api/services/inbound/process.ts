import type { Ctx } from '../../core/context';
import { isPlainObject } from '../../core/fields';
import { applyPayment, applyStatus, parkStatus, type StatusUpdate } from '../messages/statuses';
import { reflectOutcomes } from '../stageMoves/outcomes';
import { eventTime } from './eventTime';
import { receiveMessage } from './messages';
import type { StoredEvent } from './service';

type Json = Record<string, unknown>;
type Handler = (ctx: Ctx, event: StoredEvent) => Promise<void>;

const statusWords: readonly string[] = ['sent', 'delivered', 'read', 'played', 'failed'];

/** What is done with each kind of event; a kind that is not here is kept and ignored (contract C7). */
const handlers: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ['message', receiveMessage],
  ['status', receiveStatus],
]);

/** Processes one stored event in the surrounding transaction. */
export async function processEvent(ctx: Ctx, event: StoredEvent): Promise<void> {
  await handlers.get(event.kind)?.(ctx, event);
}

/** A status of an outbound message (upstream-wire.md 2.7). */
async function receiveStatus(ctx: Ctx, event: StoredEvent): Promise<void> {
  const status = event.payload['status'] as Json;
  const wamid = String(status['id'] ?? '');
  const word = String(status['status'] ?? '');
  if (wamid === '' || wamid.length > 255) return;
  if (status['type'] === 'payment') {
    if (!(await applyPayment(ctx, wamid, word))) await parkStatus(ctx, wamid, event.business_account_id, event.payload);
    return;
  }
  if (!statusWords.includes(word)) return;
  const fault = Array.isArray(status['errors']) ? (status['errors'] as unknown[]).find(isPlainObject) : undefined;
  const details = isPlainObject(fault?.['error_data']) ? fault['error_data']['details'] : undefined;
  const pricing = status['pricing'];
  const update: StatusUpdate = {
    wamid,
    opaque: typeof status['biz_opaque_callback_data'] === 'string' ? status['biz_opaque_callback_data'] : null,
    status: word as StatusUpdate['status'],
    at: eventTime(status['timestamp'], ctx.runtime.clock.now()),
    pricingCategory: isPlainObject(pricing) && typeof pricing['category'] === 'string' ? pricing['category'].slice(0, 64) : '',
    error: word === 'failed' ? { code: typeof fault?.['code'] === 'number' ? fault['code'] : 0, title: String(fault?.['title'] ?? 'Failed'), message: String(details ?? fault?.['message'] ?? '') } : null,
  };
  const message = await applyStatus(ctx, update);
  if (!message) await parkStatus(ctx, wamid, event.business_account_id, event.payload);
  // What a ticket's activity says of a notification follows the upstream's word.
  else if (message.origin === 'stage') await reflectOutcomes(ctx.runtime, { messageId: message.id });
}
