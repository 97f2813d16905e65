import type { Db } from './db/database';

/** The time of the service. */
export interface Clock {
  /** Returns the process's own time: for what is written down, never for deciding that something is due. */
  now(): Date;
  /** Milliseconds by which tests move the database's time, by which everything that is due is judged. */
  readonly dueOffsetMs?: () => number;
  /** Waits, where a test counts waits instead of sitting them out. */
  readonly pause?: (ms: number) => Promise<void>;
}

export const systemClock: Clock = { now: () => new Date() };

/**
 * SQL of the time by which due times are judged: the database's own, so that no machine whose clock is ahead lets
 * anything fire early. A sub-select, because only a value that is read once can be looked up in an index.
 */
export function dueNowSql(clock: Clock): string {
  const offsetMs = Math.trunc(clock.dueOffsetMs?.() ?? 0);
  return offsetMs === 0
    ? '(SELECT clock_timestamp())'
    : `(SELECT clock_timestamp() + ${offsetMs} * interval '1 millisecond')`;
}

/** So long after its due time something counts as overdue: its timer waits behind a crowd, or is lost. */
const overdueAfterSeconds = 2;

/** SQL: whether what is due at a time (a column) is overdue, and done with all others that are. */
export const overdueSql = (dueAt: string, clock: Clock): string =>
  `${dueAt} <= ${dueNowSql(clock)} - interval '${overdueAfterSeconds} seconds'`;

/** Returns that time, where something is judged or reckoned outside of a statement. */
export async function dueNow({ db, clock }: { readonly db: Db; readonly clock: Clock }): Promise<Date> {
  const row = await db.row<{ now: Date }>(`SELECT ${dueNowSql(clock)} AS now`);
  return row?.now ?? clock.now();
}
