import { randomUUID } from 'node:crypto';
import { createBroadcast, insertContacts } from '../factories/broadcasts';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { createMacro, step } from '../factories/macros';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestServer } from './api';
import { eventually } from './eventually';

type Json = Record<string, unknown>;

/** A request that was refused, as its caller saw it. */
interface Refusal {
  readonly request: string;
  readonly status: number;
  readonly body: string;
  readonly retryAfter: string | null;
}

/**
 * A small steady load of one workspace: replies, messages of customers, macros, snoozes and a broadcast. As any careful
 * client does, it repeats a refused request under the same Idempotency-Key until it is accepted.
 */
export interface Load {
  readonly workspace: TestWorkspace;
  readonly refusals: readonly Refusal[];
  /** Does one more of each kind, until all is done, and the broadcast has begun. */
  goesOn(): Promise<void>;
  /** Begins nothing more, and waits until what was begun is accepted. */
  stop(): Promise<void>;
  /** Throws while something accepted has no outcome yet. */
  hasOutcomes(): Promise<void>;
  /** What went wrong for good: lost, told twice, out of order, woken early, refused without a clear word. */
  faults(): Promise<string[]>;
}

const recipients = 40;
/** Messages a second of the number: the broadcast lasts some seconds. */
const perSecond = 10;
const snoozeMs = 3_000;
/** A customer can be written to every six seconds, and forty times before: nobody shall have to wait for that here. */
const pauseAfter = (round: number): number => (round < 15 ? 300 : 3_000);
const macroText = 'Glad to help';
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface LoadOptions {
  /** Where requests and the platform's webhooks go. */
  readonly origin: string;
  /** Begins the phones of the broadcast's recipients. */
  readonly firstPhone: number;
}

