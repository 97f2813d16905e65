import { AsyncLocalStorage } from 'node:async_hooks';
import type { Logger } from 'pino';
import type { Config } from '../config';
import { createDb, isDatabaseAway, isDatabaseBusy, isReadOnly, type Db } from './database';
import { AppError } from '../http/errors';

/** How long a read waits for the replica to have what the primary has; then the primary answers. */
const maxWaitMs = 100;
const pollMs = 5;
/** How often a replica that failed is probed; until a probe succeeds, no read waits for it. */
const probeMs = 1_000;
/** How long a read waits for a connection to the replica, in milliseconds. */
const connectWithinMs = 1_000;

/** Who answered a read. `behind` and `away`: the primary, because of the replica. */
type ReadTarget = 'replica' | 'primary' | 'behind' | 'away';

/** A streaming standby that answers reads (DATABASE_REPLICA_URL). */
export interface Replica {
  /** The pool that statements outside of a transaction go to now; null: the primary's. */
  current(): Db | null;
  /**
   * Does the reading work of an operation on the replica once that has everything that any process had committed when
   * this was called, else on the primary. Work that fails because of the replica is repeated on the primary.
   */
  read<T>(operation: string, work: () => Promise<T>): Promise<T>;
  /** How many reads went where. */
  counts(): Readonly<Record<ReadTarget, number>>;
  /** How much the replica has yet to take over, in bytes of the log; null where it does not answer. */
  lagBytes(): Promise<number | null>;
  close(): Promise<void>;
}

/**
 * SQL: the position up to which the log was flushed: every commit that was reported to a client lies before it; and the
 * timeline, which another primary begins.
 */
const writtenSql = `SELECT pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::bigint AS position,
  left(pg_walfile_name(pg_current_wal_flush_lsn()), 8) AS timeline`;
/** SQL: how far the log was taken over; null on a server that follows no other one. */
const takenOverSql = `SELECT CASE WHEN pg_is_in_recovery()
  THEN pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint END AS position`;

/**
 * Makes the replica of a process, or null where none is configured. Whether it is new enough is decided by the log's
 * positions and not by who wrote last: that holds over any number of processes, workers among them, and writes nothing.
 */
export function createReplica(
  config: Config,
  logger: Logger,
  primary: () => Db,
  begins?: (workspaceId: number | null) => void,
): Replica | null {
  if (config.databaseReplicaUrl === '') return null;
  const db = createDb(config.databaseReplicaUrl, {
    pool: config.databasePool || 10,
    name: 'msgdesk-replica',
    prepare: config.databasePrepare,
    waitMs: connectWithinMs,
    ...(begins ? { begins } : {}),
  });
  const scope = new AsyncLocalStorage<{ open: boolean }>();
  const counts: Record<ReadTarget, number> = { replica: 0, primary: 0, behind: 0, away: 0 };
  /** Operations that were found to write although they read: theirs is the primary. */
  const writing = new Set<string>();
  let taken = 0;
  let last = { position: 0, timeline: '' };
  let well = true;
  let timer: NodeJS.Timeout | undefined;

  async function readWritten(): Promise<number> {
    const row = await primary().row<typeof last>(writtenSql);
    if (!row) throw new AppError('unavailable', 'The primary does not say what it has.');
    // After a failover that lost log, what was taken over of the old one says nothing of the new one.
    if (row.position < last.position || row.timeline !== last.timeline) taken = 0;
    last = row;
    return row.position;
  }

  async function readTakenOver(): Promise<number> {
    const row = await db.row<{ position: number | null }>(takenOverSql);
    if (row?.position === undefined || row.position === null)
      throw new AppError('unavailable', 'The replica follows no primary.');
    return (taken = row.position);
  }
  // A caller who comes while a query is running gets the result of the next one: the running one may be older than a
  // commit that the caller knows of.
  const written = joined(readWritten);
  const takenOver = joined(readTakenOver);

  /** Returns whether the replica has what was committed by now, within a moment. */
  async function caughtUp(): Promise<boolean> {
    const wanted = await scope.exit(written);
    const deadline = performance.now() + maxWaitMs;
    while (taken < wanted) {
      if ((await scope.exit(takenOver)) >= wanted) break;
      if (performance.now() >= deadline) return false;
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
    return true;
  }

  function failed(why: 'behind' | 'away', error?: unknown): void {
    if (!well) return;
    well = false;
    const reason = error instanceof Error ? error.message : why;
    logger.warn({ event: `replica.${why}`, reason }, 'reads go to the primary');
    timer = setInterval(() => void probe(), probeMs).unref();
  }

  async function probe(): Promise<void> {
    if (!(await caughtUp().catch(() => false)) || well) return;
    well = true;
    clearInterval(timer);
    logger.info({ event: 'replica.well' }, 'reads go to the replica again');
  }

  /** Says who is to answer now. */
  async function choose(operation: string): Promise<ReadTarget> {
    if (writing.has(operation)) return 'primary';
    if (!well) return 'away';
    try {
      if (await caughtUp()) return 'replica';
      failed('behind');
      return 'behind';
    } catch (error) {
      failed('away', error);
      return 'away';
    }
  }

  return {
    current: () => (scope.getStore()?.open ? db : null),
    async read(operation, work) {
      const target = await choose(operation);
      counts[target] += 1;
      if (target !== 'replica') return work();
      const inside = { open: true };
      try {
        return await scope.run(inside, work);
      } catch (error) {
        if (isReadOnly(error)) writing.add(operation);
        else if (isDatabaseAway(error)) failed('away', error);
        else if (!isDatabaseBusy(error) && !(error instanceof AppError && error.code === 'unavailable')) throw error;
        counts.replica -= 1;
        counts.away += 1;
        return await work();
      } finally {
        // What the work began and did not wait for is no part of the read.
        inside.open = false;
      }
    },
    counts: () => ({ ...counts }),
    async lagBytes() {
      try {
        const wanted = await written();
        return Math.max(0, wanted - (await takenOver()));
      } catch {
        return null;
      }
    },
    async close() {
      clearInterval(timer);
      await db.close();
    },
  };
}

/** Runs one look at a time; callers who come meanwhile share the next one. */
function joined<T>(look: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;
  return () =>
    (next ??= running.then(() => {
      next = null;
      const started = look();
      running = started.catch(() => undefined);
      return started;
    }));
}
