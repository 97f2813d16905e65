import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import {
  ConnectionAcquireTimeoutError,
  ConnectionError,
  DatabaseError,
  Sequelize,
  UniqueConstraintError,
  type Transaction,
} from 'sequelize';
import { initModels, type Models } from '../../../models';
import { databaseConnection } from './connections';
import { AppError } from '../http/errors';
import { readTimestamptz, timestamptzOid } from './pgTimes';
import { compile, preparedName, valueOf } from './statementTexts';
import { connectInTurns, poolOf, type PoolState } from './connectionTurns';
import { reason } from '../http/reasons';

// bigint columns are counters and sequence numbers far below 2^53: numbers on both sides.
pg.types.setTypeParser(20, safeInteger);
pg.types.setTypeParser(timestamptzOid, readTimestamptz);
const bigintArray: number = 1016;
const parseBigintArray = pg.types.getTypeParser(bigintArray);
pg.types.setTypeParser(bigintArray, (text) => (parseBigintArray(text) as (string | null)[]).map(safeIntegerOrNull));

function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`bigint ${text} is out of the safe range`);
  return value;
}

function safeIntegerOrNull(text: string | null): number | null {
  return text === null ? null : safeInteger(text);
}

type Store = Map<string, unknown>;
const storage = new AsyncLocalStorage<Store>();

/** The key under which the store keeps the workspace in whose turn the work is done. */
const turnKey = 'turn';

/**
 * Does work in the turns of a workspace: when statements of several workspaces wait for a connection of this process,
 * the workspaces get connections in rotation.
 */
export function inTurnOf<T>(workspaceId: number, work: () => T): T {
  const store = storage.getStore();
  // A transaction has its connection already.
  if (store?.get('transaction')) return work();
  return storage.run(new Map(store).set(turnKey, workspaceId), work);
}

/**
 * Does work ahead of every workspace's turn: recording what has already happened outside, which would be lost if it got
 * no connection in time.
 */
export function aheadOfTurns<T>(work: () => T): T {
  const store = new Map(storage.getStore());
  store.delete(turnKey);
  return storage.run(store, work);
}

/** The key under which the store keeps what was asked for already. */
const askedKey = 'asked';
interface Asked {
  /** By statement and values; null once the work is done. */
  answers: Map<string, Promise<unknown>> | null;
}

/**
 * Does work that reads one state to show it: the same statement with the same values is sent once. A page is made of
 * many operations, and each of an open conversation's asks for its contact. What is written meanwhile is not seen.
 */
export async function askingOnce<T>(work: () => Promise<T>): Promise<T> {
  const asked: Asked = { answers: new Map() };
  try {
    return await storage.run(new Map(storage.getStore()).set(askedKey, asked), work);
  } finally {
    // What goes on behind the page is asked anew.
    asked.answers = null;
  }
}

/** Does work outside the surrounding transaction: it is committed at once, even if that transaction is rolled back. */
export function apart<T>(work: () => T): T {
  const store = new Map(storage.getStore());
  store.delete('transaction');
  return storage.run(store, work);
}

// Sequelize asks for a cls-hooked namespace; this is the part of it that it uses, over AsyncLocalStorage.
Sequelize.useCLS({
  get: (key: string) => storage.getStore()?.get(key),
  set: (key: string, value: unknown) => storage.getStore()?.set(key, value),
  run: (work: (store: Store) => void) => {
    const store: Store = new Map(storage.getStore());
    storage.run(store, () => work(store));
  },
  bind: <T>(work: T): T => work,
});

/** What Sequelize's transactions have and its types do not tell. */
type OpenTransaction = Transaction & {
  readonly parent?: OpenTransaction;
  readonly connection: pg.ClientBase;
  readonly finished?: string;
};

/** Values bound by name: `$name` in the statement. */
export type Bind = Record<string, unknown>;

/**
 * `planned: 'anew'`: the best plan depends on the values or the text is one of many (lists, searches), so none is kept.
 */
interface StatementOptions {
  readonly planned?: 'anew';
}

/**
 * SQL: the row is of the workspace `$workspaceId`, for statements that find rows by ids, phones or the like. A check
 * only: as a plain condition it is also a way to the rows, and a planner that knows nothing yet of a new workspace
 * would as soon read all of it for each of them.
 */
export function ofWorkspace(column: string): string {
  return `(${column} = $workspaceId) IS TRUE`;
}

/** A connection pool with its tables, and the few ways in which statements are run. */
export interface Db {
  readonly sequelize: Sequelize;
  readonly models: Models;
  /** All rows of a statement. */
  rows<T extends object>(sql: string, bind?: Bind, options?: StatementOptions): Promise<T[]>;
  /** The first row, or null. */
  row<T extends object>(sql: string, bind?: Bind, options?: StatementOptions): Promise<T | null>;
  /** Runs `work` in a transaction; inside another one it joins that. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Like `transaction`, but what fails inside is undone alone and the outer transaction goes on. */
  savepoint<T>(work: () => Promise<T>): Promise<T>;
  /** Runs after the surrounding transaction has committed; at once where there is none. */
  afterCommit(work: () => void): void;
  ping(): Promise<void>;
  /** The pool's connections at this moment, and how many callers wait for one. */
  poolState(): PoolState;
  close(): Promise<void>;
}

