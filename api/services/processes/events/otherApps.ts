import type { Ctx } from '../../../core/context';
import { otherApp, recordSentElsewhere, setThreadOwner } from '../../resources/conversations/sentByOtherApps';
import { answerEpisodeElsewhere } from '../../resources/conversations/episodes';
import { answerConversationSla } from '../../resources/conversations/sla';
import { insertElsewhere } from '../../resources/messages/rows/insertFromOtherApps';
import { markMessagesRead } from '../../resources/messages/rows/read';
import { noteHappened } from '../../resources/rules/starts';
import { noteTeamMessage } from '../../resources/tickets/contactActivity';
import { resolveContact } from '../contactMerge/resolve';
import { isCorrection, receiveCorrection } from './corrections';
import type { EventLookups } from './lookups';
import { readContent, stored } from './messages';
import { eventTime, identityOf, objectAt, objectsIn, profileOf, textOf, UnusableEvent, type Json } from './read';
import type { StoredEvent } from './claim';

/**
 * Stores a message that was sent elsewhere: by a person in the phone's app, which counts as an answer, or by another
 * application that has the thread.
 */
export async function receiveEcho(ctx: Ctx, event: StoredEvent, known: EventLookups): Promise<void> {
  const content = readContent(ctx, event, known);
  if (isCorrection(content)) return receiveCorrection(ctx, event, content, 'outbound');
  const entry = objectsIn(event.payload['contacts'])[0];
  const { message, wamid, numberPk } = content;
  const identity = identityOf(entry?.['wa_id'] ?? message['to'], entry?.['user_id'] ?? message['to_user_id']);
  if (identity.phone === null && identity.bsuid === null) throw new UnusableEvent('the echo names no customer');
  const { id: contactId } = await resolveContact(ctx, identity, profileOf(entry), content.at);

  const origin = event.payload['by'] === 'phone_app' ? 'phone_app' : 'other_app';
  const sentElsewhere = { direction: 'outbound', message_status: 'sent' } as const;
  const rows = await insertElsewhere(ctx, [{ ...stored({ ...content, contactId }), ...sentElsewhere }], { origin });
  const row = rows.get(wamid);
  if (!row) return;
  const { at } = content;
  const byPerson = origin === 'phone_app';
  const sent = { conversationId: contactId, messageId: row.id, numberPk, at, createdAt: row.created_at, byPerson };
  const { answers, watched } = await recordSentElsewhere(ctx, sent);
  if (!answers) return;
  await markMessagesRead(ctx, contactId);
  await answerEpisodeElsewhere(ctx, contactId, at);
  await answerConversationSla(ctx, contactId);
  await noteTeamMessage(ctx, contactId);
  if (watched)
    await noteHappened(ctx, [{ conversationId: contactId, event: 'conversation.answered', eventId: row.id, at }]);
}

/** Processes a change of who has a thread: it was passed to us, or another application took it. */
export async function receiveHandover(ctx: Ctx, event: StoredEvent): Promise<void> {
  const value = event.payload['value'] as Json;
  const sender = objectAt(value, 'sender');
  const identity = identityOf(sender?.['phone_number'] ?? sender?.['wa_id'], sender?.['user_id']);
  if (identity.phone === null && identity.bsuid === null) throw new UnusableEvent('the handover names no customer');
  const at = eventTime(value['timestamp'] ?? event.payload['time'], ctx.runtime.clock.now());
  const { id } = await resolveContact(ctx, identity, {}, at);
  const type = textOf(value['type'], 64);
  const taken = objectAt(value, type);
  const owner = textOf(taken?.['new_owner_app_role'] ?? taken?.['new_owner_app_id'], 64) || otherApp;
  await setThreadOwner(ctx, id, type === 'control_passed' ? '' : owner, at);
}
