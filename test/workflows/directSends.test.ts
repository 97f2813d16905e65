import { holdSending, removeHold } from '../../api/services/resources/accounts/fence';
import { startWaiting } from '../../api/services/delivery/waitingMessages';
import { createRuntime } from '../../api/core/runtime';
import { loadConfig } from '../../api/core/config';
import { createUpstream } from '../../api/core/platform/upstream';
import { createMessage } from '../../api/services/processes/outbound/service';
import { startDirectSends, type DirectSends } from '../../api/services/delivery/direct';
import { messageDeliveryStart } from '../../workflows/starts';
import { insertContacts, templateId, twoValues } from '../factories/broadcasts';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import { startServer, type TestApi, type TestServer } from '../support/api';
import { eventually } from '../support/eventually';
import { startHeldUpstream } from '../support/heldUpstream';
import { openDesk } from '../support/sharedDesk';
import { captureStatements } from '../support/statements';
import { startWorker } from '../support/worker';
import { workflowOf } from '../support/workflows';

/** The process that accepts a message sends it by itself; only what has to wait becomes a workflow. */

let server: TestServer;
let desk: TestApi;
let sends: DirectSends;
beforeAll(async () => {
  // Without a worker: whatever is sent was sent by the process that accepted it.
  server = await startServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  desk = await openDesk(server);
  Object.assign(desk.sandbox.settings, { pair_rate: false, statuses: [] });
  sends = startDirectSends(desk.runtime);
  desk.test.onClose(() => sends.stop());
});
afterEach(async () => {
  await desk.close();
  // What a test leaves waiting would be sent by the next one's worker.
  await server.runtime.db.rows('DELETE FROM workspaces');
});

async function writer(workspace: TestWorkspace = desk.workspace): Promise<TestCustomer> {
  const person = createCustomer(workspace);
  await person.writes('Hi');
  return person;
}

async function send(to: TestCustomer, body: string, workspace: TestWorkspace = desk.workspace): Promise<number> {
  const answer = await workspace.api.post('/api/v1/messages/', {
    to: to.phone,
    body,
    phone_number_id: workspace.account.phoneNumberId,
  });
  expect(answer.status).toBe(201);
  return answer.body.id;
}

interface Row {
  readonly message_status: string;
  readonly delivery_state: string;
  readonly attempts: number;
  readonly conversation_id: number;
  readonly workspace_id: number;
}
const row = async (id: number): Promise<Row> => {
  const found = await desk.runtime.db.row<Row>(
    `SELECT message_status, delivery_state, attempts, conversation_id, workspace_id FROM messages WHERE id = $id`,
    { id },
  );
  if (!found) throw new Error('no such message');
  return found;
};
const becomes = (id: number, wanted: Partial<Row>): Promise<void> =>
  eventually(async () => expect(await row(id)).toMatchObject(wanted));
/** In the past: times are kept to the millisecond, and may be rounded up. */
const makeDue = "UPDATE messages SET look_at = now() - interval '1 second'";
const intents = (): Promise<object[]> =>
  desk.runtime.db.rows('SELECT id FROM outbox WHERE workspace_id = $id', { id: desk.workspace.id });
/** Everything that was accepted is sent, or handed to whom it concerns. */
const settled = (): Promise<void> => sends.drain();
/** Texts that the platform took from us for a customer, in their order. */
const taken = (to: TestCustomer): unknown[] =>
  desk.sandbox.state.sent
    .filter((record) => record.to === to.handle)
    .map(({ body }) => (body?.['text'] as { body?: string } | undefined)?.body);

/** Makes a message look as while another process sends it, for longer than a test takes. */
const claimElsewhere = (id: number): Promise<unknown> =>
  desk.runtime.db.rows(
    `UPDATE messages SET delivery_state = 'sending', claim_expires_at = clock_timestamp() + interval '1 hour'
     WHERE id = $id`,
    { id },
  );

/** How the conversation's workflow is, or null where none was ever started. */
async function workflowStatus(id: number): Promise<string | null> {
  const { workspace_id: workspaceId, conversation_id: conversationId } = await row(id);
  const { temporal } = desk.runtime;
  await temporal.probe();
  try {
    const start = messageDeliveryStart(workspaceId, conversationId);
    return (await workflowOf(desk.runtime, start.id).describe()).status.name;
  } catch (error) {
    if ((error as Error).name === 'WorkflowNotFoundError') return null;
    throw error;
  }
}

