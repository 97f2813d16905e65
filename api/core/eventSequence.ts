import type { Runtime } from './runtime';

const batch = 5_000;

/**
 * Gives committed events their place in the order of their workspace, one caller at a time over all workers. Returns
 * how many it numbered.
 */
export async function sequenceEvents(runtime: Runtime): Promise<number> {
  // Every worker asks several times a second: one look, in SQL, is cheaper than a transaction with a lock for nothing.
  const waiting = await runtime.db.row('SELECT 1 AS waiting FROM events WHERE seq IS NULL LIMIT 1');
  if (!waiting) return 0;
  return runtime.db.transaction(async () => {
    const lock = await runtime.db.row<{ mine: boolean }>('SELECT pg_try_advisory_xact_lock(7310002) AS mine');
    if (!lock?.mine) return 0;
    const [row] = await runtime.db.rows<{ numbered: number }>(
      `WITH pending AS (
         SELECT id, workspace_id, row_number() OVER (PARTITION BY workspace_id ORDER BY id) AS place
         FROM (SELECT id, workspace_id FROM events WHERE seq IS NULL ORDER BY id LIMIT ${batch}) AS oldest
       ), counters AS (
         INSERT INTO event_counters AS e (workspace_id, last_seq)
         SELECT workspace_id, count(*) FROM pending GROUP BY workspace_id
         ON CONFLICT (workspace_id) DO UPDATE SET last_seq = e.last_seq + excluded.last_seq
         RETURNING workspace_id, last_seq
       ), totals AS (
         SELECT workspace_id, count(*) AS added FROM pending GROUP BY workspace_id
       ), numbered AS (
         UPDATE events v SET seq = c.last_seq - t.added + p.place
         FROM pending p JOIN counters c USING (workspace_id) JOIN totals t USING (workspace_id)
         WHERE v.id = p.id
         RETURNING 1
       )
       SELECT count(*)::int AS numbered FROM numbered`,
    );
    return row?.numbered ?? 0;
  });
}
