import { credentialsOf, listAccounts } from '../../api/services/resources/accounts/service';
import { Fault } from '../../api/core/http/fields';
import { parseActions } from '../../api/services/resources/macros/actions';
import { createMacro } from '../../api/services/resources/macros/service';
import { maxInHour } from '../../models/ruleParts';
import { connectSandbox, type Context, type Installation } from '../support/context';
import { atLeast, atMost, exactly, type Figure, type Line } from '../support/figure';
import { keepProcessedSql } from '../support/processedEvents';
import { seedContacts } from '../support/seed';
import { median, sleep, until } from '../support/stats';
import { makeTraffic, messagesFor, seedTraffic } from '../support/webhooks';
import { order, someWait, startSender } from './inbound';

const rulesOfWorkspace = 20;

/**
 * Waits of rules that end in one second: how long until the last one was judged and applied. And what twenty rules that
 * look at each message, and start by none, cost the worker that takes messages in.
 */
export const figure: Figure = {
  name: 'rules',
  async run(context: Context) {
    return [...(await together(context)), ...(await intake(context))];
  },
};

async function together(context: Context): Promise<Line[]> {
  const count = context.quick ? 300 : 10_000;
  const installation = await context.install();
  await seedContacts(installation, count);
  // Each acts on fewer conversations in an hour than would make it pause.
  const rules = await makeRules(installation, Math.ceil(count / (maxInHour - 1)), { all: [], any: [] });
  await installation.startWorker();
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
  const waits = async (): Promise<boolean> =>
    (await installation.sql(`SELECT 1 FROM rule_runs WHERE state = 'waiting' LIMIT 1`)).length > 0;
  await until('the waits', 180_000, async () => !(await waits()), 500).catch(() => undefined);
  const [seen] = await installation.sql<{ late: number; early: number; applied: number }>(
    `SELECT extract(epoch FROM max(ended_at) - min(moment))::float8 AS late,
       count(*) FILTER (WHERE ended_at < moment)::int AS early,
       count(*) FILTER (WHERE state = 'applied')::int AS applied FROM rule_runs`,
  );
  return [
    atMost(`${count} waits that end in one second: all applied after, in s`, seen?.late ?? Number.NaN, 60),
    exactly('applied early', seen?.early ?? -1, 0),
    exactly('not applied', count - (seen?.applied ?? 0), 0),
  ];
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
