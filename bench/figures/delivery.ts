import { atLeast, atMost, exactly, type Figure } from '../support/figure';
import { allowThroughput, connectSandbox, control, type Context, type Installation } from '../support/context';
import { demoPhoneNumberId } from '../../dev/sandbox/demo';
import { processorMs, type Child } from '../support/processes';
import { inParallel, percentile, sleep, until } from '../support/stats';

interface Sent {
  readonly to: string;
  readonly accepted_at: number;
}

/** From POST message to the upstream's call, and how many conversations can be answered per second. */
export const figure: Figure = {
  name: 'delivery',
  async run(context: Context) {
    const idle = context.quick ? 40 : 200;
    const burst = context.quick ? 150 : 1_000;
    const installation = await context.install({ sandbox: true });
    const api = await installation.startApi();
    await connectSandbox(installation, api.url);
    // A fast number, so that the service's own pace is measured.
    await allowThroughput(installation, 1_000);
    const worker = await installation.startWorker();
    const phones = Array.from(
      { length: idle + burst + 5 },
      (_unused, index) => `4917${String(index).padStart(9, '0')}`,
    );

    const wroteAt = Date.now();
    await inParallel(phones, 8, (phone) =>
      control(installation, 'inbound', { phone_number_id: demoPhoneNumberId, from: { phone }, text: 'Hello' }).then(
        () => undefined,
      ),
    );
    await until(
      'taking in what the customers wrote',
      120_000,
      async () => (await stored(installation)) >= phones.length,
    );
    context.log(`${phones.length} customers wrote; stored after ${((Date.now() - wroteAt) / 1000).toFixed(1)} s`);

    for (const phone of phones.splice(0, 5)) await answer(api, installation, phone);
    await sleep(1_000);
    const startedAt = new Map<string, number>();
    for (const phone of phones.splice(0, idle)) {
      startedAt.set(phone, Date.now());
      await answer(api, installation, phone);
      await sleep(100);
    }
    await until('the idle sends', 30_000, async () => (await sentTo(installation, startedAt)).length >= idle);
    const latencies = (await sentTo(installation, startedAt)).map(
      (sent) => sent.accepted_at - (startedAt.get(sent.to) ?? 0),
    );

    startedAt.clear();
    const parts: readonly (readonly [string, number])[] = [
      ['API', api.pid],
      ['worker', worker.pid],
      ['Temporal', Number(process.env['BENCH_TEMPORAL_PID'])],
    ];
    const usedBefore = parts.map(([, pid]) => processorMs(pid));
    const begun = Date.now();
    await inParallel(phones, 20, async (phone) => {
      startedAt.set(phone, Date.now());
      await answer(api, installation, phone);
    });
    const postedMs = Date.now() - begun;
    await until('the burst', 180_000, async () => (await sentTo(installation, startedAt)).length >= burst, 250);
    const sent = await sentTo(installation, startedAt);
    const lastAt = Math.max(...sent.map((one) => one.accepted_at));
    context.log(
      `${burst} messages accepted in ${(postedMs / 1000).toFixed(1)} s, the last was sent after ` +
        `${((lastAt - begun) / 1000).toFixed(1)} s`,
    );
    const used = parts.map(([name, pid], index) => ({
      what: `processor ms per answered conversation: ${name}`,
      value: (processorMs(pid) - (usedBefore[index] ?? 0)) / burst,
    }));
    const doubled = await control<{ count: number }>(installation, 'sent/duplicates');
    const workflows = await workflowCount(installation);
    await worker.stop();
    return [
      { what: 'POST message to upstream call, idle, p50 in ms', value: percentile(latencies, 0.5) },
      atMost('POST message to upstream call, idle, p95 in ms', percentile(latencies, 0.95), 20),
      atLeast('conversations answered per second', (burst / (lastAt - begun)) * 1000, 100),
      ...used,
      exactly('workflows', workflows, 0),
      exactly('lost', burst - new Set(sent.map((one) => one.to)).size, 0),
      exactly('sent twice', doubled.count, 0),
    ];
  },
};

async function stored(installation: Installation): Promise<number> {
  return (
    (await installation.sql<{ count: number }>('SELECT count(*)::int AS count FROM conversation_windows'))[0]?.count ??
    0
  );
}

/** Deliveries that Temporal heard of: nothing here has to wait. */
async function workflowCount(installation: Installation): Promise<number> {
  const { config, temporal } = installation.runtime;
  await temporal.probe();
  const query = `WorkflowId STARTS_WITH '${config.temporal.prefix}/message-delivery/'`;
  return (await temporal.client().workflow.count(query)).count;
}

async function answer(api: Child, installation: Installation, phone: string): Promise<void> {
  const response = await fetch(`${api.url}/api/v1/messages/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${installation.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to: `+${phone}`, body: 'Hi, how can we help?', phone_number_id: demoPhoneNumberId }),
  });
  if (response.status !== 201) throw new Error(`POST message answered ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}

async function sentTo(installation: Installation, wanted: ReadonlyMap<string, unknown>): Promise<Sent[]> {
  const sent = await control<Sent[]>(installation, 'sent?limit=1000000');
  return sent.filter((one) => wanted.has(one.to));
}
