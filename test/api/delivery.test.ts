import { settleUnknown, tickIntakeClock } from '../../api/services/resources/messages/rows/settlement';
import { createCustomer, signedWebhook, status, webhook, type TestCustomer } from '../factories/customers';
import { eventually } from '../support/eventually';
import type { TestApi } from '../support/api';
import { sweepUntil } from '../support/ownRows';
import { sharedDesk } from '../support/sharedDesk';

type Json = Record<string, unknown>;
let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('worker');
  Object.assign(desk.sandbox.settings, { pair_rate: false, status_delay_ms: 20 });
});
afterAll(() => desk.close());

async function customer(): Promise<TestCustomer> {
  const person = createCustomer(desk.workspace);
  await person.writes('Hi');
  return person;
}
async function send(to: TestCustomer, text: string): Promise<number> {
  const { status: code, body } = await desk.api.post('/api/v1/messages/', {
    to: to.phone,
    body: text,
    phone_number_id: desk.workspace.account.phoneNumberId,
  });
  expect(code).toBe(201);
  return body.id;
}
async function shown(to: TestCustomer, id: number): Promise<Json> {
  const { body } = await desk.api.get(`/api/v1/conversations/${to.handle}/messages/?page_size=200`);
  return body.results.find((message) => message['id'] === id) ?? {};
}
const reaches = (to: TestCustomer, id: number, word: string): Promise<Json> =>
  eventually(
    async () => {
      const message = await shown(to, id);
      if (message['message_status'] !== word)
        throw new Error(`message ${id} is ${String(message['message_status'])}, not ${word}`);
      return message;
    },
    { everyMs: 100 },
  );
const attempts = async (id: number): Promise<unknown> =>
  (await desk.runtime.db.row<{ attempts: number }>('SELECT attempts FROM messages WHERE id = $id', { id }))?.attempts;
/** Messages of this customer that the upstream took. */
const taken = (to: TestCustomer): string[] =>
  desk.sandbox.state.sent
    .filter((record) => record.to === to.handle)
    .map((record) => String((record.body as { text?: { body?: string } } | undefined)?.text?.body));

it('a message is sent, delivered and read, with its id and price (C6)', async () => {
  const anna = await customer();
  const id = await send(anna, 'Hello');
  const message = await reaches(anna, id, 'read');
  expect(message).toMatchObject({
    message_id: expect.stringMatching(/^wamid\./) as unknown,
    pricing_category: expect.any(String) as unknown,
    error_code: null,
  });
  expect(taken(anna)).toEqual(['Hello']);
});

// A fault of the upstream, what becomes of the message, and how often the upstream took it.
const faults: [string, Json, string, number][] = [
  ['reset without an answer', { kind: 'reset' }, 'unknown', 0],
  ['HTML in place of an answer', { kind: 'html' }, 'unknown', 0],
  ['no answer at all', { kind: 'hang' }, 'unknown', 0],
  ['accepted, then reset: the webhook settles it', { kind: 'reset_after_accept' }, 'read', 1],
  ['accepted, then HTML', { kind: 'html_after_accept' }, 'read', 1],
  ['200 without an id', { kind: 'no_id' }, 'read', 1],
  ['accepted, never answered', { kind: 'hang_after_accept' }, 'read', 1],
  ['a fault that passes, then success', { kind: 'error', code: 131000, times: 1 }, 'read', 1],
  ['a limit with a time to wait', { kind: 'error', code: 130429, status: 429, retry_after: '1', times: 1 }, 'read', 1],
  ['a refusal for good', { kind: 'error', code: 131051 }, 'failed', 0],
  ['a refusal that comes later', { kind: 'async_error', code: 131026 }, 'failed', 1],
  ['a slow answer', { kind: 'latency', delay_ms: 1_500 }, 'read', 1],
];

