import { createContact } from '../factories/contacts';
import { createBroadcast, templateId, twoValues } from '../factories/broadcasts';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { createMacro, step } from '../factories/macros';
import { createMember, createSession, type TestSession } from '../factories/members';
import { createPipeline, createTicket, pipelinesPath, type TestPipeline } from '../factories/tickets';
import { unique } from '../factories/unique';
import { createWorkspace, type TestKey } from '../factories/workspaces';
import { signals } from '../../workflows/contract';
import { approvalExpiryStart } from '../../workflows/starts';
import { allScopes, type Scope } from '../../api/core/http/access';
import { settleRunsAnywhere } from '../../api/services/processes/approvals/service';
import { createAgent, type Agent } from '../support/agent';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { eventually } from '../support/eventually';
import { sweepUntil } from '../support/ownRows';
import { changedRows, rowMark } from '../support/snapshot';

/* The level of a connection binds whatever makes a customer hear something, wherever its credential is used. */

let desk: TestApi;
let session: TestSession;
let key: TestKey;
let agent: Agent;
let pipeline: TestPipeline;
let customer: TestCustomer;
let contactId = 0;

beforeAll(async () => {
  desk = await sharedDesk('worker');
  session = await createSession(desk.workspace.owner);
  key = await desk.workspace.key(['all'], { autonomy: 'approval' });
  agent = createAgent(key.api);
  const { id, stages } = await createPipeline(desk.workspace, ['New']);
  const { body: notifying } = await desk.api.post(`${pipelinesPath}${id}/stages/`, {
    name: 'Told',
    notify_template_id: templateId(desk.workspace, 'ticket_update'),
    notify_template_variables: twoValues,
  });
  pipeline = { id, stages: [...stages, notifying] };
  customer = createCustomer(desk.workspace);
  await customer.writes('Hello');
  contactId = Number((await desk.api.get(`/api/v1/contacts/${customer.handle}/`)).body['id']);
});
afterAll(() => desk.close());

const told = (): number => pipeline.stages[1]?.id ?? 0;
const ticket = async (fields: Record<string, unknown> = {}): Promise<number> =>
  (await createTicket(desk.workspace, { pipeline: pipeline.id, receiver: contactId, ...fields })).id;
const stageOf = async (id: number): Promise<unknown> => (await desk.api.get(`/api/v1/tickets/${id}/`)).body.stage;
/** What the customer's phone got. */
const sent = () => desk.sandbox.state.sent.filter(({ to }) => to.replace('+', '') === customer.handle);
const notices = (): number => sent().filter((message) => JSON.stringify(message).includes('ticket_update')).length;
const decide = (id: unknown, what = 'approve'): ReturnType<typeof session.api.post> =>
  session.api.post(`/api/v1/approvals/${String(id)}/${what}/`);
const read = async (id: number): Promise<Record<string, unknown>> =>
  (await session.api.get(`/api/v1/approvals/${id}/`)).body;
/** Waits until an approval is this, by its workflow and by what notes the ends of runs. */
const becomes = (id: number, what: object): Promise<void> =>
  sweepUntil(desk, settleRunsAnywhere, async () => expect(await read(id)).toMatchObject(what));
/** Makes a call of Temporal: one that took too long may have been heard, and may be made again. */
const heard = (call: () => Promise<void>): Promise<void> => eventually(call);
/** Starts the workflow of a run. */
const startRun = (runId: number): Promise<void> =>
  heard(() =>
    desk.runtime.temporal.start(
      { workflow: 'macroRun', id: `macro-run/${desk.workspace.id}/${runId}`, summary: 'test', attributes: {} },
      { workspaceId: desk.workspace.id, runId },
    ),
  );
const chatId = async (): Promise<unknown> =>
  (await desk.api.get(`/api/v1/conversations/${customer.handle}/`)).body['id'];

