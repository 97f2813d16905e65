import pg from 'pg';
import { claimAndSend } from '../../api/services/delivery/attempts';
import { deliverNext } from '../../api/services/delivery/sends';
import { postponeMessage } from '../../api/services/resources/messages/rows/claims';
import { settleStaleClaims } from '../../api/services/resources/messages/rows/settlement';
import { updateMessage } from '../factories/broadcasts';
import { createContact } from '../factories/contacts';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { movedClock } from '../support/clock';
import type { TestApi } from '../support/api';
import { changedRows, sentFrom } from '../support/ownRows';
import { sharedDesk } from '../support/sharedDesk';
import { lockedOut } from '../support/locks';

type Json = Record<string, unknown>;
let now = Date.now();
let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain', { clock: movedClock(() => new Date(now)) });
  Object.assign(desk.sandbox.settings, { pair_rate: false });
});
afterAll(() => desk.close());
beforeEach(() => {
  now = Date.now();
});

const named = [
  {
    type: 'body',
    parameters: [
      { type: 'text', parameter_name: 'first_name', text: 'A' },
      { type: 'text', parameter_name: 'discount', text: '5%' },
    ],
  },
];
const sale = { template: { name: 'spring_sale', language: 'en_US', components: named } };
async function accepted(body: Json, person?: TestCustomer): Promise<{ id: number; handle: string }> {
  const customer = person ?? createCustomer(desk.workspace);
  if (!person) await customer.writes('Hi');
  const answer = await desk.api.post('/api/v1/messages/', {
    to: customer.phone,
    phone_number_id: desk.workspace.account.phoneNumberId,
    ...body,
  });
  expect(answer.status).toBe(201);
  return { id: answer.body.id, handle: customer.handle };
}
const send = (messageId: number, workspaceId = desk.workspace.id): ReturnType<typeof claimAndSend> =>
  claimAndSend(desk.runtime, { workspaceId, messageId, numberPk: null, rank: 'people' });
const row = (id: number): Promise<Json | null> =>
  desk.runtime.db.row<Json>(
    'SELECT message_status, delivery_state, attempts, error_code, error_title FROM messages WHERE id = $id',
    { id },
  );
const taken = (handle: string): number => desk.sandbox.state.sent.filter((record) => record.to === handle).length;

it('one claim of many sends: the others find nothing to do (architecture 5)', async () => {
  const { id, handle } = await accepted({ body: 'Once' });
  const results = await Promise.all(Array.from({ length: 10 }, () => send(id)));
  expect(results.filter((result) => result.kind === 'settled')).toHaveLength(1);
  expect(results.filter((result) => result.kind === 'gone')).toHaveLength(9);
  expect(taken(handle)).toBe(1);
  expect(await send(id)).toEqual({ kind: 'gone' });
});

it('a slot that was booked before a refusal does not shorten the pause that the refusal set', async () => {
  const { id } = await accepted({ body: 'Patient' });
  const pausedMs = async (): Promise<number> =>
    (
      await desk.runtime.db.row<{ ms: number }>(
        `SELECT extract(epoch FROM next_attempt_at - clock_timestamp())::float8 * 1000 AS ms
         FROM messages WHERE id = $id`,
        { id },
      )
    )?.ms ?? 0;
  const hour = 3_600_000;
  await postponeMessage(desk.workspace.ctx, id, { granted: 0, waitMs: hour });
  await postponeMessage(desk.workspace.ctx, id, { granted: 1, waitMs: 1_000 });
  expect(await pausedMs()).toBeGreaterThan(hour / 2);
  await postponeMessage(desk.workspace.ctx, id, { granted: 0, waitMs: 2 * hour });
  expect(await pausedMs()).toBeGreaterThan(hour);
});

it('a message that a merge moves to another contact while it is claimed is not sent to the former one', async () => {
  const [moved, kept] = [await accepted({ body: 'Moved' }), await accepted({ body: 'Kept' })];
  const holder = new pg.Client({ connectionString: desk.test.env['DATABASE_URL'] });
  await holder.connect();
  try {
    await holder.query('BEGIN');
    await holder.query(
      'SELECT 1 FROM conversations WHERE id = (SELECT conversation_id FROM messages WHERE id = $1) FOR UPDATE',
      [moved.id],
    );
    const claiming = send(moved.id);
    await lockedOut(holder, 1);
    await holder.query(
      `UPDATE messages SET send_seq = 100,
         conversation_id = (SELECT conversation_id FROM messages WHERE id = $2) WHERE id = $1`,
      [moved.id, kept.id],
    );
    await holder.query('COMMIT');
    expect(await claiming).toEqual({ kind: 'gone' });
  } finally {
    await holder.end();
  }
  expect(taken(moved.handle)).toBe(0);
});

it('another workspace cannot claim it', async () => {
  const { id, handle } = await accepted({ body: 'Mine' });
  expect(await send(id, desk.workspace.id + 1)).toEqual({ kind: 'gone' });
  expect(taken(handle)).toBe(0);
});

