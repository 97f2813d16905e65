import { randomUUID } from 'node:crypto';
import type { MessageRow } from '../../../../../models';
import type { Ctx } from '../../../../core/context';
import { watchedSql } from '../../../../core/queue/events';
import { answerEpisodeSql } from '../../conversations/episodes';
import { notificationPlaceSql, placeSql } from '../../conversations/rows';
import { awaitFilesSql, fileIdSql, newFileIdSql, withAttachments } from '../../files/rows';

/** How long an accepted message may wait for the upstream (contract 6). */
const deliverWithinMs = 24 * 3_600_000;

/** A message that is to be sent, by whom and for what. */
type NewMessage = Pick<
  MessageRow,
  | 'conversation_id'
  | 'phone_number_id'
  | 'type'
  | 'body'
  | 'reply_to_wamid'
  | 'template_pk'
  | 'sent_by_member_id'
  | 'api_key_id'
  | 'origin'
  | 'dedupe_key'
  | 'file_id'
>;

/** What keeps its place among the sends of a conversation, and which connection and approval it comes from. */
type NewSend = NewMessage &
  Pick<MessageRow, 'oauth_grant_id' | 'approved_by_member_id'> & {
    /** A person or an agent answers the customer. */
    readonly isAnswer: boolean;
  };

/** What was stored. */
export interface StoredMessage {
  readonly id: number;
  readonly created_at: Date;
}

/**
 * Stores a message that is to be sent, in the surrounding transaction, and shows it as its conversation's last one. It
 * gets its place in the conversation's order of sends. Returns whether rules watch the workspace, too. SQL, because the
 * conversation's row is written by the same statement.
 */
export async function insertOutbound(
  ctx: Ctx,
  message: NewSend,
): Promise<StoredMessage & { readonly watched: boolean }> {
  const row = await ctx.runtime.db.row<StoredMessage & { watched: boolean }>(
    `WITH fresh AS MATERIALIZED (
       SELECT nextval(pg_get_serial_sequence('messages', 'id'))::bigint AS id, clock_timestamp()::timestamptz(3) AS at
     ), place AS (${placeSql(message.isAnswer)}
     )${message.isAnswer ? `, answered AS (${answerEpisodeSql('place')})` : ''}
     INSERT INTO messages (id, workspace_id, conversation_id, phone_number_id, direction, type, body, message_status,
       delivery_state, opaque, deliver_by, reply_to_wamid, template_pk, sent_by_member_id, api_key_id, origin,
       dedupe_key, file_id, send_seq, oauth_grant_id, approved_by_member_id, rule_id, created_at, updated_at)
     SELECT place.id, $workspaceId, $conversationId, $numberPk, 'outbound', $type, $body::jsonb, 'queued',
       'queued', $opaque, ${deliverBySql('now()')}, $replyToWamid, $templatePk, $memberId, $apiKeyId, $origin,
       $dedupeKey, $fileId, place.send_seq, $grantId, $approvedBy, $ruleId, place.at, greatest(place.at, now())
     FROM place
     RETURNING id, created_at, ${watchedSql()} AS watched`,
    {
      workspaceId: ctx.workspaceId,
      conversationId: message.conversation_id,
      numberPk: message.phone_number_id,
      type: message.type,
      body: JSON.stringify(message.body),
      opaque: randomUUID(),
      replyToWamid: message.reply_to_wamid,
      templatePk: message.template_pk,
      memberId: message.sent_by_member_id,
      apiKeyId: message.api_key_id,
      origin: message.origin,
      dedupeKey: message.dedupe_key,
      fileId: message.file_id,
      grantId: message.oauth_grant_id,
      approvedBy: message.approved_by_member_id,
      ruleId: ctx.rule?.id ?? null,
    },
  );
  if (!row) throw new Error('the message was not stored');
  return row;
}

/** SQL: until when a message is tried, from the time at which it was requested, by the clock that claims use. */
const deliverBySql = (askedAt: string): string => `${askedAt} + ${deliverWithinMs} * interval '1 millisecond'`;

/** An automatic message: its order among others does not matter, and its key names its cause. */
export type StageNotification = Required<
  Pick<NewMessage, 'conversation_id' | 'phone_number_id' | 'body' | 'origin' | 'dedupe_key'> &
    Pick<NewMessage, 'template_pk' | 'sent_by_member_id' | 'api_key_id'> & {
      /** Our id of the file in the header of its template. */
      readonly media_id: string | null;
    }
>;

/**
 * SQL: stores an automatic template that is to be sent where `guard` has a row, which says in `asked_at` from when its
 * 24 hours count, and shows it as its conversation's last message; of a key that is there already, takes the one that
 * has it. Parts of a WITH that end with `stored(id)`.
 */