describe('on /api/v1/ a key below autonomous', () => {
  const refusal = {
    status: 403,
    body: {
      error: 'This API key may not send without approval: use /mcp, or a key with autonomy "autonomous".',
    },
  };

  it('is refused every send, and leaves nothing behind', async () => {
    const moved = await ticket();
    const broadcast = await createBroadcast(desk.workspace, { audience: { receiver_ids: [customer.handle] } });
    const sending = await createMacro(desk.workspace, [
      step('add_tags', { tags: ['x'] }),
      step('send_message', { body: 'Hi' }),
    ]);
    const moving = await createMacro(desk.workspace, [step('move_stage', { stage: told() })]);
    const before = sent().length;
    await desk.settled();
    const mark = await rowMark(desk.runtime);
    const answers = [
      await key.api.post('/api/v1/messages/', { to: customer.phone, body: 'Hi' }),
      await key.api.post(
        '/api/v1/messages/',
        { to: customer.phone, body: 'Hi' },
        { 'idempotency-key': `k${unique()}` },
      ),
      await key.api.post(`/api/v1/broadcasts/${broadcast}/confirm/`),
      await key.api.patch(`/api/v1/tickets/${moved}/`, { stage: told(), title: 'Moved' }),
      await key.api.post(`/api/v1/macros/${sending}/run/`, { chat_id: await chatId() }),
      await key.api.post(`/api/v1/macros/${moving}/run/`, { ticket_id: moved }),
    ];
    for (const answer of answers) expect(answer).toMatchObject(refusal);
    const changed = await changedRows(desk.runtime, mark);
    const isOurs = (row: unknown): boolean => {
      const { workspace_id: of } = row as { workspace_id?: number };
      return of === undefined || of === desk.workspace.id;
    };
    const tables = Object.keys(changed).filter((table) => changed[table]?.some(isOurs));
    expect(tables.filter((table) => table !== 'events')).toEqual([]);
    expect(sent()).toHaveLength(before);
  });

  it('may do what nobody hears', async () => {
    const quiet = await ticket({ receiver: null });
    expect((await key.api.patch(`/api/v1/tickets/${quiet}/`, { stage: told() })).status).toBe(200);
    const stranger = await createContact(desk.workspace);
    const unreached = await ticket({ receiver: stranger.id });
    expect((await key.api.patch(`/api/v1/tickets/${unreached}/`, { stage: told() })).status).toBe(200);
    const macro = await createMacro(desk.workspace, [step('set_priority', { priority: 'high' })]);
    expect((await key.api.post(`/api/v1/macros/${macro}/run/`, { chat_id: await chatId() })).status).toBe(200);
    expect((await key.api.patch(`/api/v1/tickets/${await ticket()}/`, { title: 'Renamed' })).status).toBe(200);
  });
});

