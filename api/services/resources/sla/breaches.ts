import type { DueOutcome, SlaSubject } from '../../../../workflows/contract';
import { dueNowSql } from '../../../core/clock';
import type { Ctx } from '../../../core/context';
import { recordEvent, recordSql } from '../../../core/queue/events';
import type { Runtime } from '../../../core/runtime';
import { maxSweptRows, never, sweepAll, type IsOver } from '../../../core/queue/sweep';

/** The sweep leaves timers this long to do it themselves. */
const sweepGraceMs = 2_000;

interface SubjectSql {
  readonly table: string;
  /** Whether the clock runs. */
  readonly running: string;
  /** Whether the first response is outstanding. */
  readonly outstanding: string;
  /** The column of the deadline of the first response. */
  readonly first: string;
  /** The column of the deadline of the resolution. */
  readonly resolution: string;
}

const subjects: Readonly<Record<SlaSubject, SubjectSql>> = {
  ticket: {
    table: 'tickets',
    running: 'NOT sla_breached AND closed_at IS NULL AND sla_paused_at IS NULL',
    outstanding: 'first_response_at IS NULL',
    first: 'first_response_sla',
    resolution: 'resolution_sla',
  },
  conversation: {
    table: 'conversations',
    running: 'NOT sla_breached AND sla_stopped_at IS NULL',
    outstanding: 'sla_responded_at IS NULL',
    first: 'sla_first_response_deadline',
    resolution: 'sla_resolution_deadline',
  },
};

/** SQL: the deadline of the first response while it is outstanding. */
const firstSql = ({ outstanding, first }: SubjectSql): string => `CASE WHEN ${outstanding} THEN ${first} END`;

/**
 * SQL: the ids of what is overdue, each deadline looked up in the order of its own partial index. In one condition, the
 * planner takes a third of all for overdue, and would read the table until it finds some.
 */
const overdueSql = ({ table, running, outstanding, first, resolution }: SubjectSql, before: string): string => `
  (SELECT id FROM ${table} WHERE ${running} AND ${outstanding} AND ${first} <= ${before}
   ORDER BY ${first} LIMIT ${maxSweptRows})
  UNION ALL
  (SELECT id FROM ${table} WHERE ${running} AND ${resolution} <= ${before}
   ORDER BY ${resolution} LIMIT ${maxSweptRows})`;

/**
 * Marks a missed deadline; the row decides whether it still is missed and the same (SQL: it compares times of the
 * database).
 */
export async function breachIfDue(
  ctx: Ctx,
  target: { readonly subject: SlaSubject; readonly subjectId: number; readonly version: number },
): Promise<DueOutcome> {
  const { runtime, workspaceId } = ctx;
  const { table, running, resolution } = subjects[target.subject];
  const first = firstSql(subjects[target.subject]);
  const now = dueNowSql(runtime.clock);

  return runtime.db.transaction(async () => {
    const row = await runtime.db.row<{ wait_ms: number | null; first_missed: boolean }>(
      `SELECT ceil(extract(epoch FROM least(${first}, ${resolution}) - ${now}) * 1000)::float8 AS wait_ms,
         coalesce((${first}) <= ${now}, false) AS first_missed
       FROM ${table}
       WHERE workspace_id = $workspaceId AND id = $id AND sla_version = $version AND ${running}
       FOR NO KEY UPDATE`,
      { workspaceId, id: target.subjectId, version: target.version },
    );
    if (!row || row.wait_ms === null) return { kind: 'superseded' };
    if (row.wait_ms > 0) return { kind: 'not_due', waitMs: row.wait_ms };

    await runtime.db.rows(
      `UPDATE ${table} SET sla_breached = true, updated_at = now() WHERE workspace_id = $workspaceId AND id = $id`,
      { workspaceId, id: target.subjectId },
    );
    await recordEvent(ctx, {
      subjectType: target.subject,
      subjectId: target.subjectId,
      kind: 'sla_breached',
      changes: { sla_breached: { from: false, to: true } },
      data: { deadline: row.first_missed ? 'first_response' : 'resolution' },
    });
    return { kind: 'done' };
  });
}

/** Marks everything overdue whose timer is lost or late, in bulk statements; returns how many. */
export async function breachOverdue(runtime: Runtime, isOver: IsOver = never): Promise<number> {
  const before = `(${dueNowSql(runtime.clock)} - ${sweepGraceMs} * interval '1 millisecond')`;
  let total = 0;
  for (const subject of ['ticket', 'conversation'] as const) {
    const { table, running, resolution } = subjects[subject];
    const first = firstSql(subjects[subject]);
    total += await sweepAll(isOver, async () => {
      const [row] = await runtime.db.rows<{ breached: number }>(
        `WITH due AS (
           SELECT id, coalesce((${first}) <= ${before}, false) AS first_missed
           FROM ${table}
           WHERE ${running} AND least(${first}, ${resolution}) <= ${before}
             AND id = ANY(ARRAY(${overdueSql(subjects[subject], before)}))
           LIMIT ${maxSweptRows}
           FOR NO KEY UPDATE SKIP LOCKED
         ), breached AS (
           UPDATE ${table} t SET sla_breached = true, updated_at = now()
           FROM due WHERE t.id = due.id
           RETURNING t.id, t.workspace_id, due.first_missed
         ), recorded AS (${recordSql('breached', {
           subjectType: subject,
           subjectId: 'id',
           kind: 'sla_breached',
           changes: `'{"sla_breached": {"from": false, "to": true}}'`,
           data: `jsonb_build_object(
             'deadline', CASE WHEN first_missed THEN 'first_response' ELSE 'resolution' END)`,
           requestId: "'reconcile'",
         })})
         SELECT count(*)::int AS breached FROM breached`,
      );
      return row?.breached ?? 0;
    });
  }
  return total;
}
