import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { credentialsOf, listAccounts } from '../../api/services/resources/accounts/service';
import type { Order, Posted } from '../processes/sender';
import { connectSandbox, type Context, type Installation } from '../support/context';
import { atLeast, atMost, exactly, type Figure, type Line } from '../support/figure';
import { keepProcessedSql } from '../support/processedEvents';
import { familyMs, processorMs, type Child } from '../support/processes';
import { median, sleep, until } from '../support/stats';
import { makeTraffic, messagesFor, seedTraffic, type Webhook } from '../support/webhooks';

const connections = 10;
const steadyRate = 500;
const postgresPid = Number(process.env['BENCH_POSTGRES_PID']);

/**
 * Signed webhooks to an API process, stored without a worker; then a worker that takes the backlog, and that keeps up
 * with a steady stream.
 */
export const figure: Figure = {
  name: 'inbound',
  async run(context: Context) {
    const rounds = context.quick ? 2 : 3;
    const perRound = context.quick ? 800 : 8_000;
    const steadySeconds = context.quick ? 5 : 30;
    const drainSeconds = context.quick ? 10 : 40;
    const steadyEvents = steadyRate * steadySeconds;
    const customers = context.quick ? 2_000 : 20_000;

    const installation = await context.install({ sandbox: true });
    const api = await installation.startApi();
    await connectSandbox(installation, api.url);
    await seedTraffic(installation, customers, messagesFor(rounds * perRound + 2_000 + steadyEvents));
    const [account] = await listAccounts(installation.ctx);
    const traffic = makeTraffic((await credentialsOf(installation.runtime, account?.id ?? 0)).appSecret, customers);
    const plan: Webhook[] = [];
    const part = (webhooks: readonly Webhook[]): Pick<Order, 'from' | 'to'> => ({
      from: plan.length,
      to: plan.push(...webhooks),
    });
    const warmUp = part(traffic.webhooks(400));
    const intake = Array.from({ length: rounds }, () => part(traffic.webhooks(perRound)));
    const full = part([traffic.batch(1_000)]);
    const steady = part(traffic.webhooks(steadyEvents));
    const sender = await startSender(installation, plan);
    const post = (which: Pick<Order, 'from' | 'to'>, eventsPerSecond: number | null = null): Promise<Posted> =>
      order(sender, { ...which, target: api.url, connections, eventsPerSecond });

    await installation.sql(keepProcessedSql);
    await post(warmUp);
    const lines = await intakeLines(context, installation, api, post, intake, full);
    // Out of the worker's sight until it is warm.
    await installation.sql(`UPDATE inbox_events SET available_at = 'infinity' WHERE state = 'new'`);
    await installation.sql('VACUUM ANALYZE inbox_events');
    const worker = await installation.startWorker();
    await sleep(3_000);
    for (const share of shares) lines.push(...(await backlogLines(context, installation, worker, share, drainSeconds)));
    lines.push(
      ...(await steadyLines(
        context,
        installation,
        [
          ['API', api],
          ['worker', worker],
        ],
        () => post(steady, steadyRate),
        steadyEvents,
      )),
    );
    const [set] = await installation.sql<{ parked: number; missing: number }>(
      `SELECT count(*) FILTER (WHERE state = 'parked')::int AS parked,
         (SELECT count(*) FROM processed_events p WHERE kind = 'message' AND NOT EXISTS (SELECT 1 FROM messages m
           WHERE m.workspace_id = p.workspace_id AND m.wamid = p.payload->'message'->>'id'))::int AS missing
       FROM inbox_events`,
    );
    lines.push(exactly('parked, or processed without a message', (set?.parked ?? -1) + (set?.missing ?? 0), 0));
    return lines;
  },
};

type Post = (which: Pick<Order, 'from' | 'to'>, eventsPerSecond?: number | null) => Promise<Posted>;

/** Starts the program that posts webhooks of a plan. */
export async function startSender(installation: Installation, plan: readonly Webhook[]): Promise<Child> {
  const file = path.join(process.env['BENCH_TMP'] ?? '.', 'webhooks.jsonl');
  writeFileSync(file, plan.map((webhook) => `${JSON.stringify(webhook)}\n`).join(''));
  return installation.startOwn('sender.js', { SENDER_WEBHOOKS: file });
}

