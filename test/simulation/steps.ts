import type { Client } from 'pg';

type Json = Readonly<Record<string, unknown>>;

/** What was written of a row, by which transaction, and which ones that could see. */
export interface Step {
  readonly of: 'inbox_events' | 'messages' | 'rule_runs' | 'rules' | 'scheduled_messages';
  readonly op: 'INSERT' | 'UPDATE' | 'DELETE';
  readonly before: Json | null;
  readonly after: Json | null;
  readonly by: string;
  readonly seen: string;
  /** When its transaction began. */
  readonly begunMs: number;
  readonly atMs: number;
}

/**
 * Notes each step of rules, their runs, messages for later and events of the platform from now on, and each message
 * that is stored. Nobody is told of them by webhooks, which takes half of a run: that is what others are about.
 */
export async function watchSteps(monitor: Client): Promise<void> {
  await monitor.query('TRUNCATE webhook_subscriptions, webhook_events CASCADE');
  const tables = ['rule_runs', 'rules', 'scheduled_messages', 'inbox_events'];
  const watched = tables.map((table) => [table, 'INSERT OR UPDATE OR DELETE']);
  for (const [table, when] of [...watched, ['messages', 'INSERT']])
    await monitor.query(
      `CREATE TRIGGER simulated_step AFTER ${when} ON ${table} FOR EACH ROW EXECUTE FUNCTION sim.note_step()`,
    );
}

/** Returns the steps that were committed, in the order in which they were written. */
export async function readSteps(query: <T extends object>(sql: string) => Promise<T[]>): Promise<Step[]> {
  const rows = await query<Record<keyof Step, unknown>>(
    `SELECT of, op, before, after, by::text, seen::text, extract(epoch FROM begun) * 1000 AS "begunMs",
       extract(epoch FROM at) * 1000 AS "atMs"
     FROM sim.steps ORDER BY id`,
  );
  return rows.map((row) => ({ ...row, begunMs: Number(row.begunMs), atMs: Number(row.atMs) }) as Step);
}

/** Whether what wrote a step could see another one: that one had been committed by then. */
export function sees({ seen, by }: Step, other: Step): boolean {
  const [, end, running = ''] = seen.split(':');
  return other.by !== by && Number(other.by) < Number(end) && !running.split(',').includes(other.by);
}

/** Returns a time of a row in milliseconds. */
export const msOf = (row: Json | null, column: string): number => Date.parse(String(row?.[column]));

/** Returns the steps of each row of a table, by its id. */
export function byRow(steps: readonly Step[], of: Step['of']): Map<number, Step[]> {
  const rows = new Map<number, Step[]>();
  for (const step of steps)
    if (step.of === of) {
      const id = Number((step.after ?? step.before)?.['id']);
      rows.set(id, [...(rows.get(id) ?? []), step]);
    }
  return rows;
}
