import type { Installation } from './context';

/**
 * Tickets of the default pipeline, each with a receiver and an assignee, one in ten with a comment, a watcher and two
 * affected contacts.
 */
export async function seedTickets(installation: Installation, count: number): Promise<void> {
  const { workspaceId } = installation.ctx;
  const batch = 20_000;
  for (let from = 1; from <= count; from += batch) {
    await installation.sql(
      `WITH people AS (SELECT array_agg(id ORDER BY id) AS ids FROM contacts WHERE workspace_id = $1),
        stages AS (SELECT array_agg(id ORDER BY position) AS ids, min(pipeline_id) AS pipeline FROM ticket_stages
        WHERE workspace_id = $1)
       INSERT INTO tickets (workspace_id, title, description, pipeline_id, stage_id, receiver_id, assigned_to_id, tags,
         created_at)
       SELECT $1, 'Ticket ' || n, 'Something is wrong with order ' || n || '.', stages.pipeline, stages.ids[1 + n % 3],
         people.ids[1 + n % cardinality(people.ids)], (SELECT min(id) FROM members WHERE workspace_id = $1),
         '["vip"]', now() - interval '10 days' + n * interval '1 second'
       FROM people, stages, generate_series($2::int, $3::int) AS n`,
      [workspaceId, from, Math.min(count, from + batch - 1)],
    );
  }
  await installation.sql(
    `WITH tenth AS (SELECT id, receiver_id FROM tickets WHERE workspace_id = $1 AND id % 10 = 0),
      members AS (SELECT min(id) AS id FROM members WHERE workspace_id = $1),
       noted AS (INSERT INTO ticket_comments (workspace_id, ticket_id, body) SELECT $1, id, 'Looked into it.'
         FROM tenth),
       watched AS (INSERT INTO ticket_watchers (ticket_id, member_id) SELECT tenth.id, members.id FROM tenth, members)
     INSERT INTO ticket_contacts (ticket_id, contact_id, position) SELECT tenth.id, c.id, c.id - tenth.receiver_id
       FROM tenth JOIN contacts c ON c.workspace_id = $1 AND c.id BETWEEN tenth.receiver_id AND tenth.receiver_id + 1`,
    [workspaceId],
  );
  await installation.sql('VACUUM ANALYZE');
}
