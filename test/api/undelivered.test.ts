import { peopleSql } from '../../dev/makers/people';
import { deliverNext } from '../../api/services/delivery/sends';
import { recordOutcomes } from '../../api/services/resources/messages/rows/outcomes';
import { expireQueued, settleExpiredClaim } from '../../api/services/resources/messages/rows/settlement';
import { takeWaiting } from '../../api/services/resources/messages/rows/waitingConversations';
import { mergeContacts } from '../../api/services/processes/contactMerge/merge';
import { reflectOverlooked } from '../../api/services/resources/tickets/stageMoves/outcomes';
import { notifyRecipient } from '../../api/services/delivery/stageNotification';
import { openMove, restartSilentStageMoves } from '../../api/services/resources/tickets/stageMoves/service';
import { stageNotifyStart } from '../../workflows/starts';
import { templateId, twoValues } from '../factories/broadcasts';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { createPipeline, createTicket, ticketsPath } from '../factories/tickets';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { changedRows, leaveNothingTo, startedAgain } from '../support/ownRows';
import { sharedDesk } from '../support/sharedDesk';
import { captureStatements, Explainer } from '../support/statements';

type Json = Record<string, unknown>;
let desk: TestApi;
let workspace: TestWorkspace;
beforeAll(async () => {
  // No Temporal: intents stay in the table, where they are counted.
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());
beforeEach(async () => {
  workspace = await createWorkspace(desk);
  await leaveNothingTo(desk, 'takeWaiting');
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
  return body.id;
}

/** Conversations that a look finds to be started, all of them. */
async function found(): Promise<number[]> {
  const ids: number[] = [];
  for (let more = true; more;) {
    const { conversations, isMore } = await takeWaiting(desk.runtime, 1_000);
    ids.push(...conversations.map(({ conversationId }) => conversationId));
    more = isMore;
  }
  return ids.sort((left, right) => left - right);
}
/** Lets messages have had their time, and those that were handed over, too. */
const pass = (ids: readonly number[]): Promise<unknown[]> =>
  change(`UPDATE messages SET look_at = now() - interval '1 second' WHERE id = ANY($ids::bigint[])`, { ids });
const stop = (): Promise<unknown[]> =>
  change(
    `UPDATE business_accounts SET stopped_at = now(), stopped_code = 190, stopped_reason = 'Token'
      WHERE workspace_id = $id`,
    { id: workspace.id },
  );
const lift = (): Promise<unknown[]> =>
  change('UPDATE business_accounts SET stopped_at = NULL WHERE workspace_id = $id', { id: workspace.id });
describe('a message that nobody sends', () => {
  const conversations = (people: readonly { conversationId: number }[]): number[] =>
    people.map(({ conversationId }) => conversationId).sort((left, right) => left - right);

  it('has two seconds of its own process, is found then, and not again at once', async () => {
    const [one, other] = [await customer(), await customer()];
    const began = await desk.runtime.db.row<{ at: Date }>('SELECT clock_timestamp() AS at');
    const [first, second] = [await send(one, 'One'), await send(other, 'One')];
    const its = await desk.runtime.db.rows(
      `SELECT look_at >= $at::timestamptz + interval '2 seconds' AS enough
       FROM messages WHERE id = ANY($ids::bigint[])`,
      { ids: [first, second], at: began?.at },
    );
    expect(its).toEqual([{ enough: true }, { enough: true }]);
    // A slow run takes longer than that.
    await change(`UPDATE messages SET look_at = now() + interval '1 hour' WHERE id = ANY($ids::bigint[])`, {
      ids: [first, second],
    });
    expect(await found()).toEqual([]);
    await pass([first]);
    expect(await found()).toEqual([one.conversationId]);
    expect(await found()).toEqual([]);
  });

  it('is found once for a conversation, however many wait in it', async () => {
    const person = await customer();
    const ids = [await send(person, 'One'), await send(person, 'Two'), await send(person, 'Three')];
    await pass(ids);
    expect(await found()).toEqual([person.conversationId]);
  });

  it('is left alone behind one that is being sent, and found when that one lost its sender', async () => {
    const person = await customer();
    const ids = [await send(person, 'One'), await send(person, 'Two')];
    const claim = (seconds: number): Promise<unknown[]> =>
      change(
        `UPDATE messages SET delivery_state = 'sending',
           claim_expires_at = clock_timestamp() + $seconds * interval '1 second' WHERE id = $id`,
        { id: ids[0], seconds },
      );
    await claim(3_600);
    await pass(ids);
    expect(await found()).toEqual([]);
    await claim(-1);
    await pass(ids);
    expect(await found()).toEqual([person.conversationId]);
  });

  it('waits until the time that a refusal or its slot gave it', async () => {
    const person = await customer();
    const id = await send(person, 'One');
    await pass([id]);
    desk.sandbox.faults.add({ kind: 'error', code: 131016, to: person.handle, times: 1 });
    const target = { workspaceId: workspace.id, conversationId: person.conversationId };
    expect(await deliverNext(desk.runtime, target)).toMatchObject({ kind: 'wait', why: 'refused' });
    expect(await found()).toEqual([]);
    const { late } = (await desk.runtime.db.row<{ late: boolean }>(
      "SELECT look_at >= next_attempt_at + interval '2 seconds' AS late FROM messages WHERE id = $id",
      { id },
    )) ?? { late: false };
    expect(late).toBe(true);
  });

  it("is not looked for while it waits for its customer's rate", async () => {
    const person = await customer();
    const id = await send(person, 'One');
    await pass([id]);
    await change(`UPDATE conversations SET pair_free_at = now() + interval '260 seconds' WHERE id = $id`, {
      id: person.conversationId,
    });
    const target = { workspaceId: workspace.id, conversationId: person.conversationId };
    expect(await deliverNext(desk.runtime, target)).toMatchObject({ kind: 'wait', why: 'pair_rate' });
    expect(await found()).toEqual([]);
  });

  it('is found for each number in its turn: few do not wait behind the many of another one', async () => {
    const other = await createWorkspace(desk);
    const person = createCustomer(other);
    await person.writes('Hi');
    await other.api.post('/api/v1/messages/', { to: person.phone, body: 'Few' });
    const many = await customer();
    const id = await send(many, 'Model');
    await fill(id, 300);
    await change(`UPDATE messages SET look_at = now() - interval '1 second'`);
    const { conversations: first, isMore } = await takeWaiting(desk.runtime, 10);
    expect([first.length, isMore]).toEqual([5 + 1, true]);
    expect(first.filter(({ workspaceId }) => workspaceId === other.id)).toHaveLength(1);
    expect(await found()).toHaveLength(300 + 1 - 5);
  });

  it('costs a step where its number is stopped, however many wait for that', async () => {
    const person = await customer();
    await fill(await send(person, 'Model'), 3_000);
    await change(`UPDATE messages SET look_at = now() - interval '1 second'`);
    await stop();
    const { statements } = await captureStatements(() => found());
    const explainer = await Explainer.open(desk.test.env['DATABASE_URL'] ?? '');
    try {
      const [look] = statements.filter(({ text }) => text.includes('WITH RECURSIVE waiting'));
      if (!look) throw new Error('nothing was looked for');
      const reading = await explainer.read(look);
      expect(reading.rows).toBe(0);
      // A walk over what waits reads a page for each row.
      expect(reading.buffers).toBeLessThan(1_000);
    } finally {
      await explainer.close();
    }
    await lift();
    expect(await found()).toHaveLength(3_001);
  });

  /** Adds conversations with one message each, like one that is there. */
  const fill = (like: number, count: number): Promise<unknown[]> =>
    change(
      `WITH ${peopleSql({ workspaceId: workspace.id, count, firstPhone: 49_000_000_000 })}
       INSERT INTO messages (workspace_id, conversation_id, phone_number_id, direction, type, body, message_status,
         origin, delivery_state, opaque, send_seq, deliver_by)
       SELECT m.workspace_id, o.id, m.phone_number_id, 'outbound', 'text', m.body, 'queued', 'api', 'queued',
         gen_random_uuid(), 1, m.deliver_by
       FROM opened o, messages m WHERE m.id = $like`,
      { like },
    );

  it('of a stopped account is seen before the claim, and found as soon as the stop is lifted', async () => {
    const people = [await customer(), await customer()];
    const ids = [await send(people[0] as TestCustomer, 'One'), await send(people[1] as TestCustomer, 'Two')];
    await pass(ids);
    expect(await found()).toEqual(conversations(people));
    await stop();
    // Handed over a moment ago: their workflows find the stop, and the rows are due again.
    for (const { conversationId } of people)
      expect(await deliverNext(desk.runtime, { workspaceId: workspace.id, conversationId })).toEqual({ kind: 'held' });
    expect(await row(ids[0] ?? 0)).toMatchObject({ delivery_state: 'queued', attempts: 0 });
    expect(await found()).toEqual([]);
    await lift();
    expect(await found()).toEqual(conversations(people));
    const target = { workspaceId: workspace.id, conversationId: people[0]?.conversationId ?? 0 };
    expect(await deliverNext(desk.runtime, target)).toMatchObject({ kind: 'progress', status: 'sent' });
  });

  it('that its own process found to be held is found at once when the stop is lifted', async () => {
    const person = await customer();
    const target = { workspaceId: workspace.id, conversationId: person.conversationId };
    await send(person, 'One');
    await stop();
    expect(await deliverNext(desk.runtime, target)).toEqual({ kind: 'held' });
    await lift();
    expect(await found()).toEqual([person.conversationId]);
  });

  it('whose conversation was merged during the last call is sent by the same sender', async () => {
    const [kept, gone] = [await customer(), await customer()];
    await send(gone, 'Waits');
    await desk.runtime.db.transaction(() => mergeContacts(workspace.ctx, kept.id, gone.id));
    const target = { workspaceId: workspace.id, conversationId: gone.conversationId };
    expect(await deliverNext(desk.runtime, target)).toMatchObject({ kind: 'progress', status: 'sent' });
    expect(await deliverNext(desk.runtime, target)).toEqual({ kind: 'idle' });
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

  await change(
    `UPDATE messages SET next_attempt_at = now() - interval '1 second',
      slot_at = now() - interval '1 second' WHERE id = $id`,
    { id },
  );
  expect(await deliverNext(desk.runtime, target)).toMatchObject({ kind: 'progress', status: 'sent' });
  expect(await booked()).toEqual(once);
});

describe('no queued message outlives its time', () => {
  it('whether or not anything still cares for it', async () => {
    const person = await customer();
    const [late, fresh] = [await send(person, 'Late'), await send(person, 'Fresh')];
    await change(`UPDATE messages SET deliver_by = now() - interval '6 minutes' WHERE id = $id`, { id: late });
    expect(await changedRows(workspace, 'messages', expireQueued)).toEqual([late]);
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
    const target = { moveId: move?.id ?? 0, contactId: person.id, mayWaitForStop: true };
    await openMove(workspace.ctx, { moveId: target.moveId, afterPlace: 0, limit: 10 });
    expect(await notifyRecipient(workspace.ctx, { ...target, mayWaitForStop: false })).toEqual({ state: 'held' });
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
    const { messageId, target, ticketId } = await waitingNotification();
    await change(`UPDATE ticket_stage_moves SET touched_at = now() - interval '10 minutes' WHERE id = $moveId`, {
      moveId: target['moveId'],
    });
    expect(await startedAgain(workspace, restartSilentStageMoves)).toEqual([]);
    await lift();
    expect(await startedAgain(workspace, restartSilentStageMoves)).toEqual([
      stageNotifyStart(workspace.id, ticketId, Number(target['moveId'])).id,
    ]);
    await stop();
    await change(`UPDATE messages SET deliver_by = now() - interval '6 minutes' WHERE id = $id`, { id: messageId });
    expect(await changedRows(workspace, 'messages', expireQueued)).toEqual([messageId]);
    await reflectOverlooked(desk.runtime);
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
  await change(`UPDATE messages SET claim_expires_at = clock_timestamp() - interval '1 second' WHERE id = $id`, { id });
  expect(await settleExpiredClaim(desk.runtime, workspace.id, id)).toBe(true);
  expect(await row(id)).toMatchObject({ delivery_state: 'settled', message_status: 'unknown' });
});

describe('a call that was refused for now after its claim had ended', () => {
  const outcome = { kind: 'retry', waitMs: 0 } as const;
  const unknown = async (): Promise<number> => {
    const id = await send(await customer(), 'Slow');
    await change(
      `UPDATE messages SET delivery_state = 'sending', attempts = 1,
         claim_expires_at = clock_timestamp() - interval '1 second' WHERE id = $id`,
      { id },
    );
    expect(await settleExpiredClaim(desk.runtime, workspace.id, id)).toBe(true);
    return id;
  };

  it('waits again: nothing was sent', async () => {
    const id = await unknown();
    await recordOutcomes(desk.runtime, workspace.id, [{ id, attempts: 1, ...outcome }]);
    expect(await row(id)).toMatchObject({ delivery_state: 'queued', message_status: 'queued' });
  });

  it('stays unknown where another attempt was made meanwhile', async () => {
    const id = await unknown();
    await change('UPDATE messages SET attempts = 2 WHERE id = $id', { id });
    await recordOutcomes(desk.runtime, workspace.id, [{ id, attempts: 1, ...outcome }]);
    expect(await row(id)).toMatchObject({ delivery_state: 'settled', message_status: 'unknown' });
  });
});
