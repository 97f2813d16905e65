import type { Ctx } from '../../../core/context';
import type { Page } from '../../../core/http/operations';
import { listPage, type PagingInput } from '../../../core/http/paging';
import { userJsonSql } from '../../identity/members/userColumns';
import { daysBefore, readDays, type DaySpan } from '../../identity/workspaces/localDays';
import { countedSql, figureSql, type ReportFigure, type ReportGroup } from './figures';
import type { EpisodeView, ReportRow } from './serializer';

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

/** SQL: on which days episode `e` began and ended, as they are summed up; what is not yet, by the zone of today. */
const dayOfSql = (which: 'started' | 'ended'): string =>
  `coalesce(e.${which}_on, (e.${which}_at AT TIME ZONE $zone)::date)`;

/** Which conversations a figure of a report counts. */
interface Counted extends DaySpan {
  readonly figure: ReportFigure;
  readonly groupBy: ReportGroup;
  /** Of which row of the report; empty: of the one that has no name. */
  readonly key: string;
}

/** Lists the conversations that a figure of a report counts, the oldest first. Throws 400. */
export async function listEpisodes(ctx: Ctx, given: Counted & PagingInput): Promise<Page<EpisodeView>> {
  const { from, to, zone } = await spanOf(ctx, given);
  const { figure, groupBy, key } = given;
  const isOpen = figure === 'open';
  const isPlain = groupBy === 'day' && (isOpen || figure === 'started');
  const counted = `k.kind = $kind AND k.key = $key${isOpen ? '' : ` AND ${figureSql[figure]}`}`;
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
        // The index finds these; whatever the zone was, a day lies within two of the same date.
        `e.started_at < ($to::date + 2)::timestamp AT TIME ZONE 'UTC'`,
        `${dayOfSql('started')} <= $to::date`,
        ...(isOpen
          ? [`(e.ended_at IS NULL OR ${dayOfSql('ended')} > $to::date)`]
          : [
              `e.started_at >= ($from::date - 2)::timestamp AT TIME ZONE 'UTC'`,
              `${dayOfSql('started')} >= $from::date`,
            ]),
        // Of all that began, nothing needs to be told apart.
        ...(isPlain ? [] : [`EXISTS (SELECT FROM ${countedSql} WHERE ${counted})`]),
      ],
      bind: {
        workspaceId: ctx.workspaceId,
        to,
        zone,
        ...(isOpen ? {} : { from }),
        ...(isPlain ? {} : { kind: groupBy, key }),
      },
      idSql: 'e.id',
      columns: { started_at: { sql: 'e.started_at', type: 'timestamptz' } },
      defaultOrdering: 'started_at',
    },
    given,
  );
}

/** Returns whether conversations have changed since they were last summed up: figures lag behind their lists then. */
export async function areFiguresBehind(ctx: Ctx): Promise<boolean> {
  const row = await ctx.runtime.db.row<{ behind: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM conversation_episodes WHERE workspace_id = $workspaceId AND unsummed) AS behind`,
    { workspaceId: ctx.workspaceId },
  );
  return row?.behind ?? false;
}

/** Reads the days that are meant, the last thirty unless told. Throws 400. */
const spanOf = (ctx: Ctx, span: DaySpan) => readDays(ctx, span, (to) => daysBefore(to, 29));
