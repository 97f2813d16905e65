import { migrateDatabase } from '../../models/migrate';
import { migrations } from '../../models/migrations';
import { constraint, index, transaction } from '../../models/migrations/step';
import { createBroadcast, insertContacts } from '../factories/broadcasts';
import { createCrowd, type Crowd } from '../factories/crowd';
import { createCustomer } from '../factories/customers';
import { ownerSession } from '../factories/macros';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import { startApi, type TestApi } from '../support/api';
import { eventually } from '../support/eventually';
import { lists, pathOf, queryOf } from '../support/lists';
import { growingTables, partitionGrowing } from '../support/partitions';

/*
 * An installation whose growing tables are parted while it has rows: lists show the same as before, messages are taken
 * in and sent, broadcasts run, histories are removed, and the next version's migrations run on it.
 */

type Json = Record<string, unknown>;

let desk: TestApi;
let other: TestWorkspace;
let crowds: readonly (readonly [TestWorkspace, Crowd])[];
beforeAll(async () => {
  desk = await startApi({ worker: true });
  other = await createWorkspace(desk);
  crowds = await Promise.all(
    [desk.workspace, other].map(async (workspace) => [workspace, await createCrowd(workspace)] as const),
  );
  for (const [, crowd] of crowds) await crowd.grow(1, 40);
}, 300_000);
afterAll(() => desk.close());

/** What each list shows to each workspace. */
async function allLists(): Promise<Json> {
  const shown: Json = {};
  for (const [workspace, crowd] of crowds) {
    const owner = (await ownerSession(workspace)).api;
    for (const operation of lists) {
      if (queryOf(operation).required.length > 0) continue;
      const { status, body } = await (operation.audience === 'session' ? owner : workspace.api).get(
        pathOf(operation, crowd),
      );
      // Sessions, keys and the audit log are of today: what asks here adds to them.
      if (['sessions.list', 'auditLog.list', 'securityLog.list', 'apiKeys.list'].includes(operation.id)) continue;
      shown[`${workspace.id} ${operation.id}`] = [status, body];
    }
  }
  return shown;
}

test('lists show the same, messages come and go, a broadcast reaches everybody, a history can be removed', async () => {
  const { runtime, test: own } = desk;
  const before = await allLists();
  await partitionGrowing(own.env['DATABASE_URL'] ?? '', 4);
  expect(await allLists()).toEqual(before);

  // The sender of a crowd has had its share of the day.
  const shop = await createWorkspace(desk);
  const { api } = shop;
  const anna = createCustomer(shop, { name: 'Anna' });
  await anna.writes('Where is my order?');
  const sent = await api.post('/api/v1/messages/', { to: anna.phone, body: 'On its way.' });
  expect(sent.status).toBe(201);
  await insertContacts(shop, 5, 4_917_100_000_000);
  const audience = { receiver_ids: Array.from({ length: 5 }, (_unused, place) => String(4_917_100_000_000 + place)) };
  const broadcast = await createBroadcast(shop, { audience });
  await api.post(`/api/v1/broadcasts/${broadcast}/confirm/`);
  await eventually(async () => {
    const { body: thread } = await api.get(`/api/v1/conversations/${anna.handle}/messages/`);
    expect(thread.results.map(({ body: text, message_status: state }) => [(text as Json)['text'], state])).toEqual(
      expect.arrayContaining([[{ body: 'On its way.' }, 'read']]),
    );
    const { body } = await api.get(`/api/v1/broadcasts/${broadcast}/`);
    expect([body.status, body.stats['sent'], body.stats['failed']]).toEqual(['completed', 5, 0]);
  });

  expect((await api.delete(`/api/v1/contacts/${anna.handle}/`)).status).toBe(204);
  expect(await runtime.db.rows('SELECT FROM messages WHERE body::text LIKE $text', { text: '%On its way.%' })).toEqual(
    [],
  );
}, 300_000);

test('the next version can be installed: indexes, references and rules, one partition after the other', async () => {
  const url = desk.test.env['DATABASE_URL'] ?? '';
  const steps = growingTables.flatMap((table) => [
    transaction(`ALTER TABLE ${table} ADD COLUMN mark text NOT NULL DEFAULT ''`),
    index({ index: `${table}_mark`, table, on: '(workspace_id, mark)' }),
    constraint({ constraint: `${table}_marked`, table, rule: "CHECK (mark <> 'x')" }),
    constraint({
      constraint: `${table}_workspace`,
      table,
      rule: 'FOREIGN KEY (workspace_id) REFERENCES workspaces (id)',
    }),
  ]);
  await migrateDatabase(url, { migrations: [...migrations, { name: '9999-next', steps }] });
  const [valid] = await desk.runtime.db.rows<{ indexes: number; rules: number }>(
    `SELECT (SELECT count(*)::int FROM pg_index WHERE indisvalid AND indexrelid::regclass::text LIKE '%\\_mark')
         AS indexes,
       (SELECT count(*)::int FROM pg_constraint WHERE convalidated AND conparentid = 0
        AND conrelid IN ('messages'::regclass, 'events'::regclass, 'broadcast_recipients'::regclass)
        AND (conname LIKE '%\\_marked' OR conname LIKE '%\\_workspace')) AS rules`,
  );
  expect(valid).toEqual({ indexes: 3, rules: 6 });
  expect((await desk.api.get('/api/v1/conversations/')).status).toBe(200);
}, 300_000);
