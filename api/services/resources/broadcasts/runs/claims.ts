import type { BroadcastRange } from '../../../../../workflows/contract';
import type { ContactRow } from '../../../../../models';
import type { Ctx } from '../../../../core/context';
import { of } from '../../../../core/db/scoped';
import { dbNow } from '../../../../core/db/columnValues';
import { broadcastsWaitSql } from '../../accounts/stops';
import { flowButtonSql } from '../../flows/flowsInMessages';
import { broadcastKeySql, claimRecipientsSql, type Sendable } from '../../messages/rows/claims';
import { chunkSize } from './plan';
import { isDueSql, messageOfRecipient } from './recipients';

/** How often an attempt may be repeated. */
export const maxAttempts = 10;

/** A due recipient, with the values for its message. */
export interface Due extends Pick<ContactRow, 'name' | 'phone' | 'bsuid' | 'email' | 'company'> {
  readonly position: number;
  readonly contact: number;
}

/** A message that was claimed for its call. */
export interface ClaimedMessage extends Sendable {
  readonly id: number;
  readonly attempts: number;
  readonly contact_id: number;
  readonly expired: boolean;
}

/** A message ready to be claimed. */
export interface Prepared {
  readonly position: number;
  readonly contact: number;
  readonly body: Record<string, unknown>;
}

/**
 * Returns the due recipients of a range, as many as a chunk has, and how many were skipped. A merged contact is
 * replaced by the present one; one that is gone, or that gets this broadcast as another recipient, is skipped here.
 */
export async function readDue(
  ctx: Ctx,
  { broadcastId, from, to }: { readonly broadcastId: number } & BroadcastRange,
): Promise<{ due: Due[]; skipped: number }> {
  const rows = await ctx.runtime.db.rows<Due & { found: number | null; owner: number | null; told: boolean }>(
    `SELECT r.position, r.contact_id AS contact, c.id AS found, c.name, c.phone, c.bsuid, c.email, c.company,
       other.broadcast_position AS owner,
       -- Both were being told when they became one, and this one was refused for now.
       EXISTS (SELECT FROM contact_aliases a
         JOIN messages f ON f.workspace_id = r.workspace_id AND f.delivery_state <> 'queued'
           AND f.dedupe_key = ${broadcastKeySql('r.broadcast_id', 'a.value')}
         WHERE a.workspace_id = r.workspace_id AND a.kind = 'id' AND a.contact_id = now.id) AS told
     FROM broadcast_recipients r
     LEFT JOIN LATERAL (
       SELECT coalesce(
         (SELECT id FROM contacts WHERE workspace_id = r.workspace_id AND id = r.contact_id),
         (SELECT contact_id FROM contact_aliases
          WHERE workspace_id = r.workspace_id AND kind = 'id' AND value = r.contact_id::text)) AS id
     ) AS now ON true
     LEFT JOIN contacts c ON c.id = now.id AND c.workspace_id = r.workspace_id
     LEFT JOIN messages other ON other.workspace_id = r.workspace_id
       AND other.dedupe_key = ${broadcastKeySql('r.broadcast_id', 'now.id')}
     ${messageOfRecipient}
     WHERE r.workspace_id = $workspaceId AND r.broadcast_id = $broadcastId AND r.position BETWEEN $from AND $to
       AND r.state = 'pending' AND ${isDueSql}
     ORDER BY r.position LIMIT ${chunkSize}`,
    { workspaceId: ctx.workspaceId, broadcastId, from, to },
  );

  const gone = rows.filter((row) => row.found === null).map(({ position }) => position);
  const first = new Map<number, number>();
  for (const { found, position } of rows) if (found !== null && !first.has(found)) first.set(found, position);
  const twice = rows
    .filter((row) => row.found !== null && (row.told || (row.owner ?? first.get(row.found)) !== row.position))
    .map(({ position }) => position);
  const skipped =
    (await skip(ctx, broadcastId, gone, 'contact_deleted')) + (await skip(ctx, broadcastId, twice, 'duplicate'));
  const out = new Set([...gone, ...twice]);
  return {
    due: rows
      .filter(({ position }) => !out.has(position))
      .map((row) => ({ ...row, contact: row.found ?? row.contact })),
    skipped,
  };
}

