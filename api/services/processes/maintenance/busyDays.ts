import type { Runtime } from '../../../core/runtime';

/** Days for which it is kept. */
const keptDays = 30;

/**
 * Adds what this process has worked for each workspace since it was last noted. What cannot be noted is lost: it is a
 * figure for operators. SQL: processes add to the same rows, and a workspace may be gone meanwhile.
 */
export async function noteBusyTime({ db, loopTime }: Runtime): Promise<void> {
  const spent = [...loopTime.take()].map(([id, ms]) => ({ id, ms: Math.round(ms) })).filter(({ ms }) => ms > 0);
  if (spent.length === 0) return;
  await db.rows(
    `INSERT INTO busy_days AS b (workspace_id, day, ms)
     SELECT w.id, current_date, s.ms
     FROM json_to_recordset($spent::json) AS s(id bigint, ms bigint) JOIN workspaces w USING (id)
     ORDER BY w.id
     ON CONFLICT (workspace_id, day) DO UPDATE SET ms = b.ms + excluded.ms`,
    { spent: JSON.stringify(spent) },
  );
  await db.rows('DELETE FROM busy_days WHERE day < current_date - $keptDays::int', { keptDays });
}
