import type { Arrivals } from '../processes/receiver';
import type { SigningOrder } from '../processes/signer';
import type { Context, Installation } from '../support/context';
import { atLeast, atMost, exactly, ratioLine, type Figure, type Line } from '../support/figure';
import { compare, type Target } from '../support/load';
import { familyMs, processorMs, type Child } from '../support/processes';
import { seedContacts } from '../support/seed';
import { percentile, sleep, until } from '../support/stats';

/** Calls of a subscription at one time, and so of the bare client. */
const width = 16;
const steadyRate = 200;
const steadyEveryMs = 50;
const env = { WEBHOOK_ALLOW_PRIVATE: '1' };

interface Subscription {
  readonly id: number;
  readonly secret: string;
}

/** Events from commit to receiver, beside a client that only signs and posts; what a subscription adds to a PATCH. */
export const figure: Figure = {
  name: 'webhooks',
  async run(context: Context) {
    const events = context.quick ? 2_000 : 20_000;
    const steadySeconds = context.quick ? 5 : 30;
    const installation = await context.install({ env });
    const contacts = events + steadyRate * steadySeconds + 500;
    await seedContacts(installation, contacts);
    const api = await installation.startApi();
    const receiver = await installation.startOwn('receiver.js');
    const subscription = await subscribe(installation, api, `${receiver.url}/`, ['contact.updated']);
    const worker = await installation.startWorker();

    await cause(installation, 500);
    await arrived(receiver, 500);
    const lines = await burstLines(context, installation, { receiver, worker, subscription }, events);
    lines.push(...(await steadyLines(context, installation, receiver, steadySeconds)));
    const [left] = await installation.sql<{ count: number }>(
      `SELECT count(*)::int AS count FROM webhook_deliveries WHERE state <> 'delivered'`,
    );
    lines.push(exactly('not delivered', left?.count ?? -1, 0));
    await worker.stop();
    lines.push(...(await patchLines(context)));
    return lines;
  },
};

