import type { Ctx } from '../../../core/context';
import { findHolders } from '../../resources/contacts/identityHolders';
import { lockIdentities } from '../../resources/contacts/locks';
import { moveIdentity } from '../contactMerge/moves';
import { eventTime, identityOf, objectAt, type Json } from './read';

/**
 * Takes a system message: a customer changed number or user id (upstream 2.8). Returns the contact that it is about, so
 * that the thread can show it, or null while there is none. It opens no conversation and no window.
 */
export async function receiveSystem(ctx: Ctx, message: Json): Promise<number | null> {
  const system = objectAt(message, 'system');
  const at = eventTime(message['timestamp'], ctx.runtime.clock.now());
  const type = system?.['type'];
  const old = identityOf(
    message['from'],
    system?.['previous_user_id'] ??
      (type === 'customer_identity_changed' ? (message['from_user_id'] ?? system?.['user_id']) : undefined),
  );
  const next = identityOf(system?.['wa_id'] ?? system?.['new_wa_id'], system?.['user_id']);

  const known = old.phone !== null || old.bsuid !== null;
  if (!known) return null;
  if (type === 'user_changed_number' || type === 'customer_changed_number' || type === 'user_changed_user_id') {
    if (next.phone === null && next.bsuid === null) return null;
    return moveIdentity(ctx, { old, next, at });
  }

  await lockIdentities(ctx, [old.phone, old.bsuid]);
  const { byPhone, byBsuid } = await findHolders(ctx, old, at);
  return (byBsuid ?? byPhone)?.id ?? null;
}
