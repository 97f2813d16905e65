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

/**
 * Returns every row of a workspace and of the tables that belong to none, as text, for comparing what a refusal may not
 * have changed; without a workspace those of all, where the server is the test's own.
 */
export async function snapshotRows(runtime: Runtime, workspaceId?: number): Promise<Record<string, string[]>> {
  const rows = `array_agg((to_jsonb(t) - 'transaction_id')::text ORDER BY to_jsonb(t))`;
  if (workspaceId === undefined) return ofTables<string[]>(runtime, ignored, rows);
  return ofTables<string[]>(runtime, ignored, rows, ofWorkspaces('WHERE t.workspace_id = $id'), { id: workspaceId });
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

/** What is asked of the tables whose rows name their workspace. */
const ofWorkspaces =
  (where: string) =>
  (table: Table): string =>
    table.owned ? where : '';

/** A test's database is young: its transaction numbers have not wrapped around. */
const sinceMark = () => 'WHERE age(t.xmin) <= age($mark::xid)';

/** Every row that was made or changed since the mark, by table, in the order of its id. */
export async function changedRows(runtime: Runtime, mark: string): Promise<Record<string, unknown[]>> {
  const rows = `jsonb_agg(to_jsonb(t) - 'transaction_id' ORDER BY to_jsonb(t))`;
  return ofTables<unknown[]>(runtime, passing, rows, sinceMark, { mark });
}

/** How many rows were made or changed since the mark, by table. */
export async function changedCounts(runtime: Runtime, mark: string): Promise<Record<string, number>> {
  return ofTables<number>(runtime, passing, 'nullif(count(*), 0)::int', sinceMark, { mark });
}

/** A table; the rows of `owned` ones name their workspace. */
interface Table {
  readonly name: string;
  readonly owned: boolean;
}

/** Asks all tables the same in one statement; gives the answers that are not null. */
async function ofTables<T>(
  runtime: Runtime,
  without: readonly string[],
  what: string,
  where: (table: Table) => string = () => '',
  values: Record<string, unknown> = {},
): Promise<Record<string, T>> {
  const tables = await runtime.db.rows<Table>(
    `SELECT relname AS name, EXISTS (
       SELECT FROM pg_attribute WHERE attrelid = c.oid AND attname = 'workspace_id') AS owned
     FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')`,
  );
  const union = tables
    .filter(({ name }) => !without.includes(name))
    .map((table) => `SELECT '${table.name}' AS name, ${what} AS found FROM "${table.name}" t ${where(table)}`);
  const rows = await runtime.db.rows<{ name: string; found: T | null }>(union.join(' UNION ALL '), values);
  return Object.fromEntries(rows.flatMap(({ name, found }) => (found === null ? [] : [[name, found]])));
}
