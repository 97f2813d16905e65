import { deliverRound } from '../../api/services/processes/webhookDelivery/deliver';
import { fanOutEvents } from '../../api/services/processes/webhookDelivery/fanOut';
import type { WebhookDeliveryInput } from '../../workflows/contract';
import { createContact } from '../factories/contacts';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { movedClock } from '../support/clock';
import { withFakes } from '../support/fakes';
import { startReceiver, type Receiver } from '../support/receiver';
import { describeSkipping } from '../support/skipping';

type Json = Record<string, unknown>;

const path = '/api/v1/webhooks/';
const hourMs = 3_600_000;
const people = 3;
const changes = 5;
/** A contact's creation and its changes. */
const total = people * (changes + 1);

/** The actor over real rows and a real receiver, in days that pass in seconds. */
describeSkipping('webhookDelivery over a long outage, time skipped', (env) => {
  let desk: TestApi;
  let workspace: TestWorkspace;
  let receiver: Receiver;
  /** The time of the workflow server, which the rows go by. */
  let nowMs = Date.now();
  let startMs = 0;
  beforeAll(async () => {
    desk = await sharedDesk('plain', { clock: movedClock(() => new Date(nowMs)) });
  });
  afterAll(() => desk.close());
  beforeEach(async () => {
    workspace = await createWorkspace(desk);
    receiver = await startReceiver();
    nowMs = await env().currentTimeMs();
    startMs = nowMs;
  });
  afterEach(() => receiver.close());

  const elapsedHours = (): number => (nowMs - startMs) / hourMs;

  /** A subscription with events of some contacts; gives its id. */
  async function eventful(): Promise<number> {
    const { body } = await workspace.api.post(path, { url: receiver.url, events: ['*'] });
    for (let count = 0; count < people; count += 1) await changing();
    await fanOut();
    return body.id;
  }
  async function changing(): Promise<void> {
    const { receiver_id: handle } = await createContact(workspace);
    for (let change = 0; change < changes; change += 1)
      await workspace.api.patch(`/api/v1/contacts/${handle}/`, { company: `Company ${change}` });
  }
  async function fanOut(): Promise<void> {
    while (await fanOutEvents(desk.runtime));
  }

  /** Runs the actor until nothing is pending; `meanwhile` happens before each of its rounds. */
  async function deliver(subscriptionId: number, meanwhile?: () => Promise<unknown>): Promise<void> {
    const deliverWebhooks = async (input: WebhookDeliveryInput): ReturnType<typeof deliverRound> => {
      nowMs = await env().currentTimeMs();
      await meanwhile?.();
      return deliverRound(workspace.ctx, input.subscriptionId);
    };
    await withFakes(env(), { deliverWebhooks }, (taskQueue) =>
      env().client.workflow.execute('webhookDelivery', {
        taskQueue,
        workflowId: `webhook-delivery/${taskQueue}`,
        args: [{ workspaceId: workspace.id, subscriptionId }],
      }),
    );
  }

  const deliveries = async (id: number, status: string): Promise<Json[]> =>
    (await workspace.api.get(`${path}${id}/deliveries/?status=${status}&page_size=200`)).body.results;

  /** Every subject's numbers from 1, each event once by its id. */
  function expectNoGap(count: number): void {
    const bySubject = new Map<unknown, number[]>();
    for (const { data, sequence } of receiver.events())
      bySubject.set(data['id'], [...(bySubject.get(data['id']) ?? []), sequence]);
    expect(bySubject.size).toBe(count / (changes + 1));
    for (const sequences of bySubject.values())
      expect([...sequences].sort((left, right) => left - right)).toEqual(
        sequences.map((_sequence, index) => index + 1),
      );
  }

  it('of 20 hours: everything is delivered by itself, in order, after a bounded number of calls', async () => {
    const id = await eventful();
    let failed = 0;
    let succeeded: typeof receiver.received = [];
    receiver.answer = (request) => {
      if (elapsedHours() < 20) {
        failed += 1;
        return { status: 503 };
      }
      succeeded = [...succeeded, request];
      return { status: 200 };
    };
    await deliver(id);
    expect(await deliveries(id, 'delivered')).toHaveLength(total);
    expect(succeeded).toHaveLength(total);
    expectNoGap(total);
    // The first one was the probe that found the receiver alive; the others come in the order of what happened.
    const rest = succeeded.slice(1).map(({ event }) => [event.data['id'], event.sequence] as const);
    for (const subject of new Set(rest.map(([contact]) => contact))) {
      const sequences = rest.filter(([contact]) => contact === subject).map(([, sequence]) => sequence);
      expect(sequences).toEqual([...sequences].sort((left, right) => left - right));
    }
    // A probe each half hour, and some at the beginning.
    expect(failed).toBeGreaterThan(20);
    expect(failed).toBeLessThan(70);
    expect((await workspace.api.get(`${path}${id}/`)).body).toMatchObject({ is_active: true, failing_since: null });
  });

  it('of 96 hours: deactivated after three days, with a notice; active again, a replay brings everything', async () => {
    const id = await eventful();
    const before = new Set((await deliveries(id, 'pending')).map((delivery) => delivery['event_id']));
    receiver.answer = () => ({ status: 500 });
    await deliver(id);
    expect(elapsedHours()).toBeGreaterThanOrEqual(72);
    expect(elapsedHours()).toBeLessThan(96);
    expect((await workspace.api.get(`${path}${id}/`)).body).toMatchObject({
      is_active: false,
      disabled_reason: expect.stringMatching(/^No delivery succeeded for 72 hours\..*status 500/) as string,
    });
    const notice = await desk.runtime.db.rows<{ data: Json }>(
      `SELECT data FROM events WHERE workspace_id = $id AND kind = 'webhook_disabled'`,
      { id: workspace.id },
    );
    expect(notice).toMatchObject([{ data: { subscription_id: id, url: receiver.url } }]);
    expect([await deliveries(id, 'pending'), (await deliveries(id, 'cancelled')).length]).toEqual([[], total]);

    // What happens meanwhile is not sent later, but it is not lost either.
    nowMs = startMs + 96 * hourMs;
    await changing();
    await fanOut();
    const calls = receiver.received.length;
    receiver.received.length = 0;
    receiver.answer = () => ({ status: 200 });
    expect((await workspace.api.patch(`${path}${id}/`, { is_active: true })).status).toBe(200);
    await deliver(id);
    expect([calls < 200, receiver.received]).toEqual([true, []]);

    const from = (await workspace.api.get(`${path}${id}/`)).body['created_at'];
    const replay = await workspace.api.post(`${path}${id}/replay/`, { from });
    expect(replay.body).toEqual({ replayed: total + changes + 1 });
    await deliver(id);
    expectNoGap(total + changes + 1);
    const ids = new Set(receiver.events().map((event) => event.id));
    expect([...before].filter((eventId) => !ids.has(String(eventId)))).toEqual([]);
  });

  it('that comes and goes for days deactivates nothing, and everything arrives', async () => {
    const id = await eventful();
    let calls = 0;
    receiver.answer = () => {
      calls += 1;
      return { status: calls % 3 === 0 ? 200 : 500 };
    };
    await deliver(id);
    expect(await deliveries(id, 'delivered')).toHaveLength(total);
    expectNoGap(total);
    expect((await workspace.api.get(`${path}${id}/`)).body).toMatchObject({ is_active: true, disabled_reason: '' });
  });

  it('of one event is given up after ten attempts, while others arrive', async () => {
    const id = await eventful();
    const [bad] = await deliveries(id, 'pending');
    receiver.answer = ({ event }) => ({ status: event.id === bad?.['event_id'] ? 500 : 200 });
    let others = 0;
    // The last round finds nothing pending: nothing may happen before it.
    await deliver(id, async () => {
      if ((await deliveries(id, 'pending')).length === 0) return;
      await createContact(workspace);
      await fanOut();
      others += 1;
    });
    expect(await deliveries(id, 'delivered')).toHaveLength(total - 1 + others);
    expect(await deliveries(id, 'failed')).toMatchObject([{ event_id: bad?.['event_id'], attempts: 10 }]);
    // The sum of the pauses: 10 s, 1 min, 5 min, 30 min, 2 h, 6 h, 12 h, 24 h, 24 h, give or take a tenth.
    expect(elapsedHours()).toBeGreaterThan(61);
    expect(elapsedHours()).toBeLessThan(76);
  });
});
