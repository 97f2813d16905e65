import type { Runtime } from '../../api/core/runtime';

/**
 * Tables that a request touches whatever it does: the credential's use, the rate limit, keys of requests, the record of
 * a run; and what workers and sweeps note of themselves.
 */
const ignored = [
  'api_keys',
  'rate_limits',
  'idempotency_keys',
  'macro_runs',
  'intake_clock',
  'delivery_fence',
  'migrations',
];

/** Returns every row of every table as text, for comparing what a refusal may not have changed. */
export async function snapshotRows(runtime: Runtime): Promise<Record<string, string[]>> {
  return ofTables<string[]>(runtime, ignored, `array_agg((to_jsonb(t) - 'transaction_id')::text ORDER BY to_jsonb(t))`);
}

/**
 * Changes that come when they come: an intent goes once it is handed over, a session's last use is noted now and then.
 */
const passing = [...ignored, 'outbox', 'sessions'];

/** Returns the moment from which `changedRows` looks. */
export async function rowMark(runtime: Runtime): Promise<string> {
  const row = await runtime.db.row<{ mark: string }>('SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS mark');
  if (!row) throw new Error('the database told no snapshot');
  return row.mark;
}

/** A test's database is young: its transaction numbers have not wrapped around. */
const sinceMark = 'WHERE age(t.xmin) <= age($mark::xid)';

/** Every row that was made or changed since the mark, by table, in the order of its id. */
export async function changedRows(runtime: Runtime, mark: string): Promise<Record<string, unknown[]>> {
  const rows = `jsonb_agg(to_jsonb(t) - 'transaction_id' ORDER BY to_jsonb(t))`;
  return ofTables<unknown[]>(runtime, passing, rows, sinceMark, { mark });
}

/** How many rows were made or changed since the mark, by table. */
export async function changedCounts(runtime: Runtime, mark: string): Promise<Record<string, number>> {
  return ofTables<number>(runtime, passing, 'nullif(count(*), 0)::int', sinceMark, { mark });
}

/** Asks all tables the same in one statement; gives the answers that are not null. */
async function ofTables<T>(
  runtime: Runtime,
  without: readonly string[],
  what: string,
  where = '',
  values: Record<string, unknown> = {},
): Promise<Record<string, T>> {
  const names = await runtime.db.rows<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')",
  );
  const union = names
    .filter(({ name }) => !without.includes(name))
    .map(({ name }) => `SELECT '${name}' AS name, ${what} AS found FROM "${name}" t ${where}`);
  const rows = await runtime.db.rows<{ name: string; found: T | null }>(union.join(' UNION ALL '), values);
  return Object.fromEntries(rows.flatMap(({ name, found }) => (found === null ? [] : [[name, found]])));
}
