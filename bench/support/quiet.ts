import { writtenSql } from '../../dev/makers/people';
import { randomBytes } from 'node:crypto';
import { parseActions } from '../../api/services/resources/macros/actions';
import { createMacro } from '../../api/services/resources/macros/service';
import { createPipeline } from '../../api/services/resources/pipelines/service';
import { updateStage } from '../../api/services/resources/pipelines/stages';
import { createTicket } from '../../api/services/resources/tickets/service';
import { Fault } from '../../api/core/http/fields';
import { entriesOf, escapedJson, signBody } from '../../dev/sandbox/wire/payload';
import { control, type Installation } from './context';
import { keepProcessedSql } from './processedEvents';
import { readMarks, ways, type Marks } from './stages';
import { sleep, until } from './stats';
import { busyPauseMs, callAs, mustCall, seedCustomers, type Customer, type Tenant } from './tenants';

/** What people of a workspace wait for. */
export const kinds = ['reply', 'macro', 'wake', 'stage notification', "customer's message"] as const;
export type Kind = (typeof kinds)[number];

/** Milliseconds that each of them took, and what never came or came twice. */
export interface Heard {
  readonly tookMs: Readonly<Record<Kind, readonly number[]>>;
  /** When each of them passed which mark on its way. */
  readonly marks: Readonly<Record<Kind, readonly Marks[]>>;
  /** Answers of macro runs that were not 200. */
  readonly refusedMacros: number;
  /** Other requests that were answered by 503 and asked again. */
  readonly busy: number;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
}

/** A workspace whose people do a little of everything, at a steady pace. */
interface Quiet {
  /** Does `count` of each kind, one of each in `everyMs`, and waits until all have come to their end. */
  live(count: number, everyMs: number): Promise<Heard>;
}

/** How long a conversation sleeps here. */
const snoozeMs = 10_000;
/** What has not happened by then counts as lost. */
const lostAfterMs = 60_000;

