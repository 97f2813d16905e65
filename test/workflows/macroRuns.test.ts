import pg from 'pg';
import { applyMacroRun } from '../../api/services/processes/macroRuns/apply';
import { createContact } from '../factories/contacts';
import { createMacro, macrosPath, step } from '../factories/macros';
import { startApi, type TestApi } from '../support/api';
import { eventually } from '../support/eventually';
import { freePorts } from '../../dev/lib/ports';
import { snapshotRows } from '../support/snapshot';
import { privateTemporal } from '../support/temporal';
import { spawnWorker } from '../support/worker';
import { workflowOf } from '../support/workflows';

type Json = Record<string, unknown>;

/** A contact's conversation, and a macro that changes it. */
async function prepare(desk: TestApi): Promise<{ chatId: number; macro: number; handle: string }> {
  const contact = await createContact(desk.workspace);
  const chatId = Number((await desk.api.get(`/api/v1/conversations/${contact.receiver_id}/`)).body['id']);
  const macro = await createMacro(desk.workspace, [
    step('create_ticket', { title: 'From the run' }),
    step('set_priority', { priority: 'urgent' }),
    step('add_tags', { tags: ['run'] }),
  ]);
  return { chatId, macro, handle: contact.receiver_id };
}

const record = async (desk: TestApi, macro: number): Promise<Json> =>
  ((await desk.api.get(`${macrosPath}${macro}/runs/`)).body['results'] as Json[])[0] ?? {};
const ticketCount = async (desk: TestApi): Promise<number> => (await desk.api.get('/api/v1/tickets/')).body.length;

/** Holds the conversation's row, so that a run stops in its midst, until released. */
async function holdConversation(
  desk: TestApi,
  chatId: number,
): Promise<{ waiting(): Promise<void>; release(): Promise<void> }> {
  const client = new pg.Client({ connectionString: desk.runtime.config.databaseUrl });
  await client.connect();
  await client.query('BEGIN');
  await client.query('SELECT 1 FROM conversations WHERE id = $1 FOR UPDATE', [chatId]);
  return {
    async waiting() {
      await eventually(async () => {
        const blocked = await desk.runtime.db.row(
          `SELECT 1 AS ok FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
            AND state = 'active'`,
        );
        if (!blocked) throw new Error('nobody waits yet');
      });
    },
    async release() {
      await client.query('ROLLBACK');
      await client.end();
    },
  };
}

