import { demoPhoneNumberId } from '../../dev/sandbox/demo';
import { Fault } from '../../api/core/http/fields';
import { parseActions } from '../../api/services/resources/macros/actions';
import { createMacro } from '../../api/services/resources/macros/service';
import { createPipeline } from '../../api/services/resources/pipelines/service';
import { updateStage } from '../../api/services/resources/pipelines/stages';
import { createPolicy } from '../../api/services/resources/sla/service';
import { createTicket } from '../../api/services/resources/tickets/service';
import { allowThroughput, call, connectSandbox, control, type Context, type Installation } from '../support/context';
import { atMost, type Figure, type Line } from '../support/figure';
import { seedContacts } from '../support/seed';
import { inParallel, until } from '../support/stats';
import { readWrites, type Written } from '../support/writes';

const template = '564750795574598';
/** People who do something at one time: what a database joins in one commit depends on it. */
const width = 4;
/** How often it is asked whether work has ended: asking is a commit, too. */
const everyMs = 1_000;
/** Tables that take less than this share of a kind's log are one line. */
const smallShare = 0.03;

/** What each kind of work writes: rows, commits, statements, and bytes of the log by table. */
export const figure: Figure = {
  name: 'writes',
  async run(context: Context) {
    const count = context.quick ? 40 : 300;
    const installation = await context.install({ sandbox: true, env: { WEBHOOK_ALLOW_PRIVATE: '1' } });
    const { ctx } = installation;
    const api = await installation.startApi();
    await connectSandbox(installation, api.url);
    await allowThroughput(installation, 1_000);
    const receiver = await installation.startOwn('receiver.js');
    await installation.startWorker();
    const handles = await seedContacts(installation, count);
    const chats = await installation.sql<{ id: number }>('SELECT id::int FROM conversations ORDER BY id');
    await createPolicy(ctx, { name: 'Usual', first_response_minutes: 60, resolution_minutes: 1_440 });
    const each = (work: (handle: string, index: number) => Promise<unknown>): Promise<void> =>
      inParallel(handles, width, async (handle, index) => void (await work(handle, index)));
    let written = 0;
    async function everybodyWrites(): Promise<void> {
      await each((handle) => writeAs(installation, handle));
      written += count;
      await until(
        'what the customers wrote',
        120_000,
        async () => (await messages(installation, 'inbound')) >= written,
        everyMs,
      );
    }
    // The first message makes a conversation of it: a usual one is looked at.
    await everybodyWrites();
    const reader = await readWrites(installation);
    const lines: Line[] = [];
    async function measure(kind: string, aims: Aims, work: () => Promise<void>): Promise<void> {
      context.log(kind);
      lines.push(...linesOf(kind, await reader.writtenBy(work), count, aims));
    }

    await measure("customer's message", { bytes: 9_000 }, everybodyWrites);
    await measure('snooze, set and woken', {}, async () => {
      const at = new Date(Date.now() + 20_000).toISOString();
      await each((handle) =>
        call(api, installation, 'PATCH', `conversations/${handle}/`, { conv_status: 'snoozed', snoozed_until: at }),
      );
      await until('waking', 120_000, async () => (await snoozed(installation)) === 0, everyMs);
    });
    const actions = parseActions([
      { type: 'set_priority', params: { priority: 'high' } },
      { type: 'add_tags', params: { tags: ['macro'] } },
    ]);
    if (actions instanceof Fault) throw new Error(actions.messages.join(' '));
    const macro = await createMacro(ctx, { name: 'Bench', actions });
    await measure('macro run of two steps', {}, () =>
      each((_handle, index) =>
        call(api, installation, 'POST', `macros/${macro.id}/run/`, { chat_id: chats[index]?.id }),
      ),
    );
    const tickets = await makeTickets(installation, chats);
    await measure('stage notification, a ticket each', {}, async () => {
      await each((_handle, index) =>
        call(api, installation, 'PATCH', `tickets/${tickets.ids[index]}/`, { stage: tickets.stage }),
      );
      await until('telling', 120_000, async () => (await messages(installation, 'read', 'stage')) >= count, everyMs);
    });
    const broadcast = await call<{ id: number }>(api, installation, 'POST', 'broadcasts/', {
      name: 'Bench',
      template_id: template,
      phone_number_id: demoPhoneNumberId,
      audience: { all: true },
      template_variables: {
        body: { '1': { source: 'field', field: 'name' }, '2': { source: 'static', value: 'today' } },
      },
    });
    await measure('recipient of a broadcast', { bytes: 12_000 }, async () => {
      await call(api, installation, 'POST', `broadcasts/${broadcast.id}/confirm/`);
      await until(
        'the broadcast',
        120_000,
        async () => (await messages(installation, 'read', 'broadcast')) >= count,
        everyMs,
      );
    });
    await call(api, installation, 'POST', 'webhooks/', { url: `${receiver.url}/`, events: ['*'] });
    await everybodyWrites();
    await measure('reply with statuses, service level, subscriber', { bytes: 24_000, commits: 14 }, async () => {
      await each((handle) =>
        call(api, installation, 'POST', 'messages/', { to: `+${handle}`, body: 'It is on its way.' }),
      );
      await until('the replies', 120_000, async () => (await messages(installation, 'read')) >= count, everyMs);
    });
    return lines;
  },
};

