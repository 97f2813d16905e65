import { createContact } from '../factories/contacts';
import { createCustomer } from '../factories/customers';
import { createMacro, step } from '../factories/macros';
import { createTicket } from '../factories/tickets';
import { unique, uniquePhone } from '../factories/unique';
import { createAgent, type Agent, type ToolAnswer } from '../support/agent';
import { startApi, type TestApi } from '../support/api';
import { faultKinds, injectFaults, type FaultKind, type Faults } from '../support/faults';
import { changedCounts, rowMark } from '../support/snapshot';
import { startWorker } from '../support/worker';

/*
 * What a tool call did and its audit row commit together: an answer that is an error means that nothing was done,
 * whichever statement fails, and a repeat with the same idempotency key does nothing twice.
 */

let desk: TestApi;
let faults: Faults;
const agents: Record<'approval' | 'autonomous', Agent> = {} as never;

beforeAll(async () => {
  // Sequelize says each time that it lets a broken connection go.
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  desk = await startApi();
  for (const autonomy of ['approval', 'autonomous'] as const)
    agents[autonomy] = createAgent((await desk.workspace.key(['all'], { autonomy })).api);
  faults = injectFaults('msgdesk-test');
});
afterAll(async () => {
  faults.restore();
  await desk.close();
});

type Args = Record<string, unknown>;
type Case = readonly [name: string, level: keyof typeof agents, tool: string, args: (phone: string) => Promise<Args>];

const customer = async (phone: string): Promise<string> => {
  await createCustomer(desk.workspace, { phone }).writes('Hi');
  return phone;
};
const cases: readonly Case[] = [
  ['a message', 'autonomous', 'send_message', async (phone) => ({ to: await customer(phone), text: 'Hi' })],
  ['a parked message', 'approval', 'send_message', async (phone) => ({ to: await customer(phone), text: 'Hi' })],
  ['a ticket', 'autonomous', 'create_ticket', (phone) => Promise.resolve({ title: `Ticket of ${phone}` })],
  [
    'a comment',
    'autonomous',
    'comment_on_ticket',
    async () => ({ ticket_id: (await createTicket(desk.workspace, { title: 'Noted' })).id, body: 'Called' }),
  ],
  [
    'a changed ticket',
    'approval',
    'update_ticket',
    async () => ({ id: (await createTicket(desk.workspace, { title: 'Before' })).id, title: 'After' }),
  ],
  [
    'a changed contact',
    'autonomous',
    'update_contact',
    async (phone) => ({ receiver_id: (await createContact(desk.workspace, { phone })).receiver_id, name: 'Renamed' }),
  ],
];

type Rows = Record<string, number>;
async function rowsSince(mark: string): Promise<Rows> {
  await desk.runtime.outbox.drain();
  const { audit_log: _audited, ...changed } = await changedCounts(desk.runtime, mark);
  return changed;
}

/** Returns the first call: an answer, or the fault that the client saw. */
async function tried(agent: Agent, tool: string, args: Args, key: string): Promise<ToolAnswer | null> {
  return agent.call(tool, args, key).catch(() => null);
}

async function repeat(agent: Agent, tool: string, args: Args, key: string): Promise<ToolAnswer> {
  for (let round = 1; ; round += 1) {
    const answer = await agent.call(tool, args, key);
    if (!answer.text.includes('still in progress') || round === 3) return answer;
    await desk.runtime.db.rows(
      `UPDATE idempotency_keys SET claimed_at = claimed_at - interval '61 seconds' WHERE key = $key`,
      { key },
    );
  }
}

async function breakAt(given: Case, at: number, kind: FaultKind, expected: Rows): Promise<boolean> {
  const [, level, tool, make] = given;
  const args = await make(uniquePhone());
  const key = `broken ${unique()}`;
  // Twenty calls of a connection may ask at a time.
  await desk.runtime.db.rows(`UPDATE approvals SET status = 'expired', decided_at = now() WHERE status = 'pending'`);
  const mark = await rowMark(desk.runtime);
  faults.arm(at, kind);
  const first = await tried(agents[level], tool, args, key);
  await desk.runtime.outbox.drain();
  const hit = faults.disarm();
  const where = `statement ${at}: ${String(hit).slice(0, 60)}`;
  const done = await rowsSince(mark);
  // An error says that nothing was done, a success that all of it was.
  expect([where, first?.text, done]).toEqual([where, first?.text, first && !first.isError ? expected : {}]);
  const again = await repeat(agents[level], tool, args, key);
  expect([where, again.isError, again.isRepeat]).toEqual([where, false, first !== null && !first.isError]);
  expect([where, await rowsSince(mark)]).toEqual([where, expected]);
  return hit !== null;
}

