import { removeExpired } from '../../api/services/processes/maintenance/service';
import { fetchDueFiles } from '../../api/services/processes/files/fetch';
import { createContact } from '../factories/contacts';
import { createCustomer } from '../factories/customers';
import { createTicket } from '../factories/tickets';
import { startApi, type TestApi } from '../support/api';

let desk: TestApi;
beforeAll(async () => {
  desk = await startApi({
    env: {
      RETAIN_MESSAGES_DAYS: '40',
      RETAIN_AUDIT_DAYS: '9',
      RETAIN_ACTIVITY_DAYS: '11',
      RETAIN_PARKED_EVENTS_DAYS: '12',
      RETAIN_APPROVALS_DAYS: '13',
      RETAIN_MACRO_RUNS_DAYS: '14',
      RETAIN_BROADCAST_RECIPIENTS_DAYS: '15',
      RETAIN_STAGE_MOVES_DAYS: '16',
      RETAIN_USAGE_DAYS: '370',
      RETAIN_ALIASES_DAYS: '31',
    },
  });
  // Of whom rows below speak.
  await createContact(desk.workspace);
});
afterAll(() => desk.close());

/** A row of each kind that is `days` old; `$at` is its time. */
const rows: Readonly<Record<string, readonly [table: string, days: number, insert: string]>> = {
  'an event that is not used': [
    'inbox_events',
    12,
    `(workspace_id, business_account_id, kind, payload, state, received_at)
     SELECT $workspaceId, id, 'new_field', '{}', 'ignored', $at FROM business_accounts
       WHERE workspace_id = $workspaceId`,
  ],
  'a parked event': [
    'inbox_events',
    12,
    `(workspace_id, business_account_id, kind, payload, state, received_at)
     SELECT $workspaceId, id, 'message', '{}', 'parked', $at FROM business_accounts WHERE workspace_id = $workspaceId`,
  ],
  'a decided approval': [
    'approvals',
    13,
    `(workspace_id, connection_kind, connection_id, autonomy, tool, call_kind, input, status, decided_at)
     VALUES ($workspaceId, 'api_key', 1, 'draft', 'send_message', 'message', '{}', 'rejected', $at)`,
  ],
  'a row of the audit log': [
    'audit_log',
    9,
    `(workspace_id, connection_kind, connection_id, tool, arguments_digest, outcome, duration_ms, request_id,
      created_at)
     VALUES ($workspaceId, 'api_key', 1, 'send_message', '\\x00', 'ok', 1, 'r', $at)`,
  ],
  'an activity entry': [
    'events',
    11,
    `(workspace_id, subject_type, subject_id, kind, actor_type, created_at)
     VALUES ($workspaceId, 'ticket', 1, 'comment_added', 'system', $at)`,
  ],
  'the record of a macro run': [
    'macro_runs',
    14,
    `(workspace_id, actions, conversation_id, state, ran, actor_type, finished_at)
     VALUES ($workspaceId, '[]', 1, 'applied', '[]', 'member', $at)`,
  ],
  usage: [
    'message_usage',
    370,
    `(message_id, workspace_id, arrived_at, category, billable, country)
     SELECT coalesce(max(message_id), 0) + 1, $workspaceId, $at, 'utility', true, 'DE' FROM message_usage`,
  ],
  'a former number of a contact': [
    'contact_aliases',
    31,
    `(workspace_id, kind, value, contact_id, created_at)
     SELECT $workspaceId, 'receiver_id', extract(epoch FROM $at::timestamptz)::text, min(id), $at FROM contacts
       WHERE workspace_id = $workspaceId`,
  ],
};

it.each(Object.entries(rows))('%s is removed when its days are over, and not before', async (_kind, row) => {
  const [table, days, insert] = row;
  const { db } = desk.runtime;
  await db.rows(`DELETE FROM ${table}`);
  const hour = 3_600_000;
  for (const age of [days * 24 + 1, days * 24 - 1])
    await db.rows(`INSERT INTO ${table} ${insert}`, {
      workspaceId: desk.workspace.id,
      at: new Date(Date.now() - age * hour),
    });
  await removeExpired(desk.runtime);
  expect(await db.rows(`SELECT 1 AS kept FROM ${table}`)).toHaveLength(1);
});

