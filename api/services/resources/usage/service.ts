import type { Ctx } from '../../../core/context';
import { readDays, type DaySpan } from '../../identity/workspaces/localDays';
import { currencySql, ratesChange, rateSql } from './rates';

/** SQL: by what messages can be summed up, each as a text; null where a message has none. */
const keys = {
  day: 'day::text',
  number: '(SELECT p.phone_number_id FROM phone_numbers p WHERE p.id = number)',
  category: "nullif(category, '')",
  broadcast: 'broadcast::text',
  member: 'member::text',
  country: "nullif(country, '')",
} as const;
export const usageGroups = Object.keys(keys) as (keyof typeof keys)[];
export type UsageGroup = keyof typeof keys;

/** The delivered messages of one group, and their cost. */
interface Usage {
  readonly key: string | null;
  readonly messages: number;
  readonly billable: number;
  readonly cost: number | null;
  readonly currency: string | null;
}

/**
 * Sums up the messages that arrived on the days of a span in the workspace's zone, both days included, by one property.
 * Throws 400. The cost of a group of which one charged message has no rate is null: a part of it would pass for all.
 */
export async function readUsage(ctx: Ctx, span: DaySpan & { readonly groupBy: UsageGroup }): Promise<readonly Usage[]> {
  const { groupBy } = span;
  const { from, to, zone } = await readDays(ctx, span, (last) => `${last.slice(0, 8)}01`);
  // Where one set of rates holds for all of the span, nothing needs the days of its messages.
  const perDay = groupBy === 'day' || (await ratesChange(ctx, from, to));
  const day = perDay ? '(u.arrived_at AT TIME ZONE $zone)::date' : '$to::date';
  // First by all that a rate depends on, then by what was asked for: each rate is looked up once.
  return ctx.runtime.db.rows<Usage>(
    `WITH arrived AS (
       SELECT ${day} AS day, u.country, u.category, count(*) AS messages,
         count(*) FILTER (WHERE u.billable) AS billable,
         ${groupBy === 'number' ? 'u.phone_number_id' : 'NULL::bigint'} AS number,
         ${groupBy === 'broadcast' ? 'u.broadcast_id' : 'NULL::bigint'} AS broadcast,
         ${groupBy === 'member' ? 'u.member_id' : 'NULL::bigint'} AS member
       FROM message_usage u
       WHERE u.workspace_id = $workspaceId AND u.arrived_at >= $from::date::timestamp AT TIME ZONE $zone
         AND u.arrived_at < ($to::date + 1)::timestamp AT TIME ZONE $zone
       GROUP BY 1, 2, 3, 6, 7, 8
     ), priced AS (
       SELECT *, CASE WHEN billable = 0 THEN 0
         ELSE billable * ${rateSql('a.country', 'a.category', 'a.day')} END AS cost
       FROM arrived a
     )
     SELECT ${keys[groupBy]} AS key, sum(messages)::int AS messages, sum(billable)::int AS billable,
       CASE WHEN bool_and(cost IS NOT NULL) THEN round(sum(cost), 4)::float8 END AS cost,
       ${currencySql} AS currency
     FROM priced GROUP BY 1 ORDER BY 1 NULLS LAST`,
    { workspaceId: ctx.workspaceId, zone, from, to },
  );
}

/** What so many messages to each country would cost today. */
export async function estimateCost(
  ctx: Ctx,
  category: string,
  byCountry: ReadonlyMap<string, number>,
): Promise<{ cost: number | null; currency: string | null }> {
  const row = await ctx.runtime.db.row<{ cost: number | null; currency: string | null }>(
    `SELECT CASE WHEN bool_and(amount IS NOT NULL) THEN round(sum(count * amount), 4)::float8 END AS cost,
       ${currencySql} AS currency
     FROM (SELECT g.count, ${rateSql('g.country', '$category', 'CURRENT_DATE')} AS amount
       FROM unnest($countries::text[], $counts::int[]) AS g(country, count)) AS priced`,
    {
      workspaceId: ctx.workspaceId,
      category,
      countries: [...byCountry.keys()],
      counts: [...byCountry.values()],
    },
  );
  return row ?? { cost: null, currency: null };
}
