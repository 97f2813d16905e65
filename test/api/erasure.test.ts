import { createBroadcast, templateId } from '../factories/broadcasts';
import { createContact } from '../factories/contacts';
import { createCustomer } from '../factories/customers';
import { createMacro, ownerSession, step } from '../factories/macros';
import { createPipeline, createTicket, pipelinesPath } from '../factories/tickets';
import { uniquePhone } from '../factories/unique';
import { createAgent } from '../support/agent';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { placesOf } from '../support/places';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

const marker = 'Zanzibar-4711';

it('an erasure reaches every text of every table, and spares who is named almost the same', async () => {
  const { workspace, runtime } = desk;
  const anna = createCustomer(workspace, { phone: '+491511234567', name: marker });
  // Longer by a digit at either end: another person.
  const neighbours = [
    createCustomer(workspace, { phone: '+4915112345678', name: 'Ben' }),
    createCustomer(workspace, { phone: '+1491511234567', name: 'Cleo' }),
  ];
  await anna.writes(`I am ${marker}`);
  for (const neighbour of neighbours) await neighbour.writes('I stay');
  await workspace.api.patch(`/api/v1/contacts/${anna.handle}/`, { notes: marker, email: 'z@x.test', tags: [marker] });
  await workspace.api.post(
    '/api/v1/messages/',
    { to: anna.phone, body: marker },
    { 'idempotency-key': 'erased-message' },
  );
  const noted = { body: `${marker} is angry` };
  const notesPath = `/api/v1/conversations/${anna.handle}/notes/`;
  const session = await ownerSession(workspace);
  expect((await session.api.post(notesPath, noted, { 'idempotency-key': 'erased-note' })).status).toBe(201);
  const contact = (await workspace.api.get(`/api/v1/contacts/${anna.handle}/`)).body;
  const { body: conversation } = await workspace.api.get(`/api/v1/conversations/${anna.handle}/`);

  const parking = createAgent((await workspace.key(['all'], { autonomy: 'approval' })).api);
  await parking.call('send_message', { to: '+49 151 123-4567', text: marker });
  const macro = await createMacro(workspace, [step('send_message', { text: 'Hello' })], 'Greets');
  await parking.call('run_macro', { id: macro, chat_id: conversation['id'] });
  // Frozen where it waits: the texts of a macro, and the values of a move, one that was made and one that is parked.
  const byName = { body: { '1': { source: 'field', field: 'name' }, '2': { source: 'static', value: 'now' } } };
  const greets = await createMacro(workspace, [
    step('send_message', { body: 'Dear {{1}}', template_variables: { body: { '1': byName.body['1'] } } }),
  ]);
  await parking.call('run_macro', { id: greets, chat_id: conversation['id'] });
  const pipeline = await createPipeline(workspace, ['New']);
  const { body: stage } = await workspace.api.post(`${pipelinesPath}${pipeline.id}/stages/`, {
    name: 'Told',
    notify_template_id: templateId(workspace, 'ticket_update'),
    notify_template_variables: byName,
  });
  const others = await Promise.all(
    neighbours.map(async ({ handle }) => (await workspace.api.get(`/api/v1/contacts/${handle}/`)).body['id']),
  );
  const about = { pipeline: pipeline.id, affected_contact_ids: [conversation['id'], ...others] };
  const [moved, waits] = [await createTicket(workspace, about), await createTicket(workspace, about)];
  await workspace.api.patch(`/api/v1/tickets/${moved.id}/`, { stage: stage['id'] });
  const parkedMove = await parking.call('update_ticket', { id: waits.id, stage: stage['id'] });
  await createBroadcast(workspace, {
    audience: { receiver_ids: [anna.handle, ...neighbours.map((neighbour) => neighbour.handle)] },
  });
  await createContact(workspace, { phone: uniquePhone() });

  // What no request makes within a test: each row as the code writes it, with the marker in its free text.
  const bind = { workspaceId: workspace.id, marker, phone: anna.handle, conversationId: conversation['id'], macro };
  const plant = (sql: string): Promise<unknown> => runtime.db.rows(sql, bind);
  await plant(
    `UPDATE approvals SET result = jsonb_build_object('detail', $marker::text, 'to', $phone::text)
     WHERE workspace_id = $workspaceId AND tool = 'send_message'`,
  );
  await plant(
    `INSERT INTO inbox_events (workspace_id, business_account_id, kind, order_key, payload, state, error)
     SELECT $workspaceId, id, 'message', '', jsonb_build_object('from', $phone::text, 'text', $marker::text), 'parked',
       'not processed: ' || $marker || ' +' || $phone FROM business_accounts WHERE workspace_id = $workspaceId`,
  );
  for (const { handle } of neighbours)
    await runtime.db.rows(
      `INSERT INTO inbox_events (workspace_id, business_account_id, kind, order_key, payload, state)
       SELECT $workspaceId, id, 'echoes', '', jsonb_build_object('to', $handle::text, 'text', 'I stay'), 'ignored'
       FROM business_accounts WHERE workspace_id = $workspaceId`,
      { workspaceId: workspace.id, handle },
    );
  await plant(
    `INSERT INTO parked_statuses (workspace_id, wamid, payload)
     VALUES ($workspaceId, 'wamid.early', jsonb_build_object('recipient_id', $phone::text, 'note', $marker::text))`,
  );
  await plant(
    `INSERT INTO identity_moves (workspace_id, old_phone, new_phone, moved_at)
     VALUES ($workspaceId, $phone, '4930123456', now())`,
  );
  await plant(
    `INSERT INTO audit_log (workspace_id, connection_kind, connection_id, tool, arguments_digest, outcome, detail,
       duration_ms, request_id)
     VALUES ($workspaceId, 'api_key', 1, 'send_message', '\\x00', 'refused', $marker || ' ' || $phone, 1, 'r')`,
  );
  await plant(
    `INSERT INTO events (workspace_id, subject_type, subject_id, kind, actor_type, changes, data)
     VALUES ($workspaceId, 'ticket', 1, 'comment_added', 'system', jsonb_build_object('to', $phone::text || $marker),
       jsonb_build_object('name', $marker::text, 'phone', $phone::text))`,
  );
  await plant(
    `INSERT INTO macro_runs (workspace_id, macro_id, actions, conversation_id, state, ran, failed_step, actor_type)
     VALUES ($workspaceId, $macro, '[]', $conversationId, 'failed', '[]',
       jsonb_build_object('index', 0, 'type', 'send_message', 'message', $marker::text), 'member')`,
  );
  await plant(
    `INSERT INTO macro_runs (workspace_id, macro_id, actions, conversation_id, state, ran, actor_type)
     VALUES ($workspaceId, $macro, '[]', $conversationId, 'applied',
       jsonb_build_array(jsonb_build_object('type', 'send_message', 'detail', $marker::text)), 'member')`,
  );
  const ticket = await createTicket(workspace, { title: 'Stays', receiver: contact['id'] });
  await runtime.db.rows(
    `INSERT INTO macro_runs (workspace_id, actions, ticket_id, state, ran, actor_type)
     VALUES ($workspaceId, jsonb_build_array(jsonb_build_object('type', 'add_comment', 'params', $marker::text)),
       $ticket, 'applied', '[]', 'system')`,
    { workspaceId: workspace.id, marker, ticket: ticket.id },
  );
  await plant(
    `INSERT INTO security_log (workspace_id, action, actor_type, given)
     VALUES ($workspaceId, 'contacts.export', 'member', jsonb_build_object('search', $marker || ' ' || $phone))`,
  );
  const planted = await placesOf(desk, marker);
  for (const table of [
    'approvals',
    'audit_log',
    'contacts',
    'conversation_notes',
    'events',
    'idempotency_keys',
    'inbox_events',
    'macro_runs',
    'messages',
    'parked_statuses',
    'security_log',
    'ticket_stage_moves',
  ])
    expect(planted.some((place) => place.startsWith(`${table}.`)) ? table : planted).toBe(table);

  expect((await workspace.api.delete(`/api/v1/contacts/${String(contact['receiver_id'])}/`)).status).toBe(204);
  expect(await placesOf(desk, marker)).toEqual([]);
  const kept = await runtime.db.rows<{ row: string }>(
    `SELECT payload::text AS row FROM inbox_events WHERE workspace_id = $workspaceId AND payload::text ~ 'I stay'`,
    { workspaceId: workspace.id },
  );
  expect(kept).toHaveLength(2);
  for (const neighbour of neighbours)
    expect((await workspace.api.get(`/api/v1/contacts/${neighbour.handle}/`)).status).toBe(200);
  const audiences = await runtime.db.rows<{ ids: string[] }>(
    `SELECT audience->'receiver_ids' AS ids FROM broadcasts WHERE workspace_id = $workspaceId`,
    { workspaceId: workspace.id },
  );
  expect(audiences[0]?.ids).toEqual(neighbours.map((neighbour) => neighbour.handle));
  // The parked calls cannot be decided any more, but a move that reaches others, too.
  const pending = await runtime.db.rows<{ id: number; frozen: readonly { recipients: readonly { id: number }[] }[] }>(
    `SELECT id, frozen FROM approvals WHERE workspace_id = $workspaceId AND status = 'pending'`,
    { workspaceId: workspace.id },
  );
  expect(
    pending.map(({ id, frozen }) => [id, frozen.map(({ recipients }) => recipients.map((one) => one.id))]),
  ).toEqual([[parkedMove.json['approval_id'], [others]]]);
  // As a whole word, the number itself is nowhere: neighbours' numbers hold it as a part only.
  const columns = await placesOf(desk, anna.handle);
  for (const place of columns) {
    const [table, column] = place.split('.');
    const rows = await runtime.db.rows<{ text: string }>(
      `SELECT "${column}"::text AS text FROM "${table}" WHERE "${column}"::text ~ '(^|[^0-9])${anna.handle}($|[^0-9])'`,
    );
    expect({ place, rows }).toEqual({ place, rows: [] });
  }
});
