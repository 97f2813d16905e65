import type { Runtime } from '../../api/core/runtime';

/** Tables that a request touches whatever it does: the credential's use, the rate limit, keys of requests, the record of a run; and the numbers that events get afterwards. */
const ignored = ['api_keys', 'rate_limits', 'idempotency_keys', 'macro_runs', 'intake_clock', 'migrations', 'event_counters'];

/** Every row of every table as text, for comparing what a refusal may not have changed. */
export async function snapshotRows(runtime: Runtime): Promise<Record<string, string[]>> {
  const tables = await runtime.db.rows<{ name: string }>(`SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`);
  const snapshot: Record<string, string[]> = {};
  for (const { name } of tables) {
    if (ignored.includes(name)) continue;
    const rows = await runtime.db.rows<{ row: string }>(`SELECT (to_jsonb(t) - 'seq')::text AS row FROM "${name}" t ORDER BY 1`);
    snapshot[name] = rows.map(({ row }) => row);
  }
  return snapshot;
}