describe('what waits for nothing', () => {
  it('is sent without a workflow, each workspace by its own number, and its intent goes', async () => {
    const other = await createWorkspace(desk);
    const [anna, ben] = [await writer(), await writer(other)];
    const ids = [await send(anna, 'Hello Anna'), await send(ben, 'Hello Ben', other)];
    await settled();
    for (const id of ids) {
      expect(await row(id)).toMatchObject({ message_status: 'sent', delivery_state: 'settled', attempts: 1 });
      expect(await workflowStatus(id)).toBeNull();
    }
    expect([taken(anna), taken(ben), await intents()]).toEqual([['Hello Anna'], ['Hello Ben'], []]);
    const numbers = desk.sandbox.state.sent.map(({ phone_number_id: number }) => number);
    expect(numbers).toEqual([desk.workspace.account.phoneNumberId, other.account.phoneNumberId]);
  });

  it('keeps its order in a burst, each once', async () => {
    const person = await writer();
    const ids = await Promise.all(Array.from({ length: 10 }, (_unused, index) => send(person, `Text ${index}`)));
    await settled();
    const rows = await desk.runtime.db.rows<{ text: string }>(
      `SELECT body->'text'->>'body' AS text FROM messages WHERE id = ANY($ids::bigint[]) ORDER BY send_seq`,
      { ids },
    );
    expect(taken(person)).toEqual(rows.map(({ text }) => text));
    expect([await workflowStatus(ids[0] ?? 0), await intents()]).toEqual([null, []]);
  });

  it('costs at most twenty statements from the request to the record', async () => {
    const person = await writer();
    await send(person, 'The first one of a process learns some things');
    await settled();
    const { statements } = await captureStatements(async () => {
      await send(person, 'Hello again');
      await settled();
    });
    const texts = statements.map(({ text }) => text.trim().split(/\s+/).slice(0, 12).join(' '));
    expect(texts.length > 20 ? texts : []).toEqual([]);
    expect(taken(person)).toContain('Hello again');
  });

  it('ends here, too, when the platform refuses it for good', async () => {
    const person = await writer();
    desk.sandbox.faults.add({ kind: 'error', code: 131051, to: person.handle });
    const id = await send(person, 'Refused');
    await settled();
    expect([await row(id), await workflowStatus(id), await intents()]).toMatchObject([
      { message_status: 'failed', attempts: 1 },
      null,
      [],
    ]);
  });
});

describe('what has to wait', () => {
  it("a retry is the workflow's, and what is accepted meanwhile does not pass it", async () => {
    const person = await writer();
    desk.sandbox.faults.add({ kind: 'error', code: 131016, to: person.handle, times: 2 });
    const first = await send(person, 'first');
    await settled();
    const second = await send(person, 'second');
    await settled();
    expect([taken(person), await workflowStatus(first), await intents()]).toEqual([[], 'RUNNING', []]);
    await startWorker(desk.test);
    await becomes(second, { message_status: 'sent', attempts: 1 });
    expect(await row(first)).toMatchObject({ message_status: 'sent', attempts: 3 });
    expect(taken(person)).toEqual(['first', 'second']);
  });

  it.each([
    ["the customer's rate", `UPDATE conversations SET pair_free_at = now() + interval '260 seconds'`],
    ["the number's rate", `UPDATE send_slots SET booked_until = now() + interval '1 minute'`],
  ])('%s is waited for by the workflow', async (_what, sql) => {
    const person = await writer();
    await send(person, 'makes the row of slots');
    await settled();
    await desk.runtime.db.rows(sql);
    const id = await send(person, 'later');
    await settled();
    expect([await row(id), await workflowStatus(id), await intents()]).toMatchObject([{ attempts: 0 }, 'RUNNING', []]);
  });

  it('what another process is sending is left to it, and then to a look', async () => {
    const person = await writer();
    const first = await send(person, 'first');
    await settled();
    await claimElsewhere(first);
    const second = await send(person, 'second');
    await settled();
    await desk.runtime.db.rows(makeDue);
    await startWaiting(desk.runtime);
    // However slow the platform is: no workflow is made for what waits behind a call.
    expect([await row(second), await workflowStatus(second)]).toMatchObject([{ delivery_state: 'queued' }, null]);
    await desk.runtime.db.rows(`UPDATE messages SET delivery_state = 'settled' WHERE id = $first`, { first });
    await desk.runtime.db.rows(makeDue);
    await startWaiting(desk.runtime);
    expect(await workflowStatus(second)).toBe('RUNNING');
    await startWorker(desk.test);
    await becomes(second, { message_status: 'sent', attempts: 1 });
    expect(taken(person)).toEqual(['first', 'second']);
  });

  it('a sender that is gone is followed by the workflow', async () => {
    const person = await writer();
    const first = await send(person, 'first');
    await settled();
    await claimElsewhere(first);
    const second = await send(person, 'second');
    await settled();
    await desk.runtime.db.rows(
      `UPDATE messages SET claim_expires_at = clock_timestamp() - interval '1 second' WHERE id = $first`,
      { first },
    );
    await desk.runtime.db.rows(makeDue);
    await startWaiting(desk.runtime);
    expect(await workflowStatus(second)).toBe('RUNNING');
    await startWorker(desk.test);
    await becomes(second, { message_status: 'sent', attempts: 1 });
  });
});

