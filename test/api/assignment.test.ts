import { restartAssignments } from '../../api/services/resources/inboxes/assignment/service';
import { assignmentIntent, assignmentStart } from '../../workflows/starts';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { createTeamInbox } from '../factories/inboxes';
import { ownerSession } from '../factories/macros';
import { createMember, createSession, type TestMember, type TestSession } from '../factories/members';
import type { TestApi } from '../support/api';
import { startedAgain } from '../support/ownRows';
import { sharedDesk } from '../support/sharedDesk';
import { eventually } from '../support/eventually';
import { workflowIdOf, workflowOf } from '../support/workflows';

let desk: TestApi;
let owner: TestSession;
let kim: TestMember;
let lou: TestMember;
let inbox: number;
beforeAll(async () => {
  desk = await sharedDesk('worker');
  owner = await ownerSession(desk.workspace);
  kim = await createMember(desk.workspace, { name: 'Kim', permissions: ['chat.view', 'chat.assign'] });
  lou = await createMember(desk.workspace, { name: 'Lou', permissions: ['chat.view', 'chat.assign'] });
  inbox = await createTeamInbox(desk.workspace, [kim.id, lou.id]);
});
afterAll(() => desk.close());

const assign = (change: object) => owner.api.patch(`/api/v1/team-inboxes/${inbox}/assignment/`, change);
const capacities = (...given: (number | null)[]) =>
  assign({ capacities: [kim, lou].map(({ id }, index) => ({ member_id: id, capacity: given[index] ?? null })) });
const away = async (member: TestMember, is_away: boolean): Promise<void> =>
  void (await (await createSession(member)).api.patch('/api/v1/own-settings/', { is_away }));
const change = ({ handle }: TestCustomer, patch: object) => desk.api.patch(`/api/v1/conversations/${handle}/`, patch);

interface Owned {
  readonly id: number;
  readonly assigned_member: number | null;
  readonly assigned_team_inbox: number | null;
}
const read = async ({ handle }: TestCustomer): Promise<Owned> =>
  (await desk.api.get(`/api/v1/conversations/${handle}/`)).body;
const ownerOf = async (customer: TestCustomer): Promise<number | null> => (await read(customer)).assigned_member;
const becomes = (look: () => Promise<number | null>, value: number | null): Promise<void> =>
  eventually(async () => expect(await look()).toBe(value));
const isOf = (one: TestCustomer, member: TestMember | null): Promise<void> =>
  becomes(() => ownerOf(one), member?.id ?? null);
const customer = async (name: string): Promise<TestCustomer> => {
  const one = createCustomer(desk.workspace, { name });
  await one.writes('Hello');
  return one;
};
interface Told {
  readonly kind: string;
  readonly actor: object | null;
  readonly actor_type: string;
  readonly changes: unknown;
}
const trail = async ({ handle }: TestCustomer): Promise<Told[]> =>
  (await desk.api.get(`/api/v1/conversations/${handle}/activity/`)).body.results;
/** What operators see of the inbox. */
const waiting = () => workflowOf(desk.runtime, assignmentStart(desk.workspace.id, inbox).id).query('waiting');
/** Returns how many were assigned by all runs, once they have ended: one that comes late has nothing to do. */
async function assignedByRuns(): Promise<number> {
  const id = workflowIdOf(desk.runtime, assignmentStart(desk.workspace.id, inbox).id);
  const { workflow } = desk.runtime.temporal.client();
  let assigned = 0;
  for await (const { runId } of workflow.list({ query: `WorkflowId = '${id}'` }))
    assigned += ((await workflow.getHandle(id, runId).result()) as { assigned: number }).assigned;
  return assigned;
}
/** Waits until the inbox has looked at everything. */
const settled = (expected: object) => eventually(async () => expect(await waiting()).toMatchObject(expected));

