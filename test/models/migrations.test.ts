import fs from 'node:fs';
import path from 'node:path';
import { migrateDatabase, type MigrateOptions } from '../../models/migrate';
import { migrations } from '../../models/migrations';
import { backfill, constraint, index, transaction, type Migration, type Step } from '../../models/migrations/step';
import { eachDatabase, runSql } from '../support/database';
import { eventually } from '../support/eventually';
import { root } from '../support/settings';

const later = (name: string, ...steps: Step[]): Migration => ({ name: `9999-${name}`, steps });

it('the folder holds the migrations, each under the name of its file, in the order in which they run', () => {
  const files = fs.readdirSync(path.join(root, 'models', 'migrations')).filter((file) => /^\d/.test(file));
  expect(migrations.map(({ name }) => `${name}.ts`)).toEqual(files.sort());
  expect(migrations.every(({ steps }) => steps.length > 0)).toBe(true);
});

describe('data of an earlier development version', () => {
  const refusal = 'This data was made by an earlier development version. Start with --fresh, or export first.';
  const database = eachDatabase();

  const everything = async (): Promise<unknown> =>
    (
      await database.client.query(
        `SELECT relname, relkind, attname, (SELECT count(*)::int FROM schema_migrations) AS steps
         FROM pg_class c LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND attnum > 0
         WHERE relnamespace = 'public'::regnamespace ORDER BY relname, attnum`,
      )
    ).rows;

  it.each([
    ['kept no digests of its steps', "name = '2026-11-22-01-workspaces'", 'DROP COLUMN digest, DROP COLUMN position'],
    ['had a step that says something else today', `digest = '${'0'.repeat(64)}'`, 'ADD COLUMN mark text'],
  ])('that %s is refused and not touched', async (_what, difference, change) => {
    await database.client.query(
      `UPDATE schema_migrations SET ${difference} WHERE name = (SELECT min(name) FROM schema_migrations)`,
    );
    await database.client.query(`ALTER TABLE schema_migrations ${change}`);
    const before = await everything();
    await expect(migrateDatabase(database.url)).rejects.toThrow(refusal);
    expect(await everything()).toEqual(before);
  });

  it('is not what a newer version leaves behind: its own steps stay, and nothing is done', async () => {
    const newer = [later('newer', transaction('CREATE TABLE newer (id bigint)'))];
    await migrateDatabase(database.url, { migrations: [...migrations, ...newer] });
    expect(await migrateDatabase(database.url)).toEqual([]);
  });
});