describe('on /mcp', () => {
  it('a move that notifies is parked with its exact call, and done once when approved', async () => {
    const id = await ticket();
    const before = notices();
    expect((await agent.call('update_ticket', { id, stage: told(), dry_run: true })).json).toMatchObject({
      status: 'would_queue',
    });
    const { json } = await agent.call('update_ticket', { id, stage: told(), due_at: '2031-05-04T10:00:00Z' });
    expect(json).toMatchObject({ status: 'queued_for_approval' });
    expect(await stageOf(id)).toBe(pipeline.stages[0]?.id);
    const decisions = await Promise.all([decide(json['approval_id']), decide(json['approval_id'])]);
    expect(decisions.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await stageOf(id)).toBe(told());
    await desk.work();
    expect(notices()).toBe(before + 1);
  });

  it('a change that nobody hears is done at once', async () => {
    const id = await ticket();
    expect((await agent.call('update_ticket', { id, title: 'Quiet' })).json).toMatchObject({ title: 'Quiet' });
    const rehearsal = await agent.call('update_ticket', { id, title: 'Louder', priority: 'high', dry_run: true });
    expect(rehearsal.json).toMatchObject({
      status: 'would_change',
      autonomy_level: 'approval',
      changes: { title: { from: 'Quiet', to: 'Louder' }, priority: { from: 'normal', to: 'high' } },
    });
    expect(Object.keys(rehearsal.json['changes'] as object)).toEqual(['title', 'priority']);
  });

  it('a macro that moves into a notifying stage is parked', async () => {
    const macro = await createMacro(desk.workspace, [step('move_stage', { stage: told() })]);
    const id = await ticket();
    const { json } = await agent.call('run_macro', { macro_id: macro, ticket_id: id });
    expect(json).toMatchObject({ status: 'queued_for_approval' });
    expect((await decide(json['approval_id'])).status).toBe(200);
    expect(await stageOf(id)).toBe(told());
  });

  it('a macro that touches tickets needs the Ticketing add-on', async () => {
    const plain = await createWorkspace(desk, { ticketing: false });
    const macro = await createMacro(plain, [step('create_ticket', { title: 'No' })]);
    const { receiver_id: handle } = await createContact(plain);
    const { body } = await plain.api.get(`/api/v1/conversations/${handle}/`);
    const args = { macro_id: macro, chat_id: body['id'] };
    for (const more of [{}, { dry_run: true }])
      expect(await createAgent(plain.api).call('run_macro', { ...args, ...more })).toMatchObject({
        isError: true,
        text: expect.stringContaining('Ticketing add-on') as string,
      });
  });
});

describe('autonomy (contract 11)', () => {
  test('an undecided approval expires by its timer', async () => {
    const { json } = await agent.call('send_message', { to: customer.phone, text: 'Tick' });
    const id = json['approval_id'] as number;
    await desk.runtime.db.rows(`UPDATE approvals SET expires_at = now() - interval '1 second' WHERE id = $id`, { id });
    // Woken before its time the timer asks the row, which decides.
    const state = { workspaceId: desk.workspace.id, approvalId: id, dueAt: null, version: 2 };
    const start = approvalExpiryStart(desk.workspace.id, id);
    await heard(() => desk.runtime.temporal.signalWithStart(start, state, signals.deadline, state));
    await becomes(id, { status: 'expired' });
    expect((await decide(id)).status).toBe(409);
  });
});

