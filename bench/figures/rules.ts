import { credentialsOf, listAccounts } from '../../api/services/resources/accounts/service';
import { Fault } from '../../api/core/http/fields';
import { parseActions } from '../../api/services/resources/macros/actions';
import { createMacro } from '../../api/services/resources/macros/service';
import { updateRule } from '../../api/services/processes/ruleSettings/service';
import { maxInHour } from '../../models/ruleParts';
import { connectSandbox, type Context, type Installation } from '../support/context';
import { atLeast, atMost, exactly, type Figure, type Line } from '../support/figure';
import { keepProcessedSql } from '../support/processedEvents';
import { seedContacts } from '../support/seed';
import { familyMs, processorMs } from '../support/processes';
import { historyOf } from '../support/stages';
import { median, sleep, until } from '../support/stats';
import { makeTraffic, messagesFor, seedTraffic } from '../support/webhooks';
import { order, someWait, startSender } from './inbound';

const rulesOfWorkspace = 20;
/** How many wait together; of one rule, which pauses itself after five hundred, a fifth of these shows the same. */
const waitsOf = { spread: 10_000, crowd: 2_000 } as const;
/** So many timers are looked at for what one costs. */
const sampledTimers = 200;

/**
 * Waits that end in one second: how long until the last one was judged, of many rules that act on all of them, and of
 * one that pauses itself. What a rule touches that is switched on over many old conversations. And what twenty rules
 * that look at each message, and start by none, cost the worker that takes messages in.
 */
export const figure: Figure = {
  name: 'rules',
  async run(context: Context) {
    const waits = [...(await together(context, 'spread')), ...(await together(context, 'crowd'))];
    // So many of them, and nothing else.
    if (process.env['BENCH_WAITS']) return waits;
    return [...waits, ...(await overOld(context)), ...(await intake(context))];
  },
};

async function together(context: Context, of: 'spread' | 'crowd'): Promise<Line[]> {
  const count = Number(process.env['BENCH_WAITS'] ?? (context.quick ? 300 : waitsOf[of]));
  const installation = await context.install();
  await seedContacts(installation, count);
  // Each acts on fewer conversations in an hour than would make it pause; one for all pauses itself.
  const many = of === 'spread' ? Math.ceil(count / (maxInHour - 1)) : 1;
  const rules = await makeRules(installation, many, { all: [], any: [] });
  const worker = await installation.startWorker();
  const leadSeconds = 15 + Math.ceil(count / 80);
  const [first] = await installation.sql<{ at: string }>(
    `SELECT date_trunc('second', now() + make_interval(secs => $1))::text AS at`,
    [leadSeconds],
  );
  await installation.sql(
    `INSERT INTO rule_runs (workspace_id, rule_id, rule_version, conversation_id, event, event_id, moment, look_at)
     SELECT workspace_id, ($1::bigint[])[1 + id % $2], 1, id, 'message.received', id, $3::timestamptz, $3::timestamptz
     FROM conversations`,
    [rules, rules.length, first?.at],
  );
  const armed = async (): Promise<boolean> => (await installation.sql('SELECT 1 FROM outbox LIMIT 1')).length === 0;
  await until('arming the timers', leadSeconds * 1_000, armed).catch(() =>
    context.log('the first were due before the last were armed'),
  );
  await sleep(Math.max(0, new Date(first?.at ?? 0).getTime() - Date.now()));
  const began = performance.now();
  const parts: readonly (readonly [string, () => number])[] = [
    ['worker', () => processorMs(worker.pid)],
    ['Temporal', () => processorMs(Number(process.env['BENCH_TEMPORAL_PID']))],
    ['PostgreSQL', () => familyMs(Number(process.env['BENCH_POSTGRES_PID']))],
  ];
  const before = parts.map(([, read]) => read());
  const used = (until: string): Line[] =>
    parts.map(([name, read], nth) => ({
      what: `${name}: processor ms per wait, until ${until}`,
      value: (read() - (before[nth] ?? 0)) / count,
    }));
  const waits = async (): Promise<boolean> =>
    (await installation.sql(`SELECT 1 FROM rule_runs WHERE look_at IS NOT NULL LIMIT 1`)).length > 0;
  await until('the waits', 180_000, async () => !(await waits()), 100).catch(() => undefined);
  const secondsSince = (): number => (performance.now() - began) / 1_000;
  const judgedAfter = secondsSince();
  const judging = used('all are judged');
  await until('their workflows', 300_000, armed, 250).catch(() => undefined);
  const shownAfter = secondsSince();
  const showing = used('all are shown');
  const [seen] = await installation.sql<{ left: number; early: number; applied: number }>(
    `SELECT count(*) FILTER (WHERE look_at IS NOT NULL)::int AS left,
       count(*) FILTER (WHERE ended_at < moment)::int AS early,
       count(*) FILTER (WHERE state = 'applied')::int AS applied FROM rule_runs`,
  );
  const what = `${count} waits of ${of === 'spread' ? `${many} rules` : 'one rule'} that end in one second`;
  return [
    atMost(`${what}: all judged after, in s`, judgedAfter, 60),
    { what: 'shown by their workflows after, in s', value: shownAfter },
    ...judging,
    ...showing,
    ...(await costOfTimer(installation)),
    exactly('not judged', seen?.left ?? -1, 0),
    exactly('applied early', seen?.early ?? -1, 0),
    exactly('applied', seen?.applied ?? 0, of === 'spread' ? count : Math.min(count, maxInHour)),
  ];
}

