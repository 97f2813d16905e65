import type { Ctx } from '../../../core/context';
import { isPlainObject } from '../../../core/fields';
import { recordEvent } from '../../../core/events';
import { applyPreference } from '../../resources/contacts/preference';
import { learnReferral } from '../../resources/contacts/referral';
import { resolveContact } from '../../resources/contacts/resolve';
import { windowMs } from '../../resources/messages/rules';
import { slaBeginsSql, startConversationSla } from '../../resources/sla/conversations';
import { noteCustomerMessage } from '../../resources/tickets/contactActivity';
import { receiveSubmission } from './flows';
import { eventTime, objectAt, objectsIn, senderOf, textOf, UnusableEvent, type Json } from './read';
import type { StoredEvent } from './service';
import type { Surroundings } from './surroundings';
import { receiveSystem } from './system';

/** Statuses that an inbound message opens again (contract 6.2); a snoozed conversation sleeps on. */
const reopened = ['resolved', 'pending', 'converted', 'spam'];

/** A customer's message: contact, message, window, unread count and reopening together, once per wamid (contract 6, 7). */
export async function receiveMessage(ctx: Ctx, event: StoredEvent, known: Surroundings): Promise<void> {
  const message = event.payload['message'] as Json;
  const wamid = textOf(message['id'], 256);
  const type = textOf(message['type'], 32) || 'unknown';
  if (wamid === '' || wamid.length > 255) throw new UnusableEvent('the message has no usable id');
  if (JSON.stringify(message).length > maxMessageLength)
    throw new UnusableEvent('the message is larger than any that the platform sends');
  const numberId = known.numberOf(event);
  const at = eventTime(message['timestamp'], ctx.runtime.clock.now());
  if (type === 'system') {
    // Shown in the thread, and nothing else: it opens no conversation and no window (contract 6).
    const contactId = await receiveSystem(ctx, message);
    if (contactId !== null)
      await storeMessage(ctx, { contactId, numberId, wamid, type, message, at, errors: [], group: null, quiet: true });
    return;
  }
  const { identity, profile } = senderOf(event.payload, message);
  const contact = await resolveContact(ctx, identity, profile, at);
  const group = textOf(message['group_id'], 255);
  const shared = {
    contactId: contact.id,
    numberId,
    wamid,
    type,
    message,
    at,
    errors: objectsIn(message['errors'] ?? event.payload['errors']),
  };
  if (group !== '') {
    // Groups are stored and shown, not processed further (contract 6).
    await storeMessage(ctx, { ...shared, group: await groupInfo(ctx, group), quiet: true });
    return;
  }
  const stored = await storeMessage(ctx, { ...shared, group: null, quiet: false });
  if (!stored) return;
  await touchConversation(ctx, { ...stored, numberId, at, contactId: contact.id });
  if (type === 'interactive')
    await receiveSubmission(ctx, message, { wamid, contactId: contact.id, conversationId: stored.conversation_id, at });
  const referral = objectAt(message, 'referral');
  if (referral) await learnReferral(ctx, contact.id, referral, at);
  const text = type === 'text' ? objectAt(message, 'text')?.['body'] : undefined;
  const optOut = typeof text === 'string' ? known.preferenceOf(event, text) : null;
  if (optOut !== null) await applyPreference(ctx, contact.id, optOut, at, 'keyword');
}

async function groupInfo(ctx: Ctx, groupId: string): Promise<Json> {
  const row = await ctx.runtime.db.row<Json>(
    `INSERT INTO message_groups (workspace_id, group_id) VALUES ($workspaceId, $groupId)
     ON CONFLICT (workspace_id, group_id) DO UPDATE SET group_id = excluded.group_id RETURNING id, subject, group_id`,
    { workspaceId: ctx.workspaceId, groupId },
  );
  return row ?? {};
}

interface Incoming {
  readonly contactId: number;
  readonly numberId: number;
  readonly wamid: string;
  readonly type: string;
  readonly message: Json;
  readonly at: Date;
  readonly errors: readonly Json[];
  readonly group: Json | null;
  /** Counts as read: nobody has to answer it. */
  readonly quiet: boolean;
}

/** Longest message, as JSON: a list of messages is read whole. */
const maxMessageLength = 256 * 1024;

/** What the message says beside its own object: kept as it came, for those who want it. */
const extras = ['referral', 'errors', 'origin', 'identity'] as const;

