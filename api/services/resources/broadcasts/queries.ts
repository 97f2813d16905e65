import { dueNowSql } from '../../../core/clock';
import type { Ctx } from '../../../core/context';
import { ofWorkspace } from '../../../core/db/database';
import { notFound } from '../../../core/http/errors';
import type { InputOf } from '../../../core/http/fields';
import type { Page } from '../../../core/http/operations';
import { listPage } from '../../../core/http/paging';
import { onHoldSql } from '../accounts/fence';
import { broadcastsStoppedWhySql } from '../accounts/stops';
import { headerFileSql } from '../files/rows';
import type { listBroadcastsQuery, listRecipientsQuery } from './schema';
import { serializeBroadcast, type BroadcastView, type RecipientView } from './serializer';
import { readStats } from './stats';
import { pausedWhySql } from './pauses';
import { queuedBehindSql } from './sendingTurns';

/** SQL: why a running broadcast `b` sends nothing until that is lifted; else an empty text. */
const pausedReasonSql = `CASE WHEN b.status <> 'running' THEN '' ELSE coalesce(
    ${broadcastsStoppedWhySql('b.phone_number_id')}, ${pausedWhySql},
    CASE WHEN ${onHoldSql('b.phone_number_id')} THEN 'Sending is held by the operator.' END, '') END`;
const columns = (
  ctx: Ctx,
): string => `b.name, b.template_pk, b.phone_number_id, b.audience, b.template_variables, b.header_media_id,
  b.status, b.failure_reason,
  b.scheduled_at, b.confirmed_at, b.started_at, b.resolved_at, b.completed_at, b.version, b.created_by_member_id,
  b.created_at, b.updated_at,
  ${headerFileSql('b.header_media_id')} AS header_file,
  t.template_id, t.name AS template_name, p.phone_number_id AS number, a.account_id AS account,
  ${queuedBehindSql(dueNowSql(ctx.runtime.clock))} AS queued_behind, ${pausedReasonSql} AS paused_reason`;
const joins = `LEFT JOIN templates t ON t.id = b.template_pk
  LEFT JOIN phone_numbers p ON p.id = b.phone_number_id
  LEFT JOIN business_accounts a ON a.id = p.business_account_id`;

/** The wire form of a broadcast. */
export type BroadcastRecord = ReturnType<typeof serializeBroadcast>;

/** Reads one broadcast of the workspace. Throws 404. */
export async function findBroadcast(ctx: Ctx, id: number): Promise<BroadcastView> {
  const row = await ctx.runtime.db.row<BroadcastView>(
    `SELECT b.id, ${columns(ctx)} FROM broadcasts b ${joins} WHERE b.workspace_id = $workspaceId AND b.id = $id`,
    { workspaceId: ctx.workspaceId, id },
  );
  if (!row) throw notFound();
  return row;
}

/** Reads a broadcast with its live numbers, ready for the wire. Throws 404. */
export async function readBroadcast(ctx: Ctx, id: number): Promise<BroadcastRecord> {
  const [record] = await withStats(ctx, [await findBroadcast(ctx, id)]);
  if (!record) throw notFound();
  return record;
}

/** Returns broadcasts by their ids, those that exist, with their live numbers, ready for the wire. */
export async function broadcastsByIds(ctx: Ctx, ids: readonly number[]): Promise<Map<number, BroadcastRecord>> {
  const rows = await ctx.runtime.db.rows<BroadcastView>(
    `SELECT b.id, ${columns(ctx)} FROM broadcasts b ${joins}
     WHERE ${ofWorkspace('b.workspace_id')} AND b.id = ANY($ids::bigint[])`,
    { workspaceId: ctx.workspaceId, ids },
  );
  return new Map((await withStats(ctx, rows)).map((record) => [record.id, record]));
}

async function withStats(ctx: Ctx, rows: readonly BroadcastView[]): Promise<BroadcastRecord[]> {
  const numbers = await readStats(
    ctx,
    rows.map(({ id }) => id),
  );
  return rows.flatMap((row) => {
    const stats = numbers.get(row.id);
    return stats ? [serializeBroadcast({ ...row, stats })] : [];
  });
}

