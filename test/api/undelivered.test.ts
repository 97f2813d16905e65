import { deliverNext } from '../../api/services/delivery/sends';
import {
  expireQueued,
  rearmHeld,
  rearmStranded,
  settleExpiredClaim,
} from '../../api/services/resources/messages/rows/settlement';
import { reflectOverlooked } from '../../api/services/processes/stageMoves/outcomes';
import { notifyRecipient } from '../../api/services/processes/stageMoves/recipient';
import { openMove, rearmSilentMoves } from '../../api/services/processes/stageMoves/service';
import { templateId, twoValues } from '../factories/broadcasts';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { createPipeline, createTicket, ticketsPath } from '../factories/tickets';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import { startApi, type TestApi } from '../support/api';

type Json = Record<string, unknown>;
let desk: TestApi;
let workspace: TestWorkspace;
beforeAll(async () => {
  // No engine: intents stay in the table, where they are counted.
  desk = await startApi({ env: { TEMPORAL_ADDRESS: '127.0.0.1:1' } });
});
afterAll(() => desk.close());
beforeEach(async () => {
  workspace = await createWorkspace(desk);
  await desk.runtime.db.rows('DELETE FROM outbox');
  await desk.runtime.db.rows(
    `UPDATE messages SET delivery_state = 'settled' WHERE delivery_state IN ('queued', 'sending')`,
  );
});

const change = (sql: string, bind: Json = {}): Promise<unknown[]> => desk.runtime.db.rows(sql, bind);
const row = (id: number): Promise<Json | null> =>
  desk.runtime.db.row<Json>(
    'SELECT message_status, delivery_state, error_title, attempts FROM messages WHERE id = $id',
    {
      id,
    },
  );

async function customer(): Promise<TestCustomer & { id: number; conversationId: number }> {
  const person = createCustomer(workspace);
  await person.writes('Hi');
  const found = await desk.runtime.db.row<{ id: number; conversation: number }>(
    `SELECT c.id, v.id AS conversation FROM contacts c JOIN conversations v ON v.contact_id = c.id
     WHERE c.workspace_id = $workspaceId AND c.receiver_id = $handle`,
    { workspaceId: workspace.id, handle: person.handle },
  );
  return { ...person, id: found?.id ?? 0, conversationId: found?.conversation ?? 0 };
}

async function send(to: TestCustomer, text: string): Promise<number> {
  const { status, body } = await workspace.api.post('/api/v1/messages/', {
    to: to.phone,
    body: text,
    phone_number_id: workspace.account.phoneNumberId,
  });
  expect(status).toBe(201);
  return Number(body['id']);
}

/** Conversations that were given an intent since the last look. */
async function rearmed(): Promise<number[]> {
  const rows = await desk.runtime.db.rows<{ id: number }>(
    `DELETE FROM outbox WHERE workflow = 'messageDelivery' RETURNING (input->'input'->>'conversationId')::int AS id`,
  );
  return rows.map(({ id }) => id).sort((left, right) => left - right);
}
const stop = (): Promise<unknown[]> =>
  change(
    `UPDATE business_accounts SET stopped_at = now(), stopped_code = 190, stopped_reason = 'Token'
      WHERE workspace_id = $id`,
    { id: workspace.id },
  );
const lift = (): Promise<unknown[]> =>
  change('UPDATE business_accounts SET stopped_at = NULL WHERE workspace_id = $id', { id: workspace.id });
const age = (ids: readonly number[]): Promise<unknown[]> =>
  change(
    `UPDATE messages SET created_at = now() - interval '5 minutes', updated_at = now() - interval '5 minutes'
      WHERE id = ANY($ids::int[])`,
    { ids },
  );

