import { randomUUID } from 'node:crypto';
import { messageDeliveryStart } from '../../../../workflows/contract';
import { announceSend } from '../../../core/autonomy';
import type { Ctx } from '../../../core/context';
import { ofWorkspace } from '../../../core/db';
import { AppError, invalid, invalidField } from '../../../core/errors';
import type { Page } from '../../../core/operations';
import { listPage, type PagingInput } from '../../../core/paging';
import { parseRecipient } from '../contacts/identity';
import { resolveContact } from '../contacts/resolve';
import { conversationsByIds, lockConversation, markMessagesRead } from '../conversations/service';
import { conversationColumns, serializeReceiver, type ConversationView } from '../conversations/serializer';
import { flowOfInteractive, flowOfTemplate, flowProblem } from '../flows/carried';
import { userJsonSql } from '../../identity/members/userColumns';
import { answerConversationSla, hasSla } from '../sla/conversations';
import { noteTeamMessage } from '../tickets/contactActivity';
import { narrowNumbers, requireNumber, type NumberChoice, type NumberPick } from './numbers';
import { readContent, type Content } from './content';
import { windowClosed } from './rules';
import { serializeMessage, messageColumns, type MessageView } from './serializer';
import { prepareTemplate, type PreparedTemplate } from './templates';

/** How long an accepted message may wait for the upstream (contract 6). */
const deliverWithinMs = 24 * 3_600_000;

const numberJson = `CASE WHEN p.id IS NULL THEN NULL ELSE jsonb_build_object('phone_number_id', p.phone_number_id, 'quality_rating', p.quality_rating,
  'display_phone_number', p.display_phone_number, 'verified_name', p.verified_name, 'business_account_id', p.business_account_id, 'messaging_limit_tier', p.messaging_limit_tier) END AS number`;
const messageJoins =
  'LEFT JOIN phone_numbers p ON p.id = m.phone_number_id LEFT JOIN members u ON u.id = m.sent_by_member_id';

const sortColumns = { created_at: { sql: 'm.created_at', type: 'timestamptz' } } as const;

/** Messages of a conversation, newest first (contract 4). */
export async function listMessages(
  ctx: Ctx,
  conversation: ConversationView,
  paging: PagingInput,
): Promise<Page<MessageView>> {
  return listPage<MessageView>(
    ctx.runtime.db,
    {
      select: `${messageColumns}, ${numberJson}, ${userJsonSql('u')} AS sender`,
      from: 'messages m',
      joins: messageJoins,
      where: ['m.workspace_id = $workspaceId', 'm.conversation_id = $conversationId'],
      bind: { workspaceId: ctx.workspaceId, conversationId: conversation.id },
      idSql: 'm.id',
      columns: sortColumns,
      defaultOrdering: '-created_at',
    },
    paging,
  );
}

/** A message with the conversation that it embeds, ready for the wire. */
export async function readMessage(ctx: Ctx, id: number): Promise<Record<string, unknown> | null> {
  const message = await ctx.runtime.db.row<MessageView>(
    `SELECT m.id, ${messageColumns}, ${numberJson}, ${userJsonSql('u')} AS sender FROM messages m ${messageJoins} WHERE m.workspace_id = $workspaceId AND m.id = $id`,
    { workspaceId: ctx.workspaceId, id },
  );
  if (!message) return null;
  const conversation = await ctx.runtime.db.row<ConversationView>(
    `SELECT v.id, ${conversationColumns} FROM conversations v JOIN contacts c ON c.id = v.contact_id WHERE v.workspace_id = $workspaceId AND v.id = $id`,
    { workspaceId: ctx.workspaceId, id: message.conversation_id },
  );
  return conversation ? serializeMessage(message, serializeReceiver(conversation, ctx.runtime.clock.now())) : null;
}

