import { mergeContacts } from '../../api/services/processes/contactMerge/merge';
import { systemCtx } from '../../api/core/context';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { createMember, createSession, type TestMember, type TestSession } from '../factories/members';
import { createTicket } from '../factories/tickets';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

interface Concern {
  readonly id: number;
  readonly kind: string;
  readonly receiver_id: string | null;
  readonly ticket_id: number | null;
  readonly source_id: number | null;
  readonly title: string;
  readonly excerpt: string;
  readonly actor: { readonly name: string } | null;
  readonly read_at: string | null;
}

let desk: TestApi;
let workspace: TestWorkspace;
let anna: TestCustomer;
let omar: TestMember;
let omars: TestSession;
let lena: TestSession;
let handle: string;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
beforeEach(async () => {
  workspace = await createWorkspace(desk);
  anna = createCustomer(workspace, { name: 'Anna' });
  await anna.writes('Hello');
  handle = anna.handle;
  omar = await createMember(workspace, {
    name: 'Omar Said',
    permissions: ['chat.view', 'chat.send_message', 'ticket.view'],
  });
  omars = await createSession(omar);
  lena = await createSession(await createMember(workspace, { name: 'Lena', role: 'admin' }));
});
afterAll(() => desk.close());

const concernsOf = async ({ api }: TestSession, query = ''): Promise<readonly Concern[]> =>
  (await api.get<{ results: Concern[] }>(`/api/v1/concerns/${query}`)).body.results;
const mention = (body: string) => lena.api.post<{ id: number }>(`/api/v1/conversations/${handle}/notes/`, { body });
const assign = (by: TestSession, id: number | null) =>
  by.api.patch(`/api/v1/conversations/${handle}/`, { assigned_member: id });
const sends = async (by: TestSession): Promise<number> => {
  const { body } = await by.api.post<{ id: number }>('/api/v1/messages/', {
    phone_number_id: workspace.account.phoneNumberId,
    to: anna.phone,
    body: 'On its way',
  });
  return body.id;
};
/** What the platform says of a message in the end. */
const fails = (id: number) =>
  desk.runtime.db.rows(
    `UPDATE messages SET message_status = 'failed', failed_at = now() WHERE workspace_id = $workspaceId AND id = $id`,
    { workspaceId: workspace.id, id },
  );

it('a mention concerns whom a note names, until they have read it', async () => {
  const { body: note } = await mention('Ask @Omar first, says @Lena');
  const [found, ...others] = await concernsOf(omars);
  expect(others).toEqual([]);
  expect(found).toMatchObject({
    kind: 'mention',
    receiver_id: handle,
    ticket_id: null,
    source_id: note.id,
    title: 'Anna',
    excerpt: 'Ask @Omar first, says @Lena',
    actor: { name: 'Lena' },
    read_at: null,
  });
  expect(await concernsOf(lena)).toEqual([]);
  // Who reads what is not theirs changes nothing.
  expect((await lena.api.post('/api/v1/concerns/read/', { ids: [found?.id] })).status).toBe(204);
  expect(await concernsOf(omars, '?unread=true')).toHaveLength(1);
  await mention('@Omar again');
  await omars.api.post('/api/v1/concerns/read/', { ids: [found?.id] });
  expect((await concernsOf(omars, '?unread=true')).map(({ excerpt }) => excerpt)).toEqual(['@Omar again']);
  expect((await concernsOf(omars, '?unread=false')).map(({ id }) => id)).toEqual([found?.id]);
  await omars.api.post('/api/v1/concerns/read/', {});
  expect(await concernsOf(omars, '?unread=true')).toEqual([]);
  expect(await concernsOf(omars)).toHaveLength(2);
});