describe('a parked macro', () => {
  const park = async (actions = [step('send_message', { body: 'Bye' })]): Promise<{ macro: number; id: number }> => {
    const macro = await createMacro(desk.workspace, actions);
    const { json } = await agent.call('run_macro', { macro_id: macro, chat_id: await chatId() });
    return { macro, id: Number(json['approval_id']) };
  };

  it('shows its steps; renamed it can be approved, changed or deleted it is a 409', async () => {
    const kept = await park();
    expect(await read(kept.id)).toMatchObject({
      macro_name: expect.any(String) as string,
      steps: [{ type: 'send_message', params: { body: 'Bye' } }],
    });
    await session.api.patch(`/api/v1/macros/${kept.macro}/`, { name: 'Renamed' });
    expect((await decide(kept.id)).body).toMatchObject({
      status: 'approved',
      result: { ran: [{ type: 'send_message' }] },
    });

    const changed = await park();
    await session.api.patch(`/api/v1/macros/${changed.macro}/`, {
      actions: [step('send_message', { body: 'Pay now' })],
    });
    expect((await decide(changed.id)).status).toBe(409);
    const deleted = await park();
    await session.api.delete(`/api/v1/macros/${deleted.macro}/`);
    expect((await decide(deleted.id)).status).toBe(409);
    for (const { id } of [changed, deleted]) expect(await read(id)).toMatchObject({ status: 'expired' });
    expect(sent().filter((message) => JSON.stringify(message).includes('Pay now'))).toEqual([]);
  });

  it('is run where the process dies right after the decision, and its approval gets the result', async () => {
    const { id } = await park([step('send_message', { body: `Survives ${unique()}` })]);
    const { id: run } = (await desk.runtime.db.row<{ id: number }>(
      `WITH parked AS (SELECT * FROM approvals WHERE id = $id), opened AS (
         INSERT INTO macro_runs (workspace_id, macro_id, actions, conversation_id, actor_type, actor_member_id)
         SELECT workspace_id, (input->>'id')::int, steps, (input->>'chat_id')::int, 'agent', member_id FROM parked
           RETURNING id)
       UPDATE approvals SET status = 'approved', decided_at = now(), run_id = opened.id FROM opened
         WHERE approvals.id = $id RETURNING opened.id`,
      { id },
    )) ?? { id: 0 };
    // The run has not ended: nothing is settled.
    await becomes(id, { status: 'approved', result: null });
    await startRun(run);
    await becomes(id, { status: 'approved', result: { ran: [{ type: 'send_message' }] } });
  });

  it('leaves the intent to run it with the decision', async () => {
    const { id } = await park();
    await desk.runtime.db.rows(
      `CREATE OR REPLACE FUNCTION seen() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN INSERT INTO seen_intents
        VALUES (NEW.workflow); RETURN NEW; END $f$`,
    );
    await desk.runtime.db.rows('CREATE TABLE seen_intents (workflow text)');
    await desk.runtime.db.rows(
      `CREATE TRIGGER seen BEFORE INSERT ON outbox FOR EACH ROW WHEN (NEW.workspace_id = ${desk.workspace.id})
        EXECUTE FUNCTION seen()`,
    );
    expect((await decide(id)).status).toBe(200);
    const seen = await desk.runtime.db.rows<{ workflow: string }>('SELECT workflow FROM seen_intents');
    await desk.runtime.db.rows('DROP TRIGGER seen ON outbox');
    await desk.runtime.db.rows('DROP TABLE seen_intents');
    expect(seen.map(({ workflow }) => workflow)).toContain('macroRun');
  });

  it('is undecided again when its run was given up', async () => {
    const { id } = await park();
    await desk.runtime.db.rows(
      `WITH opened AS (
         INSERT INTO macro_runs (workspace_id, actions, conversation_id, actor_type, state, finished_at)
         SELECT workspace_id, steps, (input->>'chat_id')::int, 'agent', 'abandoned', now() FROM approvals WHERE id = $id
           RETURNING id)
       UPDATE approvals SET status = 'approved', decided_at = now(), run_id = opened.id FROM opened
         WHERE approvals.id = $id`,
      { id },
    );
    await becomes(id, { status: 'pending', decided_at: null });
    expect((await decide(id)).status).toBe(200);
  });

  it('expires by its timer also after it was given back', async () => {
    const { id } = await park();
    const start = approvalExpiryStart(desk.workspace.id, id);
    const state = { workspaceId: desk.workspace.id, approvalId: id, dueAt: null, version: 2 };
    await heard(() => desk.runtime.temporal.signalWithStart(start, state, signals.cancel, { version: 2 }));
    await desk.runtime.db.rows(
      `WITH opened AS (
         INSERT INTO macro_runs (workspace_id, actions, conversation_id, actor_type, state, finished_at)
         SELECT workspace_id, steps, (input->>'chat_id')::int, 'agent', 'abandoned', now() FROM approvals WHERE id = $id
           RETURNING id)
       UPDATE approvals SET status = 'approved', decided_at = now(), run_id = opened.id, timer_version = 2,
         expires_at = now() + interval '1 second' FROM opened
         WHERE approvals.id = $id`,
      { id },
    );
    await becomes(id, { status: 'expired' });
  });
});