async function skip(ctx: Ctx, broadcastId: number, positions: readonly number[], reason: string): Promise<number> {
  if (positions.length === 0) return 0;
  const [skipped] = await of(ctx, ctx.runtime.db.models.BroadcastRecipient).update(
    { state: 'skipped', reason, updated_at: dbNow },
    { where: { broadcast_id: broadcastId, position: positions, state: 'pending' } },
  );
  return skipped;
}

/**
 * Claims recipients immediately before their calls: looks at opt-out, template and run again, and writes each message
 * as `sending`. The unique key of the message is the claim: only the process that inserts it, or moves it on from
 * `queued`, makes the call. Returns the claimed ones and how many were skipped.
 */
export async function claimRecipients(
  ctx: Ctx,
  broadcastId: number,
  prepared: readonly Prepared[],
  authentication: boolean,
): Promise<{ claimed: ClaimedMessage[]; skipped: number }> {
  const rows = await ctx.runtime.db.rows<ClaimedMessage & { kind: 'claimed' | 'skipped' }>(
    `WITH live AS MATERIALIZED (
       SELECT b.id, b.phone_number_id, b.template_pk, b.created_by_member_id, b.api_key_id, b.header_media_id,
         ${flowButtonSql('t.components')} AS flow_button
       FROM broadcasts b
       JOIN templates t ON t.id = b.template_pk AND t.status = 'APPROVED'
       WHERE b.workspace_id = $workspaceId AND b.id = $broadcastId AND b.status = 'running'
         AND NOT ${broadcastsWaitSql('b.phone_number_id')}
     ), due AS MATERIALIZED (
       SELECT r.position, g.contact, g.body, v.id AS conversation_id, c.phone, c.bsuid,
         CASE WHEN c.marketing_opt_out THEN 'opted_out'
           WHEN $authentication AND c.phone IS NULL THEN 'needs_phone' END AS reason
       FROM live
       JOIN jsonb_to_recordset($prepared::jsonb) AS g(position int, contact bigint, body jsonb) ON true
       JOIN broadcast_recipients r ON r.broadcast_id = live.id
         AND r.position = ANY($positions::bigint[]) AND r.position = g.position
       JOIN contacts c ON c.id = ANY($contacts::bigint[]) AND c.id = g.contact AND c.workspace_id = $workspaceId
       JOIN conversations v ON v.contact_id = ANY($contacts::bigint[]) AND v.contact_id = c.id
       WHERE r.state = 'pending'
       FOR UPDATE OF r SKIP LOCKED
     ), skipped AS (
       UPDATE broadcast_recipients r SET state = 'skipped', reason = d.reason, updated_at = now()
       FROM due d
       WHERE d.reason IS NOT NULL AND r.broadcast_id = $broadcastId AND r.position = d.position
       RETURNING r.position
     ), taken AS (${claimRecipientsSql(ctx.runtime)}
     )
     SELECT 'claimed' AS kind, t.id, t.attempts, t.body, t.type, t.opaque, t.reply_to_wamid, t.expired,
       d.phone, d.bsuid, d.contact AS contact_id
     FROM taken t JOIN due d ON d.position = t.broadcast_position
     UNION ALL
     SELECT 'skipped', position, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM skipped`,
    {
      workspaceId: ctx.workspaceId,
      broadcastId,
      // Passed beside the rows, because the planner could only guess the number of rows.
      positions: prepared.map(({ position }) => position),
      contacts: prepared.map(({ contact }) => contact),
      prepared: JSON.stringify(prepared),
      authentication,
    },
  );
  return {
    claimed: rows.filter(({ kind }) => kind === 'claimed'),
    skipped: rows.filter(({ kind }) => kind === 'skipped').length,
  };
}