/** Steps on a table of a thousand rows: each is recorded with its effect, so that a run that was cut short goes on. */
describe('a migration in steps', () => {
  const database = eachDatabase();
  beforeEach(async () => {
    await database.client.query('CREATE TABLE things (id bigint PRIMARY KEY, label text, doubled bigint)');
    await database.client.query("INSERT INTO things SELECT n, 'thing ' || n % 900 FROM generate_series(1, 1000) AS n");
  });

  const run = (added: readonly Migration[], options: MigrateOptions = {}): Promise<string[]> =>
    migrateDatabase(database.url, { ...options, migrations: [...migrations, ...added] });
  const one = async (sql: string): Promise<unknown> =>
    Object.values((await database.client.query<Record<string, unknown>>(sql)).rows[0] ?? {})[0];
  const records = async (): Promise<unknown> =>
    (
      await database.client.query(
        "SELECT name, done, position::int FROM schema_migrations WHERE name LIKE '9999%' ORDER BY name",
      )
    ).rows;

  it('is done once, and a single step is recorded by the name of its migration', async () => {
    const added = [later('color', transaction("ALTER TABLE things ADD COLUMN color text NOT NULL DEFAULT 'red'"))];
    expect(await run(added)).toEqual(['9999-color']);
    expect(await run(added)).toEqual([]);
    expect(await one('SELECT count(*)::int FROM things WHERE color IS NOT NULL')).toBe(1000);
  });

  it('leaves nothing of a transaction that fails, not even its record', async () => {
    const added = [
      later('half', transaction('ALTER TABLE things ADD COLUMN half text', 'ALTER TABLE nowhere ADD COLUMN half text')),
    ];
    await expect(run(added)).rejects.toThrow('nowhere');
    expect([await records(), await one("SELECT count(*)::int FROM pg_attribute WHERE attname = 'half'")]).toEqual([
      [],
      0,
    ]);
  });

  it('that cannot get its lock gives up, names who holds it, and can be run again', async () => {
    const added = [later('lock', transaction('ALTER TABLE things ADD COLUMN late text'))];
    const pid = await one('SELECT pg_backend_pid()');
    await database.client.query('BEGIN');
    await database.client.query('SELECT count(*) FROM things');
    const said: string[] = [];
    await expect(run(added, { lockTimeoutMs: 300, lockAttempts: 2, log: (line) => said.push(line) })).rejects.toThrow(
      /9999-lock could not get a lock in 2 attempts.*run `npm run migrate` again/s,
    );
    expect(said.join('\n')).toContain(`process ${String(pid)}`);
    await database.client.query('COMMIT');
    expect(await records()).toEqual([]);
    expect(await run(added)).toEqual(['9999-lock']);
  });

  it('makes an index while others write, and anew where an attempt left it invalid', async () => {
    const added = [later('index', index({ index: 'things_label', table: 'things', on: '(label)', unique: true }))];
    await expect(run(added)).rejects.toThrow('things_label');
    const valid = "SELECT indisvalid FROM pg_index WHERE indexrelid = 'things_label'::regclass";
    expect([await one(valid), await records()]).toEqual([false, []]);
    await database.client.query("UPDATE things SET label = 'thing ' || id");
    expect(await run(added)).toEqual(['9999-index']);
    expect(await one(valid)).toBe(true);
  });

  it('keeps an index that was finished when the process died before it could say so', async () => {
    const added = [later('index', index({ index: 'things_label', table: 'things', on: '(label)' }))];
    await database.client.query('CREATE INDEX things_label ON things (label)');
    const before = await one("SELECT 'things_label'::regclass::oid");
    expect(await run(added)).toEqual(['9999-index']);
    expect(await one("SELECT 'things_label'::regclass::oid")).toBe(before);
  });

  it('makes an index of a partitioned table on one partition after the other, and goes on where it ended', async () => {
    await database.client.query('CREATE TABLE parts (id bigint, label text) PARTITION BY HASH (id)');
    for (const place of [0, 1])
      await database.client.query(
        `CREATE TABLE parts_${place} PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER ${place})`,
      );
    await database.client.query('INSERT INTO parts SELECT id, label FROM things');
    const added = [later('parts', index({ index: 'parts_id', table: 'parts', on: '(id)', unique: true }))];
    // It fails on one of them, as if it had been killed there.
    await database.client.query('INSERT INTO parts SELECT id FROM parts_1 LIMIT 1');
    await expect(run(added)).rejects.toThrow('parts_id_1');
    const valid = "SELECT indisvalid FROM pg_index WHERE indexrelid = 'parts_id'::regclass";
    expect([await one(valid), await records()]).toEqual([false, []]);
    await database.client.query('DELETE FROM parts WHERE label IS NULL');
    const kept = await one("SELECT 'parts_id_0'::regclass::oid");
    expect(await run(added)).toEqual(['9999-parts']);
    expect([await one(valid), await one("SELECT 'parts_id_0'::regclass::oid")]).toEqual([true, kept]);
    await expect(database.client.query('INSERT INTO parts SELECT id FROM parts LIMIT 1')).rejects.toThrow('unique');
  });

  it.each([
    ['a check', "CHECK (label <> 'broken')"],
    ['a reference', 'FOREIGN KEY (label) REFERENCES labels (label)'],
    ['what may not be empty', 'NOT NULL label'],
  ])(
    'gives a table %s in two phases: new rows keep it at once, those that were there when all do',
    async (_what, rule) => {
      const broken = rule.startsWith('NOT NULL') ? 'NULL' : "'broken'";
      await database.client.query('CREATE TABLE labels (label text PRIMARY KEY)');
      await database.client.query('INSERT INTO labels SELECT DISTINCT label FROM things');
      await database.client.query(`UPDATE things SET label = ${broken} WHERE id = 500`);
      const added = [later('rule', constraint({ constraint: 'things_rule', table: 'things', rule }))];
      await expect(run(added)).rejects.toThrow('things');
      expect(await records()).toEqual([]);
      await expect(database.client.query(`INSERT INTO things VALUES (2000, ${broken})`)).rejects.toThrow('things');
      await database.client.query("UPDATE things SET label = 'thing 1' WHERE id = 500");
      expect(await run(added)).toEqual(['9999-rule']);
      expect(await one("SELECT convalidated FROM pg_constraint WHERE conname = 'things_rule'")).toBe(true);
    },
  );

  it('fills rows in batches, and goes on behind the last one where it was cut short', async () => {
    const fill = backfill(
      `WITH next AS (SELECT id FROM things WHERE id > :after ORDER BY id LIMIT :size)
       UPDATE things t SET doubled = coalesce(t.doubled, 0) + t.id * 2 / (CASE t.label WHEN 'broken' THEN 0 ELSE 1 END)
       FROM next WHERE t.id = next.id RETURNING t.id AS position`,
    );
    const added = [later('fill', transaction('ALTER TABLE things ADD COLUMN filled boolean'), fill)];
    // It fails in the batch that holds row 500, as if it had been killed there.
    await database.client.query("UPDATE things SET label = 'broken' WHERE id = 500");
    await expect(run(added, { batchSize: 100 })).rejects.toThrow('zero');
    expect(await records()).toEqual([
      { name: '9999-fill/1', done: true, position: null },
      { name: '9999-fill/2', done: false, position: 400 },
    ]);
    await database.client.query("UPDATE things SET label = 'whole' WHERE id = 500");
    expect(await run(added, { batchSize: 100 })).toEqual(['9999-fill/2']);
    // Twice would have added twice.
    expect(await one('SELECT count(*)::int FROM things WHERE doubled = id * 2')).toBe(1000);
  });

  it('is done by one of two who come together; the other waits and finds nothing to do', async () => {
    const added = [
      later(
        'both',
        transaction('ALTER TABLE things ADD COLUMN once text', 'SELECT pg_sleep(1)'),
        index({ index: 'things_once', table: 'things', on: '(once)' }),
      ),
    ];
    const done = await Promise.all([run(added), run(added)]);
    expect(done.sort((left, right) => left.length - right.length)).toEqual([[], ['9999-both/1', '9999-both/2']]);
  });

  it('lets whoever comes next work when its process dies', async () => {
    const added = [later('dead', transaction('SELECT pg_sleep(60)'))];
    const doomed = run(added).catch((error: Error) => error.message);
    const running = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND state = 'active'
        AND query LIKE '%pg_sleep(60)%' AND pid <> pg_backend_pid()`;
    const pid = await eventually(async () => {
      const found = await one(running);
      expect(found).toBeDefined();
      return found;
    });
    await runSql(database.url, `SELECT pg_terminate_backend(${String(pid)})`);
    expect(await doomed).toContain('terminat');
    expect(await run([later('dead', transaction('SELECT 1'))])).toEqual(['9999-dead']);
  });
});
