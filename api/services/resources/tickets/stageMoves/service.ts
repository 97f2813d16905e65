import type { RecipientPage, StageNotifySummary } from '../../../../../workflows/contract';
import { stageNotifyAgainIntent, stageNotifyIntent } from '../../../../../workflows/starts';
import type { Ctx } from '../../../../core/context';
import { recordSql } from '../../../../core/queue/events';
import { addIntents, maxSweptRows, never, restartAll, sweepAll, type IsOver } from '../../../../core/queue/sweep';
import type { Runtime } from '../../../../core/runtime';
import { exchangedSql } from '../notifiable';
import { stoppedSql } from '../../accounts/stops';
import { notificationEvent } from './outcomes';

interface Move {
  readonly id: number;
  readonly workspace_id: number;
  readonly ticket_id: number;
}

/**
 * Makes a row for each recipient, and settles at once those whom this move cannot reach, each with the reason: an
 * opted-out contact whatever the template's category, one with whom no message was ever exchanged, a contact without a
 * phone number for an authentication template, and all when the template is no longer approved (contract 8). One
 * statement; a second run changes nothing.
 */
async function prepareRecipients(ctx: Ctx, moveId: number): Promise<void> {
  await ctx.runtime.db.rows(
    `WITH v AS (
       UPDATE ticket_stage_moves SET prepared_at = now(), touched_at = now()
       WHERE workspace_id = $workspaceId AND id = $moveId AND prepared_at IS NULL
       RETURNING *
     ), judged AS (
       SELECT c.id AS contact_id, w.place, coalesce(f.value, '{}') AS frozen_values, CASE
         WHEN t.status IS DISTINCT FROM 'APPROVED' THEN 'template_not_approved'
         WHEN c.marketing_opt_out THEN 'opted_out'
         WHEN NOT EXISTS (${exchangedSql}) THEN 'no_conversation'
         WHEN c.phone IS NULL AND upper(v.template->>'category') = 'AUTHENTICATION' THEN 'phone_number_required'
         ELSE '' END AS reason
       FROM v CROSS JOIN unnest(v.recipient_ids) WITH ORDINALITY AS w(contact_id, place)
         -- A contact that was merged into another one since is notified as that one (contract 5).
         JOIN contacts c ON c.workspace_id = v.workspace_id AND c.id = coalesce(
           (SELECT a.contact_id FROM contact_aliases a
            WHERE a.workspace_id = v.workspace_id AND a.kind = 'id' AND a.value = w.contact_id::text), w.contact_id)
         LEFT JOIN templates t ON t.id = v.template_pk
         LEFT JOIN jsonb_each(v.recipient_values) f ON f.key = w.contact_id::text
     ), made AS (
       INSERT INTO ticket_stage_move_recipients (move_id, contact_id, place, frozen_values, state, reason, settled_at)
       SELECT $moveId, contact_id, place, frozen_values,
         CASE reason WHEN '' THEN 'pending' WHEN 'template_not_approved' THEN 'failed' ELSE 'skipped' END,
         reason, CASE WHEN reason <> '' THEN now() END
       FROM judged
       ON CONFLICT DO NOTHING RETURNING contact_id, state, reason
     )
     ${recordSql("v, made m WHERE m.state <> 'pending'", notificationEvent('m'))}`,
    { workspaceId: ctx.workspaceId, moveId },
  );
}

/** Counts the recipients of a move by their outcome. */
async function countSettled(ctx: Ctx, moveId: number): Promise<StageNotifySummary> {
  const summary: StageNotifySummary = { sent: 0, skipped: 0, failed: 0, unknown: 0 };
  const rows = await ctx.runtime.db.rows<{ state: keyof StageNotifySummary; count: number }>(
    `SELECT r.state, count(*)::int AS count
     FROM ticket_stage_moves v
     JOIN ticket_stage_move_recipients r ON r.move_id = v.id
     WHERE v.workspace_id = $workspaceId AND v.id = $moveId AND r.state <> 'pending'
     GROUP BY r.state`,
    { workspaceId: ctx.workspaceId, moveId },
  );
  for (const row of rows) summary[row.state] = row.count;
  return summary;
}

/**
 * Prepares the recipients of a move, the first time, and returns the next of those without an outcome, in the order of
 * the move, and how many have one. The two are read in parallel, because the contacts wait for the message.
 */
