import type { Installation } from './context';
import { sleep } from './stats';

/** What some work wrote: numbers of the whole, and of each table. */
export interface Written {
  readonly statements: number;
  readonly commits: number;
  /** Bytes of the log's records, without the images of pages that follow a checkpoint. */
  readonly logBytes: number;
  readonly tables: ReadonlyMap<string, TableWrites>;
}

interface TableWrites {
  readonly inserted: number;
  readonly updated: number;
  /** Of those updated, the ones that touched no index. */
  readonly hot: number;
  readonly deleted: number;
  /** Log records about the table, its indexes and what it keeps apart. */
  readonly logBytes: number;
}

type Counts = Omit<TableWrites, 'logBytes'>;

interface Reading {
  /** In ms of the epoch. */
  readonly at: number;
  readonly position: string;
  readonly statements: number;
  readonly commits: number;
  readonly tables: ReadonlyMap<string, Counts>;
}

/** Servers' processes tell their counts at most this much later: an idle one after ten seconds. */
const toldAfterMs = 11_000;

/** Reads what is written beside what the processes write while nothing happens. */
interface WritesReader {
  /** Does some work, waits until nothing follows of it any more, and gives what was written meanwhile. */
  writtenBy(work: () => Promise<void>): Promise<Written>;
}

/** Makes the extensions that tell what is written, and looks at what is written while nothing happens. */
export async function readWrites(installation: Installation): Promise<WritesReader> {
  for (const name of ['pg_stat_statements', 'pg_walinspect'])
    await installation.sql(`CREATE EXTENSION IF NOT EXISTS ${name}`);
  await sleep(toldAfterMs);
  const from = await read(installation);
  await sleep(2 * toldAfterMs);
  const idle = await difference(installation, from, await read(installation));
  const restless = new Set(
    [...idle.tables].filter(([, table]) => table.inserted + table.updated + table.deleted > 0).map(([name]) => name),
  );
  return {
    async writtenBy(work) {
      const before = await readWhenStill(installation, restless);
      await work();
      const after = await readWhenStill(installation, restless);
      const written = await difference(installation, before, after);
      const share = (after.at - before.at) / (2 * toldAfterMs);
      return {
        statements: written.statements - idle.statements * share,
        commits: written.commits - idle.commits * share,
        logBytes: written.logBytes - idle.logBytes * share,
        tables: new Map(
          [...written.tables].map(([name, table]) => [name, minus(table, idle.tables.get(name) ?? none, share)]),
        ),
      };
    },
  };
}

const none: TableWrites = { inserted: 0, updated: 0, hot: 0, deleted: 0, logBytes: 0 };

function minus(all: TableWrites, other: TableWrites, share: number): TableWrites {
  return {
    inserted: all.inserted - other.inserted * share,
    updated: all.updated - other.updated * share,
    hot: all.hot - other.hot * share,
    deleted: all.deleted - other.deleted * share,
    logBytes: all.logBytes - other.logBytes * share,
  };
}

async function difference(installation: Installation, before: Reading, after: Reading): Promise<Written> {
  const log = await readLog(installation, before.position, after.position);
  const names = new Set([...after.tables.keys(), ...log.tables.keys()]);
  return {
    statements: after.statements - before.statements,
    commits: after.commits - before.commits,
    logBytes: log.bytes,
    tables: new Map(
      [...names].map((name) => {
        const logBytes = log.tables.get(name) ?? 0;
        const counts = minus({ ...none, ...after.tables.get(name) }, { ...none, ...before.tables.get(name) }, 1);
        return [name, { ...counts, logBytes }];
      }),
    ),
  };
}

async function read(installation: Installation): Promise<Reading> {
  const [whole] = await installation.sql<{ position: string; commits: number; statements: number }>(
    `SELECT pg_current_wal_insert_lsn()::text AS position, xact_commit::float8 AS commits,
       (SELECT coalesce(sum(calls), 0)::float8 FROM pg_stat_statements s
        WHERE s.dbid = d.datid AND s.query !~* '^(begin|start transaction|commit|rollback)') AS statements
     FROM pg_stat_database d WHERE datname = current_database()`,
  );
  const tables = await installation.sql<Counts & { name: string }>(
    `SELECT relname AS name, n_tup_ins::float8 AS inserted, n_tup_upd::float8 AS updated,
       n_tup_hot_upd::float8 AS hot, n_tup_del::float8 AS deleted FROM pg_stat_user_tables`,
  );
  if (!whole) throw new Error('the database tells nothing of itself');
  return { at: Date.now(), ...whole, tables: new Map(tables.map(({ name, ...counts }) => [name, counts])) };
}

/** Reads when no row has been written for as long as counts may be late, but in tables that never rest. */
async function readWhenStill(installation: Installation, restless: ReadonlySet<string>): Promise<Reading> {
  const countsOf = ({ tables }: Reading): string =>
    JSON.stringify(
      [...tables].filter(([name]) => !restless.has(name)).sort(([left], [right]) => (left < right ? -1 : 1)),
    );
  for (let last = await read(installation); ;) {
    await sleep(toldAfterMs);
    const now = await read(installation);
    if (countsOf(now) === countsOf(last)) return now;
    last = now;
  }
}

/** Sums up the log between two positions; a record about several pages is counted by equal parts. */
async function readLog(
  installation: Installation,
  from: string,
  to: string,
): Promise<{ readonly bytes: number; readonly tables: ReadonlyMap<string, number> }> {
  const [whole] = await installation.sql<{ bytes: number }>(
    `SELECT sum(record_size)::float8 AS bytes FROM pg_get_wal_stats($1::pg_lsn, $2::pg_lsn)`,
    [from, to],
  );
  const rows = await installation.sql<{ name: string; bytes: number }>(
    `WITH blocks AS (
       SELECT relfilenode, (record_length - sum(block_fpi_length) OVER records)::float8 / count(*) OVER records AS bytes
       FROM pg_get_wal_block_info($1::pg_lsn, $2::pg_lsn, false)
       WINDOW records AS (PARTITION BY start_lsn)
     ), relations AS (
       SELECT pg_relation_filenode(c.oid) AS relfilenode, coalesce(kept.oid, c.oid) AS kept
       FROM pg_class c LEFT JOIN pg_index i ON i.indexrelid = c.oid
         LEFT JOIN pg_class t ON t.oid = coalesce(i.indrelid, c.oid)
         LEFT JOIN pg_class owner ON owner.reltoastrelid = t.oid
         CROSS JOIN LATERAL (SELECT coalesce(owner.oid, t.oid) AS oid) kept
       WHERE c.relkind IN ('r', 'i', 't')
     )
     SELECT c.relname AS name, sum(b.bytes)::float8 AS bytes
     FROM blocks b JOIN relations r USING (relfilenode) JOIN pg_class c ON c.oid = r.kept GROUP BY c.relname`,
    [from, to],
  );
  return { bytes: whole?.bytes ?? 0, tables: new Map(rows.map(({ name, bytes }) => [name, bytes])) };
}