/** Returns messages by their ids, those that exist, each with the conversation that it embeds, ready for the wire. */
export async function messagesByIds(
  ctx: Ctx,
  ids: readonly number[],
): Promise<Map<number, { readonly contactId: number; readonly message: Record<string, unknown> }>> {
  const messages = await ctx.runtime.db.rows<MessageView>(
    `SELECT m.id, ${messageColumns}, ${numberJson}, ${userJsonSql('u')} AS sender FROM messages m ${messageJoins}
     WHERE ${ofWorkspace('m.workspace_id')} AND m.id = ANY($ids::bigint[])`,
    { workspaceId: ctx.workspaceId, ids },
  );
  const conversations = await conversationsByIds(ctx, [...new Set(messages.map((row) => row.conversation_id))]);
  const now = ctx.runtime.clock.now();
  return new Map(
    messages.flatMap((row) => {
      const conversation = conversations.get(row.conversation_id);
      if (!conversation) return [];
      const message = serializeMessage(row, serializeReceiver(conversation, now));
      return [[row.id, { contactId: conversation.id, message }]];
    }),
  );
}

export interface MessageInput extends NumberChoice {
  readonly to: string;
  readonly reply_to_wamid?: string | null | undefined;
  readonly [field: string]: unknown;
}

/** Accepts a message for delivery: the row and the intent commit together (contract 6). Throws 400 and 403. */
export async function createMessage(
  ctx: Ctx,
  values: MessageInput,
  source: Pick<Enqueue, 'origin' | 'dedupeKey'> = { origin: 'api' },
): Promise<Record<string, unknown>> {
  const content = readContent(values);
  const identity = parseRecipient(values.to);
  if (!identity) throw invalidField('to', 'Enter a phone number in E.164 format or a business-scoped user id.');
  return ctx.runtime.db.transaction(async () => {
    const contact = await resolveContact(ctx, identity);
    const conversation = await lockConversation(ctx, { contactId: contact.id });
    const id = await enqueueMessage(ctx, conversation, {
      content,
      number: values,
      replyTo: values.reply_to_wamid ?? '',
      ...source,
    });
    // Read before the commit: what was accepted is never answered by a fault.
    const message = await readMessage(ctx, id);
    if (!message) throw new Error('the message vanished after it was accepted');
    return message;
  });
}

export interface Enqueue {
  readonly content: Content;
  readonly number?: NumberChoice;
  readonly replyTo?: string;
  readonly origin: 'api' | 'macro' | 'agent' | 'dashboard' | 'stage' | 'broadcast';
  /** Unique per workspace: a second one with it is refused by the database. */
  readonly dedupeKey?: string;
}

/**
 * Checks and stores an outbound message of a locked conversation, in the surrounding transaction, with its place in the
 * conversation's order and the intent to deliver it. Gives the message's id.
 */
