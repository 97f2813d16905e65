import type { Ctx } from '../../../core/context';
import { isPlainObject } from '../../../core/fields';
import { applyPreference } from '../../resources/contacts/preference';
import { learnReferral } from '../../resources/contacts/referral';
import { recordInbound } from '../../resources/conversations/inbound';
import { insertInbound, type StoredMessage } from '../../resources/messages/rows/insert';
import { noteCustomerMessage } from '../../resources/tickets/contactActivity';
import { resolveContact } from '../contactMerge/resolve';
import { receiveSubmission } from './flows';
import { eventTime, objectAt, objectsIn, senderOf, textOf, UnusableEvent, type Json } from './read';
import type { StoredEvent } from './service';
import type { Surroundings } from './surroundings';
import { receiveSystem } from './system';

/** Takes a customer's message: contact, message, window, unread count and reopening together, once per wamid. */
export async function receiveMessage(ctx: Ctx, event: StoredEvent, known: Surroundings): Promise<void> {
  const message = event.payload['message'] as Json;
  const wamid = textOf(message['id'], 256);
  const type = textOf(message['type'], 32) || 'unknown';
  if (wamid === '' || wamid.length > 255) throw new UnusableEvent('the message has no usable id');
  if (JSON.stringify(message).length > maxMessageLength)
    throw new UnusableEvent('the message is larger than any that the platform sends');

  const numberPk = known.numberOf(event);
  const at = eventTime(message['timestamp'], ctx.runtime.clock.now());
  if (type === 'system') {
    // Shown in the thread, and nothing else: it opens no conversation and no window.
    const contactId = await receiveSystem(ctx, message);
    if (contactId !== null)
      await storeMessage(ctx, { contactId, numberPk, wamid, type, message, at, errors: [], group: null, quiet: true });
    return;
  }

  const { identity, profile } = senderOf(event.payload, message);
  const contact = await resolveContact(ctx, identity, profile, at);
  const group = textOf(message['group_id'], 255);
  const shared = {
    contactId: contact.id,
    numberPk,
    wamid,
    type,
    message,
    at,
    errors: objectsIn(message['errors'] ?? event.payload['errors']),
  };
  if (group !== '') {
    // Groups are stored and shown, not processed further.
    await storeMessage(ctx, { ...shared, group: await groupInfo(ctx, group), quiet: true });
    return;
  }

  const stored = await storeMessage(ctx, { ...shared, group: null, quiet: false });
  if (!stored) return;

  await recordInbound(ctx, {
    messageId: stored.id,
    conversationId: contact.id,
    contactId: contact.id,
    numberPk,
    at,
    createdAt: stored.created_at,
  });
  await noteCustomerMessage(ctx, contact.id, at);
  if (type === 'interactive')
    await receiveSubmission(ctx, message, { wamid, contactId: contact.id, conversationId: contact.id, at });

  const referral = objectAt(message, 'referral');
  if (referral) await learnReferral(ctx, contact.id, referral, at);
  const text = type === 'text' ? objectAt(message, 'text')?.['body'] : undefined;
  const optOut = typeof text === 'string' ? known.preferenceOf(event, text) : null;
  if (optOut !== null) await applyPreference(ctx, contact.id, optOut, at, 'keyword');
}

/** Returns the group as its messages show it; one that was not seen before is noted. */
async function groupInfo(ctx: Ctx, groupId: string): Promise<Json> {
  // One upsert that returns the row either way; `findOrCreate` would define a function for each new group.
  const group = await ctx.runtime.db.row<Json>(
    `INSERT INTO message_groups (workspace_id, group_id)
     VALUES ($workspaceId, $groupId)
     ON CONFLICT (workspace_id, group_id) DO UPDATE SET group_id = excluded.group_id
     RETURNING id, subject, group_id`,
    { workspaceId: ctx.workspaceId, groupId },
  );
  return group ?? {};
}

interface Incoming {
  readonly contactId: number;
  readonly numberPk: number;
  readonly wamid: string;
  readonly type: string;
  readonly message: Json;
  readonly at: Date;
  readonly errors: readonly Json[];
  readonly group: Json | null;
  /** Counts as read: it needs no answer. */
  readonly quiet: boolean;
}

/** Longest message, as JSON: a list of messages is read whole. */
const maxMessageLength = 256 * 1024;

/** Keys of a message that are kept as they came, beside its own object. */
const extras = ['referral', 'errors', 'origin', 'identity'] as const;

/** Stores the message once; null when it is a repetition. */
async function storeMessage(ctx: Ctx, given: Incoming): Promise<StoredMessage | null> {
  const { message, type, errors } = given;
  const context = objectAt(message, 'context');
  const content = message[type];
  const product = context?.['referred_product'];
  const kept = Object.fromEntries(extras.flatMap((key) => (message[key] === undefined ? [] : [[key, message[key]]])));

  // Within the second that the upstream names, our own clock is the finer one.
  const now = ctx.runtime.clock.now();
  const createdAt = now.getTime() - given.at.getTime() < 2_000 ? now : given.at;

  return insertInbound(
    ctx,
    {
      // A conversation has the id of its contact.
      conversation_id: given.contactId,
      phone_number_id: given.numberPk,
      type,
      body: {
        type,
        ...(content === undefined ? {} : { [type]: content }),
        ...kept,
        ...(errors.length > 0 ? { errors } : {}),
      },
      wamid: given.wamid,
      reply_to_wamid: textOf(context?.['id'], 255),
      referred_product: isPlainObject(product) ? product : null,
      context,
      group_info: given.group,
      read: given.quiet,
    },
    createdAt,
  );
}