/**
 * Opens nothing until the first statement. A wait of over 2 s for a connection is a 503, a statement over 5 s fails.
 */
export function createDb(
  databaseUrl: string,
  options: {
    readonly pool: number;
    readonly name: string;
    /** Off behind a pooler that does not follow prepared statements. */
    readonly prepare?: boolean;
    /** How long a statement waits for a connection, in milliseconds; 2 s unless given. */
    readonly waitMs?: number;
    /** Whether a pooler in transaction mode stands in between. */
    readonly pooled?: boolean;
    /** The pool that statements outside of a transaction go to instead, asked each time (`core/db/replica`). */
    readonly readsFrom?: () => Db | null;
    /** Is told in whose turn what follows is done (`core/loopTime`). */
    readonly begins?: (workspaceId: number | null) => void;
  },
): Db {
  const { name, waitMs = 2_000, pooled = false } = options;
  const { dialectOptions, afterConnect } = databaseConnection({ name, waitMs, pooled });
  const sequelize = new Sequelize(databaseUrl, {
    dialect: 'postgres',
    logging: false,
    benchmark: false,
    pool: { max: options.pool, min: 0, idle: 10_000, acquire: waitMs },
    // The number of retries of a failed connection: the pool's own wait decides.
    retry: { max: 1 },
    dialectOptions,
    define: { timestamps: false },
    hooks: { afterConnect },
  });
  const turns = connectInTurns(sequelize, options.pool, {
    turnOf: () => (storage.getStore()?.get(turnKey) as number | undefined) ?? null,
    refusal: busyWithoutConnection,
    answered: options.begins,
  });
  const models = initModels(sequelize);
  const current = (): OpenTransaction | undefined =>
    (storage.getStore()?.get('transaction') as OpenTransaction | null | undefined) ?? undefined;

  /**
   * Statements go straight to the driver, on a connection of Sequelize's pool or on the transaction's own: Sequelize's
   * own way costs a third of the API's time on a list, mostly in options and copies that plain rows do not need.
   */
  async function rows<T extends object>(sql: string, bind?: Bind, how?: StatementOptions): Promise<T[]> {
    const transaction = current();
    const other = transaction ? null : options.readsFrom?.();
    if (other) return other.rows<T>(sql, bind, how);
    const statement = bind ? compile(sql) : null;
    const values = statement?.names.map((name) => valueOf(name, bind?.[name]));
    const isKept = how?.planned !== 'anew';
    const name = statement && options.prepare !== false && isKept ? preparedName(statement) : undefined;
    const query = {
      text: statement?.[isKept ? 'kept' : 'text'] ?? sql,
      ...(values?.length ? { values } : {}),
      ...(name === undefined ? {} : { name }),
    };
    if (transaction?.finished)
      throw new Error(`the transaction is over (${transaction.finished}): a statement in it was not awaited`);
    if (!transaction) return asked(query, () => rowsOnce<T>(query, true));
    try {
      return (await transaction.connection.query<T>(query)).rows;
    } catch (error) {
      // Its transaction is lost; the pool must not hand the connection out again.
      if (isStale(error)) Object.assign(transaction.connection, { _invalid: true });
      throw databaseError(error, sql);
    }
  }

  async function asked<T>({ text, values }: pg.QueryConfig, ask: () => Promise<T>): Promise<T> {
    const answers = (storage.getStore()?.get(askedKey) as Asked | undefined)?.answers;
    if (!answers) return ask();
    const key = JSON.stringify([text, values]);
    const answer = (answers.get(key) as Promise<T> | undefined) ?? ask();
    answers.set(key, answer);
    return answer;
  }

  async function rowsOnce<T extends object>(query: pg.QueryConfig, again: boolean): Promise<T[]> {
    const connection = await sequelize.connectionManager.getConnection({ type: 'write' });
    let lost = false;
    let stale = false;
    try {
      return (await (connection as pg.ClientBase).query<T>(query)).rows;
    } catch (error) {
      stale = isStale(error);
      lost = stale || isLost(error);
      if (!stale || !again) throw databaseError(error, query.text);
    } finally {
      // A connection that the server ended says so a moment later: the next statement must not get it.
      if (lost) sequelize.connectionManager.destroyConnection(connection).catch(() => undefined);
      else sequelize.connectionManager.releaseConnection(connection);
    }
    return rowsOnce(query, false);
  }

  return {
    sequelize,
    models,
    rows,
    async row<T extends object>(sql: string, bind?: Bind, how?: StatementOptions): Promise<T | null> {
      return (await rows<T>(sql, bind, how))[0] ?? null;
    },
    async transaction<T>(work: () => Promise<T>): Promise<T> {
      if (current()) return work();
      return sequelize.transaction(work);
    },
    async savepoint<T>(work: () => Promise<T>): Promise<T> {
      const outer = current();
      if (!outer) return sequelize.transaction(work);
      return sequelize.transaction({ transaction: outer }, work);
    },
    afterCommit(work: () => void): void {
      let transaction = current();
      // A savepoint "commits" before its outer transaction does: only the outermost one tells the truth.
      while (transaction?.parent) transaction = transaction.parent;
      if (transaction) transaction.afterCommit(work);
      else work();
    },
    async ping(): Promise<void> {
      await rows('SELECT 1 AS ok');
    },
    poolState() {
      const { size, available, using, waiting } = poolOf(sequelize);
      return { size, available, using, waiting: waiting + turns.waiting };
    },
    close: () => sequelize.close(),
  };
}

