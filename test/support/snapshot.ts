import type { Runtime } from '../../api/core/runtime';

/**
 * Tables that a request touches whatever it does: the credential's use, the rate limit, keys of requests, the record of
 * a run; the numbers that events get afterwards; and what workers and sweeps note of themselves.
 */
const ignored = [
  'api_keys',
  'rate_limits',
  'idempotency_keys',
  'macro_runs',
  'intake_clock',
  'migrations',
  'event_counters',
  'delivery_presence',
  'delivery_witnesses',
];

/** Returns every row of every table as text, for comparing what a refusal may not have changed. */
export async function snapshotRows(runtime: Runtime): Promise<Record<string, string[]>> {
  const tables = await runtime.db.rows<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`,
  );
  const snapshot: Record<string, string[]> = {};
  for (const { name } of tables) {
    if (ignored.includes(name)) continue;
    const rows = await runtime.db.rows<{ row: string }>(
      `SELECT (to_jsonb(t) - 'seq')::text AS row FROM "${name}" t ORDER BY 1`,
    );
    snapshot[name] = rows.map(({ row }) => row);
  }
  return snapshot;
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

/** Every row that was made or changed since the mark, by table, in the order of its id. */
export async function changedRows(runtime: Runtime, mark: string): Promise<Record<string, unknown[]>> {
  const tables = await runtime.db.rows<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`,
  );
  const union = tables
    .filter(({ name }) => !passing.includes(name))
    // A test's database is young: its transaction numbers have not wrapped around.
    .map(
      ({ name }) =>
        `SELECT '${name}' AS name, jsonb_agg(to_jsonb(t) - 'seq' ORDER BY to_jsonb(t)) AS rows FROM "${name}" t
          WHERE t.xmin::text::bigint >= $mark::bigint`,
    );
  const found = await runtime.db.rows<{ name: string; rows: unknown[] | null }>(union.join(' UNION ALL '), { mark });
  return Object.fromEntries(found.filter(({ rows }) => rows !== null).map(({ name, rows }) => [name, rows ?? []]));
}