async function subscribe(
  { apiKey }: Installation,
  api: Child,
  url: string,
  events: readonly string[],
): Promise<Subscription> {
  const answer = await fetch(`${api.url}/api/v1/webhooks/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url, events }),
  });
  if (answer.status !== 201) throw new Error(`the subscription was refused: ${await answer.text()}`);
  return (await answer.json()) as Subscription;
}

/** Lets something happen to so many contacts, in one transaction; gives the ids of the activity, as committed. */
async function cause(installation: Installation, count: number, from = 0): Promise<number[]> {
  const rows = await installation.sql<{ id: string }>(
    `INSERT INTO events (workspace_id, subject_type, subject_id, kind, webhook_type, actor_type, changes)
     SELECT workspace_id, 'contact', id, 'contact_updated', 'contact.updated', 'system',
       '{"company": {"from": "", "to": "Engines"}}'
     FROM contacts WHERE workspace_id = $1 ORDER BY id OFFSET $3 LIMIT $2 RETURNING id`,
    [installation.ctx.workspaceId, count, from],
  );
  return rows.map(({ id }) => Number(id));
}

async function arrived(receiver: Child, count: number): Promise<void> {
  const ask = async (): Promise<boolean> => ((await (await fetch(`${receiver.url}/count`)).json()) as number) >= count;
  await until(`${count} events`, 180_000, ask, 20);
}

/** Gives when each event came, and lets the receiver forget it. */
async function takeArrivals(receiver: Child): Promise<Arrivals> {
  return (await (await fetch(receiver.url, { method: 'DELETE' })).json()) as Arrivals;
}

/** Everything at once: how many a second, beside the bare client that posts as many of the same size. */
async function burstLines(
  context: Context,
  installation: Installation,
  { receiver, worker, subscription }: { receiver: Child; worker: Child; subscription: Subscription },
  events: number,
): Promise<Line[]> {
  const signer = await installation.startOwn('signer.js');
  const [sample] = await installation.sql<{ body: string }>('SELECT payload::text AS body FROM webhook_events LIMIT 1');
  const order: SigningOrder = {
    target: `${receiver.url}/`,
    secret: subscription.secret,
    body: sample?.body ?? '',
    count: events,
    width,
  };
  const bare = await fetch(signer.url, { method: 'POST', body: JSON.stringify(order) });
  if (!bare.ok) throw new Error(`the bare client: ${await bare.text()}`);
  const { seconds } = (await bare.json()) as { seconds: number };
  await signer.stop();

  await fetch(receiver.url, { method: 'DELETE' });
  const postgresPid = Number(process.env['BENCH_POSTGRES_PID']);
  const [before, databaseBefore] = [processorMs(worker.pid), familyMs(postgresPid)];
  await cause(installation, events);
  const committedAt = Date.now();
  await arrived(receiver, events);
  const used = processorMs(worker.pid) - before;
  const databaseUsed = familyMs(postgresPid) - databaseBefore;
  const last = Math.max(...(await allArrivals(receiver)));
  const rate = (events / (last - committedAt)) * 1_000;
  context.log(`${events} events in ${((last - committedAt) / 1_000).toFixed(1)} s; bare ${seconds.toFixed(1)} s`);
  return [
    {
      ...atLeast('events from commit to received, one worker, events/s against a bare client', rate, 500),
      baseline: events / seconds,
    },
    { what: 'worker: processor ms per event', value: used / events },
    { what: 'PostgreSQL: processor ms per event', value: databaseUsed / events },
  ];
}

async function allArrivals(receiver: Child): Promise<number[]> {
  return Object.values((await (await fetch(receiver.url)).json()) as Arrivals);
}

/** Returns a steady stream: how long after its commit each event was received. */
async function steadyLines(
  context: Context,
  installation: Installation,
  receiver: Child,
  seconds: number,
): Promise<Line[]> {
  await takeArrivals(receiver);
  const perTick = (steadyRate * steadyEveryMs) / 1_000;
  const committed = new Map<number, number>();
  const begun = Date.now();
  const ticks = (seconds * 1_000) / steadyEveryMs;
  for (let tick = 0; tick < ticks; tick += 1) {
    await sleep(begun + tick * steadyEveryMs - Date.now());
    const ids = await cause(installation, perTick, tick * perTick);
    const at = Date.now();
    for (const id of ids) committed.set(id, at);
  }
  const fed = (Date.now() - begun) / 1_000;
  await arrived(receiver, committed.size);
  const arrivals = await takeArrivals(receiver);
  const rows = await installation.sql<{ uid: string; activity: number }>(
    `SELECT uid, (data->>'activity_id')::float8 AS activity FROM webhook_events`,
  );
  const lags = rows.flatMap(({ uid, activity }) => {
    const [from, to] = [committed.get(activity), arrivals[uid]];
    return from === undefined || to === undefined ? [] : [to - from];
  });
  context.log(`${lags.length} events fed in ${fed.toFixed(1)} s`);
  return [
    { what: `steady stream: events/s fed, of ${steadyRate}`, value: lags.length / fed },
    { what: 'steady: from commit to received, p50 in ms', value: percentile(lags, 0.5) },
    atMost('steady: from commit to received, p99 in ms', percentile(lags, 0.99), 1_000),
  ];
}

/** PATCH of a conversation in a workspace with a subscription to everything, against one without, in turns. */
async function patchLines(context: Context): Promise<Line[]> {
  const targets: Target[] = [];
  for (const subscribed of [true, false]) {
    const installation = await context.install({ env });
    const handles = await seedContacts(installation, 100);
    const server = await installation.startApi();
    // No worker: what is noted waits, and nothing but the request is measured.
    if (subscribed) await subscribe(installation, server, 'http://127.0.0.1:9/', ['*']);
    targets.push({
      server,
      headers: { authorization: `Bearer ${installation.apiKey}`, 'content-type': 'application/json' },
      requests: (index) =>
        ['urgent', 'low'].map((priority) => ({
          method: 'PATCH',
          path: `/api/v1/conversations/${handles[index] ?? ''}/`,
          body: JSON.stringify({ priority }),
        })),
    });
  }
  const [ours, plain] = targets;
  if (!ours || !plain) throw new Error('two servers are compared');
  const { ours: subscribed, bare } = await compare(ours, plain, context.quick);
  return [
    ratioLine('PATCH with a subscription, requests/s against without', subscribed.perSecond, bare.perSecond, {
      atLeast: 0.95,
    }),
    ratioLine('PATCH with a subscription, processor ms of the API', subscribed.processorMs, bare.processorMs, {
      below: 1.05,
    }),
  ];
}
