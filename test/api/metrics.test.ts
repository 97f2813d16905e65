import { backlogStatement, readBacklog, type Backlog } from '../../api/services/processes/maintenance/backlog';
import { createCustomer } from '../factories/customers';
import { startApi, type TestApi } from '../support/api';

let desk: TestApi;
beforeAll(async () => {
  // Nothing listens there: what is to be handed to the engine stays in the outbox.
  desk = await startApi({ env: { TEMPORAL_ADDRESS: '127.0.0.1:1' } });
});
afterAll(() => desk.close());

const rows = (sql: string): Promise<object[]> => desk.runtime.db.rows(sql, { id: desk.workspace.id });
const backlog = async (): Promise<Record<string, Backlog>> =>
  Object.fromEntries((await readBacklog(desk.runtime)).map((entry) => [entry.name, entry]));

it('counts refusals by route and error code', async () => {
  await desk.api.get('/api/v1/contacts/4915199999999/');
  await desk.api.patch('/api/v1/contacts/4915199999999/', { email: 'no address' });
  const { body } = await desk.anonymous.get<string>('/metrics');
  const route = '/api/v1/contacts/{receiver_id}/';
  expect(body).toContain(`http_refusals_total{route="${route}",code="not_found"}`);
  expect(body).not.toContain('4915199999999');
});

it('tells of every kind of work that waits how much there is, and since when', async () => {
  const before = await backlog();
  expect(Object.keys(before).sort()).toEqual([
    'claims_stale',
    'events_unnumbered',
    'inbox_messages',
    'inbox_parked',
    'inbox_statuses',
    'messages_held',
    'messages_queued',
    'messages_unknown',
    'outbox',
    'snoozes_overdue',
  ]);
  const anna = createCustomer(desk.workspace);
  await anna.writes('Hi');
  const send = async (): Promise<unknown> =>
    (
      await desk.api.post('/api/v1/messages/', {
        to: anna.phone,
        phone_number_id: desk.workspace.account.phoneNumberId,
        body: 'Hello',
      })
    ).body['id'];
  const [held, stale] = [Number(await send()), Number(await send())];
  await rows(`UPDATE outbox SET created_at = now() - interval '70 seconds' WHERE workspace_id = $id`);
  await rows(
    `UPDATE messages SET next_attempt_at = now() + interval '1 hour' WHERE workspace_id = $id AND id = ${held}`,
  );
  await rows(
    `UPDATE phone_numbers SET stopped_at = now(), stopped_code = 131031 WHERE workspace_id = $id AND phone_number_id = '${desk.workspace.account.phoneNumberId}'`,
  );
  await rows(
    `UPDATE messages SET delivery_state = 'sending', claim_expires_at = now() - interval '90 seconds' WHERE workspace_id = $id AND id = ${stale}`,
  );
  await rows(
    `UPDATE conversations SET conv_status = 'snoozed', snoozed_until = now() - interval '200 seconds' WHERE workspace_id = $id`,
  );
  await rows(
    `INSERT INTO inbox_events (workspace_id, business_account_id, kind, order_key, payload, state, available_at)
     SELECT $id, a.id, k.kind, '', '{}', k.state, now() + interval '1 hour' FROM business_accounts a,
       (VALUES ('message', 'new'), ('status', 'new'), ('status', 'new'), ('message', 'parked')) AS k(kind, state)
     WHERE a.workspace_id = $id`,
  );
  const after = await backlog();
  const grown = (name: string): number => (after[name]?.rows ?? 0) - (before[name]?.rows ?? 0);
  expect(
    Object.fromEntries(
      [
        'inbox_messages',
        'inbox_statuses',
        'inbox_parked',
        'messages_queued',
        'messages_held',
        'claims_stale',
        'snoozes_overdue',
      ].map((name) => [name, grown(name)]),
    ),
  ).toEqual({
    inbox_messages: 1,
    inbox_statuses: 2,
    inbox_parked: 1,
    messages_queued: 2,
    messages_held: 1,
    claims_stale: 1,
    snoozes_overdue: 1,
  });
  expect(grown('outbox')).toBeGreaterThan(0);
  expect(grown('events_unnumbered')).toBeGreaterThanOrEqual(0);
  expect(after['outbox']?.oldestSeconds).toBeGreaterThan(69);
  expect(after['claims_stale']?.oldestSeconds).toBeGreaterThan(89);
  expect(after['snoozes_overdue']?.oldestSeconds).toBeGreaterThan(199);
});

it('finds what waits by indexes of its size, however large the tables are', async () => {
  const { db } = desk.runtime;
  const plan = await db.transaction(async () => {
    await db.rows('SET LOCAL enable_seqscan = off');
    return db.rows<{ 'QUERY PLAN': string }>(`EXPLAIN ${backlogStatement}`);
  });
  const scanned = plan
    .map((line) => /Seq Scan on (\w+)/.exec(line['QUERY PLAN'])?.[1])
    .filter((table) => table !== undefined);
  // What is there to be emptied is as small as its backlog.
  expect([...new Set(scanned)].filter((table) => table !== 'outbox')).toEqual([]);
});
