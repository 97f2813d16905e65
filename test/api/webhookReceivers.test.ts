import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createWebhookClient } from '../../api/core/http/webhookClient';
import { readBacklogByWorkspace } from '../../api/services/processes/maintenance/backlog';
import { deliverRound, restartWebhookDeliveries } from '../../api/services/processes/webhookDelivery/deliver';
import { fanOutEvents } from '../../api/services/processes/webhookDelivery/fanOut';
import { insertContacts } from '../factories/broadcasts';
import { createContact } from '../factories/contacts';
import { ownerSession } from '../factories/macros';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { movedClock } from '../support/clock';
import { startReceiver, type Receiver } from '../support/receiver';

/*
 * What receivers answer, and what that costs. No actor runs: a test asks for rounds by itself and moves the clock, so
 * that calls can be counted.
 */

type Json = Record<string, unknown>;

const path = '/api/v1/webhooks/';
/** Stands for the 15 s that a receiver has, where a test waits for their end: at addresses with this word. */
const [timeoutMs, slow] = [400, 'slow'];
/** The same for one that has to come to the beginning of its answer, however busy the machine is. */
const [bodyMs, endless] = [3_000, 'endless'];
/** Calls under way at one time, and failures after which a receiver counts as dead. */
const [atOnce, untilDead] = [16, 5];
let desk: TestApi;
let workspace: TestWorkspace;
let receiver: Receiver;
let offsetMs = 0;
beforeAll(async () => {
  const config = { webhookAllowPrivate: true };
  const usual = createWebhookClient(config);
  const impatient = createWebhookClient(config, { timeoutMs });
  const calm = createWebhookClient(config, { timeoutMs: bodyMs });
  desk = await sharedDesk('plain', {
    clock: movedClock(() => new Date(Date.now() + offsetMs)),
    webhooks: {
      post: (url, headers, body) =>
        (url.includes(slow) ? impatient : url.includes(endless) ? calm : usual).post(url, headers, body),
      read: usual.read,
      fetch: usual.fetch,
      close: async () => void (await Promise.all([usual, impatient, calm].map((client) => client.close()))),
    },
  });
});
afterAll(() => desk.close());
beforeEach(async () => {
  offsetMs = 0;
  workspace = await createWorkspace(desk);
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

async function subscribe(url = receiver.url, events = ['contact.created']): Promise<number> {
  const { status, body } = await workspace.api.post(path, { url, events });
  expect(status).toBe(201);
  return body.id;
}
async function fanOut(): Promise<void> {
  while (await fanOutEvents(desk.runtime));
}
const round = (subscriptionId: number): ReturnType<typeof deliverRound> => deliverRound(workspace.ctx, subscriptionId);
const deliveries = async (id: number, query = ''): Promise<Json[]> =>
  (await workspace.api.get<{ results: Json[] }>(`${path}${id}/deliveries/${query}`)).body.results;

/** One event to a receiver that answers so; gives its delivery. */
async function delivered(answer: Receiver['answer'], url = receiver.url): Promise<Json> {
  const id = await subscribe(url);
  receiver.answer = answer;
  await createContact(workspace);
  await fanOut();
  await round(id);
  const [delivery = {}] = await deliveries(id);
  return delivery;
}
const waitOf = (delivery: Json): number => Date.parse(String(delivery['next_attempt_at'])) - Date.now();

describe('the status decides', () => {
  it('and a round tells which delivery is next, after which answer', async () => {
    const delivery = await delivered(() => ({ status: 503 }));
    const next = await round(Number((await workspace.api.get<Json[]>(path)).body[0]?.['id']));
    expect(next).toEqual({
      waitMs: expect.any(Number) as number,
      waiting: { deliveryId: delivery['id'], attempts: 1, status: 503 },
    });
    expect(next.waitMs).toBeGreaterThan(0);
  });

  it.each<[string, Receiver['answer']]>([
    ['an empty 204', () => ({ status: 204 })],
    ['a page', () => ({ status: 200, headers: { 'content-type': 'text/html' }, body: '<html>OK</html>' })],
    ['broken JSON', () => ({ status: 201, body: '{"actions": [' })],
    ['JSON that is no object', () => ({ status: 200, body: '[{"type": "set_priority"}]' })],
    ['bytes that are no text', () => (response) => response.writeHead(200).end(Buffer.from([0xff, 0xfe, 0x00, 0xc3]))],
    ['more than is read', () => ({ status: 200, body: `{"actions": [], "x": "${'x'.repeat(200_000)}"}` })],
    [
      'a body that breaks off',
      () => (response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('{"actions"');
        setTimeout(() => response.destroy(), 20);
      },
    ],
  ])('%s is a delivery, without actions', async (_what, answer) => {
    expect(await delivered(answer)).toMatchObject({ status: 'delivered', attempts: 1, last_error: '', actions: null });
  });

  it('a body that never ends is one, too, as soon as the time is over', async () => {
    const begins = () => (response: ServerResponse) => {
      response.writeHead(200);
      response.write('{"actions": [');
    };
    expect(await delivered(begins, `${receiver.url}/${endless}`)).toMatchObject({ status: 'delivered', actions: null });
  });

  it.each([301, 304, 400, 401, 404, 409, 500, 502])('%d is none', async (status) => {
    expect(await delivered(() => ({ status, headers: { location: `${receiver.url}/other` } }))).toMatchObject({
      status: 'pending',
      attempts: 1,
      last_status_code: status,
      last_error: `The receiver answered with status ${status}.`,
    });
    expect(receiver.received).toHaveLength(1);
  });
});

describe('no answer', () => {
  it('within the time fails the attempt', async () => {
    expect(await delivered(() => () => undefined, `${receiver.url}/${slow}`)).toMatchObject({
      status: 'pending',
      last_status_code: null,
      last_error: `The receiver did not answer within ${timeoutMs / 1_000} s.`,
    });
  });

  it('but an end of the connection, too', async () => {
    const delivery = await delivered(() => (response) => void response.socket?.destroy());
    expect(delivery).toMatchObject({ status: 'pending', last_status_code: null });
    expect(delivery['last_error']).not.toBe('');
  });

  it('that is HTTP, too', async () => {
    const delivery = await delivered(() => (response) => void response.socket?.end('SSH-2.0-OpenSSH_9.6\r\n'));
    expect(delivery).toMatchObject({ status: 'pending', last_status_code: null });
    expect(delivery['last_error']).not.toBe('');
  });
});

describe('Retry-After', () => {
  it.each<[string, number, () => string, readonly [from: number, to: number]]>([
    ['seconds of a 429', 429, () => '3600', [3_590_000, 3_601_000]],
    ['a date of a 503', 503, () => new Date(Date.now() + 7_200_000).toUTCString(), [7_000_000, 7_201_000]],
    ['more than a day', 429, () => '999999999', [86_390_000, 86_401_000]],
    ['less than the planned pause', 429, () => '1', [5_000, 11_100]],
    ['a date that is over', 503, () => 'Thu, 01 Jan 1970 00:00:00 GMT', [5_000, 11_100]],
    ['nonsense', 429, () => 'soon', [5_000, 11_100]],
    ['a negative number', 429, () => '-5', [5_000, 11_100]],
  ])('%s', async (_what, status, valueOf, [from, to]) => {
    const value = valueOf();
    const waitMs = waitOf(await delivered(() => ({ status, headers: { 'retry-after': value } })));
    expect(waitMs).toBeGreaterThan(from);
    expect(waitMs).toBeLessThan(to);
  });

  it('holds everything else, too, also what was about to be sent', async () => {
    const id = await subscribe();
    receiver.answer = () =>
      receiver.received.length === 3 ? { status: 429, headers: { 'retry-after': '600' } } : { status: 200 };
    for (let count = 0; count < 2 * atOnce; count += 1) await createContact(workspace);
    await fanOut();
    const { waitMs } = await round(id);
    expect(receiver.received.length).toBeLessThanOrEqual(atOnce + 3);
    expect(waitMs).toBeGreaterThan(500_000);
    const calls = receiver.received.length;
    await round(id);
    expect(receiver.received).toHaveLength(calls);

    offsetMs = 601_000;
    await round(id);
    expect(await deliveries(id, '?status=delivered&page_size=200')).toHaveLength(2 * atOnce);
    expect(receiver.events()).toHaveLength(2 * atOnce);
  });
});

describe('a dead receiver', () => {
  it('costs a probe at a time, and gets everything in its order when it is back', async () => {
    const id = await subscribe(receiver.url, ['contact.created', 'contact.updated']);
    receiver.answer = () => ({ status: 500 });
    const people = await Promise.all([createContact(workspace), createContact(workspace)]);
    for (const company of ['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight'])
      for (const { receiver_id: handle } of people)
        await workspace.api.patch(`/api/v1/contacts/${handle}/`, { company });
    await fanOut();
    const made = await deliveries(id, '?page_size=200');
    expect(made).toHaveLength(18);

    await round(id);
    // Two subjects: two lanes, each of which may have begun one more call when the fifth failure came.
    expect(receiver.received.length).toBeLessThanOrEqual(untilDead + 1);
    for (let probe = 0; probe < 10; probe += 1) {
      const calls = receiver.received.length;
      offsetMs += 3_600_000;
      await round(id);
      expect(receiver.received.length).toBe(calls + 1);
      await round(id);
      expect(receiver.received.length).toBe(calls + 1);
    }

    receiver.answer = () => ({ status: 200 });
    offsetMs += 3_600_000;
    receiver.received.length = 0;
    expect(await round(id)).toEqual({ waitMs: null });
    expect((await deliveries(id, '?status=delivered&page_size=200')).map((delivery) => delivery['id'])).toHaveLength(
      18,
    );
    const probe = receiver.received.shift();
    for (const { id: contactId } of people) {
      const sequences = receiver.received
        .filter(({ event }) => event.data['id'] === contactId)
        .map(({ event }) => event.sequence);
      expect(sequences).toEqual([...sequences].sort((left, right) => left - right));
    }
    const all = [...receiver.received, ...(probe ? [probe] : [])].map(({ event }) => event.id);
    expect(new Set(all).size).toBe(18);
    expect((await workspace.api.get(`${path}${id}/`)).body).toMatchObject({ is_active: true, failing_since: null });
  });

  it('delays nobody: 200 events to 20 subscriptions, of which half are dead', async () => {
    const counts = new Map<string, Set<string>>();
    const calls = new Map<string, number>();
    const server = createServer((request, response) => {
      const place = request.url ?? '';
      calls.set(place, (calls.get(place) ?? 0) + 1);
      request.resume().on('end', () => {
        if (place.startsWith('/live/')) {
          const seen = counts.get(place) ?? new Set<string>();
          counts.set(place, seen.add(String(request.headers['webhook-id'])));
          response.writeHead(204).end();
        } else if (place.startsWith('/error/')) response.writeHead(500).end();
        else if (place.startsWith('/reset/')) response.destroy();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const names = Array.from({ length: 10 }, (_unused, index) => index);
    const live = names.map((index) => `/live/${index}`);
    const dead = names.map((index) => `/${['error', 'reset', slow][index % 3] ?? ''}/${index}`);
    const ids: number[] = [];
    for (const place of [...live, ...dead]) ids.push(await subscribe(`${origin}${place}`, ['contact.updated']));

    await insertContacts(workspace, 200, 49_500_000_000);
    await desk.runtime.db.rows(
      `INSERT INTO events (workspace_id, subject_type, subject_id, kind, webhook_type, actor_type, changes)
       SELECT workspace_id, 'contact', id, 'contact_updated', 'contact.updated', 'system',
         '{"company": {"from": "", "to": "A"}}'
       FROM contacts WHERE workspace_id = $workspaceId`,
      { workspaceId: workspace.id },
    );
    await fanOut();
    const work = async (id: number): Promise<number | null> => {
      for (;;) {
        const { waitMs } = await round(id);
        if (waitMs !== 0) return waitMs;
      }
    };
    const waits = await Promise.all(ids.map(work));
    // What breaks a connection that served others before is asked once more on a fresh one.
    for (const place of dead)
      expect(calls.get(place) ?? 0).toBeLessThan((untilDead + atOnce) * (place.startsWith('/reset/') ? 2 : 1));
    for (const waitMs of waits.slice(10)) expect(waitMs).toBeGreaterThan(0);
    // A call that this machine was too busy for is made again, like any other that failed.
    for (let pass = 0; pass < 5; pass += 1) {
      offsetMs += 600_000;
      for (const id of ids.slice(0, 10)) await work(id);
    }
    expect(live.map((place) => counts.get(place)?.size)).toEqual(live.map(() => 200));
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }, 420_000);
});

describe('a slow receiver', () => {
  /** Events of one subject, in a subscription of the test's receiver. */
  async function changes(count: number): Promise<number> {
    const id = await subscribe(receiver.url, ['contact.updated']);
    const contact = await createContact(workspace);
    await desk.runtime.db.rows(
      `INSERT INTO events (workspace_id, subject_type, subject_id, kind, webhook_type, actor_type, changes)
       SELECT $workspaceId, 'contact', $id, 'contact_updated', 'contact.updated', 'system',
         '{"company": {"from": "", "to": "A"}}'
       FROM generate_series(1, $count::int)`,
      { workspaceId: workspace.id, id: contact.id, count },
    );
    await fanOut();
    return id;
  }

  it.each([5_000, 14_000])('of %d ms gets each of 200 events once, in rounds that end in time', async (takesMs) => {
    const id = await changes(200);
    receiver.answer = () => {
      offsetMs += takesMs;
      return { status: 200 };
    };
    for (let waitMs: number | null = 0; waitMs === 0;) {
      const startedMs = offsetMs;
      ({ waitMs } = await round(id));
      expect(offsetMs - startedMs).toBeLessThan(8_000 + takesMs);
    }
    expect(receiver.received.map(({ event }) => event.sequence)).toEqual(
      Array.from({ length: 200 }, (_unused, index) => index + 1),
    );
  });

  it.each<[string, (one: string) => Promise<unknown>]>([
    ['deleted', (one) => workspace.api.delete(one)],
    ['deactivated', (one) => workspace.api.patch(one, { is_active: false })],
  ])('whose subscription is %s gets nothing more', async (_what, end) => {
    const id = await changes(10);
    receiver.answer = async () => {
      if (receiver.received.length === 3) await end(`${path}${id}/`);
      return { status: 200 };
    };
    await round(id);
    await round(id);
    expect(receiver.received).toHaveLength(3);
  });

  it('holds up no other subject, and stops with its process', async () => {
    const id = await changes(100);
    const other = await createContact(workspace);
    await workspace.api.patch(`/api/v1/contacts/${other.receiver_id}/`, { company: 'B' });
    await fanOut();
    await deliverRound(workspace.ctx, id, () => receiver.received.length >= 2);
    expect(new Set(receiver.received.map(({ event }) => event.data['id']))).toContain(other.id);
    expect(receiver.received.length).toBeLessThan(2 + atOnce);
  });
});

describe('thousands of events of one subject', () => {
  it('hold up no other one that comes after them', async () => {
    const id = await subscribe();
    await desk.runtime.db.rows(
      `WITH event AS (
         INSERT INTO webhook_events (workspace_id, type, subject_type, subject_id, sequence, payload, fanned_out_at)
         SELECT $workspaceId, 'ticket.updated', 'ticket', 1, n, json_build_object('data', json_build_object('id', 1)),
           now() FROM generate_series(1, 2600) n RETURNING id)
       INSERT INTO webhook_deliveries (workspace_id, subscription_id, event_id, turn, next_attempt_at)
       SELECT $workspaceId, $id, id, 1, now() - interval '1 minute' FROM event`,
      { workspaceId: workspace.id, id },
    );
    const other = await createContact(workspace);
    await fanOut();
    await deliverRound(workspace.ctx, id, () => receiver.received.length >= 2);
    expect(receiver.received.map(({ event }) => event.data['id'])).toContain(other.id);
    expect(receiver.received.length).toBeLessThan(2 + atOnce);
  });
});

describe('redelivery', () => {
  it('is at once, also of what waits for its next attempt and its receiver', async () => {
    const delivery = await delivered(() => ({ status: 429, headers: { 'retry-after': '3600' } }));
    const id = Number((await workspace.api.get<Json[]>(path)).body[0]?.['id']);
    receiver.answer = () => ({ status: 200, body: '{"actions": []}' });
    const again = await workspace.api.post(`${path}${id}/deliveries/${String(delivery['id'])}/redeliver/`, {});
    expect([again.status, again.body['status']]).toEqual([200, 'pending']);
    expect(await round(id)).toEqual({ waitMs: null });
    expect(await deliveries(id)).toMatchObject([{ status: 'delivered', actions: null }]);
  });

  it('and a test come before all that a dead receiver has missed', async () => {
    const id = await subscribe();
    receiver.answer = () => ({ status: 500 });
    for (let count = 0; count < 2 * untilDead; count += 1) await createContact(workspace);
    await fanOut();
    await round(id);
    offsetMs = 3_600_000;
    const [newest = {}] = await deliveries(id);
    await workspace.api.post(`${path}${id}/deliveries/${String(newest['id'])}/redeliver/`, {});
    const { body: test } = await workspace.api.post(`${path}${id}/test/`, {});
    receiver.received.length = 0;
    await round(id);
    expect(receiver.received.map(({ event }) => event.id)).toEqual([test['event_id'], newest['event_id']]);
  });
});

describe('an expired trial', () => {
  it('holds deliveries, also of what happens meanwhile, until there is a plan', async () => {
    const id = await subscribe();
    await createContact(workspace);
    await desk.runtime.db.rows(
      `UPDATE workspaces SET plan = NULL, trial_ends_at = now() - interval '1 hour' WHERE id = $id`,
      { id: workspace.id },
    );
    await fanOut();
    expect(await round(id)).toEqual({ waitMs: null });
    expect(receiver.received).toEqual([]);
    const age = (): Promise<object[]> =>
      desk.runtime.db.rows(
        `UPDATE webhook_deliveries SET next_attempt_at = now() - interval '2 minutes',
           created_at = now() - interval '1 day' WHERE workspace_id = $id`,
        { id: workspace.id },
      );
    await age();
    const waiting = await readBacklogByWorkspace(desk.runtime);
    expect(
      waiting.filter(({ name, workspaceId }) => [name, workspaceId].join() === `webhook_deliveries,${workspace.id}`),
    ).toEqual([]);
    const armed = (): Promise<object[]> =>
      desk.runtime.db.rows(`SELECT 1 FROM outbox WHERE workspace_id = $id AND workflow = 'webhookDelivery'`, {
        id: workspace.id,
      });
    await desk.runtime.db.rows('DELETE FROM outbox WHERE workspace_id = $id', { id: workspace.id });
    await restartWebhookDeliveries(desk.runtime);
    expect(await armed()).toEqual([]);

    const session = await ownerSession(workspace);
    expect((await session.api.post('/api/v1/workspace/plan/', { plan: 'standard' })).status).toBe(200);
    await restartWebhookDeliveries(desk.runtime);
    expect(await armed()).toHaveLength(1);
    expect(await round(id)).toEqual({ waitMs: null });
    expect(receiver.events().map(({ type }) => type)).toEqual(['contact.created']);
  });
});

describe('an event that cannot be rendered', () => {
  it('is set aside with an alert; those beside it and other workspaces go on', async () => {
    const id = await subscribe(receiver.url, ['contact.updated', 'contact.created']);
    const contact = await createContact(workspace);
    // What no release knows, or a fault of ours: rendering it fails each time.
    await desk.runtime.db.rows(
      `INSERT INTO webhook_events (workspace_id, type, subject_type, subject_id)
       VALUES ($workspaceId, 'no.such_type', 'contact', $id)`,
      { workspaceId: workspace.id, id: contact.id },
    );
    await workspace.api.patch(`/api/v1/contacts/${contact.receiver_id}/`, { company: 'Engines' });
    await fanOut();
    await round(id);
    expect(receiver.events().map(({ type, sequence }) => [type, sequence])).toEqual([
      ['contact.created', 1],
      ['contact.updated', 2],
    ]);
    expect(
      await desk.runtime.db.rows(
        'SELECT type FROM webhook_events WHERE workspace_id = $id AND set_aside_at IS NOT NULL AND sequence IS NULL',
        { id: workspace.id },
      ),
    ).toEqual([{ type: 'no.such_type' }]);
  });
});
