import { dueNowSql } from '../../../core/clock';
import type { Ctx } from '../../../core/context';
import type { Bind } from '../../../core/db/database';
import { countryDigits, countryOf } from '../usage/countries';
import { estimateCost } from '../usage/service';
import { skipReasonSql } from './audience';
import type { BroadcastView } from './serializer';

/** Whom a broadcast would reach now, what that would cost, and what the platform lets through. */
export interface Reach {
  readonly audience: number;
  readonly skippedByReason: Readonly<Record<string, number>>;
  readonly estimate: { readonly billable: number; readonly cost: number | null; readonly currency: string | null };
  readonly messagingLimit: MessagingLimit;
}

/** How many customers may get a template outside of their window in a day, over all numbers of the portfolio. */
interface MessagingLimit {
  /** Null: there is none, or it is not known. */
  readonly limit: number | null;
  readonly used_24h: number;
  readonly left: number | null;
  /** Recipients whom the limit leaves out. */
  readonly over_by: number;
  readonly estimated: true;
}

interface Group {
  readonly reason: string | null;
  readonly phone: string | null;
  readonly bsuid: string | null;
  readonly is_free: boolean;
  readonly is_fresh: boolean;
  readonly count: number;
}

/** A group, or the one row of an audience of nobody; with what is used of the number's limit. */
type ReachRow = (Group | { readonly count: null }) & { readonly used: number; readonly tier: string | null };

/** How long after a click on an ad all messages are free. */
const freeEntry = "interval '72 hours'";
const day = "interval '24 hours'";

/**
 * SQL: the conversations that got a template outside of their window in the last day: a customer's message within the
 * day before it had opened that.
 */
const usedSql = (now: string): string => `
  SELECT DISTINCT t.conversation_id FROM messages t
  WHERE t.workspace_id = $workspaceId AND t.direction = 'outbound' AND t.type = 'template'
    AND t.created_at > ${now} - ${day} AND t.message_status NOT IN ('queued', 'failed')
    AND NOT EXISTS (SELECT 1 FROM messages i WHERE i.conversation_id = t.conversation_id AND i.direction = 'inbound'
      AND i.created_at BETWEEN t.created_at - ${day} AND t.created_at)`;

/** Reckons whom the picked audience (`sql` gives `picked`) reaches. Everything in one pass over it. */
export async function reckonReach(
  ctx: Ctx,
  broadcast: Pick<BroadcastView, 'phone_number_id'>,
  category: string,
  { sql, bind }: { readonly sql: string; readonly bind: Bind },
): Promise<Reach> {
  const now = dueNowSql(ctx.runtime.clock);
  const rows = await ctx.runtime.db.rows<ReachRow>(
    `WITH ${sql}, used AS MATERIALIZED (${usedSql(now)}), grouped AS (
     SELECT ${skipReasonSql} AS reason, left(c.phone, ${countryDigits}) AS phone,
       CASE WHEN c.phone IS NULL THEN left(c.bsuid, 3) END AS bsuid,
       coalesce(c.ctwa_referral_at > ${now} - ${freeEntry}, false) AS is_free,
       u.conversation_id IS NULL AND NOT EXISTS (SELECT 1 FROM conversation_windows w WHERE w.conversation_id = c.id
         AND w.phone_number_id = $numberPk AND w.open_until > ${now}) AS is_fresh,
       count(*)::int AS count
     FROM picked p JOIN contacts c ON c.id = p.contact_id LEFT JOIN used u ON u.conversation_id = c.id
     GROUP BY 1, 2, 3, 4, 5)
     SELECT (SELECT count(*) FROM used)::int AS used,
       (SELECT messaging_limit_tier FROM phone_numbers WHERE id = $numberPk) AS tier, g.*
     FROM (SELECT) AS always LEFT JOIN grouped g ON true`,
    { ...bind, numberPk: broadcast.phone_number_id },
  );
  const groups = rows.filter((row) => row.count !== null);

  const sent = groups.filter(({ reason }) => reason === null);
  const skippedByReason: Record<string, number> = {};
  for (const { reason, count } of groups)
    if (reason !== null) skippedByReason[reason] = (skippedByReason[reason] ?? 0) + count;
  const byCountry = new Map<string, number>();
  for (const group of sent)
    if (!group.is_free) byCountry.set(countryOf(group), (byCountry.get(countryOf(group)) ?? 0) + group.count);
  return {
    audience: sum(groups),
    skippedByReason,
    estimate: {
      billable: sum(sent.filter(({ is_free: isFree }) => !isFree)),
      ...(await estimateCost(ctx, category.toLowerCase(), byCountry)),
    },
    messagingLimit: limitOf(rows[0], sum(sent.filter(({ is_fresh: isFresh }) => isFresh))),
  };
}

function limitOf(row: ReachRow | undefined, fresh: number): MessagingLimit {
  const limit = limitOfTier(row?.tier ?? '');
  const used = row?.used ?? 0;
  const left = limit === null ? null : Math.max(0, limit - used);
  return { limit, used_24h: used, left, over_by: left === null ? 0 : Math.max(0, fresh - left), estimated: true };
}

/** Returns the number in a name like TIER_2K; null for TIER_UNLIMITED, and for one that says none. */
export function limitOfTier(tier: string): number | null {
  const [, digits, thousands] = /^TIER_(\d{1,7})(K?)$/.exec(tier) ?? [];
  return digits === undefined ? null : Number(digits) * (thousands ? 1_000 : 1);
}

function sum(groups: readonly { readonly count: number }[]): number {
  return groups.reduce((total, { count }) => total + count, 0);
}
