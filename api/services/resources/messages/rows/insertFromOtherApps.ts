import type { MessageRow } from '../../../../../models';
import type { Ctx } from '../../../../core/context';
import { awaitFilesSql, newFileIdSql, withAttachments } from '../../files/rows';
import { shownAtSql, type StoredMessage } from './insert';
import { lockWamids, replayParkedSql } from './outcomes';

/** A message that the platform reports but that was not sent here, or before the number was connected. */
export interface Elsewhere extends Pick<
  MessageRow,
  | 'conversation_id'
  | 'phone_number_id'
  | 'direction'
  | 'type'
  | 'body'
  | 'message_status'
  | 'reply_to_wamid'
  | 'context'
> {
  readonly wamid: string;
  readonly at: Date;
}

/** SQL: who is not later than the platform's time can tell: a message from elsewhere that comes late keeps its own. */
const sameSecond = `l.created_at < m.at + interval '1 second'`;

/**
 * Stores messages that were sent elsewhere, each wamid once, in the surrounding transaction. Returns the new ones by
 * wamid. Statuses that arrived before their message go through the inbox again. `origin` says where they were sent;
 * `past` messages are older than the connection, and subscribers are not told of them. SQL: one statement for all.
 */
export async function insertElsewhere(
  ctx: Ctx,
  messages: readonly Elsewhere[],
  { origin, past = false }: { readonly origin: 'phone_app' | 'other_app'; readonly past?: boolean },
): Promise<ReadonlyMap<string, StoredMessage>> {
  const wamids = messages.map(({ wamid }) => wamid);
  if (wamids.length === 0) return new Map();
  await lockWamids(ctx, wamids);
  const rows = await ctx.runtime.db.rows<StoredMessage & { wamid: string }>(
    `WITH given AS MATERIALIZED (
       SELECT m.*, ${newFileIdSql('m.attachment')} AS file_id,
         CASE WHEN $past THEN m.at ELSE ${shownAtSql(sameSecond)} END AS created_at
       FROM json_to_recordset($messages::json) AS m(conversation_id bigint, phone_number_id bigint, direction text,
         type text, body jsonb, message_status text, wamid text, reply_to_wamid text, context jsonb, at timestamptz,
         attachment jsonb)
     ), stored AS (
       INSERT INTO messages (workspace_id, conversation_id, phone_number_id, direction, type, body, message_status,
         wamid, reply_to_wamid, context, "read", is_import_placeholder, origin, delivery_state, opaque, sent_at,
         file_id, created_at, updated_at)
       SELECT $workspaceId, m.conversation_id, m.phone_number_id, m.direction, m.type, m.body, m.message_status,
         m.wamid, m.reply_to_wamid, m.context, true, $past,
         CASE m.direction WHEN 'outbound' THEN $origin ELSE 'api' END,
         CASE m.direction WHEN 'outbound' THEN 'settled' ELSE 'none' END,
         CASE m.direction WHEN 'outbound' THEN gen_random_uuid() END,
         CASE m.direction WHEN 'outbound' THEN m.at END, m.file_id, m.created_at,
         greatest(m.created_at, now())
       FROM given m
       ON CONFLICT (workspace_id, wamid) WHERE wamid IS NOT NULL DO NOTHING
       RETURNING id, created_at, wamid, file_id
     ), awaited AS (${awaitFilesSql(ctx.runtime, 'given', 'stored')}), ${replayParkedSql}
     SELECT id, created_at, wamid FROM stored`,
    { workspaceId: ctx.workspaceId, messages: withAttachments(messages), wamids, origin, past },
  );
  return new Map(rows.map(({ wamid, ...stored }) => [wamid, stored]));
}
