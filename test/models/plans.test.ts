import { peopleSql } from '../../dev/makers/people';
import { waitsSql } from '../../api/core/conversationStates';
import { ofWorkspace } from '../../api/core/db/database';
import type { Runtime } from '../../api/core/runtime';
import { createCustomer } from '../factories/customers';
import { createTicket, ticketsPath } from '../factories/tickets';
import { createDesk, type Desk } from '../support/desk';
import { endWithTest } from '../support/endings';
import { createTestRuntime, type TestRuntime } from '../support/runtime';
import { sharedDesk } from '../support/sharedDesk';

/** Makes people with an answered conversation. */
const fill = ({ db }: Runtime, workspaceId: number, count: number): Promise<unknown> =>
  db.transaction(async () => {
    // The machine may be slow: what is tested is the plans, not the filling.
    await db.rows(`SET LOCAL statement_timeout = '60s'`);
    await db.rows(
      `WITH ${peopleSql({ workspaceId, count, firstPhone: 1_000_000_000 + count })}
       INSERT INTO messages (workspace_id, conversation_id, direction, type, body, message_status, opaque, wamid,
         delivery_state)
       SELECT workspace_id, id, 'outbound', 'text', '{}', 'sent', gen_random_uuid(), 'wamid.' || id, 'settled'
         FROM opened`,
    );
  });

/**
 * Plans are kept, and made before a young table's statistics are: whatever the planner believes of it, a handful of
 * rows is found by its ids, never by reading the whole workspace.
 */