describe('a macro run whose worker or Temporal goes away (contract 10)', () => {
  let desk: TestApi;
  beforeAll(async () => {
    desk = await startApi();
  });
  afterAll(() => desk.close());

  it('is applied once when its worker is killed in the middle and another one comes', async () => {
    const { chatId, macro, handle } = await prepare(desk);
    const tickets = await ticketCount(desk);
    const first = await spawnWorker(desk.test);
    const hold = await holdConversation(desk, chatId);
    const answer = desk.api.post(`${macrosPath}${macro}/run/`, { chat_id: chatId });
    await hold.waiting();
    await first.kill();
    const second = await spawnWorker(desk.test);
    await hold.release();
    const { status } = await answer;
    // Temporal gives the dead worker's task to the other one after its timeout: in time or not, the caller is told
    // which.
    const contact = (await desk.api.get(`/api/v1/conversations/${handle}/`)).body;
    expect([200, 503]).toContain(status);
    expect(await record(desk, macro)).toMatchObject({ status: status === 200 ? 'applied' : 'abandoned' });
    expect([contact['priority'], contact['tags']]).toEqual(status === 200 ? ['urgent', ['run']] : ['normal', []]);
    expect(await ticketCount(desk)).toBe(tickets + (status === 200 ? 1 : 0));
    await second.kill();
  });

  it('is a 503 without any worker, and nothing is applied then or when one comes', async () => {
    const { chatId, macro } = await prepare(desk);
    const key = { 'idempotency-key': 'try-again' };
    const before = await snapshotRows(desk.runtime, desk.workspace.id);
    const answer = await desk.api.post(`${macrosPath}${macro}/run/`, { chat_id: chatId }, key);
    expect(answer).toMatchObject({ status: 503, body: { error: expect.stringContaining('Nothing was applied') } });
    expect(await record(desk, macro)).toMatchObject({ status: 'abandoned' });

    const worker = await spawnWorker(desk.test);
    const { id } = await record(desk, macro);
    await expect(workflowOf(desk.runtime, `macro-run/${desk.workspace.id}/${String(id)}`).result()).rejects.toThrow();
    expect(await snapshotRows(desk.runtime, desk.workspace.id)).toEqual(before);
    // The same key may try again: a 503 is no answer to keep.
    expect(await desk.api.post(`${macrosPath}${macro}/run/`, { chat_id: chatId }, key)).toMatchObject({ status: 200 });
    await worker.kill();
  });

  it('applies once when Temporal hands the same run out again', async () => {
    const { chatId, macro } = await prepare(desk);
    const tickets = await ticketCount(desk);
    const row = await desk.runtime.db.row<{ id: number }>(
      `INSERT INTO macro_runs (workspace_id, macro_id, actions, conversation_id, actor_type)
        SELECT workspace_id, id, actions, $chatId, 'system' FROM macros WHERE id = $macro RETURNING id`,
      { chatId, macro },
    );
    const outcomes = await Promise.all(
      Array.from({ length: 5 }, () => applyMacroRun(desk.workspace.ctx, row?.id ?? 0)),
    );
    expect(outcomes).toEqual(outcomes.map(() => ({ kind: 'applied', steps: 3 })));
    expect(await ticketCount(desk)).toBe(tickets + 1);
  });

  it('is over for its caller when an operator terminates it: 503, and nothing is applied', async () => {
    const { chatId, macro } = await prepare(desk);
    const before = await snapshotRows(desk.runtime, desk.workspace.id);
    const answer = desk.api.post(`${macrosPath}${macro}/run/`, { chat_id: chatId });
    await eventually(async () => {
      const { id } = await record(desk, macro);
      await workflowOf(desk.runtime, `macro-run/${desk.workspace.id}/${String(id)}`).terminate('by an operator');
    });
    expect((await answer).status).toBe(503);
    expect(await record(desk, macro)).toMatchObject({ status: 'abandoned' });
    expect(await snapshotRows(desk.runtime, desk.workspace.id)).toEqual(before);
  });

  it('tells operators by a code why it was refused, and counts for no alert', async () => {
    const { receiver_id: handle } = await createContact(desk.workspace);
    const macro = await createMacro(desk.workspace, [
      step('send_message', { body: 'x', phone_number_id: desk.workspace.account.secondPhoneNumberId }),
    ]);
    const [port] = await freePorts(1);
    const worker = await spawnWorker(desk.test, { HOST: '127.0.0.1', WORKER_PORT: String(port) });
    expect(await desk.api.post(`${macrosPath}${macro}/run/`, { receiver_id: handle })).toMatchObject({ status: 400 });
    const { id, failed_step: failedStep } = await record(desk, macro);
    expect(failedStep).toMatchObject({ index: 1, type: 'send_message', code: 'window_closed' });
    // A try whose answer to Temporal was lost is made again: it tells the same.
    expect(await applyMacroRun(desk.workspace.ctx, Number(id))).toMatchObject({
      kind: 'failed',
      code: 'window_closed',
    });
    const run = workflowOf(desk.runtime, `macro-run/${desk.workspace.id}/${String(id)}`);
    await expect(run.result()).rejects.toMatchObject({
      cause: {
        message: 'Refused at step 1 of 1 (send_message): window_closed; nothing was applied',
        type: 'MacroRefused',
        details: [{ kind: 'failed', step: 1, steps: 1, type: 'send_message', code: 'window_closed' }],
      },
    });
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(metrics).toMatch(/^temporal_workflow_task_execution_latency/m);
    expect(metrics).not.toMatch(/^temporal_workflow_failed/m);
    expect(worker.output()).not.toContain('Workflow failed');
    await worker.kill();
  });

  it('is answered by its record where Temporal goes away in its midst', async () => {
    const server = await privateTemporal();
    const own = await startApi({ beside: desk.test, env: { TEMPORAL_ADDRESS: server.address } });
    own.test.onClose(() => server.close());
    try {
      const { chatId, macro } = await prepare(own);
      await spawnWorker(own.test);
      const hold = await holdConversation(own, chatId);
      const answer = own.api.post(`${macrosPath}${macro}/run/`, { chat_id: chatId });
      await hold.waiting();
      await server.kill();
      await hold.release();
      const { status, body } = await answer;
      expect([status, (body['ran'] as Json[]).length]).toEqual([200, 3]);
      expect(await record(own, macro)).toMatchObject({ status: 'applied' });
    } finally {
      await own.close();
    }
  });
});