describe('a fault of the platform', () => {
  /** What each fault led to: they take seconds, and go on at a time. */
  const ends = new Map<string, Promise<void>>();
  beforeAll(() => {
    for (const given of faults) {
      const end = meet(given);
      // The test of the fault says what is wrong.
      end.catch(() => undefined);
      ends.set(given[0], end);
    }
  });

  it.each(faults)('%s', (name) => ends.get(name));

  async function meet([, fault, word, times]: (typeof faults)[number]): Promise<void> {
    const person = await customer();
    desk.sandbox.faults.add({ ...fault, to: person.handle });
    const id = await send(person, 'Careful');
    const message = await reaches(person, id, word);
    if (word === 'failed')
      expect(message).toMatchObject({ error_code: fault['code'], error_title: expect.stringMatching(/./) as unknown });
    else expect(message).toMatchObject({ error_code: null, error_title: '' });
    expect(taken(person)).toHaveLength(times);
    expect(await attempts(id)).toBe(fault['times'] === 1 ? 2 : 1);
  }
});

it('an unknown one is never sent again, holds up nobody, and fails after 15 minutes unless a word comes', async () => {
  const person = await customer();
  const fault = desk.sandbox.faults.add({ kind: 'reset', to: person.handle, times: 1 });
  const lost = await send(person, 'Lost');
  const next = await send(person, 'Next');
  await reaches(person, lost, 'unknown');
  await reaches(person, next, 'read');
  expect([fault.hits, taken(person), await attempts(lost)]).toEqual([1, ['Next'], 1]);
  await desk.settled();

  // The clock runs only while webhooks can come in: an hour of silence counts for nothing, at most ten seconds.
  await desk.runtime.db.rows(`UPDATE intake_clock SET seen_at = now() - interval '1 hour'`);
  await tickIntakeClock(desk.runtime);
  const sweptTo = (message_status: string): Promise<void> =>
    sweepUntil(desk, settleUnknown, async () => expect(await shown(person, lost)).toMatchObject({ message_status }));
  await sweptTo('unknown');
  await desk.runtime.db.rows('UPDATE intake_clock SET up_ms = up_ms + 14 * 60000');
  await sweptTo('unknown');
  await desk.runtime.db.rows('UPDATE intake_clock SET up_ms = up_ms + 60000');
  await sweptTo('failed');
  expect(await shown(person, lost)).toMatchObject({
    message_status: 'failed',
    error_code: null,
    error_title: 'Delivery unknown',
    error_message: expect.stringMatching(/^Delivery unknown/) as unknown,
  });

  const row = await desk.runtime.db.row<{ opaque: string }>('SELECT opaque FROM messages WHERE id = $id', { id: lost });
  for (const word of ['sent', 'delivered'] as const) {
    await signedWebhook(
      desk.workspace,
      webhook(desk.workspace, { statuses: [status('wamid.found', word, { biz_opaque_callback_data: row?.opaque })] }),
    );
    await desk.settled();
    expect(await shown(person, lost)).toMatchObject({
      message_status: word,
      message_id: 'wamid.found',
      error_title: '',
      error_message: '',
    });
  }
});

it('unprocessed webhooks keep an unknown one open: its word may be among them', async () => {
  const person = await customer();
  desk.sandbox.faults.add({ kind: 'reset', to: person.handle, times: 1 });
  const lost = await send(person, 'Lost');
  await reaches(person, lost, 'unknown');
  await desk.settled();
  await desk.runtime.db.rows('UPDATE intake_clock SET up_ms = up_ms + 16 * 60000');
  const event = await desk.runtime.db.row<{ id: number }>(
    `INSERT INTO inbox_events (workspace_id, business_account_id, kind, payload, received_at, available_at)
     SELECT workspace_id, id, 'waiting', '{}', now() - interval '1 minute', now() + interval '1 hour'
       FROM business_accounts WHERE workspace_id = $id RETURNING id`,
    { id: desk.workspace.id },
  );
  await sweepUntil(desk, settleUnknown, async () =>
    expect((await shown(person, lost))['message_status']).toBe('unknown'),
  );
  await desk.runtime.db.rows('DELETE FROM inbox_events WHERE id = $id', { id: event?.id });
  await sweepUntil(desk, settleUnknown, async () =>
    expect((await shown(person, lost))['message_status']).toBe('failed'),
  );
});
