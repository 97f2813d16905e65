import { migrateDatabase } from '../../models/migrate';
import { migrations } from '../../models/migrations';
import { constraint, index, transaction, type Migration } from '../../models/migrations/step';
import { eachDatabase } from '../support/database';

/*
 * What a busy installation has millions of: no step of a migration may write such a table anew or read it through while
 * it holds a lock. Empty tables show it as well: they get another file, or a scan is counted.
 */
const largeTables = [
  'messages',
  'events',
  'broadcast_recipients',
  'contacts',
  'conversations',
  'conversation_episodes',
  'message_usage',
  'webhook_events',
  'webhook_deliveries',
  'inbox_events',
  'files',
];

const database = eachDatabase();

interface Table {
  readonly name: string;
  readonly file: string;
  readonly scans: string;
}

const tables = async (): Promise<readonly Table[]> =>
  (
    await database.client.query<Table>(
      `SELECT c.relname AS name, pg_relation_filenode(c.oid)::text AS file, s.seq_scan::text AS scans
       FROM pg_class c JOIN pg_stat_xact_user_tables s ON s.relid = c.oid
       WHERE c.relnamespace = 'public'::regnamespace AND c.relname = ANY($1)`,
      [largeTables],
    )
  ).rows;

/** Runs the migrations as they would be run, and gives what their steps do to large tables that were there before. */
async function faultsOf(added: readonly Migration[]): Promise<string[]> {
  const faults: string[] = [];
  for (const { name, steps } of added)
    for (const [place, step] of steps.entries()) {
      // The other kinds let others write, and backfills are in short transactions.
      if (step.kind !== 'transaction') continue;
      await database.client.query('BEGIN');
      const before = await tables();
      await database.client.query(step.statements);
      const after = new Map((await tables()).map((table) => [table.name, table]));
      await database.client.query('COMMIT');
      for (const table of before) {
        const now = after.get(table.name);
        if (now && now.file !== table.file) faults.push(`${name}/${place + 1} writes ${table.name} anew`);
        else if (now && now.scans !== table.scans) faults.push(`${name}/${place + 1} reads ${table.name}`);
      }
    }
  return faults;
}

const later = (...statements: string[]): Migration => ({ name: 'later', steps: [transaction(...statements)] });

test('no migration writes a large table anew, or reads it through, while it holds a lock', async () => {
  await database.client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  expect(await faultsOf(migrations)).toEqual([]);
});

test.each([
  ['another type', 'ALTER TABLE messages ALTER COLUMN attempts TYPE bigint', 'writes messages anew'],
  [
    'a default that differs by row',
    'ALTER TABLE events ADD COLUMN mark uuid DEFAULT gen_random_uuid()',
    'writes events anew',
  ],
  ['a rule', "ALTER TABLE contacts ADD CHECK (name <> 'x')", 'reads contacts'],
  [
    'a column that may not be empty',
    'ALTER TABLE messages ALTER COLUMN phone_number_id SET NOT NULL',
    'reads messages',
  ],
  ['a reference', 'ALTER TABLE events ADD FOREIGN KEY (api_key_id) REFERENCES api_keys (id)', 'reads events'],
  ['an index', 'CREATE INDEX slow ON messages (attempts)', 'reads messages'],
  ['a change of rows', "UPDATE contacts SET name = '' WHERE name = 'x'", 'reads contacts'],
])('%s in one transaction is found', async (_what, statement, fault) => {
  expect(await faultsOf([later(statement)])).toEqual([`later/1 ${fault}`]);
});

test('a column with a constant is not found, nor are steps that let others write', async () => {
  const steps = [
    transaction("ALTER TABLE messages ADD COLUMN mark text NOT NULL DEFAULT ''"),
    index({ index: 'messages_mark', table: 'messages', on: '(mark)' }),
    constraint({
      constraint: 'events_keys',
      table: 'events',
      rule: 'FOREIGN KEY (api_key_id) REFERENCES api_keys (id)',
    }),
  ];
  expect(await faultsOf([{ name: 'later', steps }])).toEqual([]);
  expect(
    await migrateDatabase(database.url, { migrations: [...migrations, { name: '9999', steps: steps.slice(2) }] }),
  ).toEqual(['9999']);
});
