import type { Ctx } from '../../core/context';
import { isPlainObject } from '../../core/fields';
import { recordEvent } from '../../core/events';
import { bsuidPattern, phoneDigits, type Identity } from '../contacts/identity';
import { resolveContact, type SenderProfile } from '../contacts/resolve';
import type { ContactView } from '../contacts/serializer';
import { windowMs } from '../messages/rules';
import { startConversationSla } from '../sla/conversations';
import { noteCustomerMessage } from '../tickets/contactActivity';
import { eventTime } from './eventTime';
import type { StoredEvent } from './service';

type Json = Record<string, unknown>;

/** Statuses that an inbound message opens again (specification 3.1); a snoozed conversation sleeps on. */
const reopened = ['resolved', 'pending', 'converted', 'spam'];

/** A customer's message: contact, message, window, unread count and reopening together, once per wamid (contract C6, C7). */
export async function receiveMessage(ctx: Ctx, event: StoredEvent): Promise<void> {
  const message = event.payload['message'] as Json;
  const wamid = typeof message['id'] === 'string' ? message['id'] : '';
  const type = typeof message['type'] === 'string' ? message['type'].slice(0, 32) : 'unknown';
  // Changes of identity are no messages: they open nothing and are counted nowhere.
  if (wamid === '' || wamid.length > 255 || type === 'system') return;
  const numberId = await numberOf(ctx, event);
  const { identity, profile } = senderOf(event.payload, message);
  const at = eventTime(message['timestamp'], ctx.runtime.clock.now());
  const contact = await resolveContact(ctx, identity, profile);
  const stored = await storeMessage(ctx, { contact, numberId, wamid, type, message, at });
  if (stored) await touchConversation(ctx, { ...stored, numberId, at, contact });
}

async function numberOf(ctx: Ctx, event: StoredEvent): Promise<number> {
  const metadata = event.payload['metadata'];
  const id = isPlainObject(metadata) ? String(metadata['phone_number_id'] ?? '') : '';
  const row = await ctx.runtime.db.row<{ id: number }>('SELECT id FROM phone_numbers WHERE workspace_id = $workspaceId AND phone_number_id = $id', { workspaceId: ctx.workspaceId, id });
  if (!row) throw new Error(`phone number ${id.slice(0, 64)} is not known: run sync, then replay`);
  return row.id;
}

/** Who wrote: the phone from `wa_id` or `from`, the bsuid from `from_user_id` or the contact entry (upstream-wire.md 2.5). */
export function senderOf(payload: Json, message: Json): { identity: Identity; profile: SenderProfile } {
  const from = typeof message['from'] === 'string' ? message['from'] : '';
  const fromUser = typeof message['from_user_id'] === 'string' ? message['from_user_id'] : '';
  const contacts = (Array.isArray(payload['contacts']) ? (payload['contacts'] as unknown[]) : []).filter(isPlainObject);
  const entry = contacts.find((candidate) => (from !== '' && candidate['wa_id'] === from) || (fromUser !== '' && candidate['user_id'] === fromUser)) ?? (contacts.length === 1 ? contacts[0] : undefined);
  const bsuid = [fromUser, entry?.['user_id'], from].find((value): value is string => typeof value === 'string' && bsuidPattern.test(value)) ?? null;
  const waId = typeof entry?.['wa_id'] === 'string' ? entry['wa_id'] : from;
  const phone = phoneDigits(waId) ?? phoneDigits(from);
  if (phone === null && bsuid === null) throw new Error('the message names neither a phone number nor a user id');
  const profile = isPlainObject(entry?.['profile']) ? entry['profile'] : {};
  return {
    identity: { phone, bsuid },
    profile: { ...(typeof profile['name'] === 'string' ? { name: profile['name'] } : {}), ...(typeof profile['username'] === 'string' ? { username: profile['username'] } : {}) },
  };
}

