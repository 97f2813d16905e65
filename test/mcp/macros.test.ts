import { createCustomer, type TestCustomer } from '../factories/customers';
import { createMacro } from '../factories/macros';
import { createSession, type TestSession } from '../factories/members';
import { connect, registerClient } from '../oauth/support';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { createAgent, type Agent } from '../support/agent';

let desk: TestApi;
let session: TestSession;
let anna: TestCustomer;
let chatId = 0;
let quiet = 0;
let sending = 0;
const agents: Record<'approval' | 'autonomous', Agent> = {} as never;

beforeAll(async () => {
  desk = await sharedDesk('worker');
  session = await createSession(desk.workspace.owner);
  for (const autonomy of ['approval', 'autonomous'] as const)
    agents[autonomy] = createAgent((await desk.workspace.key(['all'], { autonomy })).api);
  anna = createCustomer(desk.workspace);
  await anna.writes('Hello');
  chatId = (await desk.api.get(`/api/v1/conversations/${anna.handle}/`)).body.id;
  quiet = await createMacro(desk.workspace, [{ type: 'set_priority', params: { priority: 'urgent' } }]);
  sending = await createMacro(desk.workspace, [
    { type: 'set_status', params: { status: 'resolved' } },
    { type: 'send_message', params: { body: 'Bye' } },
  ]);
});
afterAll(() => desk.close());

const conversation = async (): Promise<{ conv_status: string; priority: string }> =>
  (await desk.api.get(`/api/v1/conversations/${anna.handle}/`)).body;
const runs = async (): Promise<number> =>
  (
    await desk.runtime.db.row<{ n: number }>('SELECT count(*)::int AS n FROM macro_runs WHERE workspace_id = $id', {
      id: desk.workspace.id,
    })
  )?.n ?? 0;

test('a macro that sends nothing runs at any autonomy', async () => {
  const { json } = await agents.approval.call('run_macro', { macro_id: quiet, chat_id: chatId });
  expect(json).toEqual({ ran: [expect.objectContaining({ type: 'set_priority' })] });
  expect((await conversation()).priority).toBe('urgent');
});

test('dry_run checks every step and leaves no trace', async () => {
  const before = await runs();
  expect(
    (await agents.autonomous.call('run_macro', { macro_id: sending, chat_id: chatId, dry_run: true })).json,
  ).toMatchObject({ status: 'would_send', autonomy_level: 'autonomous' });
  expect(
    (await agents.approval.call('run_macro', { macro_id: sending, chat_id: chatId, dry_run: true })).json,
  ).toMatchObject({ status: 'would_queue', autonomy_level: 'approval' });
  expect([await runs(), (await conversation()).conv_status]).toEqual([before, 'open']);
});

test('a macro that sends waits for approval, is run once when approved, and answers what it did', async () => {
  const { json } = await agents.approval.call('run_macro', { macro_id: sending, chat_id: chatId });
  expect(json).toMatchObject({ status: 'queued_for_approval' });
  expect((await conversation()).conv_status).toBe('open');
  const path = `/api/v1/approvals/${String(json['approval_id'])}/approve/`;
  const decisions = await Promise.all([session.api.post(path), session.api.post(path)]);
  expect(decisions.map(({ status }) => status).sort()).toEqual([200, 409]);
  const { body } = decisions.find(({ status }) => status === 200) ?? decisions[0];
  expect(body).toMatchObject({
    status: 'approved',
    result: { ran: [{ type: 'set_status' }, { type: 'send_message' }] },
  });
  expect((await conversation()).conv_status).toBe('resolved');
  // The rehearsal of the approval leaves nothing behind: one message is there, and one reaches the phone.
  const messages = await desk.runtime.db.rows<{ body: unknown }>(
    `SELECT body FROM messages WHERE workspace_id = $id AND direction = 'outbound'`,
    { id: desk.workspace.id },
  );
  expect(messages).toHaveLength(1);
  const reached = () => desk.sandbox.state.sent.filter(({ to }) => to.replace('+', '') === anna.handle);
  await desk.work();
  expect(reached()).toHaveLength(1);
});

test('what a macro sends for a connected agent says which agent, and who approved it', async () => {
  const app = await registerClient(desk.workspace, { name: 'Shop bot' });
  const scope = 'chat.view chat.send_message macro.view';
  const { access } = await connect(desk, app, session, { changes: { scope } });
  const agent = createAgent(desk.anonymous.with({ authorization: `Bearer ${access}` }));
  const macro = await createMacro(desk.workspace, [{ type: 'send_message', params: { body: 'From the agent' } }]);
  const author = async (text: string): Promise<unknown> => {
    const { body } = await desk.api.get(`/api/v1/conversations/${anna.handle}/messages/`);
    return body.results.find((message) => JSON.stringify(message.body).includes(text))?.written_by;
  };
  const { json } = await agent.call('run_macro', { macro_id: macro, chat_id: chatId });
  const approved = await session.api.post(`/api/v1/approvals/${String(json['approval_id'])}/approve/`);
  expect([approved.status, approved.body['status']]).toEqual([200, 'approved']);
  expect(await author('From the agent')).toMatchObject({ type: 'agent', name: 'Shop bot', approved_by: 'Sam Member' });

  const connected = await session.api.get('/api/v1/connected-agents/');
  const level = { autonomy: 'autonomous' };
  await session.api.patch(`/api/v1/connected-agents/${String(connected.body[0]?.id)}/`, level);
  const alone = await createMacro(desk.workspace, [{ type: 'send_message', params: { body: 'By itself' } }]);
  expect((await agent.call('run_macro', { macro_id: alone, chat_id: chatId })).isError).toBe(false);
  expect(await author('By itself')).toMatchObject({ type: 'agent', name: 'Shop bot', approved_by: null });
});

test('a failed step is named to the agent, and an approval of it stays undecided', async () => {
  const { json } = await agents.approval.call('run_macro', { macro_id: sending, chat_id: chatId });
  await desk.runtime.db.rows(
    `UPDATE conversation_windows SET open_until = now() - interval '1 minute' WHERE conversation_id = $chatId`,
    { chatId },
  );
  const failed = await agents.autonomous.call('run_macro', { macro_id: sending, chat_id: chatId });
  expect([failed.isError, failed.text]).toEqual([
    true,
    expect.stringContaining('Step 2 (send_message) failed') as string,
  ]);
  expect((await session.api.post(`/api/v1/approvals/${String(json['approval_id'])}/approve/`)).status).toBe(400);
  const { body } = await session.api.get(`/api/v1/approvals/${String(json['approval_id'])}/`);
  expect(body.status).toBe('pending');
});