describe('what was allowed when it was accepted is looked at again, and nothing is sent', () => {
  it('the window closed meanwhile', async () => {
    const { id, handle } = await accepted({ body: 'Late' });
    now += 24 * 3_600_000 - 60_000;
    await desk.runtime.db.rows(`UPDATE messages SET deliver_by = deliver_by + interval '1 day' WHERE id = $id`, { id });
    now += 120_000;
    expect(await send(id)).toMatchObject({ kind: 'settled', status: 'failed' });
    expect([await row(id), taken(handle)]).toEqual([
      {
        message_status: 'failed',
        delivery_state: 'settled',
        attempts: 1,
        error_code: 131047,
        error_title: 'Messaging window closed',
      },
      0,
    ]);
  });

  it('it waited for 24 hours', async () => {
    const { id, handle } = await accepted(sale);
    // The deadline is the database's, and so is the clock that it is held against.
    await desk.runtime.db.rows(
      `UPDATE messages SET deliver_by = deliver_by - interval '1 day 1 minute' WHERE id = $id`,
      {
        id,
      },
    );
    await send(id);
    expect([await row(id), taken(handle)]).toEqual([
      {
        message_status: 'failed',
        delivery_state: 'settled',
        attempts: 1,
        error_code: null,
        error_title: 'Delivery expired',
      },
      0,
    ]);
  });

  it('the contact opted out of marketing', async () => {
    const { id, handle } = await accepted(sale);
    await desk.api.patch(`/api/v1/contacts/${handle}/`, { marketing_opt_out: true });
    await send(id);
    expect([await row(id), taken(handle)]).toMatchObject([{ message_status: 'failed', error_code: 131050 }, 0]);
  });

  it('the template is not approved any more', async () => {
    const { id, handle } = await accepted(sale);
    await desk.runtime.db.rows(
      `UPDATE templates SET status = 'PAUSED' WHERE name = 'spring_sale' AND workspace_id = $id`,
      { id: desk.workspace.id },
    );
    await send(id);
    await desk.runtime.db.rows(
      `UPDATE templates SET status = 'APPROVED' WHERE name = 'spring_sale' AND workspace_id = $id`,
      { id: desk.workspace.id },
    );
    expect([await row(id), taken(handle)]).toMatchObject([{ message_status: 'failed', error_code: 132001 }, 0]);
  });
});

it('a retry that would come after the window has closed is not waited for', async () => {
  const { id, handle } = await accepted({ body: 'Too late' });
  now += 24 * 3_600_000 - 3_000;
  desk.sandbox.faults.add({ kind: 'error', code: 131057, to: handle });
  await desk.runtime.db.rows(`UPDATE messages SET deliver_by = deliver_by + interval '1 day' WHERE id = $id`, { id });
  expect(await send(id)).toMatchObject({ kind: 'settled', status: 'failed' });
  expect(await row(id)).toMatchObject({ message_status: 'failed', error_code: 131057 });
});

it('a claim whose sender died becomes unknown and is never sent again', async () => {
  const person = createCustomer(desk.workspace);
  await person.writes('Hi');
  const first = await accepted({ body: 'Died' }, person);
  const second = await accepted({ body: 'Follows' }, person);
  const conversation = await desk.runtime.db.row<{ id: number }>(
    'SELECT v.id FROM conversations v JOIN contacts c ON c.id = v.contact_id WHERE c.receiver_id = $handle',
    { handle: person.handle },
  );
  const target = { workspaceId: desk.workspace.id, conversationId: conversation?.id ?? 0 };
  await desk.runtime.db.rows(
    `UPDATE messages SET delivery_state = 'sending', attempts = 1,
      claim_expires_at = clock_timestamp() + interval '20 seconds' WHERE id = $id`,
    { id: first.id },
  );
  expect(await deliverNext(desk.runtime, target)).toMatchObject({ kind: 'wait' });
  await desk.runtime.db.rows(
    `UPDATE messages SET claim_expires_at = clock_timestamp() - interval '1 second' WHERE id = $id`,
    {
      id: first.id,
    },
  );
  expect(await deliverNext(desk.runtime, target)).toMatchObject({
    kind: 'progress',
    messageId: first.id,
    status: 'unknown',
  });
  expect(await deliverNext(desk.runtime, target)).toMatchObject({
    kind: 'progress',
    messageId: second.id,
    status: 'sent',
  });
  expect(await deliverNext(desk.runtime, target)).toEqual({ kind: 'idle' });
  expect([taken(person.handle), await row(first.id)]).toMatchObject([
    1,
    { message_status: 'unknown', delivery_state: 'settled', attempts: 1 },
  ]);
});

it('the sweep finds dead claims of any conversation', async () => {
  const { id } = await accepted({ body: 'Swept' });
  await desk.runtime.db.rows(
    `UPDATE messages SET delivery_state = 'sending', attempts = 1,
      claim_expires_at = clock_timestamp() - interval '1 minute' WHERE id = $id`,
    { id },
  );
  expect(await changedRows(desk.workspace, 'messages', settleStaleClaims)).toEqual([id]);
  expect(await row(id)).toMatchObject({ message_status: 'unknown', delivery_state: 'settled' });
});

it('a contact who hides the phone is addressed by the user id, never in `to`', async () => {
  const hidden = await createContact(desk.workspace, { bsuid: 'DE.90000000000001' });
  const answer = await desk.api.post('/api/v1/messages/', {
    to: hidden.receiver_id,
    phone_number_id: desk.workspace.account.phoneNumberId,
    template: updateMessage,
  });
  await send(answer.body.id);
  const sent = sentFrom(desk.workspace).at(-1);
  expect(sent?.body).toMatchObject({
    recipient: 'DE.90000000000001',
    biz_opaque_callback_data: expect.any(String) as unknown,
  });
  expect(sent?.body).not.toHaveProperty('to');
});

it('a phone goes out with its plus', async () => {
  const { id, handle } = await accepted({ body: 'Plus' });
  await send(id);
  expect(sentFrom(desk.workspace).at(-1)?.body).toMatchObject({
    to: `+${handle}`,
    type: 'text',
    text: { body: 'Plus' },
  });
});
