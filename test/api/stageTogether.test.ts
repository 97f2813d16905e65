import { notifyRecipients } from '../../api/services/processes/stageMoves/recipient';
import { prepareMove } from '../../api/services/processes/stageMoves/service';
import { systemCtx, type Ctx } from '../../api/core/context';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { createPipeline, createTicket, ticketsPath } from '../factories/tickets';
import { unique } from '../factories/unique';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import { startApi, type TestApi } from '../support/api';

const templateId = `6${unique()}`;
let desk: TestApi;
let workspace: TestWorkspace;
let ctx: Ctx;
let stages: number[];
let pipeline: number;

// Without a worker: each test calls the service as an activity does.
beforeAll(async () => {
  desk = await startApi();
  workspace = await createWorkspace(desk, {
    account: {
      templates: [
        {
          id: templateId,
          name: 'update',
          language: 'en_US',
          category: 'UTILITY',
          status: 'APPROVED',
          components: [{ type: 'BODY', text: 'Hello {{1}} there.', example: { body_text: [['x']] } }],
        },
      ],
    },
  });
  ctx = systemCtx(desk.runtime, workspace.id, 'test');
  const made = await createPipeline(workspace, ['New', 'Told']);
  pipeline = made.id;
  stages = made.stages.map((stage) => stage.id);
  const answer = await workspace.api.patch(`/api/v1/ticket-pipelines/${pipeline}/stages/${stages[1]}/`, {
    notify_template_id: templateId,
    notify_template_variables: { body: { '1': { source: 'field', field: 'name' } } },
  });
  expect(answer.status).toBe(200);
});
afterAll(() => desk.close());

type Person = TestCustomer & { readonly id: number };

async function people(...names: string[]): Promise<Person[]> {
  const rows = await desk.runtime.db.rows<{ id: number; receiver_id: string }>(
    `WITH made AS (
       INSERT INTO contacts (workspace_id, receiver_id, phone, name)
       SELECT $ws, n.phone, n.phone, n.name FROM unnest($names::text[], $phones::text[]) AS n(name, phone)
       RETURNING id, receiver_id, name
     ), talks AS (
       INSERT INTO conversations (id, workspace_id, contact_id) SELECT id, $ws, id FROM made RETURNING id
     ), said AS (
       INSERT INTO messages (workspace_id, conversation_id, direction, type, body, message_status)
       SELECT $ws, id, 'inbound', 'text', '{}', 'received' FROM talks
     ) SELECT id, receiver_id FROM made ORDER BY id`,
    { ws: workspace.id, names, phones: names.map(() => `1557${unique()}`.slice(0, 14)) },
  );
  return rows.map((row, index) => ({
    ...createCustomer(workspace, { name: names[index] ?? '' }),
    id: row.id,
    handle: row.receiver_id,
  }));
}

/** A move that concerns these people, prepared and told to nobody. */
async function moveOf(persons: readonly Person[]): Promise<number> {
  const ticket = await createTicket(workspace, {
    pipeline,
    stage: stages[0],
    affected_contact_ids: persons.map(({ id }) => id),
  });
  await workspace.api.patch(`${ticketsPath}${ticket.id}/`, { stage: stages[1] });
  const row = await desk.runtime.db.row<{ id: number }>('SELECT id FROM ticket_stage_moves WHERE ticket_id = $id', {
    id: ticket.id,
  });
  await prepareMove(ctx, row?.id ?? 0);
  return row?.id ?? 0;
}

const notify = (moveId: number, persons: readonly Person[], by: Ctx = ctx, stopping = false) =>
  notifyRecipients(by, { moveId, contactIds: persons.map(({ id }) => id) }, () => stopping);
const sendsTo = ({ handle }: Person): number =>
  desk.sandbox.state.sent.filter((record) => record.to === handle && record.type === 'template').length;
const states = async (moveId: number): Promise<unknown[][]> =>
  (
    await desk.runtime.db.rows<{ contact_id: number; state: string; reason: string }>(
      'SELECT contact_id, state, reason FROM ticket_stage_move_recipients WHERE move_id = $moveId ORDER BY contact_id',
      { moveId },
    )
  ).map((row) => [row.contact_id, row.state, row.reason]);

