import { writtenSql } from '../../dev/makers/people';
import { permitsOf } from '../../api/services/delivery/permits';
import { mergeContacts } from '../../api/services/processes/contactMerge/merge';
import { notifyRecipient } from '../../api/services/delivery/stageNotification';
import { openMove } from '../../api/services/resources/tickets/stageMoves/service';
import { holdSending, removeHold } from '../../api/services/resources/accounts/fence';
import { systemCtx, type Ctx } from '../../api/core/context';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { createPipeline, createTicket, ticketsPath } from '../factories/tickets';
import { unique } from '../factories/unique';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

const templateId = `6${unique()}`;
let desk: TestApi;
let workspace: TestWorkspace;
let ctx: Ctx;
let stages: number[];
let pipeline: number;

// Without a worker: each test calls the service as an activity does.
beforeAll(async () => {
  desk = await sharedDesk('plain');
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
       INSERT INTO conversations (id, workspace_id, contact_id) SELECT id, $ws, id FROM made
       RETURNING id, workspace_id
     ), said AS (${writtenSql('talks')}) SELECT id, receiver_id FROM made ORDER BY id`,
    { ws: workspace.id, names, phones: names.map(() => `1557${unique()}`.slice(0, 14)) },
  );
  return rows.map((row, index) => ({
    ...createCustomer(workspace, { name: names[index] ?? '' }),
    id: row.id,
    handle: row.receiver_id,
  }));
}

/** A move that concerns these people, prepared and told to nobody; something may happen before it is prepared. */
async function moveOf(persons: readonly Person[], before?: () => Promise<unknown>): Promise<number> {
  const ticket = await createTicket(workspace, {
    pipeline,
    stage: stages[0],
    affected_contact_ids: persons.map(({ id }) => id),
  });
  await workspace.api.patch(`${ticketsPath}${ticket.id}/`, { stage: stages[1] });
  const row = await desk.runtime.db.row<{ id: number }>('SELECT id FROM ticket_stage_moves WHERE ticket_id = $id', {
    id: ticket.id,
  });
  await before?.();
  await openMove(ctx, { moveId: row?.id ?? 0, afterPlace: 0, limit: 100 });
  return row?.id ?? 0;
}

const notify = (moveId: number, { id }: Person, by: Ctx = ctx) =>
  notifyRecipient(by, { moveId, contactId: id, mayWaitForStop: true });
const sendsTo = ({ handle }: Person): number =>
  desk.sandbox.state.sent.filter((record) => record.to === handle && record.type === 'template').length;
const states = async (moveId: number): Promise<unknown[][]> =>
  (
    await desk.runtime.db.rows<{ contact_id: number; state: string; reason: string }>(
      'SELECT contact_id, state, reason FROM ticket_stage_move_recipients WHERE move_id = $moveId ORDER BY contact_id',
      { moveId },
    )
  ).map((row) => [row.contact_id, row.state, row.reason]);

describe('a recipient of a move (contract 8.3)', () => {
  it('is told once, however often and from however many sides it is asked', async () => {
    const persons = await people('Anna', 'Ben', 'Cleo', 'Dora');
    const moveId = await moveOf(persons);
    const asked = await Promise.allSettled(
      [...persons, ...persons, ...persons].map((person) => notify(moveId, person)),
    );
    for (const end of asked)
      if (end.status === 'fulfilled') expect(end.value).toEqual({ state: 'sent' });
      else expect(end.reason).toMatchObject({ message: 'An earlier attempt, or the pause after it, is not over yet.' });
    for (const person of persons) expect(await notify(moveId, person)).toEqual({ state: 'sent' });
    expect(persons.map(sendsTo)).toEqual([1, 1, 1, 1]);
    expect(await states(moveId)).toEqual(persons.map(({ id }) => [id, 'sent', '']));
    const shown = await desk.runtime.db.rows<{ id: number }>(
      `SELECT v.id FROM conversations v JOIN messages m ON m.id = v.last_message_id AND m.origin = 'stage'
       WHERE v.id = ANY($ids::bigint[]) AND v.last_message_at = m.created_at`,
      { ids: persons.map(({ id }) => id) },
    );
    expect(shown).toHaveLength(4);
  });

  it('is a mass send: it waits where these have all their permits, and people of its workspace do not', async () => {
    const [anna] = (await people('Anna')) as [Person];
    const moveId = await moveOf([anna]);
    const permits = permitsOf(desk.runtime);
    const all = await permits.takeMany(99, 1_000_000, 1_000);
    try {
      await expect(notify(moveId, anna)).rejects.toMatchObject({
        message: 'The worker makes as many calls to the platform as it may (PLATFORM_CALLS).',
      });
      expect(await permits.takeOne(workspace.id, 1_000)).toBe(true);
      permits.giveBack('people', workspace.id);
    } finally {
      permits.giveBack('mass', 99, all);
    }
    expect(await notify(moveId, anna)).toEqual({ state: 'sent' });
    expect(await permits.takeMany(99, 1_000_000, 1_000)).toBe(all);
    permits.giveBack('mass', 99, all);
  });

  it('is one with another recipient who was told already: the one who waits is not told', async () => {
    const persons = await people('Waits', 'Told');
    const [waits, told] = persons as [Person, Person];
    const moveId = await moveOf(persons);
    desk.sandbox.faults.add({ kind: 'error', code: 131016, to: waits.handle, times: 1 });
    await expect(notify(moveId, waits)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await notify(moveId, told)).toEqual({ state: 'sent' });
    await desk.runtime.db.transaction(() => mergeContacts(ctx, waits.id, told.id));
    expect(await states(moveId)).toEqual([[waits.id, 'sent', '']]);
    expect(await notify(moveId, waits)).toEqual({ state: 'sent' });
    expect(persons.map(sendsTo)).toEqual([0, 1]);
    expect(
      await desk.runtime.db.rows(
        'SELECT message_status FROM messages WHERE conversation_id = $id AND origin = $origin ORDER BY id',
        { id: waits.id, origin: 'stage' },
      ),
    ).toEqual([{ message_status: 'failed' }, { message_status: 'sent' }]);
  });

  it('is one with another recipient while both are being told: who is refused for now is not told again', async () => {
    const persons = await people('Refused', 'Told');
    const [refused, told] = persons as [Person, Person];
    const moveId = await moveOf(persons);
    for (const { handle } of persons) desk.sandbox.faults.add({ kind: 'error', code: 131016, to: handle, times: 1 });
    for (const person of persons) await expect(notify(moveId, person)).rejects.toMatchObject({ code: 'unavailable' });
    const put = (person: Person, state: string) =>
      desk.runtime.db.rows(`UPDATE messages SET ${state} WHERE conversation_id = $conversation AND dedupe_key = $key`, {
        conversation: refused.id,
        key: `stage:${moveId}:${person.id}`,
      });
    const underWay =
      "delivery_state = 'sending', next_attempt_at = NULL, claim_expires_at = now() + interval '1 minute'";
    await desk.runtime.db.rows(`UPDATE messages SET ${underWay} WHERE conversation_id = ANY($ids::bigint[])`, {
      ids: persons.map(({ id }) => id),
    });
    await desk.runtime.db.transaction(() => mergeContacts(ctx, refused.id, told.id));
    await put(
      refused,
      "delivery_state = 'queued', claim_expires_at = NULL, next_attempt_at = now() - interval '1 second'",
    );
    await expect(notify(moveId, refused)).rejects.toMatchObject({ code: 'unavailable' });
    await put(told, "delivery_state = 'settled', claim_expires_at = NULL, message_status = 'sent'");
    expect(await notify(moveId, refused)).toEqual({ state: 'sent' });
    expect([await states(moveId), persons.map(sendsTo)]).toEqual([[[refused.id, 'sent', '']], [0, 0]]);
  });

  it('is refused, has opted out meanwhile, or waits, and the error says why and for how long', async () => {
    const persons = await people('Refused', 'Out', 'Later');
    const [refused, out, later] = persons as [Person, Person, Person];
    const moveId = await moveOf(persons);
    await desk.runtime.db.rows('UPDATE contacts SET marketing_opt_out = true WHERE id = $id', { id: out.id });
    desk.sandbox.faults.add({ kind: 'error', code: 131026, to: refused.handle, times: 1 });
    desk.sandbox.faults.add({ kind: 'error', code: 131016, to: later.handle });
    expect([await notify(moveId, refused), await notify(moveId, out)]).toEqual([
      { state: 'failed' },
      { state: 'skipped' },
    ]);
    await expect(notify(moveId, later)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/^The platform answered 5\d\d \(code 131016\)\.$/) as string,
      details: { retryAfter: expect.any(Number) as number },
    });
    expect(persons.map(sendsTo)).toEqual([0, 0, 0]);
    expect(await states(moveId)).toEqual([
      [refused.id, 'failed', expect.any(String)],
      [out.id, 'skipped', 'opted_out'],
      [later.id, 'pending', ''],
    ]);
  });

  it('is not told any more a day after the move, however late its turn came', async () => {
    const persons = await people('Late');
    const [late] = persons as [Person];
    const moveId = await moveOf(persons);
    await desk.runtime.db.rows(
      `UPDATE ticket_stage_moves SET created_at = now() - interval '25 hours' WHERE id = $moveId`,
      { moveId },
    );
    expect(await notify(moveId, late)).toEqual({ state: 'failed' });
    expect(sendsTo(late)).toBe(0);
    expect(await states(moveId)).toEqual([[late.id, 'failed', expect.stringContaining('24 hours')]]);
  });

  it('waits while the number is stopped or held, says so, and is told after it', async () => {
    const persons = await people('Anna');
    const [anna] = persons as [Person];
    const moveId = await moveOf(persons);
    const stop = (at: Date | null) =>
      desk.runtime.db.rows('UPDATE phone_numbers SET stopped_at = $at, stopped_code = $code WHERE workspace_id = $ws', {
        at,
        code: at && 131045,
        ws: workspace.id,
      });
    await stop(new Date());
    const held = { details: { retryAfter: 3_600 } };
    await expect(notify(moveId, anna)).rejects.toMatchObject({
      ...held,
      message: 'The platform has stopped the number or its account (code 131045).',
    });
    await stop(null);
    const scope = { workspaceId: workspace.id, phoneNumberPk: null };
    await holdSending(desk.runtime, scope, 'test');
    await expect(notify(moveId, anna)).rejects.toMatchObject({
      ...held,
      message: 'Sending is held until the operator resumes it.',
    });
    await removeHold(desk.runtime, scope);
    expect([sendsTo(anna), await notify(moveId, anna), sendsTo(anna)]).toEqual([0, { state: 'sent' }, 1]);
  });

  it('is not told where they opted out while it waited, whatever the category of the template', async () => {
    const persons = await people('Anna');
    const [anna] = persons as [Person];
    const moveId = await moveOf(persons);
    const scope = { workspaceId: workspace.id, phoneNumberPk: null };
    await holdSending(desk.runtime, scope, 'test');
    await expect(notify(moveId, anna)).rejects.toMatchObject({ code: 'unavailable' });
    await desk.runtime.db.rows('UPDATE contacts SET marketing_opt_out = true WHERE id = $id', { id: anna.id });
    await removeHold(desk.runtime, scope);
    expect([await notify(moveId, anna), sendsTo(anna)]).toEqual([{ state: 'failed' }, 0]);
    expect(await states(moveId)).toEqual([[anna.id, 'failed', expect.stringContaining('opted out')]]);
  });

  it('gets what was frozen of the contact that the ticket named, who was merged into another one since', async () => {
    const persons = await people('Anna', 'Anna Miller');
    const [anna, miller] = persons as [Person, Person];
    const moveId = await moveOf([anna], () =>
      desk.runtime.db.rows(
        `WITH merged AS (INSERT INTO contact_aliases (workspace_id, kind, value, contact_id)
           VALUES ($ws, 'id', $former::text, $id)) UPDATE contacts SET name = 'Mrs. Miller' WHERE id = $id`,
        { ws: workspace.id, former: String(anna.id), id: miller.id },
      ),
    );
    expect(await notify(moveId, miller)).toEqual({ state: 'sent' });
    const sent = desk.sandbox.state.sent.filter(({ to }) => to === anna.handle || to === miller.handle);
    expect(sent.map(({ to, body }) => [to, JSON.stringify(body).includes('"Anna"')])).toEqual([[miller.handle, true]]);
  });

  it('whose attempt a dead process has claimed waits for its end, and is not sent to again', async () => {
    const persons = await people('Anna');
    const [anna] = persons as [Person];
    const moveId = await moveOf(persons);
    desk.sandbox.faults.add({ kind: 'error', code: 131016, to: anna.handle, times: 1 });
    await expect(notify(moveId, anna)).rejects.toThrow();
    const claim = (ends: string) =>
      desk.runtime.db.rows(
        `UPDATE messages m
         SET delivery_state = 'sending', next_attempt_at = NULL, claim_expires_at = now() + $ends::interval
         FROM ticket_stage_move_recipients r WHERE r.message_id = m.id AND r.move_id = $moveId`,
        { moveId, ends },
      );
    await claim('20 seconds');
    await expect(notify(moveId, anna)).rejects.toMatchObject({
      message: 'An earlier attempt, or the pause after it, is not over yet.',
    });
    await claim('-1 second');
    expect([await notify(moveId, anna), sendsTo(anna)]).toEqual([{ state: 'unknown' }, 0]);
  });

  it('is one of the own workspace', async () => {
    const persons = await people('Anna');
    const [anna] = persons as [Person];
    const moveId = await moveOf(persons);
    const other = await createWorkspace(desk, {});
    expect(await notify(moveId, anna, systemCtx(desk.runtime, other.id, 'test'))).toEqual({ state: 'gone' });
    expect([await states(moveId), sendsTo(anna)]).toEqual([[[anna.id, 'pending', '']], 0]);
  });
});
