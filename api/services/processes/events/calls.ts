import type { Ctx } from '../../../core/context';
import { recordCall } from '../../resources/conversations/sentByOtherApps';
import { resolveContact } from '../contactMerge/resolve';
import { eventTime, identityOf, objectsIn, profileOf, textOf, UnusableEvent, type Json } from './read';
import type { StoredEvent } from './claim';

/** Processes the end of a call. The begin is not stored, because the end follows. */
export async function receiveCall(ctx: Ctx, event: StoredEvent): Promise<void> {
  const call = event.payload['call'] as Json;
  const callId = textOf(call['id'], 255);
  if (callId === '') throw new UnusableEvent('the call has no id');
  if (call['event'] === 'connect') return;

  const isOurs = call['direction'] === 'BUSINESS_INITIATED';
  const entry = objectsIn(event.payload['contacts'])[0];
  const identity = identityOf(
    entry?.['wa_id'] ?? call[isOurs ? 'to' : 'from'],
    entry?.['user_id'] ?? call[isOurs ? 'to_user_id' : 'from_user_id'],
  );
  if (identity.phone === null && identity.bsuid === null) throw new UnusableEvent('the call names no customer');
  const at = eventTime(call['timestamp'], ctx.runtime.clock.now());
  const { id: conversationId } = await resolveContact(ctx, identity, profileOf(entry), at);
  const seconds = Number(call['duration'] ?? 0);
  const status = textOf(call['status'], 32);
  await recordCall(ctx, {
    conversationId,
    callId,
    isMissed: !isOurs && !(seconds > 0),
    at,
    data: { direction: isOurs ? 'outbound' : 'inbound', status, seconds: Number.isFinite(seconds) ? seconds : 0 },
  });
}
