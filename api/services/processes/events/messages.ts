import type { Ctx } from '../../../core/context';
import { cleanFilename } from '../../../core/files/contents';
import { isPlainObject } from '../../../core/http/fields';
import { applyPreference } from '../../resources/contacts/preference';
import { lockIdentities } from '../../resources/contacts/locks';
import { recordReferral } from '../../resources/contacts/referral';
import { recordInbound } from '../../resources/conversations/inbound';
import { insertInbound, type Arrived } from '../../resources/messages/rows/insert';
import { answerToCustomers } from '../../resources/messages/rows/scheduled';
import { messageFacts } from '../../resources/rules/conditions';
import { changedAs, createdAs, noteHappened, type Happened } from '../../resources/rules/starts';
import { noteCustomerMessages } from '../../resources/tickets/contactActivity';
import { answerAway } from '../awayReplies/service';
import { resolveContact } from '../contactMerge/resolve';
import { resolvePlain, type Sender } from '../contactMerge/resolveBatch';
import { ratingOf, takeRatings } from '../satisfaction/ratings';
import { receiveSubmission } from './flows';
import { eventTime, objectAt, objectsIn, requestIdOf, senderOf, textOf, UnusableEvent, type Json } from './read';
import type { StoredEvent } from './claim';
import type { EventLookups } from './lookups';
import { isCorrection, receiveCorrection } from './corrections';
import { keepInstead } from './ignored';
import { receiveSystem } from './system';

/** The longest message, in characters of JSON, because lists of messages are read as a whole. */
const maxMessageLength = 256 * 1024;

/** A customer's message, as read from its event. */
interface Content {
  readonly event: StoredEvent;
  readonly message: Json;
  readonly numberPk: number;
  readonly wamid: string;
  readonly type: string;
  readonly at: Date;
  readonly errors: readonly Json[];
  /** Whether another application has the thread. */
  readonly standby: boolean;
  /** Characters of the message as JSON. */
  readonly length: number;
}

/** A message that a person has written to the business alone, so that it is part of a conversation. */
export type Written = Content & Sender;

/** Returns an event's message; throws for one that cannot be stored. */
export function readContent(ctx: Pick<Ctx, 'runtime'>, event: StoredEvent, known: EventLookups): Content {
  const message = event.payload['message'] as Json;
  const wamid = textOf(message['id'], 256);
  if (wamid === '' || wamid.length > 255) throw new UnusableEvent('the message has no usable id');
  const { length } = JSON.stringify(message);
  if (length > maxMessageLength) throw new UnusableEvent('the message is larger than any that the platform sends');
  const type = textOf(message['type'], 32) || 'unknown';
  return {
    event,
    message,
    numberPk: known.numberOf(event),
    wamid,
    type,
    at: eventTime(message['timestamp'], ctx.runtime.clock.now()),
    errors: type === 'system' ? [] : objectsIn(message['errors'] ?? event.payload['errors']),
    standby: event.payload['standby'] === true,
    length,
  };
}

/** What an application tells of itself, so that nobody has written anything. */
const silentTypes: readonly string[] = ['request_welcome', 'ephemeral'];
const isSilent = ({ type }: Content): boolean => silentTypes.includes(type);

/** Returns whether a message takes a reaction back. */
const takesBack = ({ type, message }: Content): boolean =>
  type === 'reaction' && textOf(objectAt(message, 'reaction')?.['emoji'], 1) === '';

/** Returns the upstream's id of the group that a message was written in; empty for one to the business alone. */
function groupOf({ type, message }: Content): string {
  return type === 'system' ? '' : textOf(message['group_id'], 255);
}

/**
 * Returns the message of an event that can be stored together with others; null for one that must be processed alone,
 * also when it cannot be read.
 */
export function readWritten(ctx: Pick<Ctx, 'runtime'>, event: StoredEvent, known: EventLookups): Written | null {
  if (!isPlainObject(event.payload['message'])) return null;
  try {
    const content = readContent(ctx, event, known);
    if (content.type === 'system' || groupOf(content) !== '' || isCorrection(content) || isSilent(content)) return null;
    return { ...content, ...senderOf(event.payload, content.message), requestId: requestIdOf(event) };
  } catch {
    // Processed alone, it fails with the reason.
    return null;
  }
}