describe('recipients who are notified together (contract 8.3)', () => {
  it('are told once each, however often and from however many sides it is asked', async () => {
    const persons = await people('Anna', 'Ben', 'Cleo', 'Dora');
    const moveId = await moveOf(persons);
    await Promise.all([notify(moveId, persons), notify(moveId, [...persons].reverse())]);
    const again = await notify(moveId, persons);
    expect(again).toEqual({ settled: { sent: 4, skipped: 0, failed: 0, unknown: 0 }, alone: [], left: [] });
    expect(persons.map(sendsTo)).toEqual([1, 1, 1, 1]);
    expect(await states(moveId)).toEqual(persons.map(({ id }) => [id, 'sent', '']));
    const shown = await desk.runtime.db.rows<{ id: number }>(
      `SELECT v.id FROM conversations v JOIN messages m ON m.id = v.last_message_id AND m.origin = 'stage'
       WHERE v.id = ANY($ids::bigint[]) AND v.last_message_at = m.created_at`,
      { ids: persons.map(({ id }) => id) },
    );
    expect(shown).toHaveLength(4);
  });

  it('do not share what one of them meets: a refusal, an opt-out, another try', async () => {
    const persons = await people('Anna', 'Refused', 'Out', 'Later');
    const [anna, refused, out, later] = persons as [Person, Person, Person, Person];
    const moveId = await moveOf(persons);
    await desk.runtime.db.rows('UPDATE contacts SET marketing_opt_out = true WHERE id = $id', { id: out.id });
    desk.sandbox.faults.add({ kind: 'error', code: 131026, to: refused.handle, times: 1 });
    desk.sandbox.faults.add({ kind: 'error', code: 131016, to: later.handle, times: 1 });
    expect(await notify(moveId, persons)).toEqual({
      settled: { sent: 1, skipped: 1, failed: 1, unknown: 0 },
      alone: [later.id],
      left: [],
    });
    expect(persons.map(sendsTo)).toEqual([1, 0, 0, 0]);
    expect(await states(moveId)).toEqual([
      [anna.id, 'sent', ''],
      [refused.id, 'failed', expect.any(String)],
      [out.id, 'skipped', 'opted_out'],
      [later.id, 'pending', ''],
    ]);
  });

  it('are left when the worker is to stop, and while their number is stopped', async () => {
    const persons = await people('Anna', 'Ben');
    const moveId = await moveOf(persons);
    const ids = persons.map(({ id }) => id);
    expect(await notify(moveId, persons, ctx, true)).toMatchObject({ alone: [], left: ids });
    const stop = (at: Date | null) =>
      desk.runtime.db.rows('UPDATE phone_numbers SET stopped_at = $at WHERE workspace_id = $ws', {
        at,
        ws: workspace.id,
      });
    await stop(new Date());
    expect(await notify(moveId, persons)).toEqual({
      settled: { sent: 0, skipped: 0, failed: 0, unknown: 0 },
      alone: [],
      left: [],
    });
    expect(persons.map(sendsTo)).toEqual([0, 0]);
    await stop(null);
    expect(await notify(moveId, persons)).toMatchObject({ settled: { sent: 2 } });
  });

  it('whose attempt a dead process has claimed are looked at alone, and not sent again', async () => {
    const persons = await people('Anna', 'Ben');
    const [anna] = persons as [Person, Person];
    const moveId = await moveOf(persons);
    await notify(moveId, persons, ctx, true);
    await desk.runtime.db.rows(
      `UPDATE messages m SET delivery_state = 'sending', attempts = 1, claim_expires_at = now() + interval '20 seconds'
       FROM ticket_stage_move_recipients r WHERE r.message_id = m.id AND r.move_id = $moveId AND r.contact_id = $id`,
      { moveId, id: anna.id },
    );
    expect(await notify(moveId, persons)).toMatchObject({ settled: { sent: 1 }, alone: [anna.id], left: [] });
    expect(persons.map(sendsTo)).toEqual([0, 1]);
  });

  it('are those of the own workspace', async () => {
    const persons = await people('Anna');
    const moveId = await moveOf(persons);
    const other = await createWorkspace(desk, {});
    const foreign = systemCtx(desk.runtime, other.id, 'test');
    expect(await notify(moveId, persons, foreign)).toMatchObject({ settled: { sent: 0 }, alone: [], left: [] });
    expect([await states(moveId), persons.map(sendsTo)]).toEqual([[[persons[0]?.id, 'pending', '']], [0]]);
  });
});
