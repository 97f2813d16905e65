import { createBroadcast, templateId } from './broadcasts';
import { createContact } from './contacts';
import { createMacro, step } from './macros';
import { saveRule } from './rules';
import { createTicket, defaultPipeline } from './tickets';
import type { TestWorkspace } from './workspaces';

/** A workspace with many rows in every table that is listed. */
export interface Crowd {
  /** A contact with many messages and much activity. */
  readonly handle: string;
  readonly contact: number;
  readonly broadcast: number;
  readonly ticket: number;
  readonly macro: number;
  /** A rule with a run on each conversation. */
  readonly rule: number;
  readonly member: number;
  readonly inbox: number;
  readonly pipeline: number;
  readonly stage: number;
  /** A webhook subscription with a delivery of each event. */
  readonly webhook: number;
  /** Writes the rows numbered from `from` to `to` into each table, in statements of their own. */
  grow(from: number, to: number): Promise<void>;
}

/** Rows of one table each; `n` counts, `$workspaceId` and the ids of the crowd are bound. */
const tables: readonly (readonly [what: string, sql: string])[] = [
  [
    'members',
    `INSERT INTO members (workspace_id, email, name, role, permissions)
     SELECT $workspaceId, 'crowd' || n || '@w' || $workspaceId || '.test', 'Member ' || n, 'agent', '{}' FROM numbers`,
  ],
  [
    'sessions',
    `INSERT INTO sessions (member_id, token_hash, csrf_secret, expires_at)
     SELECT $member, sha256(('session.' || $member || '.' || n)::bytea), 'x', now() + interval '1 day' FROM numbers
       WHERE n % 10 = 0`,
  ],
  [
    'factors',
    `INSERT INTO factors (member_id, kind, name) SELECT $member, 'totp', 'App ' || n FROM numbers WHERE n % 10 = 0`,
  ],
  [
    'api_keys',
    `INSERT INTO api_keys (workspace_id, member_id, name, prefix, secret_hash)
     SELECT $workspaceId, $member, 'Key ' || n, 'crowd' || n, sha256(('key.' || $workspaceId || '.' || n)::bytea)
       FROM numbers WHERE n % 10 = 0`,
  ],
  [
    'team_inboxes',
    `INSERT INTO team_inboxes (workspace_id, name) SELECT $workspaceId, 'Inbox ' || n FROM numbers WHERE n % 10 = 0`,
  ],
  [
    'team_inbox_members',
    `INSERT INTO team_inbox_members (team_inbox_id, member_id)
     SELECT i.id, m.id FROM numbers JOIN team_inboxes i ON i.workspace_id = $workspaceId AND i.name = 'Inbox ' || n
     JOIN members m ON m.email IN ('crowd' || n || '@w' || $workspaceId || '.test')`,
  ],
  [
    'contacts',
    `INSERT INTO contacts (workspace_id, receiver_id, phone, name, email, company, tags, custom_fields,
      marketing_opt_out, created_at, updated_at)
     SELECT $workspaceId, phone, phone, 'Person ' || n, 'p' || n || '@mail.test',
       'Company ' || n % 97, CASE n % 7 WHEN 0 THEN '["vip"]' ELSE '["plain"]' END::jsonb,
       jsonb_build_object('plan', CASE n % 5 WHEN 0 THEN 'gold' ELSE 'basic' END), n % 10 = 0,
         now() - n * interval '1 minute', now() - (n * 7 % 5000) * interval '1 second'
     FROM numbers, LATERAL (SELECT (49300000000 + n)::text AS phone) p`,
  ],
  [
    'conversations',
    `INSERT INTO conversations (id, workspace_id, contact_id, conv_status, snoozed_until, priority, assigned_member_id,
      assigned_team_inbox_id, unread_count, active_till, created_at, updated_at)
     SELECT c.id, $workspaceId, c.id, s.status, CASE s.status WHEN 'snoozed' THEN now() + interval '1 day' END,
       (ARRAY['low','normal','high','urgent'])[1 + n % 4], CASE n % 5 WHEN 0 THEN $member END,
       CASE n % 9 WHEN 0 THEN $inbox END, n % 3, CASE n % 2 WHEN 0 THEN now() + interval '1 hour' END, c.created_at,
         c.updated_at
     FROM numbers JOIN contacts c ON c.receiver_id = (49300000000 + n)::text AND c.workspace_id = $workspaceId,
       LATERAL (SELECT (ARRAY['open','resolved','pending','snoozed','spam','converted'])[1 + n % 6] AS status) s`,
  ],
  [
    'presence',
    `INSERT INTO presence (workspace_id, conversation_id, member_id, state, seen_at)
     SELECT $workspaceId, c.id, $member, 'looking', now() + interval '1 day'
     FROM numbers JOIN contacts c ON c.receiver_id = (49300000000 + n)::text AND c.workspace_id = $workspaceId`,
  ],
  [
    'notices',
    `INSERT INTO notices (workspace_id, member_id, kind, conversation_id)
     SELECT $workspaceId, $member, 'message', c.id
     FROM numbers JOIN contacts c ON c.receiver_id = (49300000000 + n)::text AND c.workspace_id = $workspaceId`,
  ],
  [
    'concerns',
    `INSERT INTO concerns (workspace_id, member_id, kind, conversation_id, created_at, read_at)
     SELECT $workspaceId, $member, (ARRAY['mention', 'assigned', 'failed', 'held'])[1 + n % 4], c.id,
       now() - n * interval '1 minute', CASE WHEN n % 3 > 0 THEN now() END
     FROM numbers JOIN contacts c ON c.receiver_id = (49300000000 + n)::text AND c.workspace_id = $workspaceId`,
  ],
  [
    'push_subscriptions',
    `INSERT INTO push_subscriptions (workspace_id, member_id, session_id, endpoint_hash, sealed)
     SELECT $workspaceId, $member, (SELECT max(id) FROM sessions WHERE member_id = $member),
       sha256(('push.' || $member || '.' || n)::bytea), '' FROM numbers WHERE n % 20 = 0`,
  ],
  [
    'scheduled_messages',
    `INSERT INTO scheduled_messages (workspace_id, conversation_id, send_at, if_customer_writes, type, body, origin)
     SELECT $workspaceId, CASE WHEN n <= 50 THEN $contact ELSE c.id END, now() + n * interval '1 hour', 'hold', 'text',
       '{"type": "text", "text": {"body": "Later"}}', 'api'
     FROM numbers JOIN contacts c ON c.receiver_id = (49300000000 + n)::text AND c.workspace_id = $workspaceId`,
  ],
  [
    'conversation_notes',
    `INSERT INTO conversation_notes (workspace_id, conversation_id, author_id, body, mentioned_ids, created_at)
     SELECT $workspaceId, $contact, $member, 'Note ' || n, CASE n % 3 WHEN 0 THEN ARRAY[$member::bigint] ELSE '{}' END,
       now() - n * interval '1 minute' FROM numbers`,
  ],
  [
    'messages of everybody',
    `INSERT INTO messages (workspace_id, conversation_id, phone_number_id, direction, type, body, message_status, wamid,
      created_at)
     SELECT $workspaceId, v.id, $number, 'inbound', 'text', '{"type": "text", "text": {"body": "Hello"}}', 'received',
       'wamid.' || $workspaceId || '.' || n, v.created_at
     FROM numbers JOIN contacts c ON c.receiver_id = (49300000000 + n)::text AND c.workspace_id = $workspaceId
       JOIN conversations v ON v.contact_id = c.id`,
  ],
  [
    'last messages',
    `UPDATE conversations v SET last_message_id = m.id, last_message_at = m.created_at
     FROM numbers JOIN messages m ON m.wamid = 'wamid.' || $workspaceId || '.' || n AND m.workspace_id = $workspaceId
       WHERE v.id = m.conversation_id AND n % 11 <> 0`,
  ],
  [
    'messages of one',
    `INSERT INTO messages (workspace_id, conversation_id, phone_number_id, direction, type, body, message_status,
      opaque, delivery_state, sent_by_member_id, created_at)
     SELECT $workspaceId, v.id, $number, 'outbound', 'text', '{"type": "text", "text": {"body": "Hello"}}', 'sent',
       gen_random_uuid(),
       'settled', $member, now() - n * interval '1 second'
     FROM numbers, conversations v WHERE v.contact_id = $contact`,
  ],
  [
    'events',
    `INSERT INTO events (workspace_id, subject_type, subject_id, kind, actor_type, actor_member_id, created_at)
     SELECT $workspaceId, s.type, s.id, 'updated', 'member', $member, now() - n * interval '1 second'
     FROM numbers, LATERAL (VALUES ('contact', $contact), ('ticket', $ticket), ('broadcast', $broadcast),
       ('conversation', (SELECT id FROM conversations WHERE contact_id = $contact)), ('contact', $contact + n)) s(type,
         id)`,
  ],
  [
    'aliases',
    `INSERT INTO contact_aliases (workspace_id, kind, value, contact_id)
     SELECT $workspaceId, k.kind, CASE k.kind WHEN 'id' THEN (1000000000 + n)::text ELSE 'was' || n END, c.id
     FROM numbers JOIN contacts c ON c.receiver_id = (49300000000 + n)::text
       AND c.workspace_id = $workspaceId, LATERAL (VALUES ('id'), ('receiver_id')) k(kind)`,
  ],
  [
    'templates',
    `INSERT INTO templates (workspace_id, business_account_id, template_id, name, language, status, category)
     SELECT $workspaceId, t.business_account_id, $workspaceId || '.' || n, 'crowd_' || n,
       'en', CASE n % 3 WHEN 0 THEN 'REJECTED' ELSE 'APPROVED' END, CASE n % 2 WHEN 0 THEN 'UTILITY'
         ELSE 'MARKETING' END
     FROM numbers, (SELECT business_account_id FROM templates WHERE workspace_id = $workspaceId ORDER BY id LIMIT 1) t`,
  ],
  [
    'phone_numbers',
    `INSERT INTO phone_numbers (workspace_id, business_account_id, phone_number_id)
     SELECT $workspaceId, p.business_account_id, $workspaceId || '.' || n FROM numbers, phone_numbers p
       WHERE p.id = $number AND n % 10 = 0`,
  ],
  [
    'broadcasts',
    `INSERT INTO broadcasts (workspace_id, name, template_pk, phone_number_id, audience, status, completed_at,
      failure_reason, created_at)
     SELECT $workspaceId, 'News ' || n, (SELECT id FROM templates WHERE workspace_id = $workspaceId
       ORDER BY id LIMIT 1), $number, '{"all": true}', s.status,
       CASE WHEN s.status IN ('completed', 'failed') THEN now() END, CASE s.status WHEN 'failed' THEN 'Stopped.'
         ELSE '' END, now() - n * interval '1 minute'
     FROM numbers, LATERAL (SELECT (ARRAY['draft','running','completed','failed'])[1 + n % 4] AS status) s`,
  ],
  [
    'recipients of all',
    `INSERT INTO broadcast_recipients (broadcast_id, position, workspace_id, contact_id, state, reason)
     SELECT b.id, p, $workspaceId, 2000000 + p, CASE p WHEN 1 THEN 'sent' ELSE 'skipped' END, CASE p WHEN 1 THEN ''
       ELSE 'opted_out' END
     FROM numbers JOIN broadcasts b ON b.workspace_id = $workspaceId
       AND b.name = 'News ' || n, generate_series(1, 5) AS p`,
  ],
  [
    'recipients of one',
    `INSERT INTO broadcast_recipients (broadcast_id, position, workspace_id, contact_id, state, reason)
     SELECT $broadcast, n, $workspaceId, CASE n % 10 WHEN 0 THEN 1000000000 + n ELSE c.id END,
       s.state, CASE s.state WHEN 'skipped' THEN 'opted_out' ELSE '' END
     FROM numbers JOIN contacts c ON c.receiver_id = (49300000000 + n)::text AND c.workspace_id = $workspaceId,
       LATERAL (SELECT (ARRAY['pending','sent','failed','skipped','unknown'])[1 + n % 5] AS state) s`,
  ],
  [
    'messages of recipients',
    `INSERT INTO messages (workspace_id, conversation_id, phone_number_id, direction, type, body, message_status,
      opaque, delivery_state, dedupe_key, broadcast_id, broadcast_position)
     SELECT $workspaceId, v.id, $number, 'outbound', 'template', '{"type": "template"}', 'queued',
       gen_random_uuid(), CASE n % 2 WHEN 0 THEN 'sending' ELSE 'queued' END,
       'broadcast:' || r.broadcast_id || ':' || r.contact_id, r.broadcast_id, r.position
     FROM numbers JOIN broadcast_recipients r ON r.broadcast_id = $broadcast AND r.position = n
       JOIN conversations v ON v.contact_id = r.contact_id`,
  ],
  [
    'flows',
    `INSERT INTO flows (workspace_id, business_account_id, flow_id, name, status, synced_at)
     SELECT $workspaceId, p.business_account_id, 'flow' || n, 'Flow ' || n, CASE n % 2 WHEN 0 THEN 'PUBLISHED'
       ELSE 'DRAFT' END, now() FROM numbers, phone_numbers p WHERE p.id = $number`,
  ],
  [
    'flow_submissions',
    `INSERT INTO flow_submissions (workspace_id, contact_id, flow_id, wamid, response, submitted_at)
     SELECT $workspaceId, c.id, 'flow1', 'wamid.' || $workspaceId || '.flow.' || n, '{}',
       now() - n * interval '1 second'
     FROM numbers JOIN contacts c ON c.receiver_id = (49300000000 + n)::text AND c.workspace_id = $workspaceId`,
  ],
  [
    'catalogue_products',
    `INSERT INTO catalogue_products (workspace_id, business_account_id, catalog_id, retailer_id, name, availability,
      synced_at)
     SELECT $workspaceId, p.business_account_id, 'catalog', 'sku' || n, 'Product ' || n, CASE n % 3 WHEN 0
       THEN 'in stock' ELSE 'out of stock' END, now() FROM numbers, phone_numbers p WHERE p.id = $number`,
  ],
  [
    'pipelines',
    `INSERT INTO ticket_pipelines (workspace_id, name, position) SELECT $workspaceId, 'Pipeline ' || n, 10 + n
      FROM numbers WHERE n % 10 = 0`,
  ],
  [
    'stages',
    `INSERT INTO ticket_stages (workspace_id, pipeline_id, name, position)
     SELECT $workspaceId, p.id, 'Stage ' || s, s FROM numbers
       JOIN ticket_pipelines p ON p.workspace_id = $workspaceId AND p.position = 10 + n, generate_series(0, 3) AS s`,
  ],
  [
    'tickets',
    `INSERT INTO tickets (workspace_id, title, description, pipeline_id, stage_id, receiver_id, assigned_to_id,
      assigned_inbox_id, parent_ticket_id, last_customer_at, escalated_at, due_at, type, severity,
       priority, source, outcome, sla_breached, closed_at, tags, created_by_id, created_at, updated_at)
     SELECT $workspaceId, 'Ticket ' || n, 'Something about ' || n, $pipeline,
       $stage, CASE n % 50 WHEN 0 THEN $contact ELSE c.id END, CASE n % 5 WHEN 0 THEN $member END, CASE n % 9
         WHEN 0 THEN $inbox END,
       CASE n % 20 WHEN 0 THEN $ticket END, CASE n % 2 WHEN 0 THEN now() - n * interval '1 minute' END, CASE n % 8
         WHEN 0 THEN now() END, CASE n % 3 WHEN 0 THEN now() + n * interval '1 minute' END,
       (ARRAY['complaint','refund','bug','other'])[1 + n % 4], (ARRAY['sev1','sev2','sev3','sev4'])[1 + n % 4],
         (ARRAY['low','normal','high','urgent'])[1 + n % 4], (ARRAY['msgapp','manual','api'])[1 + n % 3],
       CASE n % 6 WHEN 0 THEN 'resolved' END, n % 12 = 0, CASE n % 4 WHEN 0 THEN now() END, CASE n % 7
         WHEN 0 THEN '["vip"]' ELSE '["plain"]' END::jsonb, $member, c.created_at, c.updated_at
     FROM numbers JOIN contacts c ON c.receiver_id = (49300000000 + n)::text AND c.workspace_id = $workspaceId`,
  ],
  [
    'sub-tickets and duplicates',
    `UPDATE tickets t SET parent_ticket_id = CASE n % 2 WHEN 0 THEN o.id END, duplicate_of_id = CASE n % 2 WHEN 1
      THEN o.id END
     FROM numbers JOIN contacts c ON c.receiver_id = (49300000000 + n)::text AND c.workspace_id = $workspaceId
       JOIN contacts d ON d.receiver_id = (49300000000 + n - 1)::text AND d.workspace_id = $workspaceId
     JOIN tickets o ON o.receiver_id = d.id WHERE t.receiver_id = c.id AND n % 3 = 0`,
  ],
  [
    'what hangs on tickets',
    `WITH these AS (SELECT t.id, n FROM numbers JOIN contacts c ON c.receiver_id = (49300000000 + n)::text
      AND c.workspace_id = $workspaceId JOIN tickets t ON t.receiver_id = c.id),
       watchers AS (INSERT INTO ticket_watchers (ticket_id, member_id) SELECT id, $member FROM these),
       affected AS (INSERT INTO ticket_contacts (ticket_id, contact_id, position) SELECT id, $contact, 0 FROM these
         WHERE n % 3 = 0),
       crowd AS (INSERT INTO ticket_contacts (ticket_id, contact_id, position) SELECT $ticket, c.id, n FROM numbers
         JOIN contacts c ON c.receiver_id = (49300000000 + n)::text AND c.workspace_id = $workspaceId WHERE n % 30 = 0),
       notes AS (INSERT INTO ticket_comments (workspace_id, ticket_id, body, author_id)
         SELECT $workspaceId, id, 'One', $member FROM these)
     INSERT INTO ticket_comments (workspace_id, ticket_id, body, author_id, created_at)
       SELECT $workspaceId, $ticket, 'Note ' || n, $member, now() - n * interval '1 second' FROM numbers`,
  ],
  [
    'conversation_episodes',
    `INSERT INTO conversation_episodes (workspace_id, conversation_id, started_at, first_response_at, answered_by_id,
      ended_at, ended_as, ended_by_id, team_inbox_id, tags)
     SELECT $workspaceId, c.id, c.created_at, now(), $member, now(), 'resolved', $member, $inbox, c.tags
     FROM numbers JOIN contacts c ON c.receiver_id = (49300000000 + n)::text AND c.workspace_id = $workspaceId`,
  ],
  [
    'message_rates',
    `INSERT INTO message_rates (workspace_id, country, category, valid_from, amount, currency)
     SELECT $workspaceId, '', 'category ' || n || ' of ' || $workspaceId, '2026-10-01', 0.05, 'EUR'
     FROM numbers WHERE n % 5 = 0`,
  ],
  [
    'saved_views',
    `INSERT INTO saved_views (workspace_id, member_id, name, filters)
     SELECT $workspaceId, $member, 'View ' || n, '{"view": "all"}' FROM numbers WHERE n % 20 = 0`,
  ],
  [
    'calendars',
    `INSERT INTO calendars (workspace_id, name, periods)
     SELECT $workspaceId, 'Calendar ' || n, '[]' FROM numbers WHERE n % 20 = 0`,
  ],
  [
    'canned_replies',
    `INSERT INTO canned_replies (workspace_id, member_id, shortcut, body)
     SELECT $workspaceId, CASE n % 2 WHEN 0 THEN $member END, 'reply' || n, 'Dear {{name}}' FROM numbers
       WHERE n % 5 = 0`,
  ],
  [
    'macros',
    `INSERT INTO macros (workspace_id, name, actions, created_by_id) SELECT $workspaceId, 'Macro ' || n, '[]', $member
      FROM numbers WHERE n % 5 = 0`,
  ],
  [
    'macro_runs',
    `INSERT INTO macro_runs (workspace_id, macro_id, actions, ticket_id, state, ran, actor_type, actor_member_id,
      created_at)
     SELECT $workspaceId, m.id, '[]', $ticket, 'applied', '[]', 'member', $member, now() - n * interval '1 second'
     FROM numbers, LATERAL (VALUES ($macro), ((SELECT min(id) FROM macros
       WHERE workspace_id = $workspaceId AND id <> $macro))) m(id) WHERE m.id IS NOT NULL`,
  ],
  [
    'rules',
    `INSERT INTO rules (workspace_id, name, starts, conditions, macro_id, runs_as_id, created_by_id)
     SELECT $workspaceId, 'Rule ' || n, '[{"event": "call.missed"}]', '{"all": [], "any": []}', $macro, $member, $member
     FROM numbers WHERE n % 20 = 0`,
  ],
  [
    'rule_runs',
    `INSERT INTO rule_runs (workspace_id, rule_id, rule_version, conversation_id, event, event_id, state, reason,
      started_at, moment, ended_at)
     SELECT $workspaceId, r.id, 1, c.id, 'call.missed', n, s.state,
       CASE s.state WHEN 'applied' THEN NULL ELSE 'late' END,
       c.created_at, c.created_at, c.created_at
     FROM numbers JOIN contacts c ON c.receiver_id = (49300000000 + n)::text AND c.workspace_id = $workspaceId,
       LATERAL (VALUES ($rule), ((SELECT min(id) FROM rules WHERE workspace_id = $workspaceId AND id <> $rule))) r(id),
       LATERAL (SELECT (ARRAY['applied','ended','failed','skipped'])[1 + n % 4] AS state) s
     WHERE r.id IS NOT NULL`,
  ],
  [
    'approvals',
    `INSERT INTO approvals (workspace_id, connection_kind, connection_id, member_id, autonomy, tool, call_kind, input,
      status, decided_at, decided_by, created_at)
     SELECT $workspaceId, 'api_key', 1, $member, 'draft', 'send_message', 'message',
       '{"to": "+493001", "body": "Hello"}', s.status, CASE WHEN s.status <> 'pending' THEN now() END,
       CASE WHEN s.status <> 'pending' THEN $member END, now() - n * interval '1 second'
     FROM numbers, LATERAL (SELECT (ARRAY['pending','approved','rejected','expired'])[1 + n % 4] AS status) s`,
  ],
  [
    'audit_log',
    `INSERT INTO audit_log (workspace_id, connection_kind, connection_id, member_id, tool, arguments_digest, outcome,
      duration_ms, request_id, created_at)
     SELECT $workspaceId, 'api_key', 1, $member, CASE n % 3 WHEN 0 THEN 'send_message' ELSE 'search_contacts' END,
       '\\x00', (ARRAY['ok','error','refused','dry_run','queued_for_approval'])[1 + n % 5], 1, 'r' || n,
       now() - n * interval '1 second' FROM numbers`,
  ],
  [
    'security_log',
    `INSERT INTO security_log (workspace_id, action, actor_type, member_id, created_at)
     SELECT $workspaceId, CASE n % 3 WHEN 0 THEN 'signIn' ELSE 'apiKeys.create' END, 'member', $member,
       now() - n * interval '1 second' FROM numbers`,
  ],
  [
    'inbox_events',
    `INSERT INTO inbox_events (workspace_id, business_account_id, kind, payload, state)
     SELECT $workspaceId, b.id, 'field' || n % 100, '{}', 'ignored' FROM numbers, business_accounts b
       WHERE b.workspace_id = $workspaceId`,
  ],
  [
    'custom_fields',
    `INSERT INTO custom_fields (workspace_id, name, label, field_type, applies_to)
     SELECT $workspaceId, 'field_' || n, 'Field', 'text', '{contacts,conversations,tickets}' FROM numbers
       WHERE n % 20 = 0`,
  ],
  [
    'sla_policies',
    `INSERT INTO sla_policies (workspace_id, name, first_response_minutes) SELECT $workspaceId, 'Policy ' || n, 30
      FROM numbers WHERE n % 10 = 0`,
  ],
  [
    'oauth_clients',
    `INSERT INTO oauth_clients (workspace_id, client_id, name, client_type, redirect_uris)
     SELECT $workspaceId, 'client.' || $workspaceId || '.' || n, 'Client ' || n, 'public', '{https://app.test/back}'
       FROM numbers WHERE n % 10 = 0`,
  ],
  [
    'oauth_grants',
    `INSERT INTO oauth_grants (workspace_id, member_id, client_pk, scopes, resource)
     SELECT $workspaceId, $member, k.id, '{contact.view}', 'https://desk.test/mcp' FROM numbers
       JOIN oauth_clients k ON k.client_id = 'client.' || $workspaceId || '.' || n`,
  ],
  [
    'oauth_families',
    `INSERT INTO oauth_families (grant_id, scopes)
     SELECT g.id, g.scopes FROM numbers JOIN oauth_clients k ON k.client_id = 'client.' || $workspaceId || '.' || n
       JOIN oauth_grants g ON g.client_pk = k.id`,
  ],
  [
    'oauth_refresh_tokens',
    `INSERT INTO oauth_refresh_tokens (token_hash, grant_id, family_id, expires_at)
     SELECT sha256(('refresh.' || g.id)::bytea), g.id,
       (SELECT f.id FROM oauth_families f WHERE f.grant_id = g.id), now() + interval '1 day'
     FROM numbers JOIN oauth_clients k ON k.client_id = 'client.' || $workspaceId || '.' || n
       JOIN oauth_grants g ON g.client_pk = k.id`,
  ],
  [
    'webhook_subscriptions',
    `INSERT INTO webhook_subscriptions (workspace_id, url, events, autonomy, active_since, sealed_secret)
     SELECT $workspaceId, 'https://example.com/' || n, '{contact.merged}', 'autonomous', now(), 'sealed'
     FROM numbers WHERE n % 30 = 0`,
  ],
  [
    'webhook_events',
    `INSERT INTO webhook_events (workspace_id, type, subject_type, subject_id, sequence, payload, fanned_out_at,
      created_at)
     SELECT $workspaceId, (ARRAY['contact.merged', 'ticket.created', 'message.received'])[1 + n % 3], 'contact',
       $contact,
       n, '{}', now(), now() - n * interval '1 second'
     FROM numbers`,
  ],
  [
    'webhook_deliveries',
    `INSERT INTO webhook_deliveries (workspace_id, subscription_id, event_id, turn, state, next_attempt_at, created_at)
     SELECT $workspaceId, s.id, e.id, e.subject_id, d.state,
       CASE d.state WHEN 'pending' THEN now() + interval '1 day' END,
       e.created_at
     FROM numbers JOIN webhook_events e ON e.workspace_id = $workspaceId AND e.sequence = n,
       LATERAL (SELECT (ARRAY['pending', 'delivered', 'failed', 'cancelled'])[1 + n % 4] AS state) d,
       LATERAL (
         SELECT $webhook AS id
         UNION ALL (SELECT min(id) FROM webhook_subscriptions WHERE workspace_id = $workspaceId AND id <> $webhook)
       ) s
     WHERE s.id IS NOT NULL`,
  ],
];