export async function openMove(
  ctx: Ctx,
  page: { readonly moveId: number; readonly afterPlace: number; readonly limit: number },
): Promise<RecipientPage> {
  if (page.afterPlace === 0) await prepareRecipients(ctx, page.moveId);
  const [settled, rows] = await Promise.all([countSettled(ctx, page.moveId), listRecipients(ctx, page)]);
  return { settled, contactIds: rows.map((row) => row.contact_id), lastPlace: rows.at(-1)?.place ?? null };
}

async function listRecipients(
  ctx: Ctx,
  { moveId, afterPlace, limit }: Parameters<typeof openMove>[1],
): Promise<{ contact_id: number; place: number }[]> {
  return ctx.runtime.db.rows<{ contact_id: number; place: number }>(
    `WITH v AS (
       UPDATE ticket_stage_moves SET touched_at = now()
       WHERE workspace_id = $workspaceId AND id = $moveId
       RETURNING id
     )
     SELECT r.contact_id, r.place
     FROM v
     JOIN ticket_stage_move_recipients r ON r.move_id = v.id
     WHERE r.place > $afterPlace AND r.state = 'pending'
     ORDER BY r.place LIMIT $limit`,
    { workspaceId: ctx.workspaceId, moveId, afterPlace, limit },
  );
}

/** Completes a move that has no open recipients any more. */
export async function completeMove(ctx: Ctx, moveId: number): Promise<void> {
  await ctx.runtime.db.rows(
    `UPDATE ticket_stage_moves v SET completed_at = now(), touched_at = now()
     WHERE v.workspace_id = $workspaceId AND v.id = $moveId
       AND NOT EXISTS (SELECT 1 FROM ticket_stage_move_recipients r WHERE r.move_id = v.id AND r.state = 'pending')`,
    { workspaceId: ctx.workspaceId, moveId },
  );
}

/** SQL: recipients of move `v` that have no outcome yet, with their messages. */
const openRecipients = `SELECT 1
  FROM ticket_stage_move_recipients r
  LEFT JOIN messages m ON m.id = r.message_id
  WHERE r.move_id = v.id AND r.state = 'pending'`;

/** SQL: whether something can be done for move `v` now: not all who are open wait for a stop or a hold to be lifted. */
export const canGoOnSql = `(NOT EXISTS (${openRecipients})
  OR EXISTS (${openRecipients}
    AND (m.id IS NULL OR m.delivery_state <> 'queued' OR NOT ${stoppedSql('m.phone_number_id')})))`;

/**
 * Gives moves that seem to have no workflow (because Temporal lost its state) their intent again. Returns how many. A
 * move whose open recipients are all held by a stopped number or account is left until the stop is lifted.
 */
export async function restartSilentStageMoves(runtime: Runtime, isOver: IsOver = never): Promise<number> {
  return sweepAll(isOver, () =>
    runtime.db.transaction(async () => {
      const rows = await runtime.db.rows<Move>(
        `UPDATE ticket_stage_moves SET touched_at = now()
         WHERE id = ANY(ARRAY(
           SELECT v.id FROM ticket_stage_moves v
           WHERE v.completed_at IS NULL AND v.touched_at < now() - $silentMs * interval '1 millisecond'
             AND ${canGoOnSql}
           ORDER BY v.touched_at LIMIT ${maxSweptRows} FOR UPDATE OF v SKIP LOCKED))
         RETURNING id, workspace_id, ticket_id`,
        { silentMs: runtime.process.timing.moveSilentMs },
      );
      await addIntents(runtime, rows, (row) => stageNotifyIntent(row.workspace_id, row.ticket_id, row.id));
      return rows.length;
    }),
  );
}

/**
 * Makes the workflows of moves with open recipients try those again who wait, because a stop or hold was lifted: of all
 * workspaces, or one. Returns how many.
 */
export async function restartStageMoves(runtime: Runtime, onlyIn?: number): Promise<number> {
  return restartAll(
    runtime,
    never,
    (after) =>
      runtime.db.rows<Move>(
        `SELECT v.id, v.workspace_id, v.ticket_id FROM ticket_stage_moves v
         WHERE v.completed_at IS NULL AND v.id > $after AND ($only::bigint IS NULL OR v.workspace_id = $only)
           AND EXISTS (${openRecipients})
         ORDER BY v.id LIMIT ${maxSweptRows}`,
        { after, only: onlyIn ?? null },
      ),
    (row) => stageNotifyAgainIntent(row.workspace_id, row.ticket_id, row.id),
  );
}