/**
 * Returns whether a kept plan does not fit any more (a migration changed its columns), or is gone (a pooler). The code
 * of the first is that of other faults, too: its text tells them apart.
 */
function isStale(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return code === '26000' || code === '42P05' || (code === '0A000' && String(message).startsWith('cached plan'));
}

function databaseError(error: unknown, sql: string): unknown {
  return error instanceof Error ? new DatabaseError(Object.assign(error, { sql })) : error;
}

/**
 * Returns whether an error concerns the connection: it has no SQLSTATE, or one of a server that stops (57P), of a lost
 * link (08), or of a session that was ended because it was idle for too long (25P03, 25P04, 57P05).
 */
function isLost(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return (
    typeof code !== 'string' ||
    code === 'EPIPE' ||
    !/^[0-9A-Z]{5}$/.test(code) ||
    ['57P', '08', '25P03', '25P04'].some((start) => code.startsWith(start))
  );
}

/**
 * Turns an error into a 503 that asks the caller to come back when no connection came in time: the pool is full, the
 * server accepts no further connection, or a busy machine was too slow (the driver has no code for that, only these
 * words). Any other error is returned as it is.
 */
function busyWithoutConnection(error: unknown): unknown {
  const slow = error instanceof ConnectionError && /timeout expired|connection timeout/.test(error.parent.message);
  if (error instanceof ConnectionAcquireTimeoutError || slow || sqlStateOf(error) === '53300') {
    return new AppError('unavailable', reason('busy'), { retryAfter: 1 });
  }
  return error;
}

/** Returns whether the database could not be reached, or was lost during the statement; another try may succeed. */
export function isDatabaseAway(error: unknown): boolean {
  return error instanceof ConnectionError || (error instanceof DatabaseError && isLost(error.parent));
}

/** How long a COMMIT whose connection broke may still be under way. */
const commitWithinMs = 3_000;

/**
 * Returns whether a transaction was committed after all, asked by its number when the connection broke during COMMIT;
 * null when the database does not answer in time.
 */
export async function hasCommitted(db: Db, xid: string): Promise<boolean | null> {
  const deadline = performance.now() + commitWithinMs;
  for (;;) {
    try {
      const row = await db.row<{ status: string | null }>('SELECT pg_xact_status($xid::text::xid8) AS status', { xid });
      if (row?.status === 'committed') return true;
      if (row?.status === 'aborted') return false;
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
    }
    if (performance.now() >= deadline) return null;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Returns whether a statement failed on this unique index. */
export function isUniqueViolation(error: unknown, index?: string): boolean {
  const source: unknown =
    error instanceof UniqueConstraintError || error instanceof DatabaseError ? error.parent : error;
  if (typeof source !== 'object' || source === null) return false;
  const fault = source as { code?: string; constraint?: string };
  return fault.code === '23505' && (index === undefined || fault.constraint === index);
}

/** Returns whether a statement failed by a deadlock or serialization: the same work may succeed now. */
export function isRetryable(error: unknown): boolean {
  return ['40001', '40P01'].includes(sqlStateOf(error));
}

/**
 * Returns whether the database was too busy for a correct statement: cancelled by its time limit (57014), by its limit
 * of waiting for a lock (55P03), by a deadlock, or for lack of connections, memory or disk (53).
 */
export function isDatabaseBusy(error: unknown): boolean {
  const state = sqlStateOf(error);
  return isRetryable(error) || state === '57014' || state === '55P03' || state.startsWith('53');
}

/** Returns whether the database was busy or away for a moment: what has left nothing may be tried again. */
export function isPassing(error: unknown): boolean {
  return isDatabaseBusy(error) || isDatabaseAway(error) || (error instanceof AppError && error.code === 'unavailable');
}

/** Returns whether a statement was ended by its limit of time. */
export function isStatementTimeout(error: unknown): boolean {
  return sqlStateOf(error) === '57014';
}

/**
 * Returns whether a statement cannot run on a standby: it writes, locks rows, or reads a table without a log, for which
 * there is only a text.
 */
export function isReadOnly(error: unknown): boolean {
  return sqlStateOf(error) === '25006' || (error instanceof DatabaseError && /during recovery/.test(error.message));
}

function sqlStateOf(error: unknown): string {
  const source: unknown = error instanceof DatabaseError || error instanceof ConnectionError ? error.parent : error;
  const { code } = (source ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}
