import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { eventually } from './eventually';
import { testSetting } from './handed';

/** Returns the same server, another database. */
export function databaseUrl(name: string): string {
  const url = new URL(testSetting('TEST_DATABASE_URL'));
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs statements one after the other on a connection of their own. */
export async function runSql(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  // A database that is dropped under an idle connection is no fault of the test.
  client.on('error', () => undefined);
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Returns an empty, migrated database of one's own; gives its URL. */
export async function createDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const admin = testSetting('TEST_DATABASE_URL');
  const template = testSetting('TEST_TEMPLATE_DATABASE');
  // Files are copied in a third of the time that PostgreSQL takes to log their pages. Another clone in the making can
  // hold the template for a moment.
  await eventually(() => runSql(admin, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`));
  return { url: databaseUrl(name), drop: () => runSql(admin, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

/** An empty, migrated database of each test of a block, with a connection to it. */
interface EachDatabase {
  readonly url: string;
  readonly client: pg.Client;
}

/** Gives each test of the surrounding block a database of its own; it is there from `beforeEach` on. */
export function eachDatabase(): EachDatabase {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let client: pg.Client;
  beforeEach(async () => {
    database = await createDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  afterEach(async () => {
    await client.end();
    await database.drop();
  });
  return {
    get url() {
      return database.url;
    },
    get client() {
      return client;
    },
  };
}
