import type { WakeOutcome } from '../../../../workflows/contract';
import { snoozeIntent } from '../../../../workflows/starts';
import { dueNowSql, overdueSql } from '../../../core/clock';
import { systemCtx, type Ctx } from '../../../core/context';
import { recordSql, watchedSql } from '../../../core/queue/events';
import type { Runtime } from '../../../core/runtime';
import { inTurnsSql } from '../../../core/db/workspaceTurnsSql';
import { changedAs, noteHappened } from '../rules/starts';

/** Conversations of one statement, well within the time that a statement may take. */
const maxWokenTogether = 1_000;

/**
 * Makes the conversation's timer wait until `until`, whatever it waited for before, or end where that is null. The
 * intent commits with the row; the outbox hands it to the workflow `snoozeTimer`, which calls `wakeIfDue` when the time
 * has come.
 */
export async function setSnoozeTimer(
  ctx: Ctx,
  conversationId: number,
  until: Date | null,
  version: number,
): Promise<void> {
  await ctx.runtime.outbox.add(ctx, snoozeIntent(ctx.workspaceId, conversationId, until, version));
}

/** Who wakes a conversation, as its activity names them: the timer that comes late reads there who was faster. */
type Waker = 'snooze-timer' | 'snoozes-overdue' | 'operator';
const requestIdOf = (waker: Waker, version: string): string => `'${waker}/' || ${version}`;

/**
 * SQL: opens the snoozed conversations whose ids `due` selects and locks, and records who woke them. Returns each with
 * whether rules watch its workspace.
 */
function wakeSql(due: string, waker: Waker): string {
  return `WITH due AS (${due}), woken AS (
       UPDATE conversations v
       SET conv_status = 'open', snoozed_until = NULL, snooze_version = v.snooze_version + 1, updated_at = now()
       WHERE v.id = ANY(ARRAY(SELECT id FROM due))
       RETURNING v.id, v.workspace_id, v.snooze_version - 1 AS version
     ), recorded AS (${recordSql('woken', {
       subjectType: 'conversation',
       subjectId: 'id',
       kind: 'woken',
       changes: `'${JSON.stringify({ conv_status: { from: 'snoozed', to: 'open' } })}'`,
       requestId: requestIdOf(waker, 'version'),
     })} RETURNING id, subject_id)
     SELECT w.id, w.workspace_id, r.id AS event_id, ${watchedSql('w.workspace_id')} AS watched
     FROM woken w JOIN recorded r ON r.subject_id = w.id`;
}

async function wake(
  runtime: Runtime,
  waker: Waker,
  due: string,
  bind: Readonly<Record<string, unknown>> = {},
): Promise<number> {
  const { db } = runtime;
  return db.transaction(async () => {
    const woken = await db.rows<{ id: number; workspace_id: number; event_id: number; watched: boolean }>(
      wakeSql(due, waker),
      bind,
    );
    const watched = woken.filter((row) => row.watched);
    for (const workspaceId of new Set(watched.map((row) => row.workspace_id)))
      await noteHappened(
        systemCtx(runtime, workspaceId, waker),
        watched
          .filter((row) => row.workspace_id === workspaceId)
          .flatMap(({ id, event_id: eventId }) =>
            changedAs(id, eventId, { conv_status: { from: 'snoozed', to: 'open' } }),
          ),
      );
    return woken.length;
  });
}

/**
 * Opens a conversation whose snooze is over, for its timer; the row decides whether it still is the same snooze, by the
 * database's clock. `woken_with_others`: it woke with all that were overdue, before the timer came.
 */
export async function wakeIfDue(
  { runtime, workspaceId }: Ctx,
  { conversationId, version }: { readonly conversationId: number; readonly version: number },
): Promise<WakeOutcome> {
  const now = dueNowSql(runtime.clock);
  const bind = { workspaceId, conversationId, version };
  const woken = await wake(
    runtime,
    'snooze-timer',
    `SELECT id FROM conversations
     WHERE workspace_id = $workspaceId AND id = $conversationId AND conv_status = 'snoozed'
       AND snooze_version = $version AND snoozed_until <= ${now}
     FOR UPDATE`,
    bind,
  );
  if (woken > 0) return { kind: 'done' };

  const row = await runtime.db.row<{ wait_ms: number | null; own: boolean | null }>(
    // The activity of a wake names who did it: this timer, whose answer was lost then, or the one for all.
    `SELECT
       CASE WHEN conv_status = 'snoozed' AND snooze_version = $version
         THEN ceil(extract(epoch FROM snoozed_until - ${now}) * 1000)::float8 END AS wait_ms,
       (SELECT e.request_id = ${requestIdOf('snooze-timer', '$version')}
        FROM events e
        WHERE e.workspace_id = v.workspace_id AND e.subject_type = 'conversation' AND e.subject_id = v.id
          AND e.kind = 'woken' AND e.request_id IN (
            ${requestIdOf('snooze-timer', '$version')}, ${requestIdOf('snoozes-overdue', '$version')})) AS own
     FROM conversations v
     WHERE v.workspace_id = $workspaceId AND v.id = $conversationId`,
    bind,
  );
  const { wait_ms: waitMs = null, own = null } = row ?? {};
  if (waitMs !== null) return { kind: 'not_due', waitMs: Math.max(1, waitMs) };
  if (own === null) return { kind: 'superseded' };
  return { kind: own ? 'done' : 'woken_with_others' };
}

/** Opens a snoozed conversation as PATCH with `open` does, for an operator's `wake` or `cancel` in the Temporal UI. */
export async function reopenByOperator({ runtime, workspaceId }: Ctx, conversationId: number): Promise<void> {
  await wake(
    runtime,
    'operator',
    `SELECT id FROM conversations
     WHERE workspace_id = $workspaceId AND id = $conversationId AND conv_status = 'snoozed' FOR UPDATE`,
    { workspaceId, conversationId },
  );
}

const isSnoozed = "conv_status = 'snoozed'";
const isOverdue = ({ clock }: Runtime): string => overdueSql('snoozed_until', clock);

/**
 * SQL: whether a conversation of any workspace is overdue. In the order of the index: the planner takes a third of all
 * for overdue, and would read the table until it finds one.
 */
export const someOverdueSnoozeSql = (runtime: Runtime): string =>
  `(SELECT 1 FROM conversations WHERE ${isSnoozed} AND ${isOverdue(runtime)}
     ORDER BY snoozed_until LIMIT 1) IS NOT NULL`;

/**
 * Opens what is overdue, however long ago, up to a thousand in the turns of the workspaces: timers of a crowd that ends
 * in one second come one after the other, and some may be lost. Returns how many; with any, there may be more.
 */
export async function wakeOverdue(runtime: Runtime): Promise<number> {
  const due = inTurnsSql({
    table: 'conversations',
    where: isSnoozed,
    due: isOverdue(runtime),
    order: 'snoozed_until',
    limit: maxWokenTogether,
    lock: true,
  });
  const woken = await wake(runtime, 'snoozes-overdue', due);
  if (woken > 0) runtime.logger.info({ event: 'snooze.overdue_woken', woken }, 'overdue conversations were woken');
  return woken;
}
