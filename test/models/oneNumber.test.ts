import { Sequelize } from 'sequelize';
import { up } from '../../models/migrations/2026-11-22-one-number';
import { createTestRuntime, type TestRuntime } from '../support/runtime';

let test: TestRuntime;
beforeAll(async () => {
  test = await createTestRuntime();
});
afterAll(() => test.close());

it('conversations whose ids had drifted take those of their contacts, with all that names them', async () => {
  const { db, config } = test.runtime;
  // The schema as it was, with three conversations whose ids are one another's contacts.
  await db.rows('ALTER TABLE conversations DROP CONSTRAINT conversations_one_number');
  const [workspace] = await db.rows<{ id: number }>(
    `INSERT INTO workspaces (name, timezone) VALUES ('Old', 'UTC') RETURNING id`,
  );
  const people = await db.rows<{ id: number }>(
    `INSERT INTO contacts (workspace_id, receiver_id, phone) SELECT $id, n::text, n::text FROM generate_series(491001, 491003) n RETURNING id`,
    { id: workspace?.id },
  );
  const ids = people.map(({ id }) => id);
  for (const [index, contactId] of ids.entries()) {
    const id = ids[(index + 1) % ids.length];
    await db.rows('INSERT INTO conversations (id, workspace_id, contact_id) VALUES ($id, $workspaceId, $contactId)', {
      id,
      workspaceId: workspace?.id,
      contactId,
    });
    await db.rows(
      `INSERT INTO messages (workspace_id, conversation_id, direction, type, body, message_status, origin)
       VALUES ($workspaceId, $id, 'inbound', 'text', $body::jsonb, 'received', 'inbound')`,
      { workspaceId: workspace?.id, id, body: JSON.stringify({ of: contactId }) },
    );
  }
  const sequelize = new Sequelize(config.databaseUrl, { dialect: 'postgres', logging: false });
  await up(sequelize).finally(() => sequelize.close());
  const rows = await db.rows<{ id: number; contact_id: number; of: number }>(
    `SELECT v.id, v.contact_id, (m.body->>'of')::int AS of FROM conversations v JOIN messages m ON m.conversation_id = v.id ORDER BY v.id`,
  );
  expect(rows).toEqual(ids.map((id) => ({ id, contact_id: id, of: id })));
});