/** Stores the message once; null when it is a repetition. */
async function storeMessage(
  ctx: Ctx,
  given: { contact: ContactView; numberId: number; wamid: string; type: string; message: Json; at: Date },
): Promise<{ id: number; conversation_id: number; created_at: Date } | null> {
  const { message, type } = given;
  const context = isPlainObject(message['context']) ? message['context'] : null;
  const content = message[type];
  // Within the second that the upstream names, our own clock is the finer one.
  const now = ctx.runtime.clock.now();
  const createdAt = now.getTime() - given.at.getTime() < 2_000 ? now : given.at;
  return ctx.runtime.db.row<{ id: number; conversation_id: number; created_at: Date }>(
    `INSERT INTO messages (workspace_id, conversation_id, phone_number_id, direction, type, body, message_status, wamid, reply_to_wamid, referred_product, context, created_at)
     SELECT $workspaceId, v.id, $numberId, 'inbound', $type, $body::jsonb, 'received', $wamid, $replyTo, $product::jsonb, $context::jsonb, $createdAt
     FROM conversations v WHERE v.workspace_id = $workspaceId AND v.contact_id = $contactId
     ON CONFLICT (workspace_id, wamid) WHERE wamid IS NOT NULL DO NOTHING
     RETURNING id, conversation_id, created_at`,
    {
      workspaceId: ctx.workspaceId,
      contactId: given.contact.id,
      numberId: given.numberId,
      type,
      body: JSON.stringify({ type, ...(content === undefined ? {} : { [type]: content }), ...(Array.isArray(message['errors']) ? { errors: message['errors'] } : {}) }),
      wamid: given.wamid,
      replyTo: typeof context?.['id'] === 'string' ? context['id'].slice(0, 255) : '',
      product: isPlainObject(context?.['referred_product']) ? JSON.stringify(context['referred_product']) : null,
      context: context === null ? null : JSON.stringify(context),
      createdAt,
    },
  );
}

async function touchConversation(ctx: Ctx, given: { id: number; conversation_id: number; created_at: Date; numberId: number; at: Date; contact: ContactView }): Promise<void> {
  const { db } = ctx.runtime;
  const bind = { workspaceId: ctx.workspaceId, conversationId: given.conversation_id };
  const before = await db.row<{ conv_status: string }>('SELECT conv_status FROM conversations WHERE workspace_id = $workspaceId AND id = $conversationId FOR UPDATE', bind);
  const openUntil = new Date(given.at.getTime() + windowMs);
  await db.rows(
    `WITH opened AS (
       INSERT INTO conversation_windows AS w (conversation_id, phone_number_id, open_until) VALUES ($conversationId, $numberId, $openUntil)
       ON CONFLICT (conversation_id, phone_number_id) DO UPDATE SET open_until = greatest(w.open_until, excluded.open_until)
     ), contact AS (
       UPDATE contacts SET first_message_at = least(first_message_at, $at), updated_at = now()
       WHERE workspace_id = $workspaceId AND id = $contactId AND (first_message_at IS NULL OR first_message_at > $at)
     )
     UPDATE conversations SET
       unread_count = unread_count + 1,
       last_message_id = CASE WHEN last_message_at IS NULL OR last_message_at <= $createdAt THEN $messageId ELSE last_message_id END,
       phone_number_id = CASE WHEN last_message_at IS NULL OR last_message_at <= $createdAt THEN $numberId ELSE phone_number_id END,
       last_message_at = greatest(last_message_at, $createdAt),
       last_inbound_at = greatest(last_inbound_at, $at),
       active_till = greatest(active_till, $openUntil),
       conv_status = CASE WHEN conv_status = ANY($reopened::text[]) THEN 'open' ELSE conv_status END,
       resolved_at = CASE WHEN conv_status = ANY($reopened::text[]) THEN NULL ELSE resolved_at END,
       updated_at = now()
     WHERE workspace_id = $workspaceId AND id = $conversationId`,
    { ...bind, contactId: given.contact.id, numberId: given.numberId, messageId: given.id, at: given.at, createdAt: given.created_at, openUntil, reopened },
  );
  await startConversationSla(ctx, given.conversation_id, given.at);
  await noteCustomerMessage(ctx, given.contact.id, given.at);
  if (before && reopened.includes(before.conv_status)) {
    await recordEvent(ctx, {
      subjectType: 'conversation',
      subjectId: given.conversation_id,
      kind: 'reopened',
      changes: { conv_status: { from: before.conv_status, to: 'open' } },
      data: { message_id: given.id },
    });
  }
}