export const notificationSql = (guard: string): string => `
  known AS MATERIALIZED (
    SELECT id FROM messages WHERE workspace_id = $workspaceId AND dedupe_key = $dedupeKey
  ), place AS (${notificationPlaceSql(`EXISTS (SELECT 1 FROM ${guard}) AND NOT EXISTS (SELECT 1 FROM known)`)}
  ), fresh AS (
    INSERT INTO messages (id, workspace_id, conversation_id, phone_number_id, direction, type, body, message_status,
      delivery_state, opaque, deliver_by, reply_to_wamid, template_pk, sent_by_member_id, api_key_id, origin,
      dedupe_key, file_id, created_at, updated_at)
    SELECT p.id, $workspaceId, $conversationId, $numberPk, 'outbound', 'template', $body::jsonb, 'queued',
      'queued', gen_random_uuid(), ${deliverBySql(`(SELECT asked_at FROM ${guard})`)}, '', $templatePk,
      $memberId, $apiKeyId, $origin, $dedupeKey, ${fileIdSql('$mediaId')}, p.at, greatest(p.at, now())
    FROM place p
    RETURNING id
  ), stored AS (SELECT id FROM fresh UNION ALL SELECT id FROM known)`;

/** Returns the values of `notificationSql`. */
export function notificationBind(ctx: Ctx, notification: StageNotification): Readonly<Record<string, unknown>> {
  return {
    workspaceId: ctx.workspaceId,
    conversationId: notification.conversation_id,
    numberPk: notification.phone_number_id,
    body: JSON.stringify(notification.body),
    templatePk: notification.template_pk,
    memberId: notification.sent_by_member_id,
    apiKeyId: notification.api_key_id,
    origin: notification.origin,
    dedupeKey: notification.dedupe_key,
    mediaId: notification.media_id,
  };
}

/** A message that came in, as it is stored. */
export interface Arrived extends Pick<
  MessageRow,
  'conversation_id' | 'phone_number_id' | 'type' | 'body' | 'reply_to_wamid' | 'referred_product' | 'context'
> {
  readonly wamid: string;
  readonly group_info: Readonly<Record<string, unknown>> | null;
  /** Counts as read: it needs no answer. */
  readonly read: boolean;
  readonly standby: boolean;
  /** By the platform's clock, which tells seconds. */
  readonly at: Date;
}

/**
 * SQL: the time by which message `m(conversation_id, at)` stands among the others of its conversation (contract 6):
 * the platform's, not before the last one that was no history (of those that meet a condition), and not in the future.
 * Their identities are locked.
 */
export const shownAtSql = (
  condition = 'true',
): string => `least(date_trunc('milliseconds', clock_timestamp()), greatest(m.at, (
  SELECT l.created_at FROM messages l
  WHERE l.workspace_id = $workspaceId AND l.conversation_id = m.conversation_id AND NOT l.is_import_placeholder
    AND ${condition}
  ORDER BY l.created_at DESC, l.id DESC LIMIT 1)))`;

/**
 * Stores messages that came in, of different conversations, once per wamid: repetitions are missing from what is
 * returned, which is by wamid. What is known of their files is stored with them. Their conversations are the caller's.
 * SQL: one statement for all.
 */
export async function insertInbound(
  ctx: Ctx,
  messages: readonly Arrived[],
): Promise<ReadonlyMap<string, StoredMessage>> {
  if (messages.length === 0) return new Map();
  const rows = await ctx.runtime.db.rows<StoredMessage & { wamid: string }>(
    `WITH given AS MATERIALIZED (
       SELECT m.*, ${newFileIdSql('m.attachment')} AS file_id, ${shownAtSql()} AS created_at
       FROM json_to_recordset($messages::json) AS m(conversation_id bigint, phone_number_id bigint, type text,
         body jsonb, wamid text, reply_to_wamid text, referred_product jsonb, context jsonb, group_info jsonb,
         "read" boolean, standby boolean, at timestamptz, attachment jsonb)
     ), stored AS (
       INSERT INTO messages (workspace_id, conversation_id, phone_number_id, direction, type, body, message_status,
         wamid, reply_to_wamid, referred_product, context, group_info, "read", standby, file_id, created_at, updated_at)
       SELECT $workspaceId, m.conversation_id, m.phone_number_id, 'inbound', m.type, m.body, 'received', m.wamid,
         m.reply_to_wamid, m.referred_product, m.context, m.group_info, m."read", m.standby, m.file_id, m.created_at,
         greatest(m.created_at, now())
       FROM given m
       ON CONFLICT (workspace_id, wamid) WHERE wamid IS NOT NULL DO NOTHING
       RETURNING id, created_at, wamid, file_id
     ), awaited AS (${awaitFilesSql(ctx.runtime, 'given', 'stored')})
     SELECT id, created_at, wamid FROM stored`,
    { workspaceId: ctx.workspaceId, messages: withAttachments(messages) },
  );
  return new Map(rows.map(({ wamid, ...stored }) => [wamid, stored]));
}