/**
 * Takes messages of different customers of one workspace together, those of each in a list in their order: by a few
 * statements for the first ones of all, then for the second ones, in the surrounding transaction. `mark` marks events
 * as processed and returns those that had not been. Returns the ids of the events that are done. A message whose
 * contact needs more checks is left for `receiveMessage`, with all later ones of its customer: nothing was written for
 * them. Throws when another process was faster with one of them.
 */
export async function receivePlainMessages(
  ctx: Ctx,
  customers: readonly (readonly Written[])[],
  known: EventLookups,
  mark: (ids: readonly number[]) => Promise<ReadonlySet<number>>,
): Promise<ReadonlySet<number>> {
  // Those of all at once, in one order, to avoid deadlocks.
  await lockIdentities(
    ctx,
    customers.flat().flatMap(({ identity: { phone, bsuid } }) => [phone, bsuid]),
  );
  const done = new Set<number>();
  let going = customers;
  for (let nth = 0; going.length > 0; nth += 1) {
    const round = going.flatMap((messages) => messages[nth] ?? []);
    const contacts = await resolvePlain(ctx, round);
    const plain = round.flatMap((message) => {
      const contactId = contacts.get(message);
      return contactId === undefined ? [] : [{ ...message, contactId }];
    });
    if (plain.length > 0) {
      const ids = plain.map(({ event }) => event.id);
      if ((await mark(ids)).size < ids.length) throw new Error('some of these events were processed meanwhile');
      await record(ctx, plain, known);
      for (const id of ids) done.add(id);
    }
    going = going.filter(({ length, [nth]: message }) => message && contacts.has(message) && length > nth + 1);
  }
  return done;
}

/** Takes a customer's message: contact, message, window, unread count and reopening together, once per wamid. */
export async function receiveMessage(ctx: Ctx, event: StoredEvent, known: EventLookups): Promise<void> {
  const content = readContent(ctx, event, known);
  if (isSilent(content)) return keepInstead(ctx, event, content.type);
  if (isCorrection(content)) return receiveCorrection(ctx, event, content, 'inbound');
  if (content.type === 'system') {
    // Only shown in the conversation: it opens neither a conversation nor a window.
    const contactId = await receiveSystem(ctx, content.message);
    if (contactId !== null) await insertInbound(ctx, [stored({ ...content, contactId }, { quiet: true })]);
    return;
  }

  const { identity, profile } = senderOf(event.payload, content.message);
  const { id: contactId } = await resolveContact(ctx, identity, profile, content.at);
  const group = groupOf(content);
  if (group === '') {
    await record(ctx, [{ ...content, contactId, requestId: ctx.requestId }], known);
    return;
  }
  // Groups are stored and shown, not processed further.
  const shown = { quiet: true, group: await groupInfo(ctx, group) };
  await insertInbound(ctx, [stored({ ...content, contactId }, shown)]);
}

/** Stores messages of different conversations once each, and records on their conversations those that are new. */
async function record(
  ctx: Ctx,
  messages: readonly (Content & { readonly contactId: number; readonly requestId: string })[],
  known: EventLookups,
): Promise<void> {
  const rows = await insertInbound(
    ctx,
    messages.map((message) => stored(message, { quiet: ratingOf(message.message) !== null || takesBack(message) })),
  );
  const taken = new Set<string>();
  const received = messages.flatMap((message) => {
    const row = rows.get(message.wamid);
    // The thread shows what was taken back; beyond that it is as if it had not been said.
    if (!row || taken.has(message.wamid) || takesBack(message)) return [];
    taken.add(message.wamid);
    const rated = ratingOf(message.message);
    const about = { conversationId: message.contactId, messageId: row.id, createdAt: row.created_at };
    return [{ ...message, ...about, rated, isRating: rated !== null, isReaction: message.type === 'reaction' }];
  });
  if (received.length === 0) return;

  const { opened, entries, begun, watched } = await recordInbound(ctx, received);
  const written = received.filter(({ isRating }) => !isRating);
  await noteCustomerMessages(ctx, written);
  await answerToCustomers(
    ctx,
    written.flatMap(({ isReaction, conversationId }) => (isReaction ? [] : conversationId)),
  );
  for (const one of received) await recordContent({ ...ctx, requestId: one.requestId }, one, known);
  // After the words of an opt-out: what they forbid is not sent as the answer to them.
  const [first] = written;
  if (first && known.answersAway(first.event)) await answerAway(ctx, written);
  const rated = received.flatMap(({ rated: rating, ...one }) => (rating ? [{ ...one, ...rating }] : []));
  await takeRatings(ctx, rated, opened);
  if (watched)
    await noteHappened(
      ctx,
      written.flatMap((one) => happenedBy(one, known, { opened, entries, begun })),
    );
}

