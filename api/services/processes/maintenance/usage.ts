import type { Runtime } from '../../../core/runtime';
import { readBacklogByWorkspace } from './backlog';

/** What of the backlog needs somebody: it does not go by itself. */
const failingKinds = new Set(['inbox_parked', 'webhook_events_set_aside', 'messages_unknown', 'claims_stale']);

/** What needs somebody beside the backlog. */
const failing = [
  ['intents_set_aside', 'outbox WHERE set_aside_at IS NOT NULL'],
  ['accounts_stopped', 'business_accounts WHERE stopped_at IS NOT NULL'],
  ['numbers_stopped', 'phone_numbers WHERE stopped_at IS NOT NULL'],
  ['webhooks_failing', 'webhook_subscriptions WHERE consecutive_failures > 0'],
]
  .map(
    ([name, from]) => `SELECT '${name}' AS name, workspace_id AS "workspaceId", count(*)::int AS rows
       FROM ${from} GROUP BY workspace_id`,
  )
  .join('\nUNION ALL ');

/** What one company does on the installation. */
export interface WorkspaceUsage {
  readonly id: number;
  readonly name: string;
  /** Messages to customers that arrived, and conversations in which anybody wrote, both in the last thirty days. */
  readonly messages: number;
  readonly conversations: number;
  /** Bytes of its files. */
  readonly storedBytes: number;
  /** Milliseconds that API processes worked for it in the last thirty days. */
  readonly busyMs: number;
  readonly lastActivity: Date | null;
  /** Rows that wait, and rows that need somebody, by kind; a kind without rows is left out. */
  readonly waiting: Readonly<Record<string, number>>;
  readonly failing: Readonly<Record<string, number>>;
}

/** Reads what each workspace uses, waits for and fails at, or one of them; the busiest first. */
export async function readUsage(runtime: Runtime, only: number | null = null): Promise<WorkspaceUsage[]> {
  const { db } = runtime;
  const [rows, waiting, failed] = await Promise.all([
    db.rows<Omit<WorkspaceUsage, 'waiting' | 'failing'>>(
      `SELECT w.id, w.name,
         (SELECT count(*)::int FROM message_usage u
          WHERE u.workspace_id = w.id AND u.arrived_at > now() - interval '30 days') AS messages,
         (SELECT count(*)::int FROM conversations v
          WHERE v.workspace_id = w.id
            AND coalesce(v.last_message_at, 'epoch'::timestamptz) > now() - interval '30 days') AS conversations,
         (SELECT coalesce(sum(f.size), 0)::float8 FROM files f WHERE f.workspace_id = w.id) AS "storedBytes",
         (SELECT coalesce(sum(b.ms), 0)::float8 FROM busy_days b
          WHERE b.workspace_id = w.id AND b.day > current_date - 30) AS "busyMs",
         greatest(
           (SELECT nullif(max(coalesce(v.last_message_at, 'epoch'::timestamptz)), 'epoch') FROM conversations v
            WHERE v.workspace_id = w.id),
           (SELECT max(k.last_used_at) FROM api_keys k WHERE k.workspace_id = w.id),
           (SELECT max(s.last_used_at) FROM sessions s JOIN members m ON m.id = s.member_id
            WHERE m.workspace_id = w.id)
         ) AS "lastActivity"
       FROM workspaces w
       WHERE $only::bigint IS NULL OR w.id = $only
       ORDER BY messages DESC, w.id`,
      { only },
    ),
    readBacklogByWorkspace(runtime),
    db.rows<{ name: string; workspaceId: number; rows: number }>(failing),
  ]);
  const ofKind = (id: number, needsSomebody: boolean): Record<string, number> =>
    Object.fromEntries(
      [...waiting, ...failed.map((each) => ({ ...each, fails: true }))]
        .filter(({ workspaceId }) => workspaceId === id)
        .filter((each) => ('fails' in each || failingKinds.has(each.name)) === needsSomebody)
        .map(({ name, rows: count }) => [name, count]),
    );
  return rows.map((row) => ({ ...row, waiting: ofKind(row.id, false), failing: ofKind(row.id, true) }));
}