/** Prepares customers, a macro and tickets for `rounds` of each kind. */
export async function prepareQuiet(
  installation: Installation,
  tenant: Tenant,
  apiUrl: string,
  rounds: number,
): Promise<Quiet> {
  const { ctx } = tenant;
  await installation.sql(keepProcessedSql);
  const customers = await seedCustomers(installation, tenant, kinds.length * rounds);
  const actions = parseActions([{ type: 'set_priority', params: { priority: 'high' } }]);
  if (actions instanceof Fault) throw new Error(actions.messages.join(' '));
  const macro = await createMacro(ctx, { name: 'Quiet', actions });
  const pipeline = await createPipeline(ctx, { name: 'Quiet', stages: [{ name: 'New' }, { name: 'Done' }] });
  const [first, second] = pipeline.stages.map((stage) => stage.id) as [number, number];
  await updateStage(ctx, pipeline.id, second, {
    notify_template_id: tenant.templateId,
    notify_template_variables: {
      body: { '1': { source: 'ticket', field: 'id' }, '2': { source: 'ticket', field: 'stage' } },
    },
  });
  const told = customers.splice(0, rounds);
  // Only who has exchanged a message is told of a stage.
  await installation.sql(writtenSql('conversations WHERE id = ANY($1::bigint[])'), [told.map(({ id }) => id)]);
  const tickets: number[] = [];
  for (const { id } of told)
    tickets.push(
      (await createTicket(ctx, { title: 'Parcel', pipeline: pipeline.id, stage: first, affected_contact_ids: [id] }))
        .id,
    );

  async function writeAs(customer: Customer, wamid: string, onBusy: () => void): Promise<void> {
    const update = {
      field: 'messages',
      value: {
        messaging_product: 'whatsapp',
        metadata: { display_phone_number: '15550100100', phone_number_id: tenant.numberId },
        contacts: [{ profile: { name: 'Customer' }, wa_id: customer.phone }],
        messages: [
          {
            from: customer.phone,
            id: wamid,
            timestamp: String(Math.floor(Date.now() / 1_000)),
            type: 'text',
            text: { body: 'Where is my order?' },
          },
        ],
      },
    };
    const body = escapedJson({
      object: 'whatsapp_business_account',
      entry: entriesOf(tenant.accountId, [update]),
    });
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signBody(body, tenant.appSecret) };
    // As the platform does, until it is taken.
    for (;;) {
      const answer = await fetch(`${apiUrl}/webhooks/msgapp/`, { method: 'POST', headers, body });
      await answer.arrayBuffer();
      if (answer.status === 200) return;
      if (answer.status !== 503) throw new Error(`the webhook was answered by ${answer.status}`);
      onBusy();
      await sleep(busyPauseMs);
    }
  }

  return {
    async live(count, everyMs) {
      const begun: Record<Kind, Map<string, number>> = {
        reply: new Map(),
        macro: new Map(),
        wake: new Map(),
        'stage notification': new Map(),
        "customer's message": new Map(),
      };
      const answered = new Map<string, number>();
      let refusedMacros = 0;
      /** How often each snooze was asked for: one that was answered by 503 may wake for itself. */
      const asked = new Map<string, number>();
      let busy = 0;
      let failure: unknown = null;
      const { last_seq: after } = await control<{ last_seq: number }>(installation, 'sent/count');
      const run = randomBytes(4).toString('hex');

      const onBusy = (): void => void (busy += 1);
      const ask = (method: 'POST' | 'PATCH', path: string, body: () => unknown): Promise<unknown> =>
        mustCall(apiUrl, tenant, method, path, body, onBusy);

      async function act(kind: Kind, customer: Customer, ticket: { id: number; phone: string }): Promise<void> {
        const now = Date.now();
        if (kind === 'reply') {
          begun.reply.set(customer.phone, now);
          await ask('POST', 'messages/', () => ({
            to: `+${customer.phone}`,
            body: 'It is on its way.',
            phone_number_id: tenant.numberId,
          }));
        } else if (kind === 'macro') {
          begun.macro.set(String(customer.id), now);
          const { status } = await callAs(apiUrl, tenant, 'POST', `macros/${macro.id}/run/`, { chat_id: customer.id });
          answered.set(String(customer.id), Date.now());
          if (status !== 200) refusedMacros += 1;
        } else if (kind === 'wake') {
          await ask('PATCH', `conversations/${customer.phone}/`, () => {
            const at = Date.now() + snoozeMs;
            asked.set(String(customer.id), (asked.get(String(customer.id)) ?? 0) + 1);
            begun.wake.set(String(customer.id), at);
            return { conv_status: 'snoozed', snoozed_until: new Date(at).toISOString() };
          });
        } else if (kind === 'stage notification') {
          begun['stage notification'].set(ticket.phone, now);
          await ask('PATCH', `tickets/${ticket.id}/`, () => ({ stage: second }));
        } else {
          const wamid = `wamid.QUIET${run}${customer.id}`;
          begun["customer's message"].set(wamid, now);
          await writeAs(customer, wamid, onBusy);
        }
      }

      const acts: Promise<void>[] = [];
      for (let round = 0; round < count; round += 1) {
        for (const kind of kinds) {
          const isTold = kind === 'stage notification';
          const customer = isTold ? told.shift() : customers.shift();
          if (!customer) throw new Error('the quiet workspace has no more customers');
          const ticket = isTold ? { id: tickets.shift() ?? 0, phone: customer.phone } : { id: 0, phone: '' };
          acts.push(act(kind, customer, ticket).catch((error: unknown) => void (failure ??= error)));
          await sleep(everyMs / kinds.length);
        }
      }
      await Promise.all(acts);
      if (failure !== null) throw failure;

      /** When each thing that was begun came to its end; a list, so that what came twice is seen. */
      const ends = async (): Promise<Record<Exclude<Kind, 'macro'>, readonly (readonly [string, number])[]>> => {
        const sent = await control<{ to: string; type: string; accepted_at: number }[]>(
          installation,
          `sent?phone_number_id=${tenant.numberId}&after=${after}&limit=100000`,
        );
        const woken = await installation.sql<{ id: string; at: number }>(
          `SELECT subject_id::text AS id, (extract(epoch FROM created_at) * 1000)::float8 AS at FROM events
           WHERE workspace_id = $1 AND kind = 'woken' AND subject_id = ANY($2::bigint[])`,
          [ctx.workspaceId, [...begun.wake.keys()]],
        );
        const written = await installation.sql<{ wamid: string; at: number }>(
          `SELECT substring(payload::text FROM 'wamid\\.QUIET[0-9a-f]+') AS wamid,
           (extract(epoch FROM processed_at) * 1000)::float8 AS at
           FROM processed_events WHERE workspace_id = $1 AND kind = 'message'`,
          [ctx.workspaceId],
        );
        return {
          reply: sent.filter(({ type }) => type === 'text').map(({ to, accepted_at: at }) => [to, at]),
          'stage notification': sent.filter(({ type }) => type !== 'text').map(({ to, accepted_at: at }) => [to, at]),
          wake: woken.map(({ id, at }) => [id, at]),
          "customer's message": written
            .filter(({ wamid }) => begun["customer's message"].has(wamid))
            .map(({ wamid, at }) => [wamid, at]),
        };
      };
      await until(
        'the end of what the quiet workspace did',
        lostAfterMs,
        async () => Object.values(await ends()).every((ended) => new Set(ended.map(([key]) => key)).size >= count),
        500,
      ).catch(() => undefined);

      const tookMs = emptyLists<number>();
      const marks = emptyLists<Marks>();
      const [lost, doubled]: [string[], string[]] = [[], []];
      for (const [name, ended] of Object.entries({ ...(await ends()), macro: [...answered] })) {
        const kind = name as Kind;
        const [first, last] = [ways[kind][0], ways[kind].at(-1) ?? ''];
        const known = new Map<string, Marks>();
        const seen = new Set(ended.map(([key]) => key));
        for (const [key, from] of begun[kind]) {
          const times = ended.filter(([other]) => other === key).map(([, at]) => at);
          if (!seen.has(key)) lost.push(`${kind} ${key}`);
          if (times.length > (asked.get(key) ?? 1)) doubled.push(`${kind} ${key}`);
          if (times[0] !== undefined) tookMs[kind].push(times[0] - from);
          known.set(key, { [first]: from, [last]: times[0] });
        }
        marks[kind].push(...(await readMarks(installation, tenant, kind, known)));
      }
      return { tookMs, marks, refusedMacros, busy, lost, doubled };
    },
  };
}

function emptyLists<T>(): Record<Kind, T[]> {
  return { reply: [], macro: [], wake: [], 'stage notification': [], "customer's message": [] };
}