interface Aims {
  readonly bytes?: number;
  readonly commits?: number;
}

/** The lines of a kind of work, for one of it. */
function linesOf(kind: string, written: Written, count: number, aims: Aims): readonly Line[] {
  const tables = [...written.tables].sort(([, left], [, right]) => right.logBytes - left.logBytes);
  const sum = (of: 'inserted' | 'updated' | 'hot' | 'deleted'): number =>
    tables.reduce((total, [, table]) => total + table[of], 0) / count;
  const aimed = (what: string, value: number, aim: number | undefined): Line =>
    aim === undefined ? { what, value } : atMost(what, value, aim);
  return [
    aimed(`${kind}: bytes of log`, written.logBytes / count, aims.bytes),
    aimed(`${kind}: commits`, written.commits / count, aims.commits),
    { what: `${kind}: statements`, value: written.statements / count },
    { what: `${kind}: rows inserted`, value: sum('inserted') },
    { what: `${kind}: rows updated`, value: sum('updated') },
    { what: `${kind}: of those, without an index`, value: sum('hot') },
    { what: `${kind}: rows deleted`, value: sum('deleted') },
    ...tables
      .filter(([, { logBytes }]) => logBytes > written.logBytes * smallShare)
      .map(([name, table]) => ({
        what: `${kind}: bytes of ${name}, ${[table.inserted, table.updated, table.hot, table.deleted]
          .map((rows) => (rows / count).toFixed(1))
          .join('/')} in/up/hot/del`,
        value: table.logBytes / count,
      })),
  ];
}

function writeAs(installation: Installation, phone: string): Promise<unknown> {
  const from = { phone };
  return control(installation, 'inbound', { phone_number_id: demoPhoneNumberId, from, text: 'Where is my order?' });
}

/** Returns how many messages are so far, of an origin or of all. */
async function messages(installation: Installation, reached: 'inbound' | 'read', origin = 'api'): Promise<number> {
  const [row] = await installation.sql<{ count: number }>(
    reached === 'inbound'
      ? `SELECT count(*)::int AS count FROM messages WHERE direction = 'inbound'`
      : `SELECT count(*)::int AS count FROM messages WHERE read_at IS NOT NULL AND origin = $1`,
    reached === 'inbound' ? [] : [origin],
  );
  return row?.count ?? 0;
}

async function snoozed(installation: Installation): Promise<number> {
  const [row] = await installation.sql<{ count: number }>(
    `SELECT count(*)::int AS count FROM conversations WHERE conv_status = 'snoozed'`,
  );
  return row?.count ?? 0;
}

/** Makes a ticket for each customer, and gives the stage that tells them. */
async function makeTickets(
  { ctx }: Installation,
  chats: readonly { readonly id: number }[],
): Promise<{ readonly ids: readonly number[]; readonly stage: number }> {
  const pipeline = await createPipeline(ctx, { name: 'Bench', stages: [{ name: 'New' }, { name: 'Done' }] });
  const [first, second] = pipeline.stages.map(({ id }) => id) as [number, number];
  await updateStage(ctx, pipeline.id, second, {
    notify_template_id: template,
    notify_template_variables: {
      body: { '1': { source: 'ticket', field: 'id' }, '2': { source: 'ticket', field: 'stage' } },
    },
  });
  const ids: number[] = [];
  for (const { id } of chats)
    ids.push(
      (await createTicket(ctx, { title: 'Parcel', pipeline: pipeline.id, stage: first, affected_contact_ids: [id] }))
        .id,
    );
  return { ids, stage: second };
}
