import { peopleSql } from '../../dev/makers/people';
import { Agent, request } from 'undici';
import { demoPhoneNumberId } from '../../dev/sandbox/demo';
import { allowThroughput, call, connectSandbox, control, type Context, type Installation } from '../support/context';
import { atLeast, atMost, exactly, ratioLine, type Figure, type Line } from '../support/figure';
import { memoryOf, familyMs, processorMs, type Child } from '../support/processes';
import { inParallel, percentile, sleep, until } from '../support/stats';

const template = '564750795574598';

interface BroadcastRecord {
  readonly status: string;
  readonly started_at: string;
  readonly completed_at: string;
  readonly stats: {
    readonly audience: number;
    readonly pending: number;
    readonly sent: number;
    readonly read: number;
    readonly failed: number;
    readonly unknown: number;
  };
}

interface Ran {
  readonly perSecond: number;
  readonly resolveMs: number;
  readonly firstMs: number;
  readonly record: BroadcastRecord;
}

/**
 * Broadcasts against an upstream that is unlimited, limited to 1,000/s with statuses coming back, and limited to 80/s.
 */
export const figure: Figure = {
  name: 'broadcast',
  async run(context: Context) {
    const many = context.quick ? 3_000 : 100_000;
    const limited = context.quick ? 3_000 : 100_000;
    const slow = context.quick ? 400 : 2_400;
    const farAway = context.quick ? 3_000 : 20_000;
    const installation = await context.install({ sandbox: true });
    const api = await installation.startApi();
    const accessToken = await connectSandbox(installation, api.url, {
      throughput: true,
      keep_bodies: false,
      statuses: [],
    });
    await seed(installation, Math.max(many, limited));
    const worker = await installation.startWorker();
    const lines: Line[] = [];

    context.log('unlimited upstream');
    await allowThroughput(installation, 100_000);
    const bare = await bareClient(installation, accessToken, Math.min(many, 20_000));
    const idle = await agentLatency(api, installation, context.quick ? 20 : 60);
    const postgresPid = Number(process.env['BENCH_POSTGRES_PID']);
    const usedBefore = processorMs(worker.pid);
    const databaseBefore = familyMs(postgresPid);
    let busy: number[] = [];
    const free = await broadcast(api, installation, many, async () => {
      busy = await agentLatency(api, installation, context.quick ? 15 : 60);
    });
    lines.push(
      ratioLine(`${many} recipients, unlimited upstream, messages/s against a bare client`, free.perSecond, bare, {
        atLeast: 0,
      }),
      { what: `worker: processor ms per message`, value: (processorMs(worker.pid) - usedBefore) / many },
      { what: 'PostgreSQL: processor ms per message', value: (familyMs(postgresPid) - databaseBefore) / many },
      { what: 'worker: memory at its highest in MB', value: memoryOf(worker.pid).peakMb },
      atMost(`freezing ${many} recipients in ms`, free.resolveMs, 1_000),
      atMost('from frozen to the first message in ms', free.firstMs, 1_000),
      ratioLine(
        "agent's message to upstream call beside the unlimited one, p50 in ms, against idle",
        percentile(busy, 0.5),
        percentile(idle, 0.5),
        { below: 2 },
      ),
      { what: 'Temporal events per 1,000 recipients', value: (await eventCount(installation)) / (many / 1_000) },
    );

    context.log('upstream limited to 1,000/s, statuses coming back');
    await control(installation, 'settings', {
      statuses: ['sent', 'delivered', 'read'],
      batch: 100,
      status_delay_ms: 200,
    });
    await allowThroughput(installation, 1_000);
    const fast = await broadcast(api, installation, limited);
    await until(
      'the statuses of everybody',
      300_000,
      async () => (await lastRecord(api, installation)).stats.read >= fast.record.stats.sent,
      2_000,
    );
    lines.push(atLeast('limited to 1,000/s with statuses: share of the limit', fast.perSecond / 1_000, 0.9));

    context.log('upstream limited to 80/s');
    await allowThroughput(installation, 80);
    let beside: number[] = [];
    const small = await broadcast(api, installation, slow, async () => {
      if (!context.quick) beside = await agentLatency(api, installation, 40);
    });
    if (beside.length > 0)
      lines.push(
        ratioLine(
          "agent's message to upstream call beside 80/s, p50 in ms, against idle",
          percentile(beside, 0.5),
          percentile(idle, 0.5),
          { below: 2 },
        ),
      );
    lines.push(atLeast('limited to 80/s: share of the limit', small.perSecond / 80, 0.97));

    context.log('a platform that takes half a second per call, limited to 1,000/s');
    await control(installation, 'settings', { statuses: [], latency_ms: 500 });
    await allowThroughput(installation, 1_000);
    const usedFar = processorMs(worker.pid);
    const far = await broadcast(api, installation, farAway);
    lines.push(atLeast('half a second per call, limited to 1,000/s: share of the limit', far.perSecond / 1_000, 0.9), {
      what: 'half a second per call: worker processor ms per message',
      value: (processorMs(worker.pid) - usedFar) / farAway,
    });
    context.log('a platform that takes a second per call, limited to 80/s');
    await control(installation, 'settings', { latency_ms: 1_000 });
    await allowThroughput(installation, 80);
    const farther = await broadcast(api, installation, slow);
    lines.push(atLeast('a second per call, limited to 80/s: share of the limit', farther.perSecond / 80, 0.9));

    const doubled = await control<{ count: number }>(installation, 'sent/duplicates');
    lines.push(
      exactly('sent twice', doubled.count, 0),
      exactly(
        'not sent',
        [free, fast, small, far, farther].reduce(
          (sum, { record }) => sum + record.stats.audience - record.stats.sent,
          0,
        ),
        0,
      ),
    );
    const [repeated] = await installation.sql<{ count: number }>(
      `SELECT count(*)::int AS count FROM messages WHERE origin = 'broadcast' AND attempts > 1`,
    );
    lines.push(exactly('messages that the upstream refused for their rate', repeated?.count ?? -1, 0));
    await worker.stop();
    return lines;
  },
};

