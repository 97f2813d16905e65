import { createHash } from 'node:crypto';
import pg from 'pg';
import { QueryTypes, Sequelize, type Transaction } from 'sequelize';
import { MigrationError, Umzug } from 'umzug';
import { migrations as ours } from './migrations';
import type { BackfillStep, ConstraintStep, IndexStep, Migration, Step, TransactionStep } from './migrations/step';

/** Any number; it only has to be the same in every process that migrates. */
const advisoryLockKey = 7_310_001;
const lockLookMs = 250;
/** While a step waits for the lock of a table, all later statements on that table wait behind it. */
const usualLockTimeoutMs = 2_000;
const usualLockAttempts = 15;
const lockPauseMs = 1_000;
const usualBatchSize = 5_000;
/** PostgreSQL: lock_not_available, deadlock_detected. */
const lockCodes: readonly unknown[] = ['55P03', '40P01'];

/** How to migrate; everything has its usual value. */
export interface MigrateOptions {
  readonly log?: (line: string) => void;
  readonly migrations?: readonly Migration[];
  /** How long a step waits for a lock, and how often it tries. */
  readonly lockTimeoutMs?: number;
  readonly lockAttempts?: number;
  /** Rows of one transaction of a backfill. */
  readonly batchSize?: number;
}

/** A step with the name under which it is recorded, and the digest of its content. */
interface Entry {
  readonly name: string;
  readonly digest: string;
  readonly step: Step;
}

/** What the steps share. */
interface Work {
  readonly sequelize: Sequelize;
  readonly log: (line: string) => void;
  readonly lockTimeoutMs: number;
  readonly lockAttempts: number;
  readonly batchSize: number;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Brings the schema of `databaseUrl` to head and gives the names of the steps that were done now. Any number of
 * replicas may call it together: an advisory lock lets one work while the others wait and find nothing to do. A call
 * that fails, or is killed, may be repeated: each step is recorded with its effect.
 */
export async function migrateDatabase(databaseUrl: string, options: MigrateOptions = {}): Promise<string[]> {
  const { log = () => undefined, migrations = ours } = options;
  const sequelize = new Sequelize(databaseUrl, { dialect: 'postgres', logging: false, pool: { max: 1 } });
  const lock = await takeLock(databaseUrl);
  try {
    const entries = migrations.flatMap((migration) => entriesOf(migration));
    await refuseEarlierData(sequelize, entries);
    await sequelize.query(
      `SET lock_timeout = 0; SET statement_timeout = 0;
       CREATE TABLE IF NOT EXISTS schema_migrations (
         name varchar(255) PRIMARY KEY, digest varchar(64) NOT NULL, done boolean NOT NULL, position bigint,
         applied_at timestamptz NOT NULL DEFAULT now())`,
    );
    const work: Work = {
      sequelize,
      log,
      lockTimeoutMs: options.lockTimeoutMs ?? usualLockTimeoutMs,
      lockAttempts: options.lockAttempts ?? usualLockAttempts,
      batchSize: options.batchSize ?? usualBatchSize,
    };
    const umzug = new Umzug({
      context: sequelize,
      logger: undefined,
      migrations: entries.map((entry) => ({
        name: entry.name,
        async up() {
          lock.check();
          await runStep(work, entry);
          log(`migrated ${entry.name}`);
        },
      })),
      storage: {
        async executed() {
          const rows = await sequelize.query<{ name: string }>('SELECT name FROM schema_migrations WHERE done', {
            type: QueryTypes.SELECT,
          });
          return rows.map((row) => row.name);
        },
        async logMigration() {
          // Each step has written its record itself, together with its effect.
        },
        async unlogMigration() {
          throw new Error('Migrations are forward only.');
        },
      },
    });
    return (await umzug.up()).map((step) => step.name);
  } catch (error) {
    throw ownError(error);
  } finally {
    await sequelize.close();
    await lock.release();
  }
}

/** Returns what the database or a step said itself, out of what umzug and Sequelize made of it. */
function ownError(error: unknown): unknown {
  const { cause, original } = error as { cause?: unknown; original?: unknown };
  if (original instanceof Error) return original;
  return error instanceof MigrationError && cause !== undefined ? ownError(cause) : error;
}

/** Names the steps of a migration: by its name, with their places where there are several. */
function entriesOf({ name, steps }: Migration): Entry[] {
  return steps.map((step, place) => ({
    name: steps.length === 1 ? name : `${name}/${place + 1}`,
    digest: createHash('sha256').update(JSON.stringify(step)).digest('hex'),
    step,
  }));
}

/**
 * Refuses a database in which a step was done that says something else today, before anything is touched: a released
 * step is never edited, so it is from a development version. Steps of a newer version are none of our business.
 */
async function refuseEarlierData(sequelize: Sequelize, entries: readonly Entry[]): Promise<void> {
  const [table] = await sequelize.query<{ name: string | null }>("SELECT to_regclass('schema_migrations') AS name", {
    type: QueryTypes.SELECT,
  });
  if (!table?.name) return;
  const recorded = await sequelize.query<{ name: string; digest: string | null }>(
    // Older versions kept no digest.
    "SELECT name, to_jsonb(m)->>'digest' AS digest FROM schema_migrations m",
    { type: QueryTypes.SELECT },
  );
  const digests = new Map(entries.map(({ name, digest }) => [name, digest]));
  if (recorded.some(({ name, digest }) => digest === null || (digests.get(name) ?? digest) !== digest))
    throw new Error('This data was made by an earlier development version. Start with --fresh, or export first.');
}

/** Takes the lock that only one migration can hold, on a connection that stays open as long as the lock. */
async function takeLock(databaseUrl: string): Promise<{ check(): void; release(): Promise<void> }> {
  const client = new pg.Client({ connectionString: databaseUrl, keepAlive: true });
  let fault: Error | null = null;
  client.on('error', (error) => {
    fault = error;
  });
  await client.connect();
  try {
    // Asked for again and again: one long wait would be a transaction, for whose end an index made meanwhile waits.
    for (;;) {
      const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [
        advisoryLockKey,
      ]);
      if (rows[0]?.taken) break;
      await sleep(lockLookMs);
    }
  } catch (error) {
    await client.end();
    throw error;
  }
  return {
    check() {
      if (fault) throw fault;
    },
    release: () => client.end(),
  };
}