/** Stores the message once; null when it is a repetition. */
async function storeMessage(
  ctx: Ctx,
  given: Incoming,
): Promise<{ id: number; conversation_id: number; created_at: Date } | null> {
  const { message, type, errors } = given;
  const context = objectAt(message, 'context');
  const content = message[type];
  const kept = Object.fromEntries(extras.flatMap((key) => (message[key] === undefined ? [] : [[key, message[key]]])));
  // Within the second that the upstream names, our own clock is the finer one.
  const now = ctx.runtime.clock.now();
  const createdAt = now.getTime() - given.at.getTime() < 2_000 ? now : given.at;
  return ctx.runtime.db.row<{ id: number; conversation_id: number; created_at: Date }>(
    `INSERT INTO messages (workspace_id, conversation_id, phone_number_id, direction, type, body, message_status, wamid, reply_to_wamid, referred_product, context, group_info, "read", created_at)
     SELECT $workspaceId, v.id, $numberId, 'inbound', $type, $body::jsonb, 'received', $wamid, $replyTo, $product::jsonb, $context::jsonb, $group::jsonb, $quiet, $createdAt
     FROM conversations v WHERE v.workspace_id = $workspaceId AND v.contact_id = $contactId
     ON CONFLICT (workspace_id, wamid) WHERE wamid IS NOT NULL DO NOTHING
     RETURNING id, conversation_id, created_at`,
    {
      workspaceId: ctx.workspaceId,
      contactId: given.contactId,
      numberId: given.numberId,
      type,
      body: JSON.stringify({
        type,
        ...(content === undefined ? {} : { [type]: content }),
        ...kept,
        ...(errors.length > 0 ? { errors } : {}),
      }),
      wamid: given.wamid,
      replyTo: textOf(context?.['id'], 255),
      product: isPlainObject(context?.['referred_product']) ? JSON.stringify(context['referred_product']) : null,
      context: context === null ? null : JSON.stringify(context),
      group: given.group === null ? null : JSON.stringify(given.group),
      quiet: given.quiet,
      createdAt,
    },
  );
}

async function touchConversation(
  ctx: Ctx,
  given: { id: number; conversation_id: number; created_at: Date; numberId: number; at: Date; contactId: number },
): Promise<void> {
  const { db } = ctx.runtime;
  const bind = { workspaceId: ctx.workspaceId, conversationId: given.conversation_id };
  const openUntil = new Date(given.at.getTime() + windowMs);
  const before = await db.row<{ conv_status: string; sla_begins: boolean }>(
    `WITH before AS MATERIALIZED (
       SELECT v.id, v.conv_status, ${slaBeginsSql} AS sla_begins FROM conversations v WHERE v.workspace_id = $workspaceId AND v.id = $conversationId FOR UPDATE
     ), opened AS (
       INSERT INTO conversation_windows AS w (conversation_id, phone_number_id, open_until) VALUES ($conversationId, $numberId, $openUntil)
       ON CONFLICT (conversation_id, phone_number_id) DO UPDATE SET open_until = greatest(w.open_until, excluded.open_until)
     ), contact AS (
       UPDATE contacts SET first_message_at = least(first_message_at, $at), updated_at = now()
       WHERE workspace_id = $workspaceId AND id = $contactId AND (first_message_at IS NULL OR first_message_at > $at)
     )
     UPDATE conversations v SET
       unread_count = v.unread_count + 1,
       last_message_id = CASE WHEN v.last_message_at IS NULL OR v.last_message_at <= $createdAt THEN $messageId ELSE v.last_message_id END,
       phone_number_id = CASE WHEN v.phone_number_id IS NULL OR v.last_message_at IS NULL OR v.last_message_at <= $createdAt THEN $numberId ELSE v.phone_number_id END,
       last_message_at = greatest(v.last_message_at, $createdAt),
       last_inbound_at = greatest(v.last_inbound_at, $at),
       active_till = greatest(v.active_till, $openUntil),
       conv_status = CASE WHEN before.conv_status = ANY($reopened::text[]) THEN 'open' ELSE before.conv_status END,
       resolved_at = CASE WHEN before.conv_status = ANY($reopened::text[]) THEN NULL ELSE v.resolved_at END,
       updated_at = now()
     FROM before WHERE v.id = before.id
     RETURNING before.conv_status, before.sla_begins`,
    {
      ...bind,
      contactId: given.contactId,
      numberId: given.numberId,
      messageId: given.id,
      at: given.at,
      createdAt: given.created_at,
      openUntil,
      reopened,
    },
  );
  if (before?.sla_begins) await startConversationSla(ctx, given.conversation_id, given.at);
  await noteCustomerMessage(ctx, given.contactId, given.at);
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
