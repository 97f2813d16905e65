import pg from 'pg';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { startApi, type TestApi } from '../support/api';
import { eventually } from '../support/eventually';
import { freePorts } from '../../dev/lib/ports';
import { impatient } from '../support/timing';
import { spawnApi, spawnWorker, type SpawnedProcess } from '../support/worker';

/*
 * The process that accepted a message sends it, and is killed at every point from the commit to the end. What it left
 * is taken up by a relay: sent once, or `unknown` where nobody can tell.
 */

/** A claim lasts two seconds here; after that another process looks. */
const afterTheClaim = { timeoutMs: 70_000 };

let desk: TestApi;
let person: TestCustomer;
let api: SpawnedProcess;
let origin: string;
let holders: pg.Client[];
beforeEach(async () => {
  desk = await startApi({ timing: impatient });
  Object.assign(desk.sandbox.settings, { statuses: [] });
  holders = [];
  const [port = 0] = await freePorts(1);
  origin = `http://127.0.0.1:${port}`;
  api = await spawnApi(desk.test, port);
  person = createCustomer(desk.workspace);
  await person.writes('Hi');
  // The first send of a number makes this row, which the tests hold.
  await desk.runtime.db.rows('INSERT INTO send_slots (phone_number_id) SELECT id FROM phone_numbers');
});
afterEach(async () => {
  await Promise.all(holders.map((holder) => holder.end()));
  await desk.close();
});

async function post(body: string, at = origin): Promise<number> {
  const answer = await fetch(`${at}/api/v1/messages/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${desk.workspace.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to: person.phone, body, phone_number_id: desk.workspace.account.phoneNumberId }),
  });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { id: number }).id;
}

const row = (id: number): Promise<Record<string, unknown> | null> =>
  desk.runtime.db.row('SELECT message_status, delivery_state, attempts, conversation_id FROM messages WHERE id = $id', {
    id,
  });
const becomes = (id: number, wanted: Record<string, unknown>): Promise<void> =>
  eventually(async () => expect(await row(id)).toMatchObject(wanted), afterTheClaim);
/** Texts that the platform took, in their order. */
const taken = (): unknown[] =>
  desk.sandbox.state.sent
    .filter(({ to }) => to === person.handle)
    .map(({ body }) => (body?.['text'] as { body?: string } | undefined)?.body);

/** Holds rows until `release`: a sender that needs them waits. */
async function hold(sql: string, values: readonly unknown[] = []): Promise<{ release(): Promise<void> }> {
  const holder = new pg.Client({ connectionString: desk.test.env['DATABASE_URL'] });
  holders.push(holder);
  await holder.connect();
  await holder.query('BEGIN');
  expect((await holder.query(sql, [...values])).rowCount).toBeGreaterThan(0);
  return { release: async () => void (await holder.query('ROLLBACK')) };
}
/** The send begins with a slot of its number: there it is held, after the commit and before the claim. */
const holdSlots = (): Promise<{ release(): Promise<void> }> => hold('SELECT 1 FROM send_slots FOR UPDATE');
const waitsForALock = (text: string): Promise<void> =>
  eventually(async () => {
    const found = await desk.runtime.db.rows<{ query: string }>(
      `SELECT query FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'msgdesk-api' AND wait_event_type = 'Lock'`,
    );
    expect(found.map(({ query }) => query).join()).toContain(text);
  });

it('between the commit and the claim: it is sent, once', async () => {
  const slots = await holdSlots();
  const id = await post('held');
  await waitsForALock('send_slots');
  expect(await row(id)).toMatchObject({ delivery_state: 'queued', attempts: 0 });
  await api.kill();
  await slots.release();

  await spawnWorker(desk.test);
  await becomes(id, { message_status: 'sent', attempts: 1 });
  expect(taken()).toEqual(['held']);
});

it('between claim and call: the outcome is unknown, nothing is sent, and the next message goes out', async () => {
  const slots = await holdSlots();
  const first = await post('first');
  const conversation = await hold('SELECT 1 FROM conversations WHERE id = $1 FOR UPDATE', [
    (await row(first))?.['conversation_id'],
  ]);
  await slots.release();
  // The claim counts the pair on the conversation's row: the server still does it when its sender is dead.
  await waitsForALock('pair_free_at');
  await api.kill();
  await conversation.release();
  await becomes(first, { delivery_state: 'sending', attempts: 1 });

  const second = await post('second', desk.url);
  await spawnWorker(desk.test);
  await becomes(second, { message_status: 'sent' });
  expect(await row(first)).toMatchObject({ message_status: 'unknown', attempts: 1 });
  expect(taken()).toEqual(['second']);
});

it('after the platform took it, before that was recorded: unknown, and never sent again', async () => {
  desk.sandbox.faults.add({ kind: 'hang_after_accept', to: person.handle, times: 1 });
  const first = await post('first');
  const second = await post('second');
  await eventually(() => expect(taken()).toEqual(['first']));
  await api.kill();

  await spawnWorker(desk.test);
  await becomes(second, { message_status: 'sent' });
  // The platform's own word may have come meanwhile: what counts is that there is no second attempt.
  expect(await row(first)).toMatchObject({ delivery_state: 'settled', attempts: 1 });
  expect(taken()).toEqual(['first', 'second']);
});

it('stopped in the middle of a call: the call ends, is recorded, and the process leaves by itself', async () => {
  const slots = await holdSlots();
  const id = await post('slow');
  await waitsForALock('send_slots');
  const ended = api.kill('SIGTERM');
  await api.logged('api stops');
  await slots.release();
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(await row(id)).toMatchObject({ message_status: 'sent', attempts: 1 });
  expect(taken()).toEqual(['slow']);
});
