import type { Ctx } from '../../core/context';
import { applyPreference } from '../contacts/preference';
import { resolveContact } from '../contacts/resolve';
import { onFailureCode } from '../messages/consequences';
import { applyPayment, applyStatus, parkStatus, type AppliedStatus, type StatusUpdate } from '../messages/statuses';
import { reflectOutcomes } from '../stageMoves/outcomes';
import { eventTime, identityOf, objectAt, objectsIn, profileOf, textOf, type Json } from './read';
import type { StoredEvent } from './service';

const statusWords: readonly string[] = ['sent', 'delivered', 'read', 'played', 'failed'];
/** The customer stopped marketing messages (upstream-wire.md 1.6). */
const stoppedMarketing = 131050;

/** A status of an outbound message (upstream-wire.md 2.7). */
export async function receiveStatus(ctx: Ctx, event: StoredEvent): Promise<void> {
  const status = event.payload['status'] as Json;
  const wamid = textOf(status['id'], 256);
  const word = textOf(status['status'], 32);
  if (wamid === '' || wamid.length > 255) return;
  if (status['type'] === 'payment') {
    if (!(await applyPayment(ctx, wamid, word))) await parkStatus(ctx, wamid, event.business_account_id, event.payload);
    return;
  }
  if (!statusWords.includes(word)) return;
  const update = readStatus(status, wamid, word, ctx.runtime.clock.now());
  const applied = await applyStatus(ctx, update);
  if (!applied) {
    await parkStatus(ctx, wamid, event.business_account_id, event.payload);
    return;
  }
  // What a ticket's activity says of a notification follows the upstream's word.
  if (applied.origin === 'stage') await reflectOutcomes(ctx.runtime, { messageId: applied.id });
  if (update.error?.code === stoppedMarketing) await applyPreference(ctx, applied.contact_id, true, update.at, 'platform');
  if (update.error) await onFailureCode(ctx, { code: update.error.code, title: update.error.title, businessAccountId: event.business_account_id, messageId: applied.id });
  else await learnRecipient(ctx, event.payload, status, applied, update.at);
}

/** The parts of a status that concern its message. */
export function readStatus(status: Json, wamid: string, word: string, now: Date): StatusUpdate {
  const fault = objectsIn(status['errors'])[0];
  const details = objectAt(fault ?? null, 'error_data')?.['details'];
  return {
    wamid,
    opaque: typeof status['biz_opaque_callback_data'] === 'string' ? status['biz_opaque_callback_data'] : null,
    status: word as StatusUpdate['status'],
    at: eventTime(status['timestamp'], now),
    pricingCategory: textOf(objectAt(status, 'pricing')?.['category'], 64),
    error: word === 'failed' ? { code: typeof fault?.['code'] === 'number' ? fault['code'] : 0, title: textOf(fault?.['title'] ?? 'Failed', 255), message: textOf(details ?? fault?.['message'] ?? '', 4096) } : null,
  };
}

/** A status may name both identities of its recipient, and the user name (upstream-wire.md 2.5). Most tell nothing new. */
async function learnRecipient(ctx: Ctx, payload: Json, status: Json, applied: AppliedStatus, at: Date): Promise<void> {
  if (status['recipient_type'] === 'group') return;
  const entry = objectsIn(payload['contacts'])[0];
  const identity = identityOf(entry?.['wa_id'] ?? status['recipient_id'], entry?.['user_id'] ?? status['recipient_user_id']);
  const { username } = profileOf(entry);
  const pairs = identity.phone !== null && identity.bsuid !== null && (applied.bsuid === null || applied.phone === null);
  const renames = username !== undefined && username.replace(/^@/, '') !== applied.username;
  if (!pairs && !renames) return;
  const mine = identity.bsuid === applied.bsuid || identity.phone === applied.phone;
  if (mine) await resolveContact(ctx, identity, username === undefined ? {} : { username }, at);
}