async function seed(installation: Installation, count: number): Promise<void> {
  await installation.sql(
    `WITH ${peopleSql({
      workspaceId: installation.ctx.workspaceId,
      count,
      firstPhone: 4_919_000_000_000,
      tags: `CASE WHEN n < 2400 THEN '["slow"]' WHEN n < 22400 THEN '["far"]' ELSE '[]' END`,
    })} SELECT`,
  );
  await installation.sql('ANALYZE contacts');
  await installation.sql('ANALYZE conversations');
}

/** Sends per second of a client that does nothing else, with as many connections. */
async function bareClient(installation: Installation, accessToken: string, count: number): Promise<number> {
  const agent = new Agent({ connections: 56, pipelining: 1 });
  const begun = Date.now();
  await inParallel(
    Array.from({ length: count }, (_unused, index) => index),
    56,
    async (index) => {
      const answer = await request(`${installation.sandbox?.url ?? ''}/v23.0/${demoPhoneNumberId}/messages`, {
        method: 'POST',
        dispatcher: agent,
        headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          messaging_product: 'whatsapp',
          to: `+${4918000000000 + index}`,
          type: 'template',
          template: {
            name: 'ticket_update',
            language: { code: 'en_US' },
            components: [
              {
                type: 'body',
                parameters: [
                  { type: 'text', text: 'A' },
                  { type: 'text', text: 'B' },
                ],
              },
            ],
          },
        }),
      });
      if (answer.statusCode !== 200)
        throw new Error(`the sandbox answered ${answer.statusCode}: ${await answer.body.text()}`);
      await answer.body.dump();
    },
  );
  await agent.destroy();
  return (count / (Date.now() - begun)) * 1000;
}

let lastId = 0;

function lastRecord(api: Child, installation: Installation): Promise<BroadcastRecord> {
  return call<BroadcastRecord>(api, installation, 'GET', `broadcasts/${lastId}/`);
}

