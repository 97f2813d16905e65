import { removeExpired } from '../../api/services/processes/maintenance/service';
import { startApi, type TestApi } from '../support/api';

let desk: TestApi;
beforeAll(async () => {
  desk = await startApi({
    env: {
      RETAIN_AUDIT_DAYS: '9',
      RETAIN_ACTIVITY_DAYS: '11',
    },
  });
});
afterAll(() => desk.close());

/** A row of each kind that is `days` old; `$at` is its time. */
const rows: Readonly<Record<string, readonly [table: string, days: number, insert: string]>> = {
  'an event that is not used': [
    'inbox_events',
    30,
    `(workspace_id, business_account_id, kind, payload, state, received_at)
     SELECT $workspaceId, id, 'new_field', '{}', 'ignored', $at FROM business_accounts
       WHERE workspace_id = $workspaceId`,
  ],
  'a parked event': [
    'inbox_events',
    30,
    `(workspace_id, business_account_id, kind, payload, state, received_at)
     SELECT $workspaceId, id, 'message', '{}', 'parked', $at FROM business_accounts WHERE workspace_id = $workspaceId`,
  ],
  'a decided approval': [
    'approvals',
    90,
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
    90,
    `(workspace_id, actions, conversation_id, state, ran, actor_type, finished_at)
     VALUES ($workspaceId, '[]', 1, 'applied', '[]', 'member', $at)`,
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