/** Lets the sender post a part of its plan, and says how that went. */
export async function order(sender: Child, wanted: Order): Promise<Posted> {
  const answer = await fetch(sender.url, { method: 'POST', body: JSON.stringify(wanted) });
  if (!answer.ok) throw new Error(`posting webhooks: ${await answer.text()}`);
  return (await answer.json()) as Posted;
}

/** Returns what is acknowledged while no worker runs, and that all of it is stored. */
async function intakeLines(
  context: Context,
  installation: Installation,
  api: Child,
  post: Post,
  parts: readonly Pick<Order, 'from' | 'to'>[],
  full: Pick<Order, 'from' | 'to'>,
): Promise<Line[]> {
  const before = await stored(installation);
  const used = meter([['API', api]]);
  const rounds: Posted[] = [];
  for (const which of parts) {
    rounds.push(await post(which));
    context.log(`acknowledged ${((rounds.at(-1)?.events ?? 0) / (rounds.at(-1)?.seconds ?? 1)).toFixed(0)} events/s`);
  }
  const events = rounds.reduce((sum, round) => sum + round.events, 0);
  const missing = before + events - (await stored(installation));
  const processor = used(events, 'intake');
  const whole = await post(full);
  return [
    atLeast('acknowledged events/s, no worker', median(rounds.map((round) => round.events / round.seconds)), 1_000),
    {
      what: `webhooks/s of these (${connections} connections)`,
      value: median(rounds.map((round) => round.webhooks / round.seconds)),
    },
    { what: 'acknowledgement of a webhook, p50 in ms', value: median(rounds.map((round) => round.p50Ms)) },
    { what: 'acknowledgement of a webhook, p99 in ms', value: median(rounds.map((round) => round.p99Ms)) },
    { what: 'acknowledgement of one webhook of 1,000 events, in ms', value: whole.p50Ms },
    exactly('acknowledged, but not stored', missing, 0),
    ...processor,
  ];
}

/** SQL: whether an event is in the third that is taken as it came in; all of one customer, who is served in order. */
const mixed = `CASE kind WHEN 'status' THEN id ELSE hashtext(order_key) END % 3 = 0`;

/** What of the backlog the worker gets at a time: the mixture that came in, then each kind alone. */
const shares = [
  { name: 'backlog', which: mixed, least: steadyRate },
  { name: 'backlog of statuses alone', which: `NOT (${mixed}) AND kind = 'status'`, least: 4_000 },
  { name: "backlog of customers' messages alone", which: `NOT (${mixed}) AND kind = 'message'`, least: 800 },
] as const;

/** Returns how the worker takes a share of the backlog; what is still there when the time is over is dropped. */
async function backlogLines(
  context: Context,
  installation: Installation,
  worker: Child,
  share: (typeof shares)[number],
  limitSeconds: number,
): Promise<Line[]> {
  const used = meter([['worker', worker]]);
  await installation.sql(
    `UPDATE inbox_events SET available_at = clock_timestamp() WHERE state = 'new' AND ${share.which}`,
  );
  const waits = async (): Promise<boolean> =>
    (await installation.sql(`SELECT 1 FROM inbox_events WHERE state = 'new' AND ${share.which} LIMIT 1`)).length > 0;
  const deadline = Date.now() + limitSeconds * 1000;
  while ((await waits()) && Date.now() < deadline) await sleep(100);
  const [done] = await installation.sql<{ count: number; seconds: number }>(
    `SELECT count(*)::int AS count, extract(epoch FROM max(processed_at) - min(processed_at))::float8 AS seconds
     FROM processed_events WHERE ${share.which}`,
  );
  const processor = used(done?.count ?? 0, share.name);
  const dropped = await installation.sql<{ id: number }>(
    `DELETE FROM inbox_events WHERE state = 'new' AND ${share.which} RETURNING id`,
  );
  // Their removal was kept as if it were their processing.
  await installation.sql('DELETE FROM processed_events WHERE id = ANY($1)', [dropped.map(({ id }) => id)]);
  context.log(
    `${share.name}: ${done?.count ?? 0} events processed in ${(done?.seconds ?? 0).toFixed(1)} s; ` +
      `${dropped.length} left over`,
  );
  return [
    atLeast(`${share.name}: events processed per second`, (done?.count ?? 0) / (done?.seconds ?? 1), share.least),
    ...processor,
  ];
}

