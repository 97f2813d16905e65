import type { Installation } from './context';

/** What stands in the seeded workspace: ids that the figure asks for. */
export interface SeededConversations {
  /** A conversation with `threadLength` messages and as many activity entries. */
  readonly longest: string;
  readonly memberId: number;
  readonly inboxId: number;
}

/**
 * Gives each contact of the workspace its conversation, as a team leaves them after some years: most are resolved, a
 * twentieth is open or unread, the newest have messages of today. Messages are spread over all; one thread is long.
 */
export async function seedConversations(
  installation: Installation,
  sizes: { readonly messages: number; readonly threadLength: number; readonly audit: number },
): Promise<SeededConversations> {
  const { workspaceId } = installation.ctx;
  const own = [workspaceId];
  const tables = ['conversations', 'messages', 'events', 'audit_log'];
  const indexes = await installation.sql<{ name: string; definition: string }>(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
     WHERE schemaname = 'public' AND tablename = ANY($1) AND indexdef NOT LIKE 'CREATE UNIQUE%'`,
    [tables],
  );
  for (const { name } of indexes) await installation.sql(`DROP INDEX "${name}"`);
  // Nobody subscribes to these events, and the triggers would look for earlier messages without an index.
  for (const table of tables) await installation.sql(`ALTER TABLE ${table} DISABLE TRIGGER USER`);

  const [inbox] = await installation.sql<{ id: number }>(
    `INSERT INTO team_inboxes (workspace_id, name) VALUES ($1, 'Support') RETURNING id::int`,
    own,
  );
  const [member] = await installation.sql<{ id: number }>(
    'SELECT min(id)::int AS id FROM members WHERE workspace_id = $1',
    own,
  );
  if (!inbox || !member) throw new Error('the workspace has no member or inbox');
  await installation.sql(
    // Pseudo-random by the id, so that every run has the same conversations.
    `INSERT INTO conversations (id, workspace_id, contact_id, conv_status, snoozed_until, priority, assigned_member_id,
       assigned_team_inbox_id, unread_count, last_message_at, last_inbound_at, active_till, created_at, updated_at)
     SELECT c.id, $1, c.id, status, CASE WHEN status = 'snoozed' THEN now() + interval '1 day' END,
       CASE WHEN q % 20 = 0 THEN 'high' WHEN q % 200 = 1 THEN 'urgent' ELSE 'normal' END,
       CASE WHEN q % 51 = 0 THEN $2::bigint END, CASE WHEN q % 31 = 0 THEN $3::bigint END,
       CASE WHEN r % 10 = 7 AND q % 4 = 0 THEN 1 + q % 5 ELSE 0 END, last, last,
       last + interval '24 hours', c.created_at, coalesce(last, c.created_at)
     FROM contacts c,
       LATERAL (SELECT hashint8extended(c.id, 9) & 1048575 AS r, hashint8extended(c.id, 10) & 1048575 AS q) AS random,
       LATERAL (SELECT CASE WHEN r % 10 = 7 THEN 'open' WHEN r % 100 = 3 THEN 'snoozed' ELSE 'resolved' END AS status,
         CASE WHEN r % 10 < 8 THEN date_trunc('milliseconds',
           now() - (r / 1048576.0) ^ 3 * interval '3 years') END AS last) AS state
     WHERE c.workspace_id = $1`,
    [...own, member.id, inbox.id],
  );
  // Without figures the planner would count the people once for each message.
  const [people] = await installation.sql<{ first: number; count: number }>(
    'SELECT min(id)::int AS first, count(*)::int AS count FROM conversations WHERE workspace_id = $1',
    own,
  );
  if (!people) throw new Error('there are no conversations');
  await insertMessages(installation, { ...sizes, ...people });
  await installation.sql(
    `INSERT INTO events (workspace_id, subject_type, subject_id, kind, actor_type, actor_member_id, changes,
       created_at)
     SELECT $1, 'conversation', CASE WHEN n <= $2::int THEN $4::bigint ELSE $4::bigint + n % $5::int END,
       'priority_changed', 'member', $3, '{"priority": {"from": "normal", "to": "high"}}',
       now() - interval '1 year' + n * interval '1 minute'
     FROM generate_series(1, $2::int * 4) AS n`,
    [...own, sizes.threadLength, member.id, people.first, people.count],
  );
  await installation.sql(
    `INSERT INTO audit_log (workspace_id, connection_kind, connection_id, connection_name, member_id, tool,
       arguments_digest, outcome, duration_ms, request_id, created_at)
     SELECT $1, 'api_key', 1, 'Bench', $2, 'read_messages', '', 'ok', 5, 'bench', now() - n * interval '1 minute'
     FROM generate_series(1, $3::int) AS n`,
    [...own, member.id, sizes.audit],
  );
  for (const { definition } of indexes) await installation.sql(definition);
  for (const table of tables) await installation.sql(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
  await installation.sql(`VACUUM ANALYZE ${tables.join(', ')}`);

  const [longest] = await installation.sql<{ receiver_id: string }>(
    'SELECT receiver_id FROM contacts WHERE workspace_id = $1 AND id = $2',
    [...own, people.first],
  );
  return { longest: longest?.receiver_id ?? '', memberId: member.id, inboxId: inbox.id };
}

/** Adds the messages: the first conversation gets the long thread, the others share the rest. */
async function insertMessages(
  installation: Installation,
  sizes: {
    readonly messages: number;
    readonly threadLength: number;
    readonly first: number;
    readonly count: number;
  },
): Promise<void> {
  const { workspaceId } = installation.ctx;
  const batch = 1_000_000;
  for (let from = 1; from <= sizes.messages; from += batch)
    await installation.sql(
      `INSERT INTO messages (workspace_id, conversation_id, direction, type, body, message_status, "read", created_at)
       SELECT $1, CASE WHEN n <= $4::int THEN $5::bigint ELSE $5::bigint + n % $6::int END, 'inbound', 'text',
         jsonb_build_object('body', 'Where is my order ' || n || '? I have waited for a week now.'), 'received', true,
         now() - interval '3 years' + n * interval '15 seconds'
       FROM generate_series($2::int, $3::int) AS n`,
      [workspaceId, from, Math.min(sizes.messages, from + batch - 1), sizes.threadLength, sizes.first, sizes.count],
    );
  await installation.sql(
    `UPDATE conversations v SET last_message_id = m.id
     FROM (SELECT conversation_id, max(id) AS id FROM messages WHERE workspace_id = $1 GROUP BY conversation_id) AS m
     WHERE v.workspace_id = $1 AND v.id = m.conversation_id AND v.last_message_at IS NOT NULL`,
    [workspaceId],
  );
}