test('an inbox assigns by hand until it is told otherwise, and then whoever waits is found', async () => {
  const anna = await customer('Anna');
  expect(await read(anna)).toMatchObject({ assigned_member: null, assigned_team_inbox: null });
  expect((await assign({ mode: 'balanced' })).body).toMatchObject({ mode: 'balanced', waiting: 0 });

  // From no inbox into the default one, and to a member, each in the activity and told to subscribers.
  await isOf(anna, kim);
  expect(await read(anna)).toMatchObject({ assigned_team_inbox: inbox });
  const told = (changes: object): unknown =>
    expect.objectContaining({ kind: 'assignment_changed', actor: null, actor_type: 'system', changes });
  expect((await trail(anna)).slice(0, 2)).toEqual([
    told({ assigned_member: { from: null, to: kim.id } }),
    told({ assigned_team_inbox: { from: null, to: inbox } }),
  ]);
  const types = await desk.runtime.db.rows(
    `SELECT DISTINCT webhook_type FROM events WHERE kind = 'assignment_changed' AND subject_id = $id`,
    { id: (await read(anna)).id },
  );
  expect(types).toEqual([{ webhook_type: 'conversation.updated' }]);

  // The next goes to who has fewer, and nothing is left to do.
  await isOf(await customer('Ben'), lou);
  await becomes(assignedByRuns, 2);
});

test('those who have no room are passed over; who waits is served in order, and the reason can be read', async () => {
  await capacities(1, 1);
  const cleo = await customer('Cleo');
  const dora = await customer('Dora');
  const [{ id: first }, { id: second }] = [await read(cleo), await read(dora)];
  const why = 'All members who are there have as many open conversations as they are given.';
  await settled({ waiting: 2, first: [first, second], why });
  expect((await owner.api.get(`/api/v1/team-inboxes/${inbox}/assignment/`)).body).toEqual({
    mode: 'balanced',
    capacities: [kim, lou].map(({ id }) => ({ member_id: id, capacity: 1 })),
    members: [kim, lou].map(({ id }) => ({ member_id: id, is_present: true, open: 1 })),
    waiting: 2,
  });
  await capacities(1, 2);
  await isOf(cleo, lou);
  expect(await ownerOf(dora)).toBeNull();
  await change(cleo, { conv_status: 'resolved' });
  await isOf(dora, lou);
});

test('nobody who is away is given anything; what opens again goes to whom it had, or into the queue', async () => {
  await capacities(null, null);
  await away(kim, true);
  const emil = await customer('Emil');
  await isOf(emil, lou);
  await away(lou, true);
  const fay = await customer('Fay');
  await settled({ waiting: 1, why: 'All members of the team inbox are away or deactivated.' });
  await away(kim, false);
  await isOf(fay, kim);

  // Lou, who had it, is away: it comes to Kim. Back again, Lou gets what was theirs.
  await change(emil, { conv_status: 'resolved' });
  await emil.writes('One more thing');
  await isOf(emil, kim);
  await change(emil, { conv_status: 'resolved', assigned_member: lou.id });
  await away(lou, false);
  await emil.writes('And another');
  await eventually(async () => expect(await queued(emil)).toBe(false));
  expect(await ownerOf(emil)).toBe(lou.id);

  // No member has room: it waits, by the time at which it opened again.
  await change(emil, { conv_status: 'resolved' });
  await capacities(1, 1);
  const gus = await customer('Gus');
  await settled({ waiting: 1 });
  await emil.writes('Still there?');
  await settled({ waiting: 2, first: [(await read(gus)).id, (await read(emil)).id] });
  expect(await ownerOf(emil)).toBeNull();
  await capacities(null, null);
  await eventually(async () => expect(await ownerOf(emil)).not.toBeNull());
});

const queued = async (one: TestCustomer): Promise<boolean> => {
  const row = await desk.runtime.db.row<{ is_queued: boolean }>(
    'SELECT queued_at IS NOT NULL AS is_queued FROM conversations WHERE id = $id',
    { id: (await read(one)).id },
  );
  return row?.is_queued ?? false;
};

test('what is assigned by hand stays, over every capacity and to who is away', async () => {
  await capacities(1, 1);
  const hana = await customer('Hana');
  await settled({ waiting: 1 });
  await away(lou, true);
  await change(hana, { assigned_member: lou.id });
  // Opened again by hand, for the same member.
  await change(hana, { conv_status: 'resolved' });
  await change(hana, { conv_status: 'open', assigned_member: lou.id });
  expect(await queued(hana)).toBe(false);
  await away(lou, false);
  await capacities(null, null);
  expect(await ownerOf(hana)).toBe(lou.id);
});