it('what is undecided stays, however old', async () => {
  const { db } = desk.runtime;
  const bind = { workspaceId: desk.workspace.id };
  await db.rows('DELETE FROM approvals');
  await db.rows(
    `INSERT INTO approvals (workspace_id, connection_kind, connection_id, autonomy, tool, call_kind, input, created_at)
     VALUES ($workspaceId, 'api_key', 1, 'draft', 'send_message', 'message', '{}', now() - interval '2 years')`,
    bind,
  );
  await removeExpired(desk.runtime);
  expect(await db.rows('SELECT 1 AS kept FROM approvals')).toHaveLength(1);
});

describe('messages whose days are over', () => {
  /** Makes a customer whose document, answer and last text are so many days old. */
  async function conversationOf(days: number): Promise<string> {
    const { runtime, workspace, api } = desk;
    const customer = createCustomer(workspace);
    await customer.writes({ type: 'document' });
    await fetchDueFiles(runtime);
    await api.post('/api/v1/messages/', { to: customer.phone, body: 'Thank you.' });
    await desk.work();
    await customer.writes('Good.');
    await runtime.db.rows(
      `UPDATE messages SET created_at = now() - $days * interval '1 day' WHERE workspace_id = $workspaceId
         AND conversation_id = (SELECT id FROM contacts WHERE workspace_id = $workspaceId AND receiver_id = $handle)`,
      { workspaceId: workspace.id, handle: customer.handle, days },
    );
    return customer.handle;
  }
  const textsOf = async (handle: string): Promise<unknown[]> =>
    (await desk.api.get(`/api/v1/conversations/${handle}/messages/`)).body.results;
  const lastOf = async (handle: string): Promise<unknown> =>
    (await desk.api.get(`/api/v1/conversations/${handle}/`)).body['last_message'];
  const files = async (): Promise<number> => (await desk.runtime.db.rows('SELECT id FROM files')).length;

  it('go with their files, younger ones stay, and the conversation goes on', async () => {
    const [old, young] = [await conversationOf(41), await conversationOf(39)];
    expect(await files()).toBe(2);
    const kept = (await textsOf(young)).length;
    await removeExpired(desk.runtime);
    expect([await textsOf(old), await lastOf(old), (await textsOf(young)).length]).toEqual([[], null, kept]);
    expect(kept).toBe(3);
    expect(await lastOf(young)).not.toBeNull();
    expect(await files()).toBe(1);
    const sent = await desk.api.post('/api/v1/messages/', { to: `+${old}`, body: 'Anything else?' });
    expect([sent.status, (await textsOf(old)).length]).toEqual([201, 1]);
    await desk.work();
  });

  it('stay while they may still be on their way, and where nothing is said of it', async () => {
    const [waiting, kept] = [await conversationOf(41), await conversationOf(41)];
    await desk.runtime.db.rows(
      `UPDATE messages SET delivery_state = 'queued', message_status = 'queued' WHERE direction = 'outbound'
         AND conversation_id = (SELECT id FROM contacts WHERE workspace_id = $id AND receiver_id = $waiting)`,
      { id: desk.workspace.id, waiting },
    );
    const { config } = desk.runtime;
    await removeExpired({ ...desk.runtime, config: { ...config, retainDays: { ...config.retainDays, messages: 0 } } });
    expect([(await textsOf(waiting)).length, (await textsOf(kept)).length]).toEqual([3, 3]);
    await removeExpired(desk.runtime);
    expect([(await textsOf(waiting)).length, (await textsOf(kept)).length]).toEqual([1, 0]);
  });
});

