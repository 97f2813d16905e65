import { systemCtx } from '../../../core/context';
import type { Runtime } from '../../../core/runtime';
import { maxSweptRows, never, sweepAll, type IsOver } from '../../../core/queue/sweep';
import { dayOf } from '../../../core/zones';
import { daysBefore } from '../../identity/workspaces/localDays';
import { readHours } from '../calendars/hours';
import { countedSql, figureSql, reportGroups } from './figures';

/**
 * SQL: the first day that is still summed up anew. Episodes that ended before it, and sums by member, are removed; what
 * began or ended on later days is all there, so the sums of those days can be made again at any time.
 */
export const firstKeptDaySql = 'current_date - $days::int - 1';

/**
 * Returns the first day whose conversations are all listed still: of days before it, sums alone may be left. The
 * database's date may be a day ahead of this one.
 */
export function firstListedDay({ config, clock }: Runtime): string {
  return daysBefore(dayOf(clock.now(), 'UTC'), config.retainDays.activity);
}

/** What the days are summed up by; `ended` counts what ended on the day, everything else what began on it. */
const kinds = [...reportGroups, 'ended'] as const;

/** SQL: from one time to a later one, in whole seconds. */
const secondsSql = (from: string, to: string): string => `floor(extract(epoch FROM ${to} - ${from}))::int`;

/** SQL: whether episode `e` ended well. */
const isResolvedSql = `e.ended_as IN ('resolved', 'converted')`;

/**
 * Sums up the days on which something has changed: the episodes that say so get their days and durations, and each of
 * those days is summed up as a whole. Returns how many episodes changed.
 */
export async function sumUpReports(runtime: Runtime, isOver: IsOver = never): Promise<number> {
  return sweepAll(isOver, () => runtime.db.transaction(() => sumUpSome(runtime)));
}

async function sumUpSome(runtime: Runtime): Promise<number> {
  const { db, config } = runtime;
  // One at a time: two that sum up the same day would each miss what the other has taken.
  await db.rows('SELECT pg_advisory_xact_lock(hashtextextended($key, 3)) IS NULL AS locked', { key: 'report-days' });
  const taken = await db.rows<Lasting>(
    `SELECT e.id, e.workspace_id, e.team_inbox_id, e.started_at, e.first_response_at,
       CASE WHEN ${isResolvedSql} THEN e.ended_at END AS resolved_at,
       EXISTS (SELECT 1 FROM calendars k WHERE k.workspace_id = e.workspace_id) AS by_hours
     FROM conversation_episodes e WHERE e.unsummed LIMIT ${maxSweptRows} FOR NO KEY UPDATE OF e SKIP LOCKED`,
  );
  if (taken.length === 0) return 0;
  const counted = await countWorkingTime(
    runtime,
    taken.filter(({ by_hours: byHours }) => byHours),
  );
  // Each row is written once: a second write of one transaction would ask for the conversation of the episode, which
  // may be held by whoever waits for the episode.
  const found = await db.row<{ workspaces: number[] | null; days: string[] | null }>(
    `WITH taken AS MATERIALIZED (
       SELECT id, workspace_id, started_on, ended_on FROM conversation_episodes WHERE id = ANY($ids::bigint[])
     ), booked AS (
       UPDATE conversation_episodes e SET
         started_on = (e.started_at AT TIME ZONE w.timezone)::date,
         started_hour = extract(hour FROM e.started_at AT TIME ZONE w.timezone),
         ended_on = (e.ended_at AT TIME ZONE w.timezone)::date,
         first_response_seconds = CASE WHEN c.id IS NOT NULL THEN c.first
           ELSE ${secondsSql('e.started_at', 'e.first_response_at')} END,
         resolution_seconds = CASE WHEN c.id IS NOT NULL THEN c.resolution
           WHEN ${isResolvedSql} THEN ${secondsSql('e.started_at', 'e.ended_at')} END,
         unsummed = false
       FROM taken JOIN workspaces w ON w.id = taken.workspace_id
         LEFT JOIN unnest($counted::bigint[], $firsts::int[], $resolutions::int[]) AS c(id, first, resolution)
           ON c.id = taken.id
       WHERE e.id = taken.id
       RETURNING e.workspace_id, e.started_on, e.ended_on
     ), touched AS (
       SELECT workspace_id, started_on AS day FROM taken UNION SELECT workspace_id, ended_on FROM taken
       UNION SELECT workspace_id, started_on FROM booked UNION SELECT workspace_id, ended_on FROM booked
     )
     SELECT array_agg(workspace_id) AS workspaces, array_agg(day::text) AS days
     FROM touched WHERE day >= ${firstKeptDaySql}`,
    {
      days: config.retainDays.activity,
      ids: taken.map(({ id }) => id),
      counted: counted.map(({ id }) => id),
      firsts: counted.map(({ first }) => first),
      resolutions: counted.map(({ resolution }) => resolution),
    },
  );
  if (found?.workspaces && found.days) await sumUpDays(db, found.workspaces, found.days);
  return taken.length;
}