test('what a deactivated member leaves behind is given to others', async () => {
  const ida = await customer('Ida');
  const max = await createMember(desk.workspace, { name: 'Max' });
  await change(ida, { assigned_member: max.id });
  await max.update({ isActive: false });
  await eventually(async () => expect([kim.id, lou.id]).toContain(await ownerOf(ida)));
  const [newest] = await trail(ida);
  expect(newest).toMatchObject({ actor_type: 'system', changes: { assigned_member: { from: max.id } } });
});

test('what a lost intent left behind is found by the sweep', async () => {
  const { db } = desk.runtime;
  await away(kim, true);
  await away(lou, true);
  const kai = await customer('Kai');
  await settled({ waiting: 1 });
  await workflowOf(desk.runtime, assignmentStart(desk.workspace.id, inbox).id).terminate('lost');
  await db.transaction(async () => {
    await db.rows('UPDATE members SET is_away = false WHERE workspace_id = $id', { id: desk.workspace.id });
    await db.rows('DELETE FROM outbox WHERE workspace_id = $id', { id: desk.workspace.id });
  });
  // The worker's own sweep may have been first; neither finds more afterwards.
  await restartAssignments(desk.runtime);
  await eventually(async () => expect(await ownerOf(kai)).not.toBeNull());
  expect(await startedAgain(desk.workspace, restartAssignments)).toEqual([]);
});

test('a conversation is handed over with its note, or neither', async () => {
  const jan = await customer('Jan');
  const path = `/api/v1/conversations/${jan.handle}/handover/`;
  const { api } = await createSession(kim);
  const given = await api.post(path, { assigned_member: lou.id, note: '@Lou promised a call' });
  expect([given.status, given.body]).toMatchObject([201, { body: '@Lou promised a call', mentioned_ids: [lou.id] }]);
  expect(await ownerOf(jan)).toBe(lou.id);
  expect((await api.post(path, { note: 'To nobody' })).status).toBe(400);
  expect((await api.post(path, { assigned_member: 999_999_999, note: 'To a stranger' })).status).toBe(400);
  const notes = await api.get(`/api/v1/conversations/${jan.handle}/notes/`);
  expect(notes.body.count).toBe(1);

  // Into an inbox that assigns by hand it has no member.
  const other = await createTeamInbox(desk.workspace);
  expect((await api.post(path, { assigned_team_inbox: other, note: 'For you all' })).status).toBe(201);
  expect(await read(jan)).toMatchObject({ assigned_member: null, assigned_team_inbox: other });
});

test('only members of the inbox have a capacity in it, and keep it when others come', async () => {
  await capacities(7, null);
  const max = await createMember(desk.workspace, { name: 'Max' });
  const refused = await assign({ capacities: [{ member_id: max.id, capacity: 3 }] });
  expect([refused.status, refused.body]).toMatchObject([
    400,
    { capacities: [expect.stringContaining('is not in this team inbox')] },
  ]);
  await owner.api.patch(`/api/v1/team-inboxes/${inbox}/`, { member_ids: [kim.id, max.id] });
  const { body } = await owner.api.get(`/api/v1/team-inboxes/${inbox}/assignment/`);
  expect(body.capacities).toEqual([
    { member_id: kim.id, capacity: 7 },
    { member_id: max.id, capacity: null },
  ]);
});

test('the database asks for the same workflow as the code', async () => {
  const { db, outbox } = desk.runtime;
  const undone = new Error('undone');
  const columns = 'workspace_id, workflow, workflow_id, signal, version, input';
  await expect(
    db.transaction(async () => {
      await db.rows('DELETE FROM outbox WHERE workspace_id = $id', { id: desk.workspace.id });
      await db.rows('SELECT ask_for_assignment($inbox)', { inbox });
      await outbox.add(desk.workspace.ctx, assignmentIntent(desk.workspace.id, inbox));
      const rows = await db.rows(`SELECT ${columns} FROM outbox WHERE workspace_id = $id`, { id: desk.workspace.id });
      expect(rows).toHaveLength(2);
      expect(rows[0]).toEqual(rows[1]);
      throw undone;
    }),
  ).rejects.toBe(undone);
});