/** Lists the broadcasts of the workspace, newest first. */
export async function listBroadcasts(
  ctx: Ctx,
  filters: InputOf<typeof listBroadcastsQuery>,
): Promise<Page<BroadcastRecord>> {
  const page = await listPage<BroadcastView>(
    ctx,
    {
      select: columns(ctx),
      from: 'broadcasts b',
      joins,
      where: ['b.workspace_id = $workspaceId', ...(filters.status ? ['b.status = $status'] : [])],
      bind: { workspaceId: ctx.workspaceId, ...(filters.status ? { status: filters.status } : {}) },
      idSql: 'b.id',
      columns: { created_at: { sql: 'b.created_at', type: 'timestamptz' } },
      defaultOrdering: '-created_at',
    },
    filters,
  );
  return { ...page, items: await withStats(ctx, page.items) };
}

/**
 * SQL: the joins for a shown recipient: one whose message is being sent shows as `sending`, a merged contact is shown
 * as the present one. Each is looked up by its key, row by row and with the workspace as a check: joined plainly, the
 * planner without statistics would use the workspace as an access path and read all of it for each recipient.
 */
const recipientJoins = `LEFT JOIN LATERAL (
    SELECT id, delivery_state FROM messages
    WHERE r.state = 'pending' AND workspace_id = r.workspace_id
      AND dedupe_key = 'broadcast:' || r.broadcast_id || ':' || r.contact_id AND broadcast_position = r.position
    LIMIT 1
  ) m ON true
  LEFT JOIN LATERAL (
    SELECT contact_id FROM contact_aliases
    WHERE workspace_id = r.workspace_id AND kind = 'id' AND value = r.contact_id::text LIMIT 1
  ) a ON true
  LEFT JOIN LATERAL (
    SELECT id, receiver_id, name FROM contacts
    WHERE id = coalesce(a.contact_id, r.contact_id) AND (workspace_id = r.workspace_id) IS TRUE LIMIT 1
  ) c ON true`;
const recipientColumns = `coalesce(c.id, r.contact_id) AS contact_id, c.receiver_id, c.name,
  CASE WHEN m.delivery_state = 'sending' THEN 'sending' ELSE r.state END AS status, r.reason, r.error_code,
  r.message_status, coalesce(r.message_id, m.id) AS message_id, r.updated_at`;

/** Lists the recipients of a broadcast in their order. Throws 404. */
export async function listRecipients(
  ctx: Ctx,
  id: number,
  filters: InputOf<typeof listRecipientsQuery>,
): Promise<Page<RecipientView>> {
  await findBroadcast(ctx, id);
  const { status } = filters;
  const isStored = status !== undefined && status !== 'sending' && status !== 'pending';

  return listPage<RecipientView>(
    ctx,
    {
      select: recipientColumns,
      joins: recipientJoins,
      from: 'broadcast_recipients r',
      where: ['r.workspace_id = $workspaceId', 'r.broadcast_id = $id', ...stateConditions(status)],
      bind: { workspaceId: ctx.workspaceId, id, ...(isStored ? { state: status } : {}) },
      idSql: 'r.position',
      columns: { position: { sql: 'r.position', type: 'integer' } },
      defaultOrdering: 'position',
    },
    filters,
  );
}

/** SQL: the message of recipient `r` is being sent: few are at a time, and they have an index of their own. */
const isSendingSql = `r.position = ANY(ARRAY(
  SELECT broadcast_position FROM messages
  WHERE workspace_id = $workspaceId AND broadcast_id = $id AND delivery_state = 'sending'))`;

function stateConditions(status: RecipientView['status'] | undefined): string[] {
  if (status === undefined) return [];
  if (status === 'sending') return [`r.state = 'pending' AND ${isSendingSql}`];
  return status === 'pending' ? [`r.state = 'pending' AND NOT ${isSendingSql}`] : ['r.state = $state'];
}