export async function enqueueMessage(ctx: Ctx, conversation: ConversationView, request: Enqueue): Promise<number> {
  const { db } = ctx.runtime;
  const pick = await narrowNumbers(ctx, request.number ?? {}, conversation.phone_number_id);
  if (request.content.kind === 'plain') await requireOpenWindow(ctx, conversation, pick);
  const number = requireNumber(pick);
  let prepared: PreparedTemplate | null = null;
  if (request.content.kind === 'template') {
    prepared = await prepareTemplate(ctx, request.content.by, number.business_account_id, conversation);
    refuseTemplate(prepared, conversation);
  }
  await refuseMissingFlow(ctx, number.business_account_id, request.content, prepared);
  const body = request.content.kind === 'plain' ? request.content.body : prepared?.body;
  const row = await db.row<{ id: number }>(
    // The conversation shows its newest message, and that it was answered; its row is written once.
    `WITH fresh AS MATERIALIZED (
       SELECT nextval(pg_get_serial_sequence('messages', 'id'))::bigint AS id, clock_timestamp()::timestamptz(3) AS at
     ), seq AS (
       UPDATE conversations v SET send_seq = v.send_seq + 1, last_message_id = fresh.id, last_message_at = fresh.at, phone_number_id = $numberId, unread_count = 0, updated_at = now(),
         first_response_at = coalesce(v.first_response_at, CASE WHEN v.last_inbound_at IS NOT NULL THEN fresh.at END)
       FROM fresh WHERE v.workspace_id = $workspaceId AND v.id = $conversationId RETURNING v.send_seq, fresh.id, fresh.at
     )
     INSERT INTO messages (id, workspace_id, conversation_id, phone_number_id, direction, type, body, message_status, reply_to_wamid, template_pk,
       sent_by_member_id, api_key_id, origin, dedupe_key, delivery_state, opaque, send_seq, deliver_by, created_at, updated_at)
     SELECT seq.id, $workspaceId, $conversationId, $numberId, 'outbound', $type, $body::jsonb, 'queued', $replyTo, $templatePk,
       $memberId, $apiKeyId, $origin, $dedupeKey, 'queued', $opaque, seq.send_seq, $deliverBy, seq.at, seq.at FROM seq
     RETURNING id`,
    {
      workspaceId: ctx.workspaceId,
      conversationId: conversation.id,
      numberId: number.id,
      type: request.content.kind === 'plain' ? request.content.type : 'template',
      body: JSON.stringify(body),
      replyTo: request.replyTo ?? '',
      templatePk: prepared?.template.id ?? null,
      memberId: ctx.actor.memberId,
      apiKeyId: ctx.actor.apiKeyId,
      origin: request.origin,
      dedupeKey: request.dedupeKey ?? null,
      opaque: randomUUID(),
      deliverBy: new Date(ctx.runtime.clock.now().getTime() + deliverWithinMs),
    },
  );
  if (!row) throw new Error('the message was not stored');
  // Who answers has read: only then is there anything to write.
  if (conversation.unread_count > 0) await markMessagesRead(ctx, conversation.id);
  await announceSend(ctx);
  if (hasSla(conversation)) await answerConversationSla(ctx, conversation.id);
  await noteTeamMessage(ctx, conversation.contact_id);
  await ctx.runtime.outbox.add(ctx, {
    start: { ...messageDeliveryStart(ctx.workspaceId, conversation.id), workflow: 'messageDelivery' },
    input: { workspaceId: ctx.workspaceId, conversationId: conversation.id },
    signal: 'deliver',
  });
  return row.id;
}

/**
 * Throws the 400 of a closed window: of the number that was picked, or, where the sender has yet to say which, of all
 * that it can be, so that nobody is asked for a number which then does not help.
 */
async function requireOpenWindow(ctx: Ctx, conversation: ConversationView, pick: NumberPick): Promise<void> {
  const numbers = pick.picked ? [pick.picked] : pick.candidates;
  if (numbers.length === 0) return;
  const open = await ctx.runtime.db.row(
    `SELECT 1 AS ok FROM conversation_windows
     WHERE conversation_id = $id AND phone_number_id = ANY($numberIds::bigint[]) AND open_until > $now LIMIT 1`,
    { id: conversation.id, numberIds: numbers.map(({ id }) => id), now: ctx.runtime.clock.now() },
  );
  if (!open) throw invalid({ non_field_errors: [windowClosed] }, 'window_closed');
}

function refuseTemplate(prepared: PreparedTemplate, conversation: ConversationView): void {
  if (prepared.authentication && conversation.phone === null) {
    throw new AppError(
      'forbidden',
      'Authentication templates need a real phone number; they cannot be sent to a business-scoped user id.',
      { publicCode: 'phone_number_required' },
    );
  }
  if (prepared.template.category === 'MARKETING' && conversation.marketing_opt_out) {
    throw invalidField('to', 'This contact has opted out of marketing messages.', 'opted_out');
  }
}

/** Refuses a message that carries a flow which the sending account does not have. */
async function refuseMissingFlow(
  ctx: Ctx,
  businessAccountPk: number,
  content: Content,
  prepared: PreparedTemplate | null,
): Promise<void> {
  const wanted =
    content.kind === 'plain' ? flowOfInteractive(content.body) : flowOfTemplate(prepared?.template.components);
  const problem = await flowProblem(ctx, businessAccountPk, wanted);
  if (problem === null) return;
  if (content.kind === 'plain') throw invalidField('interactive', problem);
  throw invalidField(content.by.templateId === undefined ? 'template' : 'template_id', problem);
}
