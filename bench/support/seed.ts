import type { Installation } from './context';

/** Contacts with their conversations, made by one statement; gives the handles, oldest first. */
export async function seedContacts(installation: Installation, count: number): Promise<string[]> {
  const rows = await installation.sql<{ receiver_id: string }>(
    `WITH made AS (
       INSERT INTO contacts (workspace_id, receiver_id, phone, name, email, company, tags, custom_fields, created_at)
       SELECT $1, '4915' || lpad(n::text, 9, '0'), '4915' || lpad(n::text, 9, '0'), 'Customer ' || n,
         'customer' || n || '@example.com', 'Company ' || n % 97, '["vip"]', '{}',
         now() - interval '1 day' + n * interval '1 second'
       FROM generate_series(1, $2::int) AS n RETURNING id, receiver_id
     ), conversation AS (
       INSERT INTO conversations (id, workspace_id, contact_id) SELECT id, $1, id FROM made ORDER BY id
     )
     SELECT receiver_id FROM made ORDER BY id`,
    [installation.ctx.workspaceId, count],
  );
  await installation.sql('ANALYZE');
  return rows.map((row) => row.receiver_id);
}
