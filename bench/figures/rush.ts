import { entriesOf, signBody } from '../../dev/sandbox/wire/payload';
import type { JsonObject } from '../../dev/sandbox/types';
import { snoozeIntent } from '../../workflows/starts';
import type { Context, Installation } from '../support/context';
import { atMost, exactly, type Figure, type Line } from '../support/figure';
import { keepProcessedSql } from '../support/processedEvents';
import { percentile, sleep, until } from '../support/stats';
import { createTenant, seedCustomers, type Tenant } from '../support/tenants';

/** What contract 16 allows a neighbour to add. */
const maxAddedMs = 1_000;
const everyMs = 250;

/**
 * What the message of a quiet workspace waits beside one customer's rush and beside the merge of a long history, and
 * its intent beside a backlog of another workspace's.
 */
export const figure: Figure = {
  name: 'rush',
  async run(context: Context) {
    const sizes = context.quick
      ? { rush: 4_900, history: 20_000, intents: 2_000 }
      : { rush: 4_900, history: 200_000, intents: 100_000 };
    const installation = await context.install({ sandbox: true });
    const api = await installation.startApi();
    const { url = '' } = api;
    const busy = await createTenant(installation, 0, url, 80);
    const quiet = await createTenant(installation, 1, url, 80);
    await installation.sql(keepProcessedSql);
    await installation.startWorker();
    const write = writer(url);

    const alone = await lagsWhile(installation, quiet, write, () => sleep(5_000));
    const lines = [...lagLines('alone', alone, null)];

    const rushed = await lagsWhile(installation, quiet, write, async () => {
      await write(busy, { phone: `${busy.prefix}1` }, sizes.rush);
      await until('the rush', 600_000, async () => !(await someWait(installation, busy)));
    });
    lines.push(...lagLines(`beside one customer's ${sizes.rush} messages`, rushed, percentile(alone, 0.99)));
    const [turned] = await installation.sql<{ count: number }>(
      `SELECT count(*)::int AS count FROM (
         SELECT substring(wamid FROM '[0-9]+$')::int AS n, lag(substring(wamid FROM '[0-9]+$')::int)
           OVER (ORDER BY created_at, id) AS before FROM messages WHERE workspace_id = $1 AND direction = 'inbound') m
       WHERE n < before`,
      [busy.ctx.workspaceId],
    );
    lines.push(exactly('of these listed before an earlier one', turned?.count ?? -1, 0));

    const [kept, gone] = await seedCustomers(installation, busy, 2);
    await installation.sql(`UPDATE contacts SET bsuid = 'DE.1', phone = NULL WHERE id = $1`, [gone?.id]);
    await installation.sql(historySql, [gone?.id, sizes.history]);
    await installation.sql('VACUUM ANALYZE messages');
    const began = Date.now();
    let mergedMs = Number.NaN;
    const merged = await lagsWhile(installation, quiet, write, async () => {
      await write(busy, { phone: kept?.phone ?? '', user: 'DE.1' }, 1);
      await until('the merge', 60_000, async () => !(await someWait(installation, busy)));
      mergedMs = Date.now() - began;
      await until('the history', 1_800_000, async () => !(await someRows(installation, 'left_histories')), 500);
    });
    lines.push(
      { what: `merge of ${sizes.history} messages: the customer's message is stored after, in ms`, value: mergedMs },
      { what: 'all of it is moved after, in s', value: (Date.now() - began) / 1_000 },
      ...lagLines('beside the merge', merged, percentile(alone, 0.99)),
    );
    lines.push(...(await intentLines(context, installation, busy, quiet, sizes.intents)));
    return lines;
  },
};

const historySql = `INSERT INTO messages (workspace_id, conversation_id, direction, type, body, message_status, wamid,
    "read", is_import_placeholder, created_at)
  SELECT v.workspace_id, v.id, 'inbound', 'text', '{"type": "text", "text": {"body": "Where is my order?"}}',
    'received', 'wamid.years.ago.' || n, true, true, now() - n * interval '1 hour'
  FROM conversations v, generate_series(1, $2::int) n WHERE v.id = $1`;

type Write = (tenant: Tenant, from: { phone: string; user?: string }, count: number) => Promise<void>;