describe.each(cases.map((given) => [given[0], given] as const))('%s', (_name, given) => {
  it.each(faultKinds)('is there once, and told truly, wherever a statement is %s', async (kind) => {
    const [, level, tool, make] = given;
    const args = await make(uniquePhone());
    const mark = await rowMark(desk.runtime);
    expect((await agents[level].call(tool, args)).isError).toBe(false);
    const expected = await rowsSince(mark);
    expect(Object.keys(expected).length).toBeGreaterThan(0);
    let at = 1;
    while (await breakAt(given, at, kind, expected)) at += 1;
    expect(at).toBeGreaterThan(6);
  });
});

describe('the idempotency key of a call', () => {
  const auditRows = async (): Promise<number> =>
    (await desk.runtime.db.row<{ n: number }>('SELECT count(*)::int AS n FROM audit_log'))?.n ?? 0;

  it('gives the first answer again, and each call leaves its audit row', async () => {
    const [args, key, before] = [{ title: 'Once' }, `once ${unique()}`, await auditRows()];
    const first = await agents.autonomous.call('create_ticket', args, key);
    const second = await agents.autonomous.call('create_ticket', args, key);
    expect([second.json, second.isRepeat, first.isRepeat]).toEqual([first.json, true, false]);
    expect(await auditRows()).toBe(before + 2);
    // Another connection, and another tool, have keys of their own.
    expect((await agents.approval.call('create_ticket', args, key)).isRepeat).toBe(false);
  });

  it('with other arguments is a tool error, and so is a key that is none', async () => {
    const key = `other ${unique()}`;
    await agents.autonomous.call('create_ticket', { title: 'One' }, key);
    expect(await agents.autonomous.call('create_ticket', { title: 'Two' }, key)).toMatchObject({
      isError: true,
      text: expect.stringContaining('different request body') as string,
    });
    expect(await agents.autonomous.call('create_ticket', { title: 'Three' }, 'x'.repeat(256))).toMatchObject({
      isError: true,
      text: expect.stringContaining('1 to 255 printable ASCII characters') as string,
    });
  });

  it('is given back by a refusal, for the same arguments or corrected ones', async () => {
    const phone = uniquePhone();
    const [args, key] = [{ to: phone, text: 'Hi' }, `refused ${unique()}`];
    for (const given of [args, { ...args, text: 'Hello' }]) {
      const { isError, isRepeat, text } = await agents.autonomous.call('send_message', given, key);
      expect([isError, isRepeat, text]).toEqual([true, false, expect.stringContaining('window')]);
    }
    await customer(phone);
    expect((await agents.autonomous.call('send_message', args, key)).json).toMatchObject({ status: 'queued' });
  });

  it('is not used up by a dry run', async () => {
    const to = await customer(uniquePhone());
    const key = `rehearsed ${unique()}`;
    await agents.autonomous.call('send_message', { to, text: 'Hi', dry_run: true }, key);
    expect((await agents.autonomous.call('send_message', { to, text: 'Hi' }, key)).json).toMatchObject({
      status: 'queued',
    });
  });

  it('makes one run of a macro', async () => {
    await startWorker(desk.test);
    const { receiver_id: handle } = await createContact(desk.workspace, { phone: uniquePhone() });
    const { body } = await desk.api.get(`/api/v1/conversations/${handle}/`);
    const macro = await createMacro(desk.workspace, [step('create_ticket', { title: 'By macro' })]);
    const [args, key] = [{ macro_id: macro, chat_id: body['id'] }, `macro ${unique()}`];
    const first = await agents.autonomous.call('run_macro', args, key);
    // As if the process had died before it kept the answer.
    await desk.runtime.db.rows(
      'UPDATE idempotency_keys SET status = NULL, body = NULL, released = true WHERE key = $key',
      {
        key,
      },
    );
    const second = await agents.autonomous.call('run_macro', args, key);
    expect([first.isError, second.json]).toEqual([false, first.json]);
    expect((await desk.api.get(`/api/v1/macros/${macro}/runs/`)).body).toMatchObject({ count: 1 });
  });
});