/** How long events waited, in milliseconds: of all, of a stretch of five seconds, or of one kind. */
interface Lag {
  readonly p50: number;
  readonly p99: number;
  readonly latest: number;
  readonly second: number | null;
  readonly kind: string | null;
}

/**
 * Returns a steady stream, and how long after its storing each event was processed; what never was counts as late as it
 * is now.
 */
async function steadyLines(
  context: Context,
  installation: Installation,
  processes: readonly (readonly [string, Child])[],
  feed: () => Promise<Posted>,
  events: number,
): Promise<Line[]> {
  await until('the last of the backlog', 60_000, async () => !(await someWait(installation)));
  await installation.sql('VACUUM ANALYZE');
  const [last] = await installation.sql<{ id: number }>('SELECT coalesce(max(id), 0)::int AS id FROM processed_events');
  const used = meter(processes);
  const posted = await feed();
  await until('the stream', 60_000, async () => !(await someWait(installation))).catch(() =>
    context.log('the worker did not come to the end of the stream'),
  );
  const processor = used(events, 'steady');
  const slices = await installation.sql<Lag>(
    `SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY ms) AS p50,
      percentile_disc(0.99) WITHIN GROUP (ORDER BY ms) AS p99, max(ms) AS latest, second, kind FROM (
       SELECT extract(epoch FROM coalesce(processed_at, clock_timestamp()) - received_at)::float8 * 1000 AS ms,
         5 * floor(extract(epoch FROM received_at - min(received_at) OVER ()) / 5)::int AS second, kind
       FROM (SELECT id, kind, received_at, processed_at FROM processed_events
         UNION ALL SELECT id, kind, received_at, NULL FROM inbox_events) e
       WHERE id > $1) lags
     GROUP BY GROUPING SETS ((), (second), (kind)) ORDER BY second`,
    [last?.id ?? 0],
  );
  const all = slices.find(({ second, kind }) => second === null && kind === null);
  const ofMessages = slices.find(({ kind }) => kind === 'message');
  for (const slice of slices.filter(({ second }) => second !== null))
    context.log(
      `steady, from second ${slice.second ?? 0}: lag p50 ${slice.p50.toFixed(0)}, p99 ${slice.p99.toFixed(0)}, ` +
        `latest ${slice.latest.toFixed(0)} ms`,
    );
  return [
    atLeast(`steady stream: events/s fed and acknowledged`, posted.events / posted.seconds, steadyRate * 0.98),
    { what: 'steady: acknowledgement of a webhook, p99 in ms', value: posted.p99Ms },
    { what: 'steady: lag from stored to processed, p50 in ms', value: all?.p50 ?? Number.NaN },
    { what: 'steady: lag, p99 in ms', value: all?.p99 ?? Number.NaN },
    { what: "steady: lag of customers' messages, p50 in ms", value: ofMessages?.p50 ?? Number.NaN },
    { what: "steady: lag of customers' messages, p99 in ms", value: ofMessages?.p99 ?? Number.NaN },
    atMost('steady: lag of the latest, in ms', all?.latest ?? Number.NaN, 2_000),
    ...processor,
  ];
}

/** Notes what these processes and PostgreSQL have used; the answer says what each used since, per event. */
function meter(processes: readonly (readonly [string, Child])[]): (events: number, phase: string) => Line[] {
  const parts = [
    ...processes.map(([name, child]) => [name, () => processorMs(child.pid)] as const),
    ['PostgreSQL', () => familyMs(postgresPid)] as const,
  ];
  const before = parts.map(([, read]) => read());
  return (events, phase) =>
    parts.map(([name, read], index) => ({
      what: `${phase}: processor ms per event, ${name}`,
      value: (read() - (before[index] ?? 0)) / events,
    }));
}

async function stored(installation: Installation): Promise<number> {
  return (await installation.sql<{ count: number }>('SELECT count(*)::int AS count FROM inbox_events'))[0]?.count ?? 0;
}

/** Returns whether an event waits: asked often, so it costs next to nothing. */
export async function someWait(installation: Installation): Promise<boolean> {
  return (await installation.sql(`SELECT 1 FROM inbox_events WHERE state = 'new' LIMIT 1`)).length > 0;
}