describe('a queue is stranded by its first message', () => {
  it('one whose first message is overdue is taken up, one whose time is ahead is left alone', async () => {
    const [stranded, waiting] = [await customer(), await customer()];
    const ids = [
      await send(stranded, 'One'),
      await send(stranded, 'Two'),
      await send(waiting, 'One'),
      await send(waiting, 'Two'),
    ];
    await age(ids);
    await change(`UPDATE messages SET next_attempt_at = now() + interval '1 minute' WHERE id = $id`, { id: ids[2] });
    await rearmed();
    expect(await rearmStranded(desk.runtime)).toBe(1);
    expect(await rearmed()).toEqual([stranded.conversationId]);
  });

  it('all are found, however many wait before them', async () => {
    const person = await customer();
    const id = await send(person, 'Model');
    await age([id]);
    // More conversations than one page has: those with the lowest ids are cared for, the last one is not.
    await change(
      `WITH made AS (
         INSERT INTO contacts (workspace_id, receiver_id, phone, name)
         SELECT $workspaceId::int, 'w-' || n, '4900' || n, '' FROM generate_series(1, 2500) AS n RETURNING id
       ), opened AS (INSERT INTO conversations (id, workspace_id, contact_id) SELECT id, $workspaceId, id FROM made
         RETURNING id)
       INSERT INTO messages (workspace_id, conversation_id, phone_number_id, direction, type, body, message_status,
         origin,
         delivery_state, opaque, send_seq, deliver_by, next_attempt_at, created_at, updated_at)
       SELECT m.workspace_id, o.id, m.phone_number_id, 'outbound', 'text', m.body, 'queued', 'api', 'queued',
         gen_random_uuid(), 1, m.deliver_by,
         CASE WHEN o.id < (SELECT max(id) FROM opened) THEN now() + interval '1 hour' END, m.created_at, m.updated_at
       FROM opened o, messages m WHERE m.id = $id`,
      { workspaceId: workspace.id, id },
    );
    await rearmed();
    const last = await desk.runtime.db.row<{ id: number }>('SELECT max(id) AS id FROM conversations');
    expect(await rearmStranded(desk.runtime)).toBe(2);
    expect(await rearmed()).toEqual([person.conversationId, last?.id]);
  });
});

describe('a stopped account', () => {
  it('is seen before the claim; nothing asks again until it is lifted, then all that waits goes', async () => {
    const people = [await customer(), await customer()];
    const ids = [await send(people[0] as TestCustomer, 'One'), await send(people[1] as TestCustomer, 'Two')];
    const [first] = people;
    const target = { workspaceId: workspace.id, conversationId: first?.conversationId ?? 0 };
    await stop();
    expect(await deliverNext(desk.runtime, target)).toEqual({ kind: 'held' });
    expect(await row(ids[0] ?? 0)).toMatchObject({ delivery_state: 'queued', attempts: 0 });
    await age(ids);
    await rearmed();
    expect([await rearmStranded(desk.runtime), await rearmed()]).toEqual([0, []]);

    const account = await desk.runtime.db.row<{ id: number }>(
      'SELECT id FROM business_accounts WHERE workspace_id = $id',
      { id: workspace.id },
    );
    expect(await rearmHeld(workspace.ctx, account?.id ?? 0)).toBe(0);
    await lift();
    expect(await rearmHeld(workspace.ctx, account?.id ?? 0)).toBe(2);
    expect(await rearmed()).toEqual(people.map(({ conversationId }) => conversationId));
    expect(await deliverNext(desk.runtime, target)).toMatchObject({ kind: 'progress', status: 'sent' });
  });
});

it('a slot that is booked minutes ahead is kept in the row: the conversation wakes then', async () => {
  const person = await customer();
  const id = await send(person, 'Later');
  const target = { workspaceId: workspace.id, conversationId: person.conversationId };
  const { number } = (await desk.runtime.db.row<{ number: number }>(
    'SELECT phone_number_id AS number FROM messages WHERE id = $id',
    { id },
  )) ?? { number: 0 };
  await change(
    `INSERT INTO send_slots (phone_number_id, booked_until) VALUES ($number, now() + interval '2 minutes')
     ON CONFLICT (phone_number_id) DO UPDATE SET booked_until = excluded.booked_until`,
    { number },
  );
  const booked = (): Promise<Json | null> =>
    desk.runtime.db.row<Json>('SELECT booked_until FROM send_slots WHERE phone_number_id = $number', { number });

  const outcome = (await deliverNext(desk.runtime, target)) as { kind: string; waitMs: number };
  expect(outcome.kind).toBe('wait');
  expect(outcome.waitMs).toBeGreaterThan(110_000);
  const once = await booked();
  const again = (await deliverNext(desk.runtime, target)) as { kind: string; waitMs: number };
  expect(again.waitMs).toBeLessThanOrEqual(outcome.waitMs);
  expect(await booked()).toEqual(once);

  await change(`UPDATE messages SET next_attempt_at = now(), slot_at = now() WHERE id = $id`, { id });
  expect(await deliverNext(desk.runtime, target)).toMatchObject({ kind: 'progress', status: 'sent' });
  expect(await booked()).toEqual(once);
});