describe('plans on tables without statistics', () => {
  let test: TestRuntime;
  let desk: Desk;
  beforeAll(async () => {
    test = await createTestRuntime({ sandbox: true });
    desk = await createDesk(test);
    for (const table of ['contacts', 'messages'])
      await test.runtime.db.rows(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
  });
  afterAll(() => test.close());

  const indexesOf = (statement: string): Promise<string[]> =>
    test.runtime.db.transaction(async () => {
      const text = statement.replaceAll('$workspaceId', '$1');
      await test.runtime.db.rows('SET LOCAL plan_cache_mode = force_generic_plan');
      await test.runtime.db.rows(`PREPARE candidate AS ${text}`);
      const lines = await test.runtime.db.rows<Record<string, string>>(`EXPLAIN EXECUTE candidate (1, NULL)`);
      await test.runtime.db.rows('DEALLOCATE candidate');
      const plan = lines.map((line) => line['QUERY PLAN']).join('\n');
      expect(plan).not.toContain('Seq Scan');
      return [...plan.matchAll(/Scan (?:using|on) (\w+)/g)]
        .map(([, name]) => name ?? '')
        .filter((name) => !['messages', 'contacts'].includes(name));
    });

  const here = ofWorkspace('workspace_id');
  const cases: readonly (readonly [string, string, string])[] = [
    [
      'messages by ids',
      'UPDATE messages SET updated_at = now() WHERE workspace_id = $workspaceId AND id = ANY($2::int[])',
      'messages_pkey',
    ],
    [
      'messages by our own ids',
      'SELECT id FROM messages WHERE workspace_id = $workspaceId AND opaque = ANY($2::uuid[])',
      'messages_opaque_workspace_id_key',
    ],
    [
      "messages by the upstream's ids",
      'SELECT id FROM messages WHERE workspace_id = $workspaceId AND wamid = ANY($2::text[])',
      'messages_wamid',
    ],
    [
      'messages of a conversation',
      'SELECT id FROM messages WHERE workspace_id = $workspaceId AND conversation_id = $2::int',
      'messages_list',
    ],
    [
      'recipients of a broadcast who are left',
      `SELECT r.position FROM broadcast_recipients r
       WHERE r.workspace_id = $workspaceId AND r.broadcast_id = $2::bigint AND r.state = 'pending'`,
      'broadcast_recipients_pending',
    ],
    ['contacts by ids', `SELECT id FROM contacts WHERE id = ANY($2::int[]) AND ${here}`, 'contacts_pkey'],
    ['contacts by phones', `SELECT id FROM contacts WHERE phone = ANY($2::text[]) AND ${here}`, 'contacts_phone'],
    ['a contact by its phone', `SELECT id FROM contacts WHERE phone = $2::text AND ${here}`, 'contacts_phone'],
    ['a contact by its bsuid', `SELECT id FROM contacts WHERE bsuid = $2::text AND ${here}`, 'contacts_bsuid'],
    [
      'a contact by its handle',
      `SELECT id FROM contacts WHERE receiver_id = $2::text AND ${here}`,
      'contacts_receiver',
    ],
  ];

  // Small, when many an index looks as good as another; grown under a plan's eyes; large.
  it.each([200, 2_000, 20_000])('find rows by what names them in a workspace of %i more', async (count) => {
    await fill(test.runtime, desk.ctx.workspaceId, count);
    const found: [string, string[]][] = [];
    for (const [what, statement] of cases) found.push([what, await indexesOf(statement)]);
    expect(found).toEqual(cases.map(([what, , index]) => [what, [index]]));
  });

  it('count the messages of a conversation without a look at each', async () => {
    await test.runtime.db.rows('VACUUM ANALYZE messages');
    const lines = await test.runtime.db.rows<Record<string, string>>(
      'EXPLAIN SELECT count(*) FROM messages m WHERE m.workspace_id = 1 AND m.conversation_id = 1',
    );
    expect(lines.map((line) => line['QUERY PLAN']).join('\n')).toContain('Index Only Scan using messages_list');
  });

  it('count conversations by usual filters from an index alone', async () => {
    const { db } = test.runtime;
    const own = { id: desk.ctx.workspaceId };
    await db.transaction(async () => {
      await db.rows(`SET LOCAL statement_timeout = '60s'`);
      await db.rows(
        `UPDATE conversations v SET priority = CASE WHEN v.id % 20 = 0 THEN 'high' ELSE 'normal' END,
           conv_status = CASE WHEN v.id % 7 = 0 THEN 'open' ELSE 'resolved' END,
           unanswered_since = CASE WHEN v.id % 5 = 0 THEN now() END,
           active_till = now() + (v.id % 10 - 8.5) * interval '1 day'
         WHERE v.workspace_id = $id`,
        own,
      );
    });
    await db.rows('VACUUM ANALYZE conversations');
    const filters = [
      ["v.priority = 'high'", 'conversations_priority'],
      ["v.priority = 'high' AND v.conv_status = 'open'", 'conversations_priority'],
      ['v.active_till > now()', 'conversations_window'],
      [waitsSql, 'conversations_waiting'],
    ] as const;
    const used: string[] = [];
    for (const [condition] of filters) {
      const lines = await db.rows<Record<string, string>>(
        `EXPLAIN SELECT count(*) FROM conversations v WHERE v.workspace_id = ${own.id} AND ${condition}`,
      );
      const plan = lines.map((line) => line['QUERY PLAN']).join('\n');
      used.push(/Index Only Scan using (\w+)/.exec(plan)?.[1] ?? plan);
    }
    expect(used).toEqual(filters.map(([, index]) => index));
  });
});

/**
 * What comes again and again is planned once: where PostgreSQL finds a plan for these values cheaper each time, it
 * plans longer than it reads.
 */
it('what is asked most often is not planned anew each time', async () => {
  const desk = await sharedDesk('plain', { env: { DATABASE_POOL: '2' } });
  endWithTest(() => desk.close());
  const { api } = desk;
  await fill(desk.runtime, desk.workspace.id, 2_000);
  await desk.runtime.db.rows('ANALYZE contacts, conversations, messages');
  const customer = createCustomer(desk.workspace);
  await customer.writes('Hello');
  const { id } = await createTicket(desk.workspace);
  const conversation = `/api/v1/conversations/${customer.handle}/`;
  for (let round = 0; round < 30; round += 1) {
    const priority = round % 2 === 0 ? 'high' : 'low';
    const answers = [
      await api.patch(conversation, { priority }),
      await api.get(conversation),
      await api.get(`${conversation}messages/`),
      await api.get(`/api/v1/contacts/${customer.handle}/`),
      await api.patch(`/api/v1/contacts/${customer.handle}/`, { notes: `Round ${round}` }),
      await api.post('/api/v1/messages/', { to: customer.phone, body: `Round ${round}` }),
      await api.patch(`${ticketsPath}${id}/`, { priority }),
      await api.get(`${ticketsPath}${id}/`),
    ];
    expect(answers.filter(({ status }) => status >= 300)).toEqual([]);
    await customer.writes(`Round ${round}`);
  }
  // Of both connections: one asks while the other does.
  const found = await Promise.all(
    [1, 2].map(() =>
      desk.runtime.db.rows<{ statement: string }>(
        `SELECT statement FROM pg_prepared_statements, pg_sleep(0.2) WHERE custom_plans > 5 AND generic_plans = 0`,
      ),
    ),
  );
  expect(found.flat().map(({ statement }) => statement)).toEqual([]);
});
