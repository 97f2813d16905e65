import { Op } from 'sequelize';
import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { recordSql, watchedSql } from '../../../core/queue/events';
import { changedAs, noteHappened } from '../rules/starts';

/** Conversations of one decision, so that its statements stay short. */
const maxDecidedAtOnce = 500;

/** A conversation that waits in a team inbox, with the member that it had when it was opened again. */
interface Queued {
  readonly id: number;
  readonly assigned_member_id: number | null;
}

/** What becomes of a conversation; with `to` null it has no member, and waits. */
export interface Decision {
  readonly conversationId: number;
  readonly from: number | null;
  readonly to: number | null;
}

/** SQL: members of the workspace who are deactivated. */
const deactivatedSql = `ARRAY(SELECT m.id FROM members m WHERE m.workspace_id = $workspaceId AND NOT m.is_active)`;

/** SQL: a conversation without team inbox and active member whose customer waits, as `conversations_waiting` has it. */
const isAstraySql = `v.assigned_team_inbox_id IS NULL
  AND (v.assigned_member_id IS NULL OR v.assigned_member_id = ANY(${deactivatedSql}))
  AND v.conv_status = 'open' AND v.unanswered_since IS NOT NULL`;

/** A conversation that was moved, as rules are told. */
interface Moved {
  readonly id: number;
  readonly field: 'assigned_member' | 'assigned_team_inbox';
  readonly from: number | null;
  readonly to: number | null;
  /** Null: nothing was moved. */
  readonly event_id: number | null;
  readonly watched: boolean;
}

async function noteMoved(ctx: Ctx, moved: readonly Moved[]): Promise<void> {
  if (moved[0]?.watched === true)
    await noteHappened(
      ctx,
      moved.flatMap(({ id, field, from, to, event_id: eventId }) =>
        eventId === null ? [] : changedAs(id, eventId, { [field]: { from, to } }),
      ),
    );
}

/** SQL: what stands in the place of a request, because none asked for it. */
const requestIdSql = "'assignment/' || $inboxId::bigint";

/**
 * Brings conversations that are in no team inbox to the default one, those first whose customers have waited longest.
 * Returns whether there may be more.
 */
export async function gatherAstray(ctx: Ctx, inboxId: number): Promise<boolean> {
  return ctx.runtime.db.transaction(async () => {
    const rows = await ctx.runtime.db.rows<Moved>(
      `WITH due AS MATERIALIZED (
       SELECT v.id FROM conversations v
       WHERE v.id = ANY(ARRAY(
           SELECT v.id FROM conversations v WHERE v.workspace_id = $workspaceId AND ${isAstraySql}
           ORDER BY v.unanswered_since, v.id LIMIT ${maxDecidedAtOnce}))
         AND v.workspace_id = $workspaceId AND ${isAstraySql}
       ORDER BY v.id FOR NO KEY UPDATE
     ), gathered AS (
       UPDATE conversations v SET assigned_team_inbox_id = $inboxId, updated_at = now()
       FROM due WHERE v.workspace_id = $workspaceId AND v.id = due.id RETURNING v.id, v.workspace_id
     ), recorded AS (${recordSql('gathered', {
       subjectType: 'conversation',
       subjectId: 'id',
       kind: 'assignment_changed',
       changes: `jsonb_build_object('assigned_team_inbox', jsonb_build_object('from', NULL, 'to', $inboxId::bigint))`,
       requestId: requestIdSql,
     })} RETURNING id, subject_id)
     SELECT g.id, 'assigned_team_inbox' AS field, NULL::bigint AS from, $inboxId::bigint AS to, r.id AS event_id,
       ${watchedSql()} AS watched
     FROM gathered g JOIN recorded r ON r.subject_id = g.id`,
      { workspaceId: ctx.workspaceId, inboxId },
    );
    await noteMoved(ctx, rows);
    return rows.length === maxDecidedAtOnce;
  });
}