/** Sends one broadcast and times it, from the first to the last call that the upstream took. */
async function broadcast(
  api: Child,
  installation: Installation,
  count: number,
  meanwhile?: () => Promise<void>,
): Promise<Ran> {
  const audience =
    count === 2_400 || count === 20_000
      ? { tags_any: [count === 2_400 ? 'slow' : 'far'] }
      : count === 400
        ? { receiver_ids: Array.from({ length: 400 }, (_unused, index) => String(4919000000000 + index)) }
        : { all: true };
  const { id } = await call<{ id: number }>(api, installation, 'POST', 'broadcasts/', {
    name: 'Bench',
    template_id: template,
    phone_number_id: demoPhoneNumberId,
    audience,
    template_variables: {
      body: { '1': { source: 'field', field: 'name' }, '2': { source: 'static', value: 'today' } },
    },
  });
  lastId = id;
  await sleep(500);
  await call(api, installation, 'POST', `broadcasts/${id}/confirm/`);
  await meanwhile?.();
  // Not more often: each GET counts all recipients anew.
  await until(
    'the broadcast',
    3_600_000,
    async () => (await lastRecord(api, installation)).status !== 'running',
    2_000,
  );
  const [times] = await installation.sql<{ resolve_ms: number; first_ms: number; seconds: number; count: number }>(
    `SELECT extract(epoch FROM b.resolved_at - b.started_at)::float8 * 1000 AS resolve_ms,
      extract(epoch FROM min(m.created_at) - b.resolved_at)::float8 * 1000 AS first_ms,
       extract(epoch FROM max(m.sent_at) - min(m.created_at))::float8 AS seconds, count(*)::int AS count
     FROM broadcasts b JOIN messages m ON m.broadcast_id = b.id WHERE b.id = $1 GROUP BY b.id`,
    [id],
  );
  return {
    perSecond: (times?.count ?? 0) / (times?.seconds ?? 1),
    resolveMs: times?.resolve_ms ?? Number.NaN,
    firstMs: times?.first_ms ?? Number.NaN,
    record: await lastRecord(api, installation),
  };
}

/** From an agent's POST to the upstream's call, one at a time, to customers who wrote. */
async function agentLatency(api: Child, installation: Installation, count: number): Promise<number[]> {
  const first = 4917000000000 + Math.floor(Math.random() * 1_000_000) * 1_000;
  const phones = Array.from({ length: count }, (_unused, index) => String(first + index));
  await inParallel(phones, 4, (phone) =>
    control(installation, 'inbound', { phone_number_id: demoPhoneNumberId, from: { phone }, text: 'Hello' }).then(
      () => undefined,
    ),
  );
  await until(
    'what the customers wrote',
    60_000,
    async () =>
      (
        await installation.sql(
          `SELECT 1 FROM conversation_windows w JOIN conversations v ON v.id = w.conversation_id
            JOIN contacts c ON c.id = v.contact_id WHERE c.receiver_id = ANY($1)`,
          [phones],
        )
      ).length >= count,
  );
  const latencies: number[] = [];
  for (const phone of phones) {
    // Searches the latest sends only: reading all of them would slow down the upstream that is measured.
    const { last_seq: after } = await control<{ last_seq: number }>(installation, 'sent/count');
    const begun = Date.now();
    await call(api, installation, 'POST', 'messages/', {
      to: `+${phone}`,
      body: 'Hi',
      phone_number_id: demoPhoneNumberId,
    });
    let at: number | undefined;
    await until(
      'an answer',
      30_000,
      async () =>
        (at = (await control<{ accepted_at: number }[]>(installation, `sent?to=${phone}&after=${after}`))[0]
          ?.accepted_at) !== undefined,
      20,
    );
    latencies.push((at ?? 0) - begun);
    await sleep(50);
  }
  return latencies;
}

/** Events of the last broadcast's workflow over all its runs. */
async function eventCount(installation: Installation): Promise<number> {
  const { config, temporal } = installation.runtime;
  await temporal.probe();
  const id = `${config.temporal.prefix}/broadcast/${installation.ctx.workspaceId}/${lastId}`;
  let events = 0;
  for await (const info of temporal.client().workflow.list({ query: `WorkflowId = '${id}'` }))
    events += Number(info.historyLength);
  return events;
}