/** Prepares a workspace for a crowd; `grow` brings it in. */
export async function createCrowd(workspace: TestWorkspace): Promise<Crowd> {
  const { db } = workspace.server.runtime;
  const contact = await createContact(workspace);
  const ticket = await createTicket(workspace);
  const pipeline = await defaultPipeline(workspace);
  const broadcast = await createBroadcast(workspace, { template_id: templateId(workspace, 'ticket_update') });
  const macro = await createMacro(workspace, [step('set_priority', { priority: 'high' })]);
  const { id: rule } = await saveRule(workspace, { macro_id: macro });
  await workspace.api.post('/api/v1/custom-fields/', {
    name: 'plan',
    label: 'Plan',
    field_type: 'text',
    applies_to: ['contacts'],
  });
  const bind = { workspaceId: workspace.id };
  const first = async (sql: string): Promise<number> => (await db.row<{ id: number }>(sql, bind))?.id ?? 0;
  const ids = {
    contact: await first('SELECT min(id) AS id FROM contacts WHERE workspace_id = $workspaceId'),
    number: await first('SELECT min(id) AS id FROM phone_numbers WHERE workspace_id = $workspaceId'),
    inbox: await first(`INSERT INTO team_inboxes (workspace_id, name) VALUES ($workspaceId, 'First') RETURNING id`),
    member: workspace.owner.id,
    ticket: ticket.id,
    broadcast,
    macro,
    rule,
    pipeline: pipeline.id,
    stage: pipeline.stages[0]?.id ?? 0,
    // Of a type that nothing here causes: the crowd's own rows shall not become events.
    webhook: await first(
      `INSERT INTO webhook_subscriptions (workspace_id, url, events, autonomy, active_since, sealed_secret)
       VALUES ($workspaceId, 'https://example.com/', '{contact.merged}', 'autonomous', now(), 'sealed') RETURNING id`,
    ),
  };
  await db.rows(
    `UPDATE broadcasts SET status = 'running', confirmed_at = now(), started_at = now(), resolved_at = now()
      WHERE id = $id`,
    { id: broadcast },
  );
  return {
    ...ids,
    handle: contact.receiver_id,
    async grow(from, to) {
      for (const [what, sql] of tables) {
        const values: Readonly<Record<string, number>> = { ...bind, ...ids, from, to };
        const full = /^WITH /.test(sql) ? sql.replace('WITH ', `WITH ${numbers}, `) : `WITH ${numbers} ${sql}`;
        // Numbers of our own, written into the text: a bound one would need a type at each place.
        const text = full.replace(/\$(\w+)/g, (_match, name: string) => String(values[name]));
        await db
          .transaction(async () => {
            await db.rows(`SET LOCAL statement_timeout = '120s'`);
            await db.rows(text);
          })
          .catch((error: unknown) => {
            throw new Error(`${what} could not be written`, { cause: error });
          });
      }
    },
  };
}

const numbers = 'numbers AS MATERIALIZED (SELECT n FROM generate_series($from, $to) AS n)';