/** Reads from histories what the timer of a wait costs at Temporal, from its start to its end. */
async function costOfTimer(installation: Installation): Promise<Line[]> {
  const rows = await installation.sql<{ workspace: number; conversation: number }>(
    `SELECT workspace_id::int AS workspace, conversation_id::int AS conversation FROM rule_runs
     ORDER BY id % 97, id LIMIT $1`,
    [sampledTimers],
  );
  const histories: string[][] = [];
  for (const { workspace, conversation } of rows)
    histories.push((await historyOf(installation, `rule-timer/${workspace}/${conversation}`)).map(({ type }) => type));
  const perTimer = (isCounted: (type: string) => boolean): number =>
    histories.flat().filter(isCounted).length / histories.length;
  return [
    { what: 'events of a timer', value: perTimer(() => true) },
    { what: 'workflow tasks of a timer', value: perTimer((type) => type === 'workflowTaskStarted') },
    {
      what: 'workflow tasks of a timer that nobody took in time',
      value: perTimer((type) => type === 'workflowTaskTimedOut'),
    },
  ];
}

async function overOld(context: Context): Promise<Line[]> {
  const count = context.quick ? 2_000 : 100_000;
  const installation = await context.install();
  await seedContacts(installation, count);
  await installation.startWorker();
  const touched = async (): Promise<string> =>
    JSON.stringify(
      await installation.sql(
        `SELECT (SELECT max(updated_at) FROM conversations) AS at, (SELECT count(*) FROM rule_runs) AS runs,
           (SELECT count(*) FROM events WHERE subject_type = 'conversation') AS events`,
      ),
    );
  const before = await touched();
  const [rule = 0] = await makeRules(installation, 1, { all: [], any: [] });
  await installation.sql(`UPDATE rules SET state = 'off', active_since = NULL`);
  await updateRule(installation.ctx, rule, { state: 'on' });
  await sleep(5_000);
  const isSame = before === (await touched());
  return [exactly(`touched by a rule switched on over ${count} old conversations`, isSame ? 0 : 1, 0)];
}

async function intake(context: Context): Promise<Line[]> {
  const [rounds, perRound] = context.quick ? [4, 1_000] : [8, 8_000];
  const customers = context.quick ? 2_000 : 20_000;
  const installation = await context.install({ sandbox: true });
  const api = await installation.startApi();
  await connectSandbox(installation, api.url);
  await seedTraffic(installation, customers, messagesFor((rounds + 1) * perRound));
  const [account] = await listAccounts(installation.ctx);
  const traffic = makeTraffic((await credentialsOf(installation.runtime, account?.id ?? 0)).appSecret, customers);
  const plan = Array.from({ length: rounds + 1 }, () => traffic.webhooks(perRound));
  const sender = await startSender(installation, plan.flat());
  // What each customer would have to write; nobody does.
  const rules = await makeRules(installation, rulesOfWorkspace, {
    all: [{ field: 'text', op: 'words', value: 'refund' }],
    any: [],
  });
  await installation.sql(keepProcessedSql);
  await installation.startWorker();
  let from = 0;
  const rate = async (round: number): Promise<number> => {
    const to = from + (plan[round]?.length ?? 0);
    await installation.sql('TRUNCATE processed_events');
    await order(sender, { from, to, target: api.url, connections: 10, eventsPerSecond: null });
    from = to;
    await until('a round of events', 120_000, async () => !(await someWait(installation)));
    const [done] = await installation.sql<{ rate: number }>(
      `SELECT count(*) / extract(epoch FROM max(processed_at) - min(received_at))::float8 AS rate
       FROM processed_events`,
    );
    return done?.rate ?? Number.NaN;
  };
  await rate(0);
  const rates = { with: [] as number[], without: [] as number[] };
  for (let round = 1; round <= rounds; round += 1) {
    const which = [1, 2].includes(round % 4) ? 'without' : 'with';
    await installation.sql(
      which === 'with'
        ? `UPDATE rules SET state = 'on', active_since = now()`
        : `UPDATE rules SET state = 'off', active_since = NULL`,
    );
    rates[which].push(await rate(round));
  }
  const listOf = (seen: readonly number[]): string => seen.map((one) => one.toFixed(0)).join(', ');
  context.log(`events per second with ${rules.length} rules: ${listOf(rates.with)}; without: ${listOf(rates.without)}`);
  return [
    atLeast(
      `events taken in and processed per second with ${rulesOfWorkspace} rules, share of without`,
      median(rates.with) / median(rates.without),
      0.9,
    ),
  ];
}

/** Stores rules that are on and set a priority; gives their ids. */
async function makeRules(installation: Installation, count: number, conditions: object): Promise<number[]> {
  const actions = parseActions([{ type: 'set_priority', params: { priority: 'high' } }]);
  if (actions instanceof Fault) throw new Error(actions.messages.join(' '));
  const macro = await createMacro(installation.ctx, { name: `Rules ${count}`, actions });
  const rows = await installation.sql<{ id: number }>(
    `INSERT INTO rules (workspace_id, name, state, starts, conditions, macro_id, runs_as_id, active_since)
     SELECT $1, 'Rule ' || n, 'on', '[{"event": "message.received"}]', $2, $3,
       (SELECT min(id) FROM members WHERE workspace_id = $1), now() - interval '1 hour'
     FROM generate_series(1, $4::int) AS n RETURNING id::int`,
    [installation.ctx.workspaceId, JSON.stringify(conditions), macro.id, count],
  );
  return rows.map(({ id }) => id);
}