describe('no queued message outlives its time', () => {
  it('whether or not anything still cares for it', async () => {
    const person = await customer();
    const [late, fresh] = [await send(person, 'Late'), await send(person, 'Fresh')];
    await change(`UPDATE messages SET deliver_by = now() - interval '6 minutes' WHERE id = $id`, { id: late });
    expect(await expireQueued(desk.runtime)).toBe(1);
    expect(await row(late)).toMatchObject({ message_status: 'failed', error_title: 'Delivery expired' });
    expect(await row(fresh)).toMatchObject({ message_status: 'queued' });
  });

  /** A ticket's move whose notification waits, because the account is stopped. */
  async function waitingNotification(): Promise<{
    ticketId: number;
    messageId: number;
    contactId: number;
    target: Json;
  }> {
    const person = await customer();
    const pipeline = await createPipeline(workspace, ['New', 'Told']);
    const stage = pipeline.stages[1]?.id ?? 0;
    await workspace.api.patch(`/api/v1/ticket-pipelines/${pipeline.id}/stages/${stage}/`, {
      notify_template_id: templateId(workspace, 'ticket_update'),
      notify_template_variables: twoValues,
    });
    const ticket = await createTicket(workspace, { pipeline: pipeline.id, receiver: person.id });
    await workspace.api.patch(`${ticketsPath}${ticket.id}/`, { stage });
    await stop();
    const move = await desk.runtime.db.row<{ id: number }>('SELECT id FROM ticket_stage_moves WHERE ticket_id = $id', {
      id: ticket.id,
    });
    const target = { moveId: move?.id ?? 0, contactId: person.id };
    await openMove(workspace.ctx, { moveId: target.moveId, afterPlace: 0, limit: 10 });
    await expect(notifyRecipient(workspace.ctx, target)).rejects.toThrow('has stopped the number or its account');
    const message = await desk.runtime.db.row<{ id: number }>(
      'SELECT message_id AS id FROM ticket_stage_move_recipients WHERE move_id = $moveId',
      { moveId: target.moveId },
    );
    return { ticketId: ticket.id, messageId: message?.id ?? 0, contactId: person.id, target };
  }

  it('a notification of a ticket that is deleted ends with it', async () => {
    const { ticketId, messageId } = await waitingNotification();
    expect((await workspace.api.delete(`${ticketsPath}${ticketId}/`)).status).toBe(204);
    expect(await row(messageId)).toMatchObject({
      message_status: 'failed',
      delivery_state: 'settled',
      error_title: 'Ticket deleted',
    });
  });

  it('a held notification waits while the stop lasts, is taken up after it, and ends with its 24 hours', async () => {
    const { messageId, target } = await waitingNotification();
    await change(`UPDATE ticket_stage_moves SET touched_at = now() - interval '10 minutes' WHERE id = $moveId`, {
      moveId: target['moveId'],
    });
    expect(await rearmSilentMoves(desk.runtime)).toBe(0);
    await lift();
    expect(await rearmSilentMoves(desk.runtime)).toBe(1);
    await stop();
    await change(`UPDATE messages SET deliver_by = now() - interval '6 minutes' WHERE id = $id`, { id: messageId });
    expect(await expireQueued(desk.runtime)).toBe(1);
    expect(await reflectOverlooked(desk.runtime)).toBe(1);
    expect(
      await desk.runtime.db.row('SELECT state FROM ticket_stage_move_recipients WHERE message_id = $id', {
        id: messageId,
      }),
    ).toEqual({ state: 'failed' });
  });
});

it('a claim is settled as unknown only once its time is over, and no other attempt of the row is touched', async () => {
  const person = await customer();
  const id = await send(person, 'Claimed');
  await change(
    `UPDATE messages SET delivery_state = 'sending', attempts = 2,
      claim_expires_at = clock_timestamp() + interval '20 seconds' WHERE id = $id`,
    { id },
  );
  expect(await settleExpiredClaim(desk.runtime, workspace.id, id)).toBe(false);
  expect(await row(id)).toMatchObject({ delivery_state: 'sending', message_status: 'queued' });
  await change(`UPDATE messages SET claim_expires_at = clock_timestamp() WHERE id = $id`, { id });
  expect(await settleExpiredClaim(desk.runtime, workspace.id, id)).toBe(true);
  expect(await row(id)).toMatchObject({ delivery_state: 'settled', message_status: 'unknown' });
});
