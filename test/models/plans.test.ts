import { createDesk, type Desk } from '../support/desk';
import { createTestRuntime, type TestRuntime } from '../support/runtime';

/**
 * Plans are kept, and made before a young table's statistics are: whatever the planner believes of it, a handful of rows
 * is found by its ids, never by reading the whole workspace.
 */
describe('plans of bulk statements on a table without statistics', () => {
  let test: TestRuntime;
  let desk: Desk;
  beforeAll(async () => {
    test = await createTestRuntime({ sandbox: true });
    desk = await createDesk(test);
    await test.runtime.db.rows('ALTER TABLE messages SET (autovacuum_enabled = false)');
    await test.runtime.db.rows(
      `WITH contact AS (INSERT INTO contacts (workspace_id, receiver_id, phone) VALUES ($id, '4915', '4915') RETURNING id), conversation AS (INSERT INTO conversations (workspace_id, contact_id) SELECT $id, id FROM contact RETURNING id)
       INSERT INTO messages (workspace_id, conversation_id, direction, type, body, message_status, opaque, wamid, delivery_state)
       SELECT $id, conversation.id, 'outbound', 'text', '{}', 'sent', gen_random_uuid(), 'wamid.' || n, 'settled' FROM conversation, generate_series(1, 20000) AS n`,
      { id: desk.ctx.workspaceId },
    );
  });
  afterAll(() => test.close());

  const planOf = (statement: string): Promise<string> =>
    test.runtime.db.transaction(async () => {
      await test.runtime.db.rows('SET LOCAL plan_cache_mode = force_generic_plan');
      await test.runtime.db.rows(`PREPARE candidate AS ${statement}`);
      const lines = await test.runtime.db.rows<Record<string, string>>(`EXPLAIN EXECUTE candidate (1, '{}')`);
      await test.runtime.db.rows('DEALLOCATE candidate');
      return lines.map((line) => line['QUERY PLAN']).join('\n');
    });

  it.each([
    ['ids', 'UPDATE messages SET updated_at = now() WHERE workspace_id = $1 AND id = ANY($2::int[])', 'messages_pkey'],
    ['our own ids', 'SELECT id FROM messages WHERE workspace_id = $1 AND opaque = ANY($2::uuid[])', 'messages_opaque_key'],
    ["the upstream's ids", 'SELECT id FROM messages WHERE workspace_id = $1 AND wamid = ANY($2::text[])', 'messages_wamid'],
    ['a conversation', 'SELECT id FROM messages WHERE workspace_id = $1 AND conversation_id = ANY($2::int[])', 'messages_list'],
  ])('find messages by %s', async (_what, statement, index) => {
    const plan = await planOf(statement);
    expect([...plan.matchAll(/Scan (?:using|on) (\w+)/g)].map(([, name]) => name).filter((name) => name !== 'messages')).toEqual([index]);
  });
});
