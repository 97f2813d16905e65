import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { ConnectionAcquireTimeoutError, DatabaseError, QueryTypes, Sequelize, Transaction, UniqueConstraintError } from 'sequelize';
import { initModels, type Models } from '../../models';
import { AppError } from './errors';

// bigint columns are counters and sequence numbers far below 2^53: numbers on both sides.
pg.types.setTypeParser(20, (text) => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`bigint ${text} is out of the safe range`);
  return value;
});

type Store = Map<string, unknown>;
const storage = new AsyncLocalStorage<Store>();

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

type NestedTransaction = Transaction & { readonly parent?: NestedTransaction };

/** Values bound by name: `$name` in the statement. */
export type Bind = Record<string, unknown>;

/** A connection pool with its tables, and the few ways in which statements are run. */
export interface Db {
  readonly sequelize: Sequelize;
  readonly models: Models;
  /** All rows of a statement. */
  rows<T extends object>(sql: string, bind?: Bind): Promise<T[]>;
  /** The first row, or null. */
  row<T extends object>(sql: string, bind?: Bind): Promise<T | null>;
  /** Runs `work` in a transaction; inside another one it joins that. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Like `transaction`, but what fails inside is undone alone and the outer transaction goes on. */
  savepoint<T>(work: () => Promise<T>): Promise<T>;
  /** Runs after the surrounding transaction has committed; at once where there is none. */
  afterCommit(work: () => void): void;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Opens nothing until the first statement. A wait of over 2 s for a connection is a 503, a statement over 5 s fails. */
export function createDb(databaseUrl: string, options: { readonly pool: number; readonly name: string }): Db {
  const sequelize = new Sequelize(databaseUrl, {
    dialect: 'postgres',
    logging: false,
    benchmark: false,
    pool: { max: options.pool, min: 0, idle: 10_000, acquire: 2_000 },
    // The number of retries of a failed connection: the pool's own wait decides.
    retry: { max: 1 },
    isolationLevel: Transaction.ISOLATION_LEVELS.READ_COMMITTED,
    dialectOptions: { application_name: options.name, statement_timeout: 5_000, connectionTimeoutMillis: 2_000, keepAlive: true },
    define: { timestamps: false },
  });
  const models = initModels(sequelize);
  const current = (): Transaction | undefined => storage.getStore()?.get('transaction') as Transaction | undefined;

  async function rows<T extends object>(sql: string, bind?: Bind): Promise<T[]> {
    try {
      return await sequelize.query<T>(sql, { type: QueryTypes.SELECT, raw: true, ...(bind ? { bind } : {}) });
    } catch (error) {
      throw translate(error);
    }
  }

  return {
    sequelize,
    models,
    rows,
    async row<T extends object>(sql: string, bind?: Bind): Promise<T | null> {
      return (await rows<T>(sql, bind))[0] ?? null;
    },
    async transaction<T>(work: () => Promise<T>): Promise<T> {
      if (current()) return work();
      try {
        return await sequelize.transaction(work);
      } catch (error) {
        throw translate(error);
      }
    },
    async savepoint<T>(work: () => Promise<T>): Promise<T> {
      const outer = current();
      if (!outer) return sequelize.transaction(work);
      return sequelize.transaction({ transaction: outer }, work);
    },
    afterCommit(work: () => void): void {
      let transaction = current() as NestedTransaction | undefined;
      // A savepoint "commits" before its outer transaction does: only the outermost one tells the truth.
      while (transaction?.parent) transaction = transaction.parent;
      if (transaction) transaction.afterCommit(work);
      else work();
    },
    async ping(): Promise<void> {
      await rows('SELECT 1 AS ok');
    },
    close: () => sequelize.close(),
  };
}

/** Pool exhaustion is a 503 that says when to come back; everything else stays what it is. */
function translate(error: unknown): unknown {
  if (error instanceof ConnectionAcquireTimeoutError) {
    return new AppError('unavailable', 'The service is busy. Try again shortly.', { retryAfter: 1 });
  }
  return error;
}

/** Whether a statement failed on this unique index. */
export function isUniqueViolation(error: unknown, index?: string): boolean {
  const source: unknown = error instanceof UniqueConstraintError || error instanceof DatabaseError ? error.parent : error;
  if (typeof source !== 'object' || source === null) return false;
  const fault = source as { code?: string; constraint?: string };
  return fault.code === '23505' && (index === undefined || fault.constraint === index);
}
