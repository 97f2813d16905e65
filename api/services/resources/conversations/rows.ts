import { Op } from 'sequelize';
import { dueNowSql } from '../../../core/clock';
import type { Ctx } from '../../../core/context';
import { ofWorkspace } from '../../../core/db/database';
import { of } from '../../../core/db/scoped';
import { dbNow } from '../../../core/db/columnValues';

/**
 * SQL: messages to one customer cost six seconds each; what was not used can be borrowed, a little less than the
 * upstream allows.
 */
const pairCost = "interval '6 seconds'";
export const pairBurst = "interval '240 seconds'";

/** What an answer of the team changes: whoever answers has read, and nobody waits any more. */
const answered = `
    last_exchange_at = fresh.at,
    unanswered_since = NULL,
    wrote_while_snoozed = false,
    unread_count = 0,
    -- Whoever answers takes the thread.
    thread_owner = '',
    thread_at = fresh.at,
    first_response_at = coalesce(v.first_response_at, CASE WHEN v.last_inbound_at IS NOT NULL THEN fresh.at END),`;

/**
 * SQL: shows the message `fresh(id, at)` as the last one, by the number `$numberPk`, with the next place in the order
 * of sends; as an answer of the team, unless nobody wrote it. One statement with the message's insert, so that the
 * conversation's row is written once per send.
 */
export const placeSql = (isAnswer: boolean): string => `
  UPDATE conversations v
  SET send_seq = v.send_seq + 1,
    last_message_id = fresh.id,
    last_message_at = fresh.at,
    phone_number_id = $numberPk,${isAnswer ? answered : ''}
    updated_at = now()
  FROM fresh
  WHERE v.workspace_id = $workspaceId AND v.id = $conversationId
  RETURNING fresh.id, fresh.at, v.send_seq`;

/**
 * SQL: gives the conversation the id and time of a new automatic message where a condition holds, and shows it as the
 * last one; it is no first response, chooses no number and keeps no order.
 */
export const notificationPlaceSql = (condition: string): string => `
  UPDATE conversations
  SET last_message_id = nextval(pg_get_serial_sequence('messages', 'id')),
    last_message_at = clock_timestamp()::timestamptz(3), updated_at = now()
  WHERE workspace_id = $workspaceId AND id = $conversationId AND ${condition}
  RETURNING last_message_id AS id, last_message_at AS at`;

/**
 * SQL: shows each message of `rows(id, conversation_id, created_at)` that meets a condition, unless a newer one is
 * shown.
 */
export function showAcceptedSql(rows: string, condition: string): string {
  return `
  UPDATE conversations v
  SET last_message_id = d.id, last_message_at = d.created_at, updated_at = now()
  FROM ${rows} d
  WHERE ${condition} AND ${ofWorkspace('v.workspace_id')}
    AND v.id = ANY(ARRAY(SELECT conversation_id FROM ${rows})) AND v.id = d.conversation_id
    AND (v.last_message_at IS NULL OR v.last_message_at <= d.created_at)`;
}

/**
 * SQL: books each send of `due(conversation_id, send_seq)` that keeps order on the pair of number and customer, by the
 * database's clock. The statement ends before the call.
 */
export function bookPairSql(due: string): string {
  return `UPDATE conversations v SET pair_free_at = greatest(v.pair_free_at, clock_timestamp()) + ${pairCost}
    FROM ${due} d WHERE v.id = d.conversation_id AND d.send_seq IS NOT NULL RETURNING v.id`;
}

/** Sets the count of unread messages of a locked conversation to none; the messages are the caller's. */
export async function clearUnread(ctx: Ctx, conversationId: number): Promise<void> {
  await of(ctx, ctx.runtime.db.models.Conversation).update(
    { unread_count: 0, updated_at: dbNow },
    { where: { id: conversationId, unread_count: { [Op.gt]: 0 } } },
  );
}

/** Notes that the customers of this window were told that the team is away, or could not be. */
export async function noteAwayReply(ctx: Ctx, conversationId: number): Promise<void> {
  await of(ctx, ctx.runtime.db.models.Conversation).update(
    { away_replied_at: dbNow },
    { where: { id: conversationId } },
  );
}

/** Returns until when free text can be sent to a conversation by one of these numbers; null where it never could. */
export async function windowEnd(ctx: Ctx, conversationId: number, numberPks: readonly number[]): Promise<Date | null> {
  const row = await ctx.runtime.db.row<{ until: Date | null }>(
    `SELECT max(open_until) AS until FROM conversation_windows
     WHERE conversation_id = $conversationId AND phone_number_id = ANY($numberPks::bigint[])`,
    { conversationId, numberPks },
  );
  return row?.until ?? null;
}

/** Returns whether the 24-hour window of a conversation is open for one of these numbers. */
export async function hasOpenWindow(ctx: Ctx, conversationId: number, numberPks: readonly number[]): Promise<boolean> {
  // On the way of every send; the table has no column of the workspace, its conversation does.
  const open = await ctx.runtime.db.row(
    `SELECT 1 AS ok
     FROM conversation_windows
     WHERE conversation_id = $conversationId AND phone_number_id = ANY($numberPks::bigint[])
       AND open_until > ${dueNowSql(ctx.runtime.clock)}
     LIMIT 1`,
    { conversationId, numberPks },
  );
  return open !== null;
}