/** Returns what a message does to rules; a reaction says nothing, and what is no news starts none (contract 21). */
function happenedBy(
  one: Content & { readonly conversationId: number; readonly messageId: number; readonly isReaction: boolean },
  known: EventLookups,
  { opened, entries, begun }: Pick<Awaited<ReturnType<typeof recordInbound>>, 'opened' | 'entries' | 'begun'>,
): Happened[] {
  const { conversationId, messageId, message, type, event, at, standby, isReaction } = one;
  if (isReaction) return [];
  const quiet = standby || known.preferenceOf(event, saidIn(message, type)) !== null;
  const more = { message: { id: messageId, ...messageFacts(type, message) }, at, quiet };
  const from = opened.get(conversationId);
  return [
    { conversationId, event: 'message.received', eventId: messageId, ...more },
    ...(begun.has(conversationId) ? createdAs(conversationId, messageId, 'open', more) : []),
    ...(from === undefined
      ? []
      : changedAs(conversationId, entries.get(conversationId) ?? 0, { conv_status: { from, to: 'open' } }, more)),
  ];
}

/** Records what else is in a message: answers of a form, the ad that it came from, an opt-out word. */
async function recordContent(
  ctx: Ctx,
  given: Content & { readonly contactId: number; readonly conversationId: number },
  known: EventLookups,
): Promise<void> {
  const { event, message, type, contactId, at } = given;
  if (type === 'interactive') await receiveSubmission(ctx, message, given);
  const referral = objectAt(message, 'referral');
  if (referral) await recordReferral(ctx, contactId, referral, at);
  const optOut = known.preferenceOf(event, saidIn(message, type));
  if (optOut !== null) await applyPreference(ctx, contactId, optOut, at, 'keyword');
}

/** Returns what a customer said by a message: its text, or that of the button or row that they chose. */
function saidIn(message: Json, type: string): string {
  const content = objectAt(message, type);
  const chosen = objectAt(content, 'button_reply') ?? objectAt(content, 'list_reply');
  const said = { text: content?.['body'], button: content?.['text'], interactive: chosen?.['title'] };
  return textOf(Object.hasOwn(said, type) ? said[type as keyof typeof said] : '', 4_096);
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

/** Returns the content of a message, the file name that a stranger gave without what deceives its reader. */
function withCleanName(content: unknown): unknown {
  if (!isPlainObject(content) || typeof content['filename'] !== 'string') return content;
  return { ...content, filename: cleanFilename(content['filename']) };
}

/** Keys of a message that are kept as they came, beside its own object. */
const extras = ['referral', 'errors', 'origin', 'identity'] as const;

/** Returns a message as it is stored; a quiet one needs no answer. */
export function stored(
  given: Content & { readonly contactId: number },
  { quiet = false, group = null }: { readonly quiet?: boolean; readonly group?: Json | null } = {},
): Arrived {
  const { message, type, errors } = given;
  const context = objectAt(message, 'context');
  const content = withCleanName(message[type]);
  const product = context?.['referred_product'];
  const kept = Object.fromEntries(extras.flatMap((key) => (message[key] === undefined ? [] : [[key, message[key]]])));
  return {
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
    group_info: group,
    read: quiet,
    standby: given.standby,
    at: given.at,
  };
}