it('what others give to a member concerns them, and what they take themselves does not', async () => {
  await assign(omars, omar.id);
  expect(await concernsOf(omars)).toEqual([]);
  await assign(lena, null);
  await assign(lena, omar.id);
  await assign(lena, omar.id);
  const given = await createTicket(workspace, { title: 'Broken gate' });
  await lena.api.patch(`/api/v1/tickets/${given.id}/`, { assigned_to: omar.id });
  const { body: made } = await lena.api.post<{ id: number }>('/api/v1/tickets/', {
    title: 'New gate',
    assigned_to: omar.id,
  });
  await lena.api.patch(`/api/v1/tickets/${made.id}/`, { priority: 'high' });
  expect(
    (await concernsOf(omars, '?kind=assigned')).map(({ title, ticket_id, receiver_id, actor }) => [
      title,
      ticket_id,
      receiver_id,
      actor?.name,
    ]),
  ).toEqual([
    ['New gate', made.id, null, 'Lena'],
    ['Broken gate', given.id, null, 'Lena'],
    ['Anna', null, handle, 'Lena'],
  ]);
  // What they may not see any more is not shown, and is there again with the permission.
  await omar.update({ permissions: ['chat.view'] });
  expect((await concernsOf(omars)).map(({ title }) => title)).toEqual(['Anna']);
});

it('a message of a member that fails concerns them, once; one of a key nobody', async () => {
  const [mine, hers] = [await sends(omars), await sends(lena)];
  await fails(mine);
  await fails(mine);
  await fails(hers);
  const [found, ...others] = await concernsOf(omars);
  expect([found, others]).toMatchObject([
    { kind: 'failed', source_id: mine, receiver_id: handle, excerpt: 'On its way', actor: null },
    [],
  ]);
  const { body } = await workspace.api.post<{ id: number }>('/api/v1/messages/', {
    phone_number_id: workspace.account.phoneNumberId,
    to: anna.phone,
    body: 'By a key',
  });
  const { member_id: owner } = (await desk.runtime.db.row<{ member_id: number | null }>(
    'SELECT sent_by_member_id AS member_id FROM messages WHERE workspace_id = $workspaceId AND id = $id',
    { workspaceId: workspace.id, id: body.id },
  )) ?? { member_id: null };
  await fails(body.id);
  const rows = await desk.runtime.db.rows(
    'SELECT 1 FROM concerns WHERE workspace_id = $workspaceId AND source_id = $id',
    { workspaceId: workspace.id, id: body.id },
  );
  expect(rows).toHaveLength(owner === null ? 0 : 1);
});

it('a message for later that is held concerns who wrote it, once for each conversation', async () => {
  for (const text of ['First', 'Second'])
    await omars.api.post('/api/v1/messages/', {
      phone_number_id: workspace.account.phoneNumberId,
      to: anna.phone,
      body: text,
      send_at: new Date(Date.now() + 7_200_000).toISOString(),
    });
  await anna.writes('Wait');
  expect(await concernsOf(omars)).toMatchObject([{ kind: 'held', title: 'Anna', excerpt: 'First' }]);
});

it('goes with the customer, the ticket and the member, and follows a merge', async () => {
  const beth = createCustomer(workspace, { name: 'Beth' });
  await beth.writes('Hi');
  await mention('@Omar, look');
  const idOf = async (receiver: string): Promise<number> =>
    (
      await desk.runtime.db.row<{ id: number }>(
        'SELECT id FROM contacts WHERE workspace_id = $workspaceId AND receiver_id = $receiver',
        { workspaceId: workspace.id, receiver },
      )
    )?.id ?? 0;
  const ctx = systemCtx(desk.runtime, workspace.id, 'test');
  const [first, second] = [await idOf(handle), await idOf(beth.handle)];
  await desk.runtime.db.transaction(() => mergeContacts(ctx, first, second, second));
  expect(await concernsOf(omars)).toMatchObject([{ receiver_id: beth.handle, excerpt: '@Omar, look' }]);
  const { body: made } = await lena.api.post<{ id: number }>('/api/v1/tickets/', { title: 'A', assigned_to: omar.id });
  expect(await concernsOf(omars)).toHaveLength(2);
  await lena.api.delete(`/api/v1/tickets/${made.id}/`);
  expect(await concernsOf(omars)).toHaveLength(1);
  await lena.api.delete(`/api/v1/contacts/${beth.handle}/`);
  expect(await concernsOf(omars)).toEqual([]);
});