async function runStep(work: Work, entry: Entry): Promise<void> {
  const { step } = entry;
  if (step.kind === 'transaction') await runTransaction(work, entry, step);
  else if (step.kind === 'index') await runIndex(work, entry, step);
  else if (step.kind === 'constraint') await addConstraint(work, entry, step);
  else await runBackfill(work, entry, step);
}

/** Writes a step's record, or how far it came. */
async function record(
  { sequelize }: Work,
  { name, digest }: Entry,
  state: { readonly done: boolean; readonly position?: string | null; readonly transaction?: Transaction },
): Promise<void> {
  const { done, position = null, transaction } = state;
  await sequelize.query(
    `INSERT INTO schema_migrations (name, digest, done, position) VALUES (:name, :digest, :done, :position)
     ON CONFLICT (name) DO UPDATE SET done = excluded.done, position = excluded.position, applied_at = now()`,
    { replacements: { name, digest, done, position }, ...(transaction ? { transaction } : {}) },
  );
}

/** Runs one transaction; waits only a moment for locks, and tries again some times. */
async function patiently(work: Work, { name }: Entry, run: (transaction: Transaction) => Promise<void>): Promise<void> {
  const { sequelize, lockTimeoutMs, lockAttempts } = work;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await sequelize.transaction(async (transaction) => {
        await sequelize.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`, { transaction });
        await run(transaction);
      });
      return;
    } catch (error) {
      if (!lockCodes.includes((error as { original?: { code?: unknown } }).original?.code)) throw error;
      const longest = await longTransactions(work);
      if (attempt >= lockAttempts)
        throw new Error(
          `The migration ${name} could not get a lock in ${attempt} attempts of ${lockTimeoutMs / 1000} s.${longest} ` +
            'Nothing of this step was done; end what holds the lock and run `npm run migrate` again.',
          { cause: error },
        );
      work.log(`${name} waits for a lock.${longest}`);
      await sleep(lockPauseMs);
    }
  }
}

/** Tells of the transactions that are open longest, as a sentence; they are likely to hold what is waited for. */
async function longTransactions({ sequelize, lockTimeoutMs }: Work): Promise<string> {
  const rows = await sequelize.query<{ pid: number; seconds: number }>(
    `SELECT pid, extract(epoch FROM clock_timestamp() - xact_start)::int AS seconds FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()
       AND xact_start < clock_timestamp() - :waitedMs * interval '1 millisecond'
     ORDER BY xact_start LIMIT 3`,
    { replacements: { waitedMs: lockTimeoutMs }, type: QueryTypes.SELECT },
  );
  if (rows.length === 0) return '';
  return ` Open longest: ${rows.map(({ pid, seconds }) => `process ${pid} (${seconds} s)`).join(', ')}.`;
}

async function runTransaction(work: Work, entry: Entry, step: TransactionStep): Promise<void> {
  await patiently(work, entry, async (transaction) => {
    await work.sequelize.query(step.statements, { transaction });
    await record(work, entry, { done: true, transaction });
  });
}

async function runIndex(work: Work, entry: Entry, step: IndexStep): Promise<void> {
  const partitions = await work.sequelize.query<{ name: string }>(
    'SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = to_regclass(:table) ORDER BY inhrelid',
    { replacements: { table: step.table }, type: QueryTypes.SELECT },
  );
  if (partitions.length === 0) await makeIndex(work, step, step.index, step.table);
  else await makePartitionedIndex(work, entry, step, partitions);
  await record(work, entry, { done: true });
}

/**
 * Makes an index of a partitioned table, which PostgreSQL cannot do at once while others write: an empty one, which is
 * valid when each partition has attached its own.
 */
async function makePartitionedIndex(
  work: Work,
  entry: Entry,
  step: IndexStep,
  partitions: readonly { readonly name: string }[],
): Promise<void> {
  const { sequelize } = work;
  const run = (statement: string): Promise<void> =>
    patiently(work, entry, async (transaction) => void (await sequelize.query(statement, { transaction })));
  const unique = step.unique ? 'UNIQUE ' : '';
  await run(`CREATE ${unique}INDEX IF NOT EXISTS ${step.index} ON ONLY ${step.table} ${step.on}`);
  for (const [place, { name }] of partitions.entries()) {
    const own = `${step.index}_${place}`;
    await makeIndex(work, step, own, name);
    // To attach one that is attached already does nothing.
    await run(`ALTER INDEX ${step.index} ATTACH PARTITION ${own}`);
  }
}

/** Makes an index of a table while others write; one that is there and valid stays. */
async function makeIndex({ sequelize, log }: Work, step: IndexStep, name: string, table: string): Promise<void> {
  const [found] = await sequelize.query<{ valid: boolean }>(
    'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass(:name)',
    { replacements: { name }, type: QueryTypes.SELECT },
  );
  if (found && !found.valid) {
    log(`${name} was left unfinished and is made anew`);
    await sequelize.query(`DROP INDEX CONCURRENTLY ${name}`);
  }
  // It blocks no statement while it waits for the end of older transactions.
  if (!found?.valid)
    await sequelize.query(`CREATE ${step.unique ? 'UNIQUE ' : ''}INDEX CONCURRENTLY ${name} ON ${table} ${step.on}`);
}

/** Adds a rule in two phases: a moment's lock for new rows, then a look at the old ones that lets others write. */
async function addConstraint(work: Work, entry: Entry, step: ConstraintStep): Promise<void> {
  const { sequelize } = work;
  const [found] = await sequelize.query(
    'SELECT FROM pg_constraint WHERE conrelid = to_regclass(:table) AND conname = :constraint',
    { replacements: { table: step.table, constraint: step.constraint }, type: QueryTypes.SELECT },
  );
  const alter = `ALTER TABLE ${step.table}`;
  if (!found)
    await patiently(work, entry, async (transaction) => {
      await sequelize.query(`${alter} ADD CONSTRAINT ${step.constraint} ${step.rule} NOT VALID`, { transaction });
    });
  await sequelize.query(`${alter} VALIDATE CONSTRAINT ${step.constraint}`);
  await record(work, entry, { done: true });
}

async function runBackfill(work: Work, entry: Entry, step: BackfillStep): Promise<void> {
  const { sequelize, batchSize } = work;
  const [begun] = await sequelize.query<{ position: string | null }>(
    'SELECT position::text AS position FROM schema_migrations WHERE name = :name',
    { replacements: { name: entry.name }, type: QueryTypes.SELECT },
  );
  let after = begun?.position ?? '0';
  for (let more = true; more;) {
    await patiently(work, entry, async (transaction) => {
      const rows = await sequelize.query<{ position: string }>(step.batch, {
        replacements: { after, size: batchSize },
        type: QueryTypes.SELECT,
        transaction,
      });
      const last = rows.reduce(
        (most, row) => (BigInt(row.position) > most ? BigInt(row.position) : most),
        BigInt(after),
      );
      more = rows.length > 0 && last > BigInt(after);
      await record(work, entry, { done: !more, position: String(last), transaction });
      after = String(last);
    });
  }
}
