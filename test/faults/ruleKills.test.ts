import pg from 'pg';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { endsOf, sendingMacro, storeRule } from '../factories/rules';
import { startApi, type TestApi } from '../support/api';
import { eventually } from '../support/eventually';
import { impatient } from '../support/timing';
import { spawnWorker } from '../support/worker';

/*
 * What happens by itself is done by a worker in one transaction: a rule's acts and the mark that it was applied, a
 * message that leaves the list of those for later and is queued. The worker is killed in between.
 */

/** Another worker looks again a minute after the first one began. */
const afterTheFirst = { timeoutMs: 120_000 };

let desk: TestApi;
let person: TestCustomer;
let holder: pg.Client;
beforeEach(async () => {
  desk = await startApi({ timing: impatient });
  person = createCustomer(desk.workspace);
  await person.writes('Hi');
  holder = new pg.Client({ connectionString: desk.test.env['DATABASE_URL'] });
  await holder.connect();
});
afterEach(async () => {
  await holder.end();
  await desk.close();
});

/** Texts that the platform took for the customer. */
const taken = (): unknown[] =>
  desk.sandbox.state.sent
    .filter(({ to }) => to === person.handle)
    .map(({ body }) => (body?.['text'] as { body?: string } | undefined)?.body);

/** Kills a worker that has begun to store a message, as its transaction waits for the number that it is sent from. */
async function killBetween(): Promise<void> {
  await holder.query('BEGIN');
  expect((await holder.query('SELECT 1 FROM phone_numbers FOR UPDATE')).rowCount).toBeGreaterThan(0);
  const doomed = await spawnWorker(desk.test);
  await eventually(async () =>
    expect(
      await desk.runtime.db.rows(
        `SELECT 1 AS waits FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'msgdesk-worker' AND wait_event_type = 'Lock'
           AND query LIKE '%WITH fresh AS MATERIALIZED%'`,
      ),
    ).not.toEqual([]),
  );
  await doomed.kill();
  await holder.query('ROLLBACK');
}

it('a rule, killed between the mark of its run and what it does: it is done, once, by another worker', async () => {
  const rule = await storeRule(desk.workspace, await sendingMacro(desk.workspace));
  await person.writes('Is anybody there?');
  await killBetween();
  expect(await endsOf(desk.workspace, rule)).toEqual(['waiting']);

  await spawnWorker(desk.test);
  await eventually(async () => expect(await endsOf(desk.workspace, rule)).toEqual(['applied']), afterTheFirst);
  await eventually(() => expect(taken()).toEqual(['Are you still there?']));
});

it('a message for later, killed as it is taken out and before it is queued: it is sent, once', async () => {
  const { status, body } = await desk.api.post('/api/v1/messages/', {
    to: person.phone,
    body: 'Later',
    send_at: new Date(Date.now() + 2_000).toISOString(),
  });
  expect([status, body['message_status']]).toEqual([201, 'scheduled']);
  await killBetween();
  expect((await desk.api.get(`/api/v1/conversations/${person.handle}/scheduled/`)).body).toHaveLength(1);

  await spawnWorker(desk.test);
  await eventually(() => expect(taken()).toEqual(['Later']), afterTheFirst);
  expect((await desk.api.get(`/api/v1/conversations/${person.handle}/scheduled/`)).body).toEqual([]);
  expect(taken()).toEqual(['Later']);
});