describe('a held workspace', () => {
  it('sends nothing, needs no workflow, and sends once when that is lifted', async () => {
    const person = await writer();
    const scope = { workspaceId: desk.workspace.id, phoneNumberPk: null };
    await holdSending(desk.runtime, scope, 'a complaint');
    const id = await send(person, 'held');
    await settled();
    expect([await row(id), await workflowStatus(id), await intents()]).toMatchObject([{ attempts: 0 }, null, []]);
    await desk.runtime.db.rows(makeDue);
    await startWaiting(desk.runtime);
    expect(await workflowStatus(id)).toBeNull();
    await removeHold(desk.runtime, scope);
    await startWorker(desk.test);
    await becomes(id, { message_status: 'sent', attempts: 1 });
    expect(taken(person)).toEqual(['held']);
  });

  it('sends nothing in a database that went back in time', async () => {
    const person = await writer();
    await desk.runtime.db.rows("UPDATE delivery_fence SET database_identity = 'the one before/00000001'");
    const id = await send(person, 'held');
    await settled();
    expect([await row(id), taken(person)]).toMatchObject([{ delivery_state: 'queued', attempts: 0 }, []]);
    await desk.runtime.db.rows('UPDATE delivery_fence SET database_identity = database_identity()');
    await startWorker(desk.test);
    await becomes(id, { message_status: 'sent', attempts: 1 });
    expect(taken(person)).toEqual(['held']);
  });
});

describe('while Temporal is away', () => {
  it('replies go out, whatever else waits for it; what has to wait goes when it is back', async () => {
    const runtime = createRuntime(loadConfig({ ...desk.test.env, TEMPORAL_ADDRESS: '127.0.0.1:1' }), 'test', {
      logger: desk.runtime.logger,
    });
    const own = startDirectSends(runtime);
    const [anna, ben] = [await writer(), await writer()];
    const ctx = { ...desk.workspace.ctx, runtime };
    const number = desk.workspace.account.phoneNumberId;
    desk.sandbox.faults.add({ kind: 'error', code: 131016, to: ben.handle, times: 1 });
    await createMessage(ctx, { to: anna.phone, body: 'now', phone_number_id: number });
    const later = await createMessage(ctx, { to: ben.phone, body: 'later', phone_number_id: number });
    await own.drain();
    expect([taken(anna), taken(ben)]).toEqual([['now'], []]);
    await desk.runtime.db.rows(makeDue);
    expect(await startWaiting(runtime)).toBe(false);
    await own.stop();
    await runtime.close();
    // Left as due as it was: the first look of a process that reaches Temporal finds it.
    await startWaiting(desk.runtime);
    expect(await workflowStatus(Number(later['id']))).toBe('RUNNING');
    await startWorker(desk.test);
    await becomes(Number(later['id']), { message_status: 'sent' });
  });
});

it("once it stops, what is accepted is the workflow's", async () => {
  const person = await writer();
  await sends.stop();
  const id = await send(person, 'late');
  await settled();
  expect([await row(id), await workflowStatus(id)]).toMatchObject([{ delivery_state: 'queued' }, 'RUNNING']);
});

it('a platform that answers nothing fills its room only: the others wait in workflows, each is sent once', async () => {
  const upstream = await startHeldUpstream();
  const beyond = 5;
  const calls = 20;
  const config = loadConfig({
    ...desk.test.env,
    MSGAPP_API_URL: upstream.url,
    PLATFORM_CALLS: String(calls),
  });
  // The client's own patience is out of the way: what is under way stays so until the platform answers.
  const client = createUpstream(config, { answerTimeoutMs: 3_600_000, startTimeoutMs: 3_600_000 });
  const runtime = { ...createRuntime(config, 'test', { logger: desk.runtime.logger }), upstream: client };
  const own = startDirectSends(runtime);
  desk.test.onClose(async () => {
    upstream.release();
    await client.close();
    await runtime.close();
    await upstream.close();
  });
  const other = await createWorkspace(desk);
  const maxOfOne = calls / 2;
  const first = 4_917_700_000_000;
  const ids: number[] = [];
  /** Messages of a workspace to customers of its own. */
  const accept = async (workspace: TestWorkspace, count: number): Promise<void> => {
    const from = first + ids.length;
    await insertContacts(workspace, count, from);
    for (let index = 0; index < count; index += 1) {
      const message = await createMessage(
        { ...workspace.ctx, runtime },
        {
          to: `+${from + index}`,
          phone_number_id: workspace.account.phoneNumberId,
          template_id: templateId(workspace, 'ticket_update'),
          template_variables: twoValues,
        },
      );
      ids.push(Number(message['id']));
    }
  };
  await runtime.db.rows('UPDATE phone_numbers SET throughput_mps = 1000');
  /** All that was accepted last waits in workflows. */
  const left = async (): Promise<void> => {
    for (const id of ids.slice(-beyond)) await eventually(async () => expect(await workflowStatus(id)).toBe('RUNNING'));
  };
  await accept(desk.workspace, maxOfOne + beyond);
  await left();
  expect(upstream.waiting()).toBe(maxOfOne);
  // The other one finds the rest, and no more than that.
  await accept(other, maxOfOne + beyond);
  await left();
  expect(upstream.waiting()).toBe(calls);
  expect(await workflowStatus(ids[0] ?? 0)).toBeNull();
  upstream.release();
  await own.stop();
  await startWorker({ ...desk.test, runtime });
  await eventually(() => expect(upstream.arrived).toHaveLength(ids.length));
  expect(new Set(upstream.arrived).size).toBe(ids.length);
});