/** An episode with the times that its durations are computed from. */
interface Lasting {
  readonly id: number;
  readonly workspace_id: number;
  readonly team_inbox_id: number | null;
  readonly started_at: Date;
  readonly first_response_at: Date | null;
  readonly resolved_at: Date | null;
  /** Whether its workspace has calendars. */
  readonly by_hours: boolean;
}

/** Returns the durations of episodes in seconds of working time, where a calendar applies to them. */
async function countWorkingTime(
  runtime: Runtime,
  episodes: readonly Lasting[],
): Promise<{ readonly id: number; readonly first: number | null; readonly resolution: number | null }[]> {
  const counted = [];
  for (const workspaceId of new Set(episodes.map((episode) => episode.workspace_id))) {
    const hoursOf = await readHours(systemCtx(runtime, workspaceId, 'reports'));
    for (const { id, started_at: from, ...episode } of episodes) {
      const hours = episode.workspace_id === workspaceId ? hoursOf(episode.team_inbox_id) : null;
      if (!hours) continue;
      const seconds = (to: Date | null): number | null =>
        to && Math.floor(Math.round(hours.time.workingMinutesBetween(from, to) * 60_000) / 1_000);
      counted.push({ id, first: seconds(episode.first_response_at), resolution: seconds(episode.resolved_at) });
    }
  }
  return counted;
}

/** Makes the sums of these days of these workspaces anew. */
async function sumUpDays(db: Runtime['db'], workspaces: readonly number[], days: readonly string[]): Promise<void> {
  const touched = 'unnest($workspaces::bigint[], $days::date[]) AS d(workspace_id, day)';
  const bind = { workspaces, days };
  await db.rows(
    `DELETE FROM report_days r USING ${touched}, unnest($kinds::text[]) AS k(kind)
     WHERE r.workspace_id = d.workspace_id AND r.kind = k.kind AND r.day = d.day`,
    { ...bind, kinds },
  );
  const countSql = (figure: keyof typeof figureSql): string => `count(*) FILTER (WHERE ${figureSql[figure]})`;
  await db.rows(
    `INSERT INTO report_days (workspace_id, day, kind, key, started, answered, first_response_seconds, resolved,
       resolution_seconds, rated, satisfied)
     SELECT d.workspace_id, d.day, k.kind, k.key, ${countSql('started')},
       ${countSql('answered')}, coalesce(sum(e.first_response_seconds) FILTER (WHERE ${figureSql.answered}), 0),
       ${countSql('resolved')}, coalesce(sum(e.resolution_seconds) FILTER (WHERE ${figureSql.resolved}), 0),
       ${countSql('rated')}, ${countSql('satisfied')}
     FROM ${touched} JOIN conversation_episodes e ON e.workspace_id = d.workspace_id AND e.started_on = d.day
     CROSS JOIN LATERAL ${countedSql}
     GROUP BY 1, 2, 3, 4
     UNION ALL
     SELECT d.workspace_id, d.day, 'ended', '', count(*), 0, 0, 0, 0, 0, 0
     FROM ${touched} JOIN conversation_episodes e ON e.workspace_id = d.workspace_id AND e.ended_on = d.day
     GROUP BY 1, 2`,
    bind,
  );
}
