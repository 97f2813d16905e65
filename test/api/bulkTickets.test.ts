import { createContact } from '../factories/contacts';
import { createMember, createSession, type TestSession } from '../factories/members';
import { createPipeline, createTicket, tellInStage } from '../factories/tickets';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

let desk: TestApi;
let lena: TestSession;
let member: number;
beforeAll(async () => {
  desk = await sharedDesk('no sandbox');
  const made = await createMember(desk.workspace, { permissions: ['ticket.view', 'ticket.manage'] });
  member = made.id;
  lena = await createSession(made);
});
afterAll(() => desk.close());

const path = '/api/v1/bulk-changes/tickets/';
const read = async (id: number) => (await desk.api.get(`/api/v1/tickets/${id}/`)).body;
const change = (body: object) => lena.api.post(path, body);

it('a selection is changed, told in the trail, and taken back where nobody changed it since', async () => {
  const { stages, id: pipeline } = await createPipeline(desk.workspace, ['New', 'Waiting', 'Done']);
  const made = (tags: readonly string[]) => createTicket(desk.workspace, { pipeline, tags });
  const [first, second, third] = [await made(['late']), await made(['late']), await made(['fair'])];
  const { status, body } = await change({
    ticket_ids: [first.id, second.id, third.id, 999_999_999],
    change: { stage: stages[1]?.id, priority: 'high', assigned_to: member, add_tags: ['fair'] },
  });
  expect([status, body]).toMatchObject([201, { matched: 4, changed: 3, unchanged: 0, refused: 1 }]);
  expect(await read(first.id)).toMatchObject({
    stage: stages[1]?.id,
    priority: 'high',
    assigned_to: member,
    tags: ['late', 'fair'],
  });
  const { body: trail } = await desk.api.get(`/api/v1/tickets/${first.id}/activity/`);
  expect(trail.results.filter(({ data }) => 'bulk' in data).map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['stage_changed', 'ticket_updated']),
  );
  await desk.api.patch(`/api/v1/tickets/${second.id}/`, { priority: 'urgent' });
  const undo = `${path}${body.id}/undo/`;
  expect((await (await createSession(desk.workspace.owner)).api.post(undo)).status).toBe(404);
  expect((await lena.api.post(undo)).body).toEqual({ restored: 2, kept: 1 });
  expect(await read(first.id)).toMatchObject({
    stage: stages[0]?.id,
    priority: 'normal',
    assigned_to: null,
    tags: ['late'],
  });
  expect(await read(second.id)).toMatchObject({ stage: stages[1]?.id, priority: 'urgent', tags: ['late', 'fair'] });
});

it('all that match are changed; those of another pipeline refuse a stage', async () => {
  const { stages, id: pipeline } = await createPipeline(desk.workspace, ['New', 'Done']);
  const other = await createPipeline(desk.workspace, ['Elsewhere']);
  for (let n = 0; n < 55; n += 1) await createTicket(desk.workspace, { pipeline, tags: ['storm'] });
  const elsewhere = await createTicket(desk.workspace, { pipeline: other.id, tags: ['storm'] });
  const moves = { filters: { tag: 'storm' }, change: { stage: stages[1]?.id } };
  expect((await change(moves)).body).toMatchObject({ matched: 56, changed: 55, refused: 1 });
  expect(await read(elsewhere.id)).toMatchObject({ stage: other.stages[0]?.id });
  expect((await change({ filters: { pipeline: String(pipeline) }, change: { priority: 'low' } })).body).toMatchObject({
    matched: 55,
    changed: 55,
    refused: 0,
  });
});

it('a preview counts each contact once, and changes nothing; a move that tells is not taken back', async () => {
  const { stages, id: pipeline } = await createPipeline(desk.workspace, ['New', 'Told']);
  const told = stages[1]?.id ?? 0;
  await tellInStage(desk.workspace, told);
  const [anna, ben] = [await createContact(desk.workspace), await createContact(desk.workspace)];
  const first = await createTicket(desk.workspace, { pipeline, receiver: anna.id, affected_contact_ids: [ben.id] });
  const second = await createTicket(desk.workspace, { pipeline, receiver: anna.id });
  const moves = { ticket_ids: [first.id, second.id], change: { stage: told } };
  const preview = () => lena.api.post(`${path}preview/`, moves);
  expect(await preview()).toMatchObject({ status: 200, body: { matched: 2, told: 2 } });
  expect(await read(first.id)).toMatchObject({ stage: stages[0]?.id });
  const { body } = await change(moves);
  expect(body).toMatchObject({ changed: 2 });
  expect((await preview()).body).toEqual({ matched: 2, told: 0 });
  expect((await lena.api.post(`${path}${body.id}/undo/`)).body).toEqual({ restored: 0, kept: 2 });
});

it.each([
  [{ change: { priority: 'high' } }, 'ticket_ids'],
  [{ ticket_ids: [1], filters: {}, change: { priority: 'high' } }, 'ticket_ids'],
  [{ ticket_ids: [999_999_999], change: { priority: 'high' } }, 'ticket_ids'],
  [{ filters: {}, change: {} }, 'change'],
  [{ filters: { open: 'maybe' }, change: { priority: 'high' } }, 'filters'],
])('%j is refused', async (body, field) => {
  for (const at of [path, `${path}preview/`]) {
    const { status, body: answer } = await lena.api.post(at, body);
    expect([status, Object.keys(answer)]).toEqual([400, [field]]);
  }
});
