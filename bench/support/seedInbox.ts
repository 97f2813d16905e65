import { membersSql } from '../../dev/makers/people';
import type { Installation } from './context';

const people = 20;
const inboxes = 5;

/**
 * Conversations as a helpdesk has them after some years: most are done, a tenth is unread, few are urgent; tags,
 * members and team inboxes are of uneven frequency. Each has a last message. Gives the handle of the newest.
 */
export async function seedInbox(installation: Installation, count: number): Promise<string> {
  const { workspaceId } = installation.ctx;
  await installation.sql(membersSql(workspaceId, people));
  await installation.sql(
    `INSERT INTO team_inboxes (workspace_id, name) SELECT $1, 'Team ' || n FROM generate_series(1, $2::int) AS n`,
    [workspaceId, inboxes],
  );
  // Multiples of numbers that share no factor with 100 make independent spreads out of one counter.
  await installation.sql(
    `WITH team AS (SELECT array_agg(id ORDER BY id) AS members FROM members WHERE workspace_id = $1),
     places AS (SELECT array_agg(id ORDER BY id) AS inboxes FROM team_inboxes WHERE workspace_id = $1),
     drawn AS (
       SELECT n, n * 7 % 100 AS state, n * 13 % 100 AS assignee, n * 17 % 100 AS inbox, n * 29 % 100 AS priority,
         n * 37 % 100 AS unread, n * 41 % 100 AS tag, n * 43 % 100 AS "window", now() - n * interval '4 minutes' AS at
       FROM generate_series(1, $2::int) AS n
     ), made AS (
       INSERT INTO contacts (workspace_id, receiver_id, phone, name, email, company, tags, created_at)
       SELECT $1, '4915' || lpad(n::text, 9, '0'), '4915' || lpad(n::text, 9, '0'), 'Customer ' || n,
         'customer' || n || '@example.com', 'Company ' || n % 97,
         CASE WHEN tag < 5 THEN '["vip"]' WHEN tag < 30 THEN '["retail"]' WHEN tag = 99 THEN '["press", "vip"]'
           ELSE '[]' END::jsonb, at - interval '30 days'
       FROM drawn RETURNING id, receiver_id
     )
     INSERT INTO conversations (id, workspace_id, contact_id, conv_status, snoozed_until, priority, assigned_member_id,
       assigned_team_inbox_id, unread_count, last_message_at, last_inbound_at, last_exchange_at, unanswered_since,
       active_till)
     SELECT made.id, $1, made.id,
       CASE WHEN state < 60 THEN 'resolved' WHEN state < 80 THEN 'open' WHEN state < 86 THEN 'pending'
         WHEN state < 94 THEN 'snoozed' WHEN state < 98 THEN 'converted' ELSE 'spam' END,
       CASE WHEN state >= 86 AND state < 94 THEN now() + n % 500 * interval '1 hour' END,
       CASE WHEN priority < 80 THEN 'normal' WHEN priority < 92 THEN 'high' WHEN priority < 95 THEN 'urgent'
         ELSE 'low' END,
       CASE WHEN assignee < 75 THEN team.members[1 + least(assignee / 3, cardinality(team.members) - 1)] END,
       CASE WHEN inbox < 60 THEN places.inboxes[1 + inbox % cardinality(places.inboxes)] END,
       CASE WHEN unread < 10 THEN 1 + unread ELSE 0 END, at, at, at,
       CASE WHEN state >= 60 AND state < 94 THEN at END,
       CASE WHEN "window" < 8 THEN now() + interval '12 hours' ELSE at + interval '1 day' END
     FROM drawn JOIN made ON made.receiver_id = '4915' || lpad(drawn.n::text, 9, '0'), team, places`,
    [workspaceId, count],
  );
  await installation.sql(
    `WITH written AS (
       INSERT INTO messages (workspace_id, conversation_id, direction, type, body, message_status, delivery_state,
         created_at)
       SELECT workspace_id, id, 'inbound', 'text',
         '{"type": "text", "text": {"body": "Where is my order? It was to come yesterday, and nobody rang."}}',
           'received',
         'none', last_message_at
       FROM conversations WHERE workspace_id = $1 RETURNING id, conversation_id
     )
     UPDATE conversations v SET last_message_id = written.id FROM written WHERE v.id = written.conversation_id`,
    [workspaceId],
  );
  await installation.sql('VACUUM ANALYZE');
  const [newest] = await installation.sql<{ receiver_id: string }>(
    `SELECT c.receiver_id FROM conversations v JOIN contacts c ON c.id = v.contact_id
     WHERE v.workspace_id = $1 AND v.conv_status = 'open' ORDER BY v.last_message_at DESC LIMIT 1`,
    [workspaceId],
  );
  return newest?.receiver_id ?? '';
}
