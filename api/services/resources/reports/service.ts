import type { Ctx } from '../../../core/context';
import type { Page } from '../../../core/http/operations';
import { listPage, type PagingInput } from '../../../core/http/paging';
import { userJsonSql } from '../../identity/members/userColumns';
import { daysBefore, readDays, type DaySpan } from '../../identity/workspaces/localDays';
import type { EpisodeView, ReportRow } from './serializer';

export const reportGroups = ['day', 'hour', 'member', 'inbox', 'tag', 'broadcast'] as const;
export type ReportGroup = (typeof reportGroups)[number];

/** SQL: the figures of the sums `r` of a group, each null or 0 where there is nothing. */
const figuresSql = `coalesce(sum(r.answered), 0)::int AS answered,
  round(sum(r.first_response_seconds) / nullif(sum(r.answered), 0))::int AS first_response_seconds,
  coalesce(sum(r.resolved), 0)::int AS resolved,
  round(sum(r.resolution_seconds) / nullif(sum(r.resolved), 0))::int AS resolution_seconds,
  coalesce(sum(r.rated), 0)::int AS rated, coalesce(sum(r.satisfied), 0)::int AS satisfied`;

/**
 * Sums up the conversations that began on the days of a span, by one property; by day also how many were open at the
 * end of each. Throws 400.
 */
export async function readReport(ctx: Ctx, given: DaySpan & { readonly groupBy: ReportGroup }): Promise<ReportRow[]> {
  const { from, to } = await spanOf(ctx, given);
  const bind = { workspaceId: ctx.workspaceId, from, to };
  if (given.groupBy === 'day')
    return ctx.runtime.db.rows<ReportRow>(
      // What began and ended before the span is open at its beginning, or was never known.
      `WITH moved AS (
         SELECT day, sum(CASE kind WHEN 'day' THEN started ELSE -started END) AS by
         FROM report_days WHERE workspace_id = $workspaceId AND kind IN ('day', 'ended') AND day <= $to GROUP BY day
       )
       SELECT d.day::date::text AS key, coalesce(max(r.started), 0) AS started, ${figuresSql},
         (SELECT coalesce(sum(by), 0)::int FROM moved WHERE moved.day < $from)
           + sum(coalesce(max(moved.by), 0)) OVER (ORDER BY d.day)::int AS open
       FROM generate_series($from::date, $to::date, interval '1 day') AS d(day)
       LEFT JOIN report_days r ON r.workspace_id = $workspaceId AND r.kind = 'day' AND r.day = d.day::date
       LEFT JOIN moved ON moved.day = d.day::date
       GROUP BY d.day ORDER BY d.day`,
      bind,
    );
  return ctx.runtime.db.rows<ReportRow>(
    `SELECT nullif(r.key, '') AS key, ${given.groupBy === 'member' ? 'NULL::int' : 'sum(r.started)::int'} AS started,
       ${figuresSql}, NULL::int AS open
     FROM report_days r
     WHERE r.workspace_id = $workspaceId AND r.kind = $kind AND r.day BETWEEN $from AND $to
     GROUP BY r.key ORDER BY r.key = '', length(r.key), r.key`,
    { ...bind, kind: given.groupBy },
  );
}

/** Lists the conversations that began on the days of a span, the oldest first. Throws 400. */
export async function listEpisodes(ctx: Ctx, given: DaySpan & PagingInput): Promise<Page<EpisodeView>> {
  const { from, to, zone } = await spanOf(ctx, given);
  return listPage<Omit<EpisodeView, 'id'>>(
    ctx,
    {
      select: `e.started_at, e.first_response_at, e.first_response_seconds, e.ended_at, e.ended_as,
        e.resolution_seconds, e.rating, e.rated_at, e.tags, e.broadcast_id, e.team_inbox_id,
        i.name AS team_inbox_name, c.receiver_id,
        ${userJsonSql('answerer')} AS answered_by, ${userJsonSql('ender')} AS ended_by`,
      from: 'conversation_episodes e',
      joins: `LEFT JOIN contacts c ON c.id = e.conversation_id LEFT JOIN team_inboxes i ON i.id = e.team_inbox_id
        LEFT JOIN members answerer ON answerer.id = e.answered_by_id
        LEFT JOIN members ender ON ender.id = e.ended_by_id`,
      where: [
        'e.workspace_id = $workspaceId',
        'e.started_at >= $from::date::timestamp AT TIME ZONE $zone',
        'e.started_at < ($to::date + 1)::timestamp AT TIME ZONE $zone',
      ],
      bind: { workspaceId: ctx.workspaceId, from, to, zone },
      idSql: 'e.id',
      columns: { started_at: { sql: 'e.started_at', type: 'timestamptz' } },
      defaultOrdering: 'started_at',
    },
    given,
  );
}

/** Reads the days that are meant, the last thirty unless told. Throws 400. */
const spanOf = (ctx: Ctx, span: DaySpan) => readDays(ctx, span, (to) => daysBefore(to, 29));
