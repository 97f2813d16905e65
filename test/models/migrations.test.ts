import fs from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { migrateDatabase, type MigrateOptions } from '../../models/migrate';
import { migrations } from '../../models/migrations';
import { backfill, index, transaction, type Migration, type Step } from '../../models/migrations/step';
import { createDatabase, runSql } from '../support/database';
import { eventually } from '../support/eventually';
import { root } from '../support/settings';

const later = (name: string, ...steps: Step[]): Migration => ({ name: `9999-${name}`, steps });

it('the folder holds the migrations, each under the name of its file, in the order in which they run', () => {
  const files = fs.readdirSync(path.join(root, 'models', 'migrations')).filter((file) => /^\d/.test(file));
  expect(migrations.map(({ name }) => `${name}.ts`)).toEqual(files.sort());
  expect(migrations.every(({ steps }) => steps.length > 0)).toBe(true);
});

it('folds the connections that a client has with a member into one, with the strictest level', async () => {
  const database = await createDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const one = async (sql: string): Promise<unknown> =>
    Object.values((await client.query<Record<string, unknown>>(sql)).rows[0] ?? {})[0];
  try {
    await client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    const at = migrations.findIndex(({ name }) => name.endsWith('-connections'));
    await migrateDatabase(database.url, { migrations: migrations.slice(0, at) });
    const workspace = await one("INSERT INTO workspaces (name, timezone) VALUES ('W', 'UTC') RETURNING id");
    const member = await one(
      `INSERT INTO members (workspace_id, email, name, role, permissions)
       VALUES (${String(workspace)}, 'a@desk.test', 'A', 'owner', '{}') RETURNING id`,
    );
    const app = await one(
      `INSERT INTO oauth_clients (workspace_id, client_id, name, client_type, redirect_uris)
       VALUES (${String(workspace)}, 'c', 'C', 'public', '{https://a.test/}') RETURNING id`,
    );
    await client.query(
      `INSERT INTO oauth_grants (workspace_id, member_id, client_pk, scopes, resource, autonomy, revoked_at)
       SELECT $1::bigint, $2::bigint, $3::bigint, '{chat.view}', 'r', autonomy, gone
       FROM (VALUES ('autonomous', NULL::timestamptz), ('draft', now()), ('approval', NULL)) AS g (autonomy, gone)`,
      [workspace, member, app],
    );
    await client.query(
      `INSERT INTO oauth_refresh_tokens (token_hash, grant_id, expires_at)
       SELECT sha256(id::text::bytea), id, now() + interval '1 day' FROM oauth_grants`,
    );
    await migrateDatabase(database.url);
    const { rows } = await client.query(
      `SELECT g.autonomy, g.revoked_reason, array_agg(f.id::int ORDER BY f.id) AS families,
         array_agg(t.family_id::int ORDER BY t.id) AS tokens
       FROM oauth_families f JOIN oauth_grants g ON g.id = f.grant_id JOIN oauth_refresh_tokens t ON t.family_id = f.id
       WHERE t.grant_id = g.id GROUP BY g.id ORDER BY g.id`,
    );
    expect(rows).toEqual([
      { autonomy: 'draft', revoked_reason: null, families: [2], tokens: [2] },
      { autonomy: 'approval', revoked_reason: null, families: [1, 3], tokens: [1, 3] },
    ]);
    expect(await one("SELECT count(*)::int FROM oauth_grants WHERE revoked_reason = 'folded'")).toBe(1);
  } finally {
    await client.end();
    await database.drop();
  }
});

/** Steps on a table of a thousand rows: each is recorded with its effect, so that a run that was cut short goes on. */
describe('a migration in steps', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let client: pg.Client;
  beforeEach(async () => {
    database = await createDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query('CREATE TABLE things (id bigint PRIMARY KEY, label text, doubled bigint)');
    await client.query("INSERT INTO things SELECT n, 'thing ' || n % 900 FROM generate_series(1, 1000) AS n");
  });
  afterEach(async () => {
    await client.end();
    await database.drop();
  });

  const run = (added: readonly Migration[], options: MigrateOptions = {}): Promise<string[]> =>
    migrateDatabase(database.url, { ...options, migrations: [...migrations, ...added] });
  const one = async (sql: string): Promise<unknown> =>
    Object.values((await client.query<Record<string, unknown>>(sql)).rows[0] ?? {})[0];
  const records = async (): Promise<unknown> =>
    (
      await client.query(
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
    await client.query('BEGIN');
    await client.query('SELECT count(*) FROM things');
    const said: string[] = [];
    await expect(run(added, { lockTimeoutMs: 300, lockAttempts: 2, log: (line) => said.push(line) })).rejects.toThrow(
      /9999-lock could not get a lock in 2 attempts.*run `npm run migrate` again/s,
    );
    expect(said.join('\n')).toContain(`process ${String(pid)}`);
    await client.query('COMMIT');
    expect(await records()).toEqual([]);
    expect(await run(added)).toEqual(['9999-lock']);
  });

  it('makes an index while others write, and anew where an attempt left it invalid', async () => {
    const added = [later('index', index({ index: 'things_label', on: 'things (label)', unique: true }))];
    await expect(run(added)).rejects.toThrow('things_label');
    const valid = "SELECT indisvalid FROM pg_index WHERE indexrelid = 'things_label'::regclass";
    expect([await one(valid), await records()]).toEqual([false, []]);
    await client.query("UPDATE things SET label = 'thing ' || id");
    expect(await run(added)).toEqual(['9999-index']);
    expect(await one(valid)).toBe(true);
  });

  it('keeps an index that was finished when the process died before it could say so', async () => {
    const added = [later('index', index({ index: 'things_label', on: 'things (label)' }))];
    await client.query('CREATE INDEX things_label ON things (label)');
    const before = await one("SELECT 'things_label'::regclass::oid");
    expect(await run(added)).toEqual(['9999-index']);
    expect(await one("SELECT 'things_label'::regclass::oid")).toBe(before);
  });

  it('fills rows in batches, and goes on behind the last one where it was cut short', async () => {
    const fill = (condition: string): Step =>
      backfill(
        `WITH next AS (SELECT id FROM things WHERE id > :after ORDER BY id LIMIT :size)
         UPDATE things t SET doubled = coalesce(t.doubled, 0) + t.id * 2 / ${condition}
         FROM next WHERE t.id = next.id RETURNING t.id AS position`,
      );
    const steps = (condition: string): Migration[] => [
      later('fill', transaction('ALTER TABLE things ADD COLUMN filled boolean'), fill(condition)),
    ];
    // It fails in the batch that holds row 500, as if it had been killed there.
    await expect(run(steps('(CASE WHEN t.id = 500 THEN 0 ELSE 1 END)'), { batchSize: 100 })).rejects.toThrow('zero');
    expect(await records()).toEqual([
      { name: '9999-fill/1', done: true, position: null },
      { name: '9999-fill/2', done: false, position: 400 },
    ]);
    expect(await run(steps('1'), { batchSize: 100 })).toEqual(['9999-fill/2']);
    // Twice would have added twice.
    expect(await one('SELECT count(*)::int FROM things WHERE doubled = id * 2')).toBe(1000);
  });

  it('is done by one of two who come together; the other waits and finds nothing to do', async () => {
    const added = [
      later(
        'both',
        transaction('ALTER TABLE things ADD COLUMN once text', 'SELECT pg_sleep(1)'),
        index({ index: 'things_once', on: 'things (once)' }),
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
