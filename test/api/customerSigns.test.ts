import { createCustomer, type TestCustomer } from '../factories/customers';
import { createMember, createSession } from '../factories/members';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import type { ApiClient } from '../support/client';

let desk: TestApi;
let owner: ApiClient;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  owner = (await createSession(desk.workspace.owner)).api;
});
afterAll(() => desk.close());

const show = async (show_read: boolean, show_typing: boolean): Promise<void> =>
  expect(await owner.patch('/api/v1/workspace/', { show_read, show_typing })).toMatchObject({
    status: 200,
    body: { show_read, show_typing },
  });

/** Returns what the platform was told of a message, in its order. */
async function toldOf(wamid: string): Promise<string[]> {
  await desk.work();
  const answer = await fetch(`${desk.runtime.config.upstream.url}/_control/calls?limit=500`);
  const calls = (await answer.json()) as { data?: Call[] } | Call[];
  const list = Array.isArray(calls) ? calls : (calls.data ?? []);
  return list.flatMap((call) => (call.wamid === wamid && call.method === 'POST' ? call.outcome : []));
}
interface Call {
  readonly method: string;
  readonly wamid?: string;
  readonly outcome: string;
}

const asks = async (): Promise<[TestCustomer, string]> => {
  const customer = createCustomer(desk.workspace);
  return [customer, await customer.writes('Hello?')];
};
const read = (api: ApiClient, { handle }: TestCustomer) => api.post(`/api/v1/conversations/${handle}/read/`, {});
const sign = (api: ApiClient, { handle }: TestCustomer, state: string) =>
  api.post(`/api/v1/conversations/${handle}/presence/`, { state });

it('tells nothing unless the workspace wants that', async () => {
  expect((await owner.get('/api/v1/workspace/')).body).toMatchObject({ show_read: false, show_typing: false });
  const [customer, wamid] = await asks();
  expect((await read(owner, customer)).status).toBe(200);
  expect((await sign(owner, customer, 'writing')).status).toBe(200);
  expect(await toldOf(wamid)).toEqual([]);
});

it('shows once that a member has read the newest message, and not that a key has', async () => {
  await show(true, false);
  const [customer, first] = await asks();
  expect((await read(desk.api, customer)).status).toBe(200);
  expect(await toldOf(first)).toEqual([]);
  const [second, third] = [await customer.writes('Anybody?'), await customer.writes('Please')];
  for (const api of [owner, owner]) expect((await read(api, customer)).status).toBe(200);
  expect((await sign(owner, customer, 'writing')).status).toBe(200);
  expect([await toldOf(second), await toldOf(third)]).toEqual([[], ['read']]);
  // A sign of the hand is no message to be read.
  await customer.writes({ type: 'reaction', reaction: { message_id: third, emoji: '👍' } });
  expect((await read(owner, customer)).status).toBe(200);
  const fourth = await customer.writes('Thanks');
  expect((await read(owner, customer)).status).toBe(200);
  expect(await toldOf(fourth)).toEqual(['read']);
});

it('shows that a member writes, not more often than every 20 seconds, whoever it is', async () => {
  await show(false, true);
  const [customer, wamid] = await asks();
  const { api: colleague } = await createSession(await createMember(desk.workspace, { role: 'admin' }));
  const reader = await createMember(desk.workspace, { role: 'agent', permissions: ['chat.view'] });
  const { api: looker } = await createSession(reader);
  for (const [api, state] of [
    [owner, 'looking'],
    [looker, 'writing'],
  ] as const)
    expect((await sign(api, customer, state)).status).toBe(200);
  expect(await toldOf(wamid)).toEqual([]);
  for (const api of [owner, owner, colleague]) {
    expect((await sign(api, customer, 'writing')).status).toBe(200);
    await desk.work();
  }
  expect((await read(owner, customer)).status).toBe(200);
  expect(await toldOf(wamid)).toEqual(['typing']);
  await desk.runtime.db.rows(
    `UPDATE presence SET typing_told_at = typing_told_at - interval '21 seconds' WHERE workspace_id = $id`,
    { id: desk.workspace.id },
  );
  expect((await sign(colleague, customer, 'writing')).status).toBe(200);
  expect(await toldOf(wamid)).toEqual(['typing', 'typing']);
});

it('does not show it outside the window, nor in a thread that another application has', async () => {
  await show(true, true);
  const [late, lateId] = await asks();
  const [taken, takenId] = await asks();
  const id = desk.workspace.id;
  await desk.runtime.db.rows(
    `UPDATE conversation_windows o SET open_until = now() - interval '1 minute' FROM contacts c
     WHERE c.id = o.conversation_id AND c.workspace_id = $id AND c.receiver_id = $handle`,
    { id, handle: late.handle },
  );
  await desk.runtime.db.rows(
    `UPDATE conversations v SET thread_owner = 'other' FROM contacts c
     WHERE c.id = v.contact_id AND c.workspace_id = $id AND c.receiver_id = $handle`,
    { id, handle: taken.handle },
  );
  for (const customer of [late, taken]) {
    expect((await sign(owner, customer, 'writing')).status).toBe(200);
    expect((await read(owner, customer)).status).toBe(200);
  }
  // That it is read may be shown at any time.
  expect([await toldOf(lateId), await toldOf(takenId)]).toEqual([['read'], []]);
});

it('asks the platform once, and answers before it does', async () => {
  await show(true, true);
  const [customer, wamid] = await asks();
  const post = jest.spyOn(desk.runtime.upstream, 'post');
  const asked = new Promise<() => void>((resolve) =>
    post.mockImplementationOnce(
      () => new Promise((_resolve, reject) => resolve(() => reject(new Error('The platform does not answer.')))),
    ),
  );
  expect((await sign(owner, customer, 'writing')).status).toBe(200);
  const giveUp = await asked;
  giveUp();
  expect(await toldOf(wamid)).toEqual([]);
  expect((await sign(owner, customer, 'writing')).status).toBe(200);
  expect(await toldOf(wamid)).toEqual([]);
  expect(post).toHaveBeenCalledTimes(1);
  post.mockRestore();
});