/** Starts the load in a workspace of its own. */
export async function startLoad(server: TestServer, { origin, firstPhone }: LoadOptions): Promise<Load> {
  const workspace = await createWorkspace(server);
  const { runtime, sandbox } = server;
  await runtime.db.rows('UPDATE phone_numbers SET throughput_mps = $perSecond WHERE workspace_id = $id', {
    perSecond,
    id: workspace.id,
  });
  const customers = Array.from({ length: 10 }, () => createCustomer(workspace));
  for (const customer of customers) await customer.writes('Hello');
  sandbox.account({
    business_account_id: workspace.account.businessAccountId,
    webhook_url: `${origin}/webhooks/msgapp/`,
  });
  const [helped, snoozed, answered] = [customers.slice(0, 3), customers.slice(3, 6), customers.slice(6)];
  const macro = await createMacro(workspace, [
    step('send_message', { body: macroText }),
    step('set_priority', { priority: 'high' }),
  ]);
  await insertContacts(workspace, recipients, firstPhone);
  const phones = Array.from({ length: recipients }, (_unused, index) => String(firstPhone + index));
  const broadcast = await createBroadcast(workspace, { audience: { receiver_ids: phones } });

  const refusals: Refusal[] = [];
  const wrong: string[] = [];
  const replies: { readonly id: number; readonly text: string; readonly to: string }[] = [];
  const written = new Map<string, string[]>(answered.map(({ handle }) => [handle, []]));
  let macroRuns = 0;
  let running = true;

  /** Asks until it is accepted; null where it was refused for good. */
  async function ask(method: string, path: string, body?: Json, until = Infinity): Promise<Json | null> {
    const key = randomUUID();
    for (;;) {
      const answer = await fetch(`${origin}/api/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${workspace.token}`,
          'content-type': 'application/json',
          ...(method === 'POST' ? { 'idempotency-key': key } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      const text = await answer.text();
      if (answer.ok) return JSON.parse(text) as Json;
      // Rightly: meanwhile the time that it asks for has passed.
      if (answer.status === 400 && Date.now() >= until) return null;
      const retryAfter = answer.headers.get('retry-after');
      refusals.push({ request: `${method} ${path}`, status: answer.status, body: text, retryAfter });
      // 409: the first try is still under way. 502 is the balancer's word for a replica that is gone.
      if (![409, 429, 502, 503].includes(answer.status)) {
        wrong.push(`${method} ${path} was refused: ${answer.status} ${text}`);
        return null;
      }
      await pause(250);
    }
  }

  async function reply({ handle, phone }: TestCustomer, round: number): Promise<void> {
    const text = `${handle} reply ${round}`;
    const number = workspace.account.phoneNumberId;
    const made = await ask('POST', '/messages/', { to: phone, body: text, phone_number_id: number });
    if (made) replies.push({ id: Number(made['id']), text, to: handle });
    const said = `${handle} says ${round}`;
    sandbox.inbound({ phone_number_id: number, from: { phone }, text: said });
    written.get(handle)?.push(said);
  }

  async function help({ handle }: TestCustomer): Promise<void> {
    if (await ask('POST', `/macros/${macro}/run/`, { receiver_id: handle })) macroRuns += 1;
  }

  async function snooze({ handle }: TestCustomer): Promise<void> {
    const until = Date.now() + snoozeMs;
    const asked = { conv_status: 'snoozed', snoozed_until: new Date(until).toISOString() };
    if (!(await ask('PATCH', `/conversations/${handle}/`, asked, until))) return;
    for (;;) {
      const state = (await ask('GET', `/conversations/${handle}/`))?.['conv_status'];
      if (state === 'open' && Date.now() < until) wrong.push(`${handle} woke early`);
      if (state === 'open') return;
      await pause(200);
    }
  }

  async function again(work: (round: number) => Promise<void>): Promise<void> {
    for (let round = 0; running; round += 1) {
      await work(round);
      await pause(pauseAfter(round));
    }
  }

  const sent = () => sandbox.state.sent.filter((record) => record.phone_number_id === workspace.account.phoneNumberId);
  const sentTexts = (to: string): string[] =>
    sent()
      .filter((record) => record.to === to)
      .map(({ body }) => String((body?.['text'] as Json | undefined)?.['body']));
  const toRecipients = (): string[] => sent().flatMap(({ to }) => (phones.includes(to) ? [to] : []));

  await ask('POST', `/broadcasts/${broadcast}/confirm/`, {});
  // The last one of each kind is for whoever looks whether things go on.
  const agents = [
    ...answered.slice(0, -1).map((customer) => again((round) => reply(customer, round))),
    ...helped.slice(0, -1).map((customer) => again(() => help(customer))),
    ...snoozed.slice(0, -1).map((customer) => again(() => snooze(customer))),
  ];
  let looks = 0;

  async function goesOn(): Promise<void> {
    const round = looks++;
    await Promise.all([
      ...answered.slice(-1).map((customer) => reply(customer, round)),
      ...helped.slice(-1).map((customer) => help(customer)),
      ...snoozed.slice(-1).map((customer) => snooze(customer)),
    ]);
    await eventually(() => expect(toRecipients()).not.toEqual([]), { timeoutMs: 120_000 });
  }

  /** Outbound messages whose texts are counted, by their state. */
  const messages = (): Promise<{ id: number; text: string; handle: string; status: string; state: string }[]> =>
    runtime.db.rows(
      `SELECT m.id, m.body #>> '{text,body}' AS text, c.receiver_id AS handle, m.message_status AS status,
         m.delivery_state AS state
       FROM messages m JOIN contacts c ON c.id = m.conversation_id
       WHERE m.workspace_id = $id AND m.direction = 'outbound' ORDER BY m.id`,
      { id: workspace.id },
    );

  async function hasOutcomes(): Promise<void> {
    const open = (await messages()).filter(({ state }) => state !== 'settled');
    if (open.length > 0) throw new Error(`no outcome yet: ${JSON.stringify(open)}`);
    const { body } = await workspace.api.get(`/api/v1/broadcasts/${broadcast}/`);
    if (body['status'] !== 'completed') throw new Error(`the broadcast is not complete: ${JSON.stringify(body)}`);
    sandbox.webhooks.retryNow();
    for (const [handle, said] of written) {
      const here = await writtenHere(handle);
      const missing = said.filter((text) => !here.includes(text));
      if (missing.length > 0) throw new Error(`not here yet: ${missing.join()}`);
    }
    const asleep = await runtime.db.rows(
      `SELECT id FROM conversations WHERE workspace_id = $id AND conv_status = 'snoozed'`,
      { id: workspace.id },
    );
    if (asleep.length > 0) throw new Error(`still asleep: ${JSON.stringify(asleep)}`);
  }

  async function writtenHere(handle: string): Promise<string[]> {
    const rows = await runtime.db.rows<{ text: string }>(
      `SELECT m.body #>> '{text,body}' AS text FROM messages m JOIN contacts c ON c.id = m.conversation_id
       WHERE m.workspace_id = $id AND m.direction = 'inbound' AND c.receiver_id = $handle ORDER BY m.id`,
      { id: workspace.id, handle },
    );
    return rows.map(({ text }) => text).filter((text) => text !== 'Hello');
  }

  async function faults(): Promise<string[]> {
    const found = [...wrong];
    const stored = await messages();
    const byId = new Map(stored.map((message) => [message.id, message]));
    for (const { id, text, to } of replies) {
      const times = sentTexts(to).filter((one) => one === text).length;
      const status = byId.get(id)?.status ?? 'lost';
      const fits = { sent: 1, delivered: 1, read: 1 }[status] === times || (status === 'unknown' && times <= 1);
      if (!fits) found.push(`"${text}" is ${status} and was sent ${times} times`);
    }
    const accepted = stored.filter(({ text }) => text !== null && text !== macroText).length;
    if (accepted !== replies.length)
      found.push(`${accepted} replies are stored for ${replies.length} that were accepted`);
    for (const { handle } of answered) {
      const texts = sentTexts(handle);
      const order = replies.filter(({ to, text }) => to === handle && texts.includes(text)).map(({ text }) => text);
      if (texts.join() !== order.join()) found.push(`out of order: ${texts.join()}`);
      const [said, here] = [written.get(handle) ?? [], await writtenHere(handle)];
      if (here.length !== said.length || said.some((text) => !here.includes(text)))
        found.push(`${handle} said ${said.join()}; here is ${here.join()}`);
    }
    const helps = stored.filter(({ text }) => text === macroText);
    const unknown = helps.filter(({ status }) => status === 'unknown').length;
    const heard = helped.flatMap(({ handle }) => sentTexts(handle)).length;
    if (helps.length !== macroRuns) found.push(`${macroRuns} macros ran and left ${helps.length} messages`);
    if (heard > helps.length || heard < helps.length - unknown)
      found.push(`${helps.length} messages of macros, ${unknown} unknown, were sent ${heard} times`);
    const told = toRecipients();
    const twice = told.filter((to, index) => told.indexOf(to) !== index);
    if (twice.length > 0) found.push(`told twice by the broadcast: ${twice.join()}`);
    const { stats } = (await workspace.api.get(`/api/v1/broadcasts/${broadcast}/`)).body;
    const [done = 0, open = 0] = [stats['sent'], stats['unknown']];
    if (done + open !== recipients || told.length < done)
      found.push(`of ${recipients} recipients ${told.length} were told: ${JSON.stringify(stats)}`);
    for (const refusal of refusals) if (!isClear(refusal)) found.push(`not a clear word: ${describe([refusal])}`);
    return found;
  }

  return {
    workspace,
    refusals,
    goesOn,
    async stop() {
      running = false;
      await Promise.all(agents);
    },
    hasOutcomes,
    faults,
  };
}

/** Returns whether somebody said what is the matter and when to try again: the product, or for it the balancer. */
function isClear({ status, body, retryAfter }: Refusal): boolean {
  if (status === 502) return true;
  return /^\{"error":".+"\}$/.test(body) && (status === 409 || Number(retryAfter) > 0);
}

function describe(refusals: readonly Refusal[]): string {
  return refusals
    .slice(-3)
    .map(({ request, status, body, retryAfter }) => `${request}: ${status} ${body} (Retry-After ${retryAfter})`)
    .join('; ');
}
