import { loadavg } from 'node:os';
import { workflowPlaces } from '../../workflows/queues';
import { control, type Context, type Installation } from './context';
import { exactly, type Line } from './figure';
import { prepareNoise, type Loudness } from './noise';
import { kinds, prepareQuiet, type Heard, type Kind } from './quiet';
import { freePort, machineMs } from './processes';
import { stageTable } from './stages';
import { percentile } from './stats';
import { strainText, watchStrain } from './strain';
import { createTenant } from './tenants';

/**
 * Measures what the people of a quiet workspace wait for, alone and beside noisy ones: running broadcasts whose
 * statuses come back, wakes in one second, and a token that has expired and is renewed. `mayAddMs` is what the noise
 * may add at p99; null, or a machine that is busier than that, prints the figures without an aim.
 */
export async function measureTenants(
  context: Context,
  loud: Loudness,
  mayAddMs: Readonly<Record<Kind, number>> | null,
): Promise<readonly Line[]> {
  const rounds = context.quick ? 40 : 200;
  // Slow enough that the quiet workspace leaves two processors room for ten noisy ones.
  const everyMs = context.quick ? 300 : 700;
  const windowMs = rounds * everyMs;
  const installation = await context.install({ sandbox: true });
  const api = await installation.startApi();
  const tenant = await createTenant(installation, 0, api.url, 80);
  const warmUp = 10;
  const quiet = await prepareQuiet(installation, tenant, api.url, 2 * rounds + warmUp);
  const noise = await prepareNoise(context, installation, api.url, loud);
  // The sandbox limits nothing: the service keeps the numbers' rates itself.
  await control(installation, 'settings', {
    throughput: false,
    pair_rate: false,
    keep_bodies: false,
    status_delay_ms: 200,
  });
  const monitorPort = await freePort();
  const worker = await installation.startWorker({ WORKER_PORT: String(monitorPort) });
  const monitored = { API: api, worker: { pid: worker.pid, url: `http://127.0.0.1:${monitorPort}` } };
  const watched = async (what: string): Promise<Heard> => {
    context.log(`${what}, load ${loadavg()[0]?.toFixed(1)}`);
    const strain = watchStrain(installation, monitored);
    const heard = await quiet.live(rounds, everyMs);
    context.log(strainText(await strain.stop()));
    return heard;
  };
  await quiet.live(warmUp, everyMs);

  const [alone, busyAlone] = await whileBusy(() => watched('the quiet workspace alone'));
  await noise.begin(windowMs * 0.3, windowMs * 0.6, busyAlone);
  const [beside, busyBeside] = await whileBusy(() => watched('the quiet workspace beside the noisy ones'));
  const paced = await noise.paced();
  context.log(`how long each stage took, in ms\n${stageTable(alone.marks, beside.marks)}`);
  context.log('waiting for the end of the noise');
  const wrong = [...faultsOf('alone', alone), ...faultsOf('beside', beside), ...(await noise.audit())];
  context.log(`workflows that it took: ${await workflowsOf(installation)}`);
  await worker.stop();
  if (wrong.length > 0) throw new Error(`lost or doubled:\n${wrong.slice(0, 50).join('\n')}`);

  // The aim is judged only where a third of the processors was idle: beside other work it says nothing of the service.
  const judged = loud.busyShare !== null && busyBeside <= 2 / 3 ? mayAddMs : null;
  const lines: Line[] = kinds.flatMap((kind) =>
    [0.5, 0.99].map((share): Line => {
      const [baseline, value] = [percentile(alone.tookMs[kind], share), percentile(beside.tookMs[kind], share)];
      const limit = baseline + (judged?.[kind] ?? 0);
      const limited = share > 0.5 && judged ? { target: `≤ alone + ${judged[kind]}`, met: value <= limit } : {};
      return {
        what: `${kind} beside ${loud.workspaces} noisy workspaces, p${share * 100} in ms`,
        value,
        baseline,
        ...limited,
      };
    }),
  );
  return [
    ...lines,
    { what: 'share of all processors that was busy', value: busyBeside, baseline: busyAlone },
    { what: 'the same in the busiest three seconds', value: paced.highestShare },
    { what: 'messages a second that each noisy number was left with', value: paced.perSecond },
    { what: 'snoozes that were over in one second', value: paced.wakes },
    { what: 'messages that the renewed token let go', value: paced.queued },
    { what: 'other requests that were answered by 503 and asked again', value: beside.busy, baseline: alone.busy },
    exactly('macro runs that were not answered by 200', alone.refusedMacros + beside.refusedMacros, 0),
    exactly('lost or doubled, of the quiet and the noisy ones', wrong.length, 0),
  ];
}

/** Does some work, and returns with what came of it the share of all processors that was busy meanwhile. */
async function whileBusy<T>(work: () => Promise<T>): Promise<readonly [T, number]> {
  const before = machineMs();
  const done = await work();
  const after = machineMs();
  return [done, 1 - (after.idle - before.idle) / (after.all - before.all)];
}

/** Returns how many workflows of each kind the deployment has started, as text. */
async function workflowsOf({ runtime }: Installation): Promise<string> {
  const { workflow } = runtime.temporal.client();
  const kinds = Object.keys(workflowPlaces);
  const counts = await Promise.all(
    kinds.map((kind) =>
      workflow.count(`TaskQueue STARTS_WITH '${runtime.config.temporal.prefix}-' AND WorkflowType = '${kind}'`),
    ),
  );
  return kinds
    .map((kind, index) => `${kind} ${counts[index]?.count ?? 0}`)
    .filter((text) => !text.endsWith(' 0'))
    .join(', ');
}

function faultsOf(when: string, { lost, doubled }: Heard): string[] {
  return [...lost.map((what) => `${when}, lost: ${what}`), ...doubled.map((what) => `${when}, twice: ${what}`)];
}