/** Lets customers write: so many messages that come in one webhook. */
function writer(apiUrl: string): Write {
  let written = 0;
  return async ({ accountId, numberId, appSecret }, { phone, user }, count) => {
    const messages = Array.from({ length: count }, (): JsonObject => {
      written += 1;
      return {
        from: phone,
        ...(user === undefined ? {} : { from_user_id: user }),
        id: `wamid.rush.${written}`,
        timestamp: String(Math.floor(Date.now() / 1_000)),
        type: 'text',
        text: { body: 'Are you there?' },
      };
    });
    const value: JsonObject = {
      messaging_product: 'whatsapp',
      metadata: { display_phone_number: '15550100100', phone_number_id: numberId },
      contacts: [{ profile: { name: 'Customer' }, wa_id: phone, ...(user === undefined ? {} : { user_id: user }) }],
      messages,
    };
    const body = JSON.stringify({
      object: 'whatsapp_business_account',
      entry: entriesOf(accountId, [{ field: 'messages', value }]),
    });
    const answer = await fetch(`${apiUrl}/webhooks/msgapp/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-hub-signature-256': signBody(body, appSecret) },
      body,
    });
    if (!answer.ok) throw new Error(`the webhook was answered with ${answer.status}`);
  };
}

/** Returns how long each message of a quiet workspace waited, one every quarter of a second while something goes on. */
async function lagsWhile(
  installation: Installation,
  quiet: Tenant,
  write: Write,
  work: () => Promise<void>,
): Promise<number[]> {
  const { workspaceId } = quiet.ctx;
  const [last] = await installation.sql<{ id: number }>('SELECT coalesce(max(id), 0)::int AS id FROM processed_events');
  let isOver = false;
  const going = work().finally(() => (isOver = true));
  going.catch(() => undefined);
  for (let customer = 1; !isOver; customer = (customer % 50) + 1) {
    await write(quiet, { phone: `${quiet.prefix}${100 + customer}` }, 1);
    await sleep(everyMs);
  }
  await going;
  await until('the last message', 60_000, async () => !(await someWait(installation, quiet)));
  const rows = await installation.sql<{ ms: number }>(
    `SELECT extract(epoch FROM processed_at - received_at)::float8 * 1000 AS ms FROM processed_events
     WHERE workspace_id = $1 AND id > $2 AND kind = 'message'`,
    [workspaceId, last?.id ?? 0],
  );
  return rows.map(({ ms }) => ms);
}

function lagLines(when: string, lags: readonly number[], aloneMs: number | null): Line[] {
  const [p50, latest] = [percentile(lags, 0.5), percentile(lags, 1)];
  return [
    { what: `another workspace's message ${when}, p50 in ms`, value: p50 },
    aloneMs === null
      ? { what: `… ${when}, the latest in ms`, value: latest }
      : atMost(`… ${when}, the latest in ms`, latest, Math.round(aloneMs + maxAddedMs)),
  ];
}

/** Returns how fast a backlog of one workspace's intents goes, and how long those of another one wait beside it. */
async function intentLines(
  context: Context,
  installation: Installation,
  busy: Tenant,
  quiet: Tenant,
  count: number,
): Promise<Line[]> {
  const first = 900_000_000;
  const plant = ({ ctx: { workspaceId } }: Tenant, from: number, many: number): Promise<unknown> =>
    installation.sql(
      `INSERT INTO outbox (workspace_id, workflow, workflow_id, signal, version, input, available_at)
       SELECT $1, i->'start'->>'workflow', i->'start'->>'id', i->>'signal', (i->>'version')::int, i, now()
       FROM jsonb_array_elements($2::jsonb) AS i`,
      [
        workspaceId,
        JSON.stringify(Array.from({ length: many }, (_, n) => snoozeIntent(workspaceId, first + from + n, null, 1))),
      ],
    );
  const began = Date.now();
  for (let from = 0; from < count; from += 5_000) await plant(busy, from, Math.min(5_000, count - from));
  const waits: number[] = [];
  const limitMs = context.quick ? 60_000 : 1_800_000;
  for (let n = 0; Date.now() - began < limitMs && (await someRows(installation, 'outbox', busy)); n += 1) {
    const plantedMs = Date.now();
    await plant(quiet, n, 1);
    await until(
      "a quiet workspace's intent",
      300_000,
      async () => !(await someRows(installation, 'outbox', quiet)),
      50,
    );
    waits.push(Date.now() - plantedMs);
    await sleep(everyMs);
  }
  const seconds = (Date.now() - began) / 1_000;
  const [left] = await installation.sql<{ count: number }>(
    'SELECT count(*)::int AS count FROM outbox WHERE workspace_id = $1',
    [busy.ctx.workspaceId],
  );
  return [
    {
      what: `of a backlog of ${count} intents, handed over per second`,
      value: (count - (left?.count ?? 0)) / seconds,
    },
    { what: "another workspace's intent beside it, p50 in ms", value: percentile(waits, 0.5) },
    { what: '… beside it, the latest in ms', value: percentile(waits, 1) },
  ];
}

/** Returns whether a workspace's event waits: asked often, so it costs next to nothing. */
async function someWait(installation: Installation, { ctx }: Tenant): Promise<boolean> {
  const rows = await installation.sql(`SELECT 1 FROM inbox_events WHERE workspace_id = $1 AND state = 'new' LIMIT 1`, [
    ctx.workspaceId,
  ]);
  return rows.length > 0;
}

async function someRows(installation: Installation, table: 'left_histories' | 'outbox', of?: Tenant): Promise<boolean> {
  const rows = await installation.sql(
    `SELECT 1 FROM ${table} WHERE workspace_id = coalesce($1, workspace_id) LIMIT 1`,
    [of?.ctx.workspaceId ?? null],
  );
  return rows.length > 0;
}