describe('what an end begins the days of', () => {
  const hours = (days: number): readonly number[] => [days * 24 + 1, days * 24 - 1];
  const bindOf = (age: number): Record<string, unknown> => ({
    workspaceId: desk.workspace.id,
    at: new Date(Date.now() - age * 3_600_000),
  });

  it('recipients of broadcasts go, and their figures stay', async () => {
    const { db } = desk.runtime;
    const ids: number[] = [];
    for (const age of hours(15)) {
      const made = await db.row<{ id: number }>(
        `INSERT INTO broadcasts (workspace_id, name, audience, status, completed_at, started_at)
         VALUES ($workspaceId, 'Sale', '{}', 'completed', $at, $at) RETURNING id`,
        bindOf(age),
      );
      ids.push(made?.id ?? 0);
      await db.rows(
        `INSERT INTO broadcast_recipients (broadcast_id, position, workspace_id, contact_id, state)
         SELECT $id, n, $workspaceId, n, 'sent' FROM generate_series(1, 5) n`,
        { id: ids.at(-1), workspaceId: desk.workspace.id },
      );
    }
    const figures = async (): Promise<unknown[]> =>
      Promise.all(ids.map(async (id) => (await desk.api.get(`/api/v1/broadcasts/${id}/`)).body['stats']));
    const before = await figures();
    await removeExpired(desk.runtime);
    expect(await db.rows('SELECT DISTINCT broadcast_id FROM broadcast_recipients')).toEqual([{ broadcast_id: ids[1] }]);
    expect(JSON.stringify(before)).toContain('5');
    expect(await figures()).toEqual(before);
  });

  it('moves of tickets go with their recipients', async () => {
    const { db } = desk.runtime;
    const contact = await createContact(desk.workspace);
    const ticket = await createTicket(desk.workspace);
    for (const age of [...hours(16), null])
      await db.rows(
        `WITH move AS (
           INSERT INTO ticket_stage_moves (workspace_id, ticket_id, stage_id, stage_name, template, variables,
             ticket_values, completed_at)
           VALUES ($workspaceId, $ticket, 1, 'Done', '{}', '{}', '{}', $at) RETURNING id)
         INSERT INTO ticket_stage_move_recipients (move_id, contact_id, place, state)
         SELECT id, $contact, 1, 'sent' FROM move`,
        {
          ...bindOf(age ?? 0),
          ...(age === null ? { at: null } : {}),
          ticket: ticket.id,
          contact: contact.id,
        },
      );
    await removeExpired(desk.runtime);
    expect(await db.rows('SELECT 1 AS kept FROM ticket_stage_moves')).toHaveLength(2);
    expect(await db.rows('SELECT 1 AS kept FROM ticket_stage_move_recipients')).toHaveLength(2);
  });

  it('the count of a subject goes with its last event, if the subject is gone', async () => {
    const { db } = desk.runtime;
    const contact = await createContact(desk.workspace);
    const bind = { workspaceId: desk.workspace.id, there: contact.id, gone: contact.id + 1_000_000 };
    await db.rows(
      `WITH event AS (
         INSERT INTO webhook_events (workspace_id, type, subject_type, subject_id, sequence, created_at, fanned_out_at)
         SELECT $workspaceId, 'contact.updated', 'contact', id, sequence, now() - interval '31 days', now()
         FROM unnest(ARRAY[$there, $gone]::bigint[]) id, generate_series(1, 2) sequence)
       INSERT INTO webhook_sequences (workspace_id, subject_type, subject_id, last_sequence)
       SELECT $workspaceId, 'contact', id, 2 FROM unnest(ARRAY[$there, $gone]::bigint[]) id`,
      bind,
    );
    await removeExpired(desk.runtime);
    expect(await db.rows('SELECT subject_id FROM webhook_sequences')).toEqual([{ subject_id: contact.id }]);
    expect(await db.rows('SELECT id FROM webhook_events')).toEqual([]);
  });
});

it('a step that fails keeps no other one from removing what is over', async () => {
  const { db } = desk.runtime;
  // Removed after reports are summed up.
  await db.rows(
    `INSERT INTO inbox_events (workspace_id, business_account_id, kind, payload, state, received_at)
     VALUES ($workspaceId, 1, 'message', '{}', 'parked', now() - interval '1 year')`,
    { workspaceId: desk.workspace.id },
  );
  await db.rows('ALTER TABLE report_days RENAME TO report_days_away');
  await db.rows(
    `INSERT INTO conversation_episodes (workspace_id, started_at, tags) VALUES ($workspaceId, now(), '[]')`,
    { workspaceId: desk.workspace.id },
  );
  await expect(removeExpired(desk.runtime)).rejects.toThrow('report_days');
  await db.rows('ALTER TABLE report_days_away RENAME TO report_days');
  expect(await db.rows(`SELECT id FROM inbox_events WHERE received_at < now() - interval '300 days'`)).toEqual([]);
});
