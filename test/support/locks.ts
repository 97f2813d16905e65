import type pg from 'pg';
import { eventually } from './eventually';

/** Waits until so many others wait for locks in the connection's database; gives their processes. */
export function lockedOut(connection: pg.Client, count: number): Promise<number[]> {
  return eventually(async () => {
    const { rows } = await connection.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    expect(rows).toHaveLength(count);
    return rows.map(({ pid }) => pid);
  });
}
