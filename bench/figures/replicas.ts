import type { Context, Installation } from '../support/context';
import type { Figure, Line } from '../support/figure';
import { prepareNamespace } from '../../api/core/temporal/namespace';
import { parseActions } from '../../api/services/resources/macros/actions';
import { createMacro } from '../../api/services/resources/macros/service';
import { Fault } from '../../api/core/http/fields';
import { control } from '../support/context';
import { familyMs, processorMs, type Child } from '../support/processes';
import { inParallel, until } from '../support/stats';
import { startTemporalOnPostgres } from '../support/temporalOnPostgres';
import { callAs, createTenant, mustCall, seedCustomers, type Customer, type Tenant } from '../support/tenants';

const callers = 12;

/** A form of the service: so many processes of each kind. */
interface Form {
  readonly api: number;
  readonly workers: number;
}
const forms: readonly Form[] = [
  { api: 1, workers: 1 },
  { api: 2, workers: 1 },
  { api: 4, workers: 1 },
  { api: 1, workers: 2 },
];

/** What a form came to: operations a second, and processor milliseconds of each by tier. */
interface Took {
  readonly perSecond: number;
  readonly ms: Readonly<Record<string, number>>;
}
type Work = 'list' | 'reply' | 'macro';

/**
 * The same small load on several processes of a kind, and on a Temporal that stores in PostgreSQL beside the dev
 * server. All share this machine, so more processes are no faster here: what counts is that an operation costs no more.
 */
export const figure: Figure = {
  name: 'replicas',
  async run(context: Context) {
    const counts = context.quick ? { list: 300, reply: 100, macro: 60 } : { list: 3_000, reply: 600, macro: 400 };
    const installation = await context.install({ sandbox: true });
    const lines: Line[] = [];
    let first: Record<Work, Took> | null = null;
    for (const form of forms) {
      const took = await measure(context, installation, form, counts, Number(process.env['BENCH_TEMPORAL_PID']));
      first ??= took;
      lines.push(...linesOf(`${form.api} api, ${form.workers} worker`, took, first));
    }
    const other = await startTemporalOnPostgres(installation, context.log);
    if (other !== null && first !== null) {
      const beside = await context.install({
        sandbox: true,
        env: { TEMPORAL_ADDRESS: other.address, TEMPORAL_NAMESPACE: 'bench' },
      });
      await prepareNamespace(beside.runtime.config, context.log);
      const took = await measure(context, beside, { api: 1, workers: 1 }, counts, other.pid);
      lines.push(...linesOf('1 api, 1 worker, Temporal on PostgreSQL', took, first));
      await other.stop();
    }
    return lines;
  },
};

function linesOf(name: string, took: Record<Work, Took>, first: Record<Work, Took>): Line[] {
  return (['list', 'reply', 'macro'] as const).flatMap((work): Line[] => {
    const sum = (of: Took): number => Object.values(of.ms).reduce((total, ms) => total + ms, 0);
    const parts = Object.entries(took[work].ms).map(([tier, ms]) => `${tier} ${ms.toFixed(1)}`);
    return [
      { what: `${name}: ${work}, a second`, value: took[work].perSecond, baseline: first[work].perSecond },
      {
        what: `${name}: ${work}, processor ms of each (${parts.join(', ')})`,
        value: sum(took[work]),
        baseline: sum(first[work]),
      },
    ];
  });
}

let tenants = 0;

/** Starts a form, does the work on it, and stops it. */
async function measure(
  context: Context,
  installation: Installation,
  form: Form,
  counts: Readonly<Record<Work, number>>,
  temporalPid: number,
): Promise<Record<Work, Took>> {
  const api: Child[] = [];
  for (let index = 0; index < form.api; index += 1) api.push(await installation.startApi());
  const tenant = await createTenant(installation, (tenants += 1), api[0]?.url ?? '', 1_000);
  await control(installation, 'settings', { throughput: false, pair_rate: false, statuses: [] });
  const warmUp = 20;
  const customers = await seedCustomers(installation, tenant, counts.reply + counts.macro + 2 * warmUp);
  const actions = parseActions([{ type: 'set_priority', params: { priority: 'high' } }]);
  if (actions instanceof Fault) throw new Error(actions.messages.join(' '));
  const macro = await createMacro(tenant.ctx, { name: 'Bench', actions });
  await installation.sql('ANALYZE');
  const workers: Child[] = [];
  for (let index = 0; index < form.workers; index += 1) workers.push(await installation.startWorker());
  const urlOf = (index: number): string => api[index % api.length]?.url ?? '';

  const used = (): Record<string, number> => ({
    api: api.reduce((sum, { pid }) => sum + processorMs(pid), 0),
    worker: workers.reduce((sum, { pid }) => sum + processorMs(pid), 0),
    Temporal: processorMs(temporalPid),
    PostgreSQL: familyMs(Number(process.env['BENCH_POSTGRES_PID'])),
  });
  async function timed(count: number, work: () => Promise<void>): Promise<Took> {
    const before = used();
    const begun = performance.now();
    await work();
    const seconds = (performance.now() - begun) / 1_000;
    const ms = Object.entries(used()).map(([tier, after]) => [tier, (after - (before[tier] ?? 0)) / count] as const);
    return { perSecond: count / seconds, ms: Object.fromEntries(ms) };
  }
  const list = (count: number): Promise<void> =>
    inParallel(
      Array.from({ length: count }, (_unused, index) => index),
      callers,
      async (_item, index) => void (await mustCall(urlOf(index), tenant, 'GET', 'contacts/?limit=50')),
    );
  async function reply(to: readonly Customer[]): Promise<void> {
    const before = await sentBy(installation, tenant);
    await inParallel(to, callers, async ({ phone }, index) => {
      const body = { to: `+${phone}`, body: 'It is on its way.', phone_number_id: tenant.numberId };
      await mustCall(urlOf(index), tenant, 'POST', 'messages/', () => body);
    });
    await until('the replies', 120_000, async () => (await sentBy(installation, tenant)) >= before + to.length);
  }
  const run = (on: readonly Customer[]): Promise<void> =>
    inParallel(on, callers, async ({ id }, index) => {
      const { status } = await callAs(urlOf(index), tenant, 'POST', `macros/${macro.id}/run/`, { chat_id: id });
      if (status !== 200) throw new Error(`a macro run was answered by ${status}`);
    });

  await list(warmUp);
  await reply(customers.splice(0, warmUp));
  await run(customers.splice(0, warmUp));
  context.log(`${form.api} api, ${form.workers} worker`);
  const took = {
    list: await timed(counts.list, () => list(counts.list)),
    reply: await timed(counts.reply, () => reply(customers.splice(0, counts.reply))),
    macro: await timed(counts.macro, () => run(customers.splice(0, counts.macro))),
  };
  for (const child of [...workers, ...api]) await child.stop();
  const doubled = await control<{ count: number }>(installation, 'sent/duplicates');
  if (doubled.count > 0) throw new Error(`${doubled.count} messages were sent twice`);
  return took;
}

async function sentBy(installation: Installation, { numberId }: Tenant): Promise<number> {
  return (await control<{ count: number }>(installation, `sent/count?phone_number_id=${numberId}`)).count;
}
