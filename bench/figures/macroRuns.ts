import pg from 'pg';
import { parseActions } from '../../api/services/resources/macros/actions';
import { createMacro } from '../../api/services/resources/macros/service';
import { openRun } from '../../api/services/resources/macros/runs';
import { applyMacroRun } from '../../api/services/processes/macroRuns/apply';
import { Fault } from '../../api/core/http/fields';
import { atLeast, atMost, type Figure } from '../support/figure';
import { familyMs, processorMs } from '../support/processes';
import { seedContacts } from '../support/seed';
import { recordStatements, type Statement } from '../support/statements';
import { inParallel, percentile, sleep } from '../support/stats';

const written = [
  { type: 'set_priority', params: { priority: 'high' } },
  { type: 'add_tags', params: { tags: ['macro'] } },
  { type: 'update_contact', params: { company: 'ACME' } },
];

/**
 * A macro of three steps, each run on a conversation of its own: through API, Temporal and worker, and as its bare SQL
 * in one transaction.
 */
export const figure: Figure = {
  name: 'macroRuns',
  async run(context) {
    const idle = context.quick ? 30 : 150;
    const burst = context.quick ? 100 : 1_000;
    const installation = await context.install();
    const { ctx, runtime } = installation;
    await seedContacts(installation, idle * 2 + burst + 50);
    const chats = (await installation.sql<{ id: number }>('SELECT id FROM conversations ORDER BY id')).map(
      ({ id }) => id,
    );
    const actions = parseActions(written);
    if (actions instanceof Fault) throw new Error(actions.messages.join(' '));
    const macro = await createMacro(ctx, { name: 'Bench', actions });

    const asked = await openRun(ctx, macro.id, actions, { conversationId: chats.pop() ?? 0, ticketId: null });
    const statements = await recordStatements(installation, (_runtime, recording) =>
      applyMacroRun(recording, asked.id),
    );
    const client = new pg.Client({ connectionString: installation.env['DATABASE_URL'] });
    await client.connect();
    const bare: number[] = [];
    try {
      for (const chat of chats.splice(0, idle)) {
        const run = await openRun(ctx, macro.id, actions, { conversationId: chat, ticketId: null });
        const contact = (
          await installation.sql<{ contact_id: number }>('SELECT contact_id FROM conversations WHERE id = $1', [chat])
        )[0]?.contact_id;
        const started = performance.now();
        await client.query('BEGIN');
        for (const statement of statements) await replay(client, statement, { runId: run.id, value: chat, contact });
        await client.query('COMMIT');
        bare.push(performance.now() - started);
      }
    } finally {
      await client.end();
    }

    const api = await installation.startApi();
    const worker = await installation.startWorker();
    const runOn = async (chat: number): Promise<number> => {
      const started = performance.now();
      const answer = await fetch(`${api.url}/api/v1/macros/${macro.id}/run/`, {
        method: 'POST',
        headers: { authorization: `Bearer ${installation.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ chat_id: chat }),
      });
      if (answer.status !== 200) throw new Error(`the run answered ${answer.status}: ${await answer.text()}`);
      await answer.arrayBuffer();
      return performance.now() - started;
    };
    for (const chat of chats.splice(0, 20)) await runOn(chat);
    const latencies: number[] = [];
    for (const chat of chats.splice(0, idle)) {
      latencies.push(await runOn(chat));
      await sleep(30);
    }
    const parts: readonly (readonly [string, () => number])[] = [
      ['API', () => processorMs(api.pid)],
      ['worker', () => processorMs(worker.pid)],
      ['Temporal', () => processorMs(Number(process.env['BENCH_TEMPORAL_PID']))],
      // With its connections, which are processes of their own.
      ['PostgreSQL', () => familyMs(Number(process.env['BENCH_POSTGRES_PID']))],
    ];
    const before = parts.map(([, read]) => read());
    const started = performance.now();
    await inParallel(chats.splice(0, burst), 20, async (chat) => void (await runOn(chat)));
    const perSecond = burst / ((performance.now() - started) / 1000);
    const used = parts.map(([name, read], index) => ({
      what: `processor ms per run: ${name}`,
      value: (read() - (before[index] ?? 0)) / burst,
    }));
    await worker.stop();
    const applied = await runtime.db.row<{ count: number }>(
      `SELECT count(*)::int AS count FROM macro_runs WHERE state = 'applied'`,
    );
    context.log(`${applied?.count ?? 0} runs applied; ${statements.length} statements each`);
    const p50 = percentile(latencies, 0.5);
    return [
      { ...atMost('macro run of three steps, idle, p50 in ms', p50, 45), baseline: percentile(bare, 0.5) },
      { what: 'macro run, idle, p95 in ms', value: percentile(latencies, 0.95), baseline: percentile(bare, 0.95) },
      { what: 'of the p50: HTTP, Temporal and worker, in ms', value: p50 - percentile(bare, 0.5) },
      atLeast('macro runs per second, 20 callers', perSecond, 80),
      ...used,
    ];
  },
};

/** One recorded statement with this run's ids in the places of the recorded one's. */
async function replay(
  client: pg.Client,
  { sql, bind }: Statement,
  ids: { readonly runId: number; readonly value: number; readonly contact: number | undefined },
): Promise<void> {
  const names: string[] = [];
  const text = sql.replace(/\$([A-Za-z]\w*)/g, (_match, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  const own: Record<string, unknown> = {
    runId: ids.runId,
    value: ids.value,
    ...('id' in bind ? { id: /UPDATE contacts/.test(sql) ? ids.contact : ids.value } : {}),
  };
  await client.query(
    text,
    names.map((name) => (name in own ? own[name] : bind[name])),
  );
}
