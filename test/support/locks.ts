import type pg from 'pg';
import { eventually } from './eventually';
import { trying } from './walls';

/** Waits until so many others wait for locks in the connection's database; gives their processes. */
export function lockedOut(connection: pg.Client, count: number): Promise<number[]> {
  return eventually(async () => {
    // Within a transaction what is shown of others stands as it was first looked at.
    await connection.query('SELECT pg_stat_clear_snapshot()');
    const { rows } = await connection.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
         AND application_name <> $1`,
      [trying],
    );
    expect(rows).toHaveLength(count);
    return rows.map(({ pid }) => pid);
  });
}
