import type { Config } from '../../../core/config';
import type { Bind } from '../../../core/db/database';
import type { Runtime } from '../../../core/runtime';
import { maxSweptRows, never, sweepAll, type IsOver } from '../../../core/queue/sweep';
import { closeForgottenAnywhere } from '../../identity/oauth/connections';
import { purgeDeletedFieldsAnywhere } from '../../resources/customFields/service';
import { abandonStaleAnywhere } from '../../resources/macros/runs';
import { firstKeptDaySql, sumUpReports } from '../../resources/reports/sums';
import { removeFilesAnywhere } from '../files/remove';

/** What is kept for a while and then removed: table, condition. */
const expired: readonly (readonly [table: string, condition: string])[] = [
  ['rate_limits', "resets_at < now() - interval '1 minute'"],
  ['idempotency_keys', "claimed_at < now() - interval '24 hours'"],
  ['sessions', 'expires_at < now()'],
  ['member_links', 'expires_at < now()'],
  ['mails', 'expires_at < now()'],
  ['identity_moves', "created_at < now() - interval '2 days'"],
  ['parked_statuses', "created_at < now() - interval '2 days'"],
  ['flow_reads', "read_at < now() - interval '10 minutes'"],
  ['notices', "created_at < now() - interval '1 hour'"],
  ['presence', "seen_at < now() - interval '1 minute'"],
  ['outbox', "set_aside_at < now() - interval '30 days'"],
  ['oauth_requests', 'expires_at < now()'],
  // Used codes and rotated refresh tokens stay as long as a replay of them must be recognised.
  ['oauth_codes', "expires_at < now() - interval '1 day'"],
  ['oauth_access_tokens', 'expires_at < now()'],
  ['oauth_refresh_tokens', 'expires_at < now()'],
  // Notes of webhook entries that no signature vouches for are no customer's data.
  ['inbox_events', "kind = 'unverified' AND received_at < now() - interval '7 days'"],
];

/** For so many days what the service alone has a use for is kept: long enough to look into what was said of it. */
const ownDays = { parkedEvents: 30, approvals: 90, macroRuns: 90 } as const;

export type KeptKind = keyof Config['retainDays'] | keyof typeof ownDays;

/** Returns for how many days each kind of record is kept; an operator decides about three of them (`RETAIN_…_DAYS`). */
export function keptDays({ retainDays }: Config): Readonly<Record<KeptKind, number>> {
  return { ...retainDays, ...ownDays };
}

/**
 * SQL: the oldest rows of a log whose time is over. By id, which rises with time: a BRIN index of times says less and
 * less once new rows have taken the places of removed ones.
 */
const oldestOf = (log: string): string => `id = ANY(ARRAY(
  SELECT id FROM (SELECT id, created_at FROM ${log} ORDER BY id LIMIT ${maxSweptRows}) oldest
  WHERE created_at < now() - $days * interval '1 day'))`;

const retained: readonly (readonly [kind: KeptKind, table: string, condition: string])[] = [
  ['parkedEvents', 'inbox_events', "state = 'parked' AND received_at < now() - $days * interval '1 day'"],
  ['parkedEvents', 'inbox_events', "state = 'ignored' AND received_at < now() - $days * interval '1 day'"],
  ['approvals', 'approvals', "status <> 'pending' AND decided_at < now() - $days * interval '1 day'"],
  ['audit', 'security_log', oldestOf('security_log')],
  ['audit', 'audit_log', oldestOf('audit_log')],
  ['activity', 'events', oldestOf('events')],
  ['activity', 'conversation_episodes', `ended_on < ${firstKeptDaySql} AND NOT unsummed`],
  ['activity', 'report_days', `kind = 'member' AND day < ${firstKeptDaySql}`],
  ['macroRuns', 'macro_runs', "state <> 'pending' AND finished_at < now() - $days * interval '1 day'"],
  // With their deliveries; those that still wait are younger than four days.
  ['webhookEvents', 'webhook_events', "created_at < now() - $days * interval '1 day'"],
];

/** Removes rows whose time is over, in batches, after what is to stay of them is summed up; returns how many. */
export async function removeExpired(runtime: Runtime, isOver: IsOver = never): Promise<number> {
  let total = await sumUpReports(runtime, isOver);
  for (const [table, condition] of expired) total += await removeAll(runtime, table, condition, {}, isOver);
  const days = keptDays(runtime.config);
  for (const [kind, table, condition] of retained)
    total += await removeAll(runtime, table, condition, { days: days[kind] }, isOver);
  total += await closeForgottenAnywhere(runtime);
  total += (await purgeDeletedFieldsAnywhere(runtime, isOver)) + (await abandonStaleAnywhere(runtime));
  // Last: a file store that is away holds up nothing else.
  return total + (await removeFilesAnywhere(runtime, isOver));
}

async function removeAll(
  runtime: Runtime,
  table: string,
  condition: string,
  bind: Bind,
  isOver: IsOver,
): Promise<number> {
  return sweepAll(isOver, async () => {
    const [row] = await runtime.db.rows<{ removed: number }>(
      `WITH gone AS (
         DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
           SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${maxSweptRows}))
         RETURNING 1
       ) SELECT count(*)::int AS removed FROM gone`,
      bind,
    );
    return row?.removed ?? 0;
  });
}