describe('who may decide', () => {
  const decideAs = async (permissions: readonly Scope[], id: unknown, what: string): Promise<unknown> => {
    const member = await createSession(await createMember(desk.workspace, { role: 'agent', permissions }));
    const { status, body } = await member.api.post(`/api/v1/approvals/${String(id)}/${what}/`);
    return status === 200 ? 200 : body['error'];
  };
  const missing = (scope: Scope): string =>
    `You do not have permission to perform this action. Missing scope: ${scope}.`;

  it('sees what is approved, and may do it (contract 11)', async () => {
    const moved = await agent.call('update_ticket', { id: await ticket(), stage: told() });
    const macro = await createMacro(desk.workspace, [
      step('update_contact', { company: 'ACME' }),
      step('send_message', { body: 'Bye' }),
    ]);
    const run = await agent.call('run_macro', { macro_id: macro, chat_id: await chatId() });
    const said = await agent.call('send_message', { to: customer.phone, text: 'May I?' });
    const needs: readonly [unknown, readonly Scope[]][] = [
      [moved.json['approval_id'], ['chat.view', 'ticket.manage']],
      [run.json['approval_id'], ['chat.view', 'macro.view', 'contact.edit', 'chat.send_message']],
      [said.json['approval_id'], ['chat.view', 'chat.send_message']],
    ];
    for (const [id, scopes] of needs) {
      expect((await session.api.get(`/api/v1/approvals/${String(id)}/`)).body['required_scopes']).toEqual(scopes);
      for (const scope of scopes)
        for (const what of ['approve', 'reject'])
          expect(
            await decideAs(
              allScopes.filter((other) => other !== scope),
              id,
              what,
            ),
          ).toBe(missing(scope));
      expect(await decideAs(scopes, id, 'approve')).toBe(200);
    }
  });
});

describe('an opt-out', () => {
  it("is the customer's or a member's to undo, not of a connection below autonomous", async () => {
    const { receiver_id: handle, id: chat } = await createContact(desk.workspace);
    const path = `/api/v1/contacts/${handle}/`;
    expect((await agent.call('update_contact', { receiver_id: handle, marketing_opt_out: true })).isError).toBe(false);
    const back = { marketing_opt_out: false };
    const macro = await createMacro(desk.workspace, [step('update_contact', back)]);
    for (const refused of [
      await agent.call('update_contact', { receiver_id: handle, ...back }),
      await agent.call('run_macro', { macro_id: macro, chat_id: chat }),
    ])
      expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('never in') as string });
    const patched = await key.api.patch(path, back);
    expect([patched.status, patched.headers['x-error-code']]).toEqual([403, 'needs_approval']);
    expect((await key.api.post(`/api/v1/macros/${macro}/run/`, { chat_id: chat })).status).toBe(400);
    expect(
      (await key.api.post('/api/v1/contacts/bulk/', { contacts: [{ receiver_id: handle, name: 'Nora', ...back }] }))
        .body,
    ).toMatchObject({ updated: 1, errors: [{ field: 'marketing_opt_out', dropped: true }] });
    const read = async (): Promise<unknown> => (await desk.api.get(path)).body;
    expect(await read()).toMatchObject({ name: 'Nora', marketing_opt_out: true });
    expect((await desk.api.patch(path, back)).status).toBe(200);
    expect(await read()).toMatchObject(back);
  });
});

it('a run is held to the level of its caller also where the macro began to notify in between', async () => {
  const id = await ticket();
  const steps = JSON.stringify([step('move_stage', { stage: told() })]);
  const run = await desk.runtime.db.row<{ id: number }>(
    `INSERT INTO macro_runs (workspace_id, actions, ticket_id, actor_type, autonomy)
      VALUES ($workspaceId, $steps::jsonb, $id, 'api_key', 'approval') RETURNING id`,
    { workspaceId: desk.workspace.id, steps, id },
  );
  await startRun(run?.id ?? 0);
  await desk.work();
  const row = await desk.runtime.db.row('SELECT state, failed_step FROM macro_runs WHERE id = $id', { id: run?.id });
  expect(row).toMatchObject({
    state: 'failed',
    failed_step: { index: 1, message: expect.stringContaining('may not send without approval') as string },
  });
  expect(await stageOf(id)).toBe(pipeline.stages[0]?.id);
});