/** Puts the open conversations of deactivated members back into the queue of their team inbox. */
export async function requeueAbandoned(ctx: Ctx, inboxId: number): Promise<void> {
  await ctx.runtime.db.rows(
    `WITH left_behind AS MATERIALIZED (
       SELECT v.id FROM conversations v
       WHERE v.assigned_team_inbox_id = $inboxId AND v.workspace_id = $workspaceId AND v.conv_status = 'open'
         AND v.queued_at IS NULL AND v.assigned_member_id = ANY(${deactivatedSql})
       ORDER BY v.id FOR NO KEY UPDATE OF v
     )
     UPDATE conversations v SET queued_at = clock_timestamp() FROM left_behind l
     WHERE v.workspace_id = $workspaceId AND v.id = l.id`,
    { workspaceId: ctx.workspaceId, inboxId },
  );
}

/** Returns the first of those who wait in a team inbox, in the order of the queue, and how many wait in all. */
export async function queueOf(ctx: Ctx, inboxId: number): Promise<{ first: Queued[]; count: number }> {
  const rows = await ctx.runtime.db.rows<Queued & { count: number }>(
    `SELECT id, assigned_member_id, (count(*) OVER ())::int AS count FROM conversations
     WHERE workspace_id = $workspaceId AND assigned_team_inbox_id = $inboxId AND conv_status = 'open'
       AND queued_at IS NOT NULL
     ORDER BY queued_at, id LIMIT ${maxDecidedAtOnce}`,
    { workspaceId: ctx.workspaceId, inboxId },
  );
  return { first: rows, count: rows[0]?.count ?? 0 };
}

/**
 * Writes decisions for conversations that still wait as they did, and records those that change something. Returns how
 * many were written: what was assigned by hand meanwhile stays.
 */
export async function assignQueued(ctx: Ctx, inboxId: number, decisions: readonly Decision[]): Promise<number> {
  if (decisions.length === 0) return 0;
  const rows = await ctx.runtime.db.rows<Moved>(
    `WITH decided AS MATERIALIZED (
       SELECT v.id, d.from_id, d.to_id
       FROM unnest($ids::bigint[], $from::bigint[], $to::bigint[]) AS d(id, from_id, to_id)
         JOIN conversations v ON v.id = d.id
       WHERE v.workspace_id = $workspaceId AND v.id = ANY($ids::bigint[]) AND v.assigned_team_inbox_id = $inboxId
         AND v.conv_status = 'open' AND v.queued_at IS NOT NULL AND v.assigned_member_id IS NOT DISTINCT FROM d.from_id
       ORDER BY v.id FOR NO KEY UPDATE OF v
     ), written AS (
       UPDATE conversations v
       SET assigned_member_id = d.to_id, queued_at = CASE WHEN d.to_id IS NULL THEN v.queued_at END,
         updated_at = CASE WHEN d.from_id IS DISTINCT FROM d.to_id THEN now() ELSE v.updated_at END
       FROM decided d WHERE v.workspace_id = $workspaceId AND v.id = d.id
       RETURNING v.id, v.workspace_id, d.from_id, d.to_id
     ), moved AS (SELECT * FROM written WHERE from_id IS DISTINCT FROM to_id),
     recorded AS (${recordSql('moved', {
       subjectType: 'conversation',
       subjectId: 'id',
       kind: 'assignment_changed',
       changes: "jsonb_build_object('assigned_member', jsonb_build_object('from', from_id, 'to', to_id))",
       requestId: requestIdSql,
     })} RETURNING id, subject_id)
     SELECT w.id, 'assigned_member' AS field, w.from_id AS from, w.to_id AS to, r.id AS event_id,
       ${watchedSql()} AS watched
     FROM written w LEFT JOIN recorded r ON r.subject_id = w.id`,
    {
      workspaceId: ctx.workspaceId,
      inboxId,
      ids: decisions.map(({ conversationId }) => conversationId),
      from: decisions.map(({ from }) => from),
      to: decisions.map(({ to }) => to),
    },
  );
  await noteMoved(ctx, rows);
  return rows.length;
}

/** Says that a member has chosen who has a conversation: there is nothing left to decide, also where it is the same. */
export async function decideByHand(ctx: Ctx, conversationId: number): Promise<void> {
  await of(ctx, ctx.runtime.db.models.Conversation).update(
    { queued_at: null },
    { where: { id: conversationId, queued_at: { [Op.ne]: null } } },
  );
}
