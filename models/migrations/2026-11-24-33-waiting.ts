import { backfill, index, transaction, type Step } from './step';

/** The name under which it is recorded. */
export const name = '2026-11-24-33-waiting';

/** Tells who waits for an answer, and orders open work by what customers and the team say to one another. */
export const steps: readonly Step[] = [
  transaction(`ALTER TABLE conversations
    ADD COLUMN last_exchange_at timestamptz(3),
    ADD COLUMN unanswered_since timestamptz(3),
    ADD COLUMN wrote_while_snoozed boolean NOT NULL DEFAULT false`),
  backfill(`
    WITH batch AS (SELECT id FROM conversations WHERE id > :after ORDER BY id LIMIT :size), told AS (
      SELECT b.id,
        (SELECT m.created_at FROM messages m
         WHERE m.conversation_id = b.id AND m.group_info IS NULL AND m.type <> 'system'
           AND m.origin NOT IN ('broadcast', 'stage')
         ORDER BY m.created_at DESC, m.id DESC LIMIT 1) AS exchange,
        (SELECT m.created_at FROM messages m
         WHERE m.conversation_id = b.id AND m.group_info IS NULL AND m.type <> 'system' AND m.direction = 'inbound'
           AND (m.created_at, m.id) > (coalesce(answer.created_at, '-infinity'), coalesce(answer.id, 0))
         ORDER BY m.created_at, m.id LIMIT 1) AS unanswered
      FROM batch b
      LEFT JOIN LATERAL (
        SELECT a.created_at, a.id FROM messages a
        WHERE a.conversation_id = b.id AND a.direction = 'outbound' AND a.origin NOT IN ('broadcast', 'stage')
        ORDER BY a.created_at DESC, a.id DESC LIMIT 1
      ) answer ON true
    )
    UPDATE conversations v
    SET last_exchange_at = told.exchange, unanswered_since = told.unanswered
    FROM told
    WHERE v.id = told.id
    RETURNING v.id AS position`),
  // Those who wait are few beside all: lists and numbers read nothing else.
  index({
    index: 'conversations_waiting',
    on: `conversations (workspace_id, unanswered_since, id)
      INCLUDE (conv_status, assigned_member_id, assigned_team_inbox_id)
      WHERE (unanswered_since IS NOT NULL)
        AND (conv_status IN ('open', 'pending') OR conv_status = 'snoozed' AND wrote_while_snoozed)`,
  }),
  index({
    index: 'conversations_exchange',
    on: `conversations (workspace_id, (coalesce(last_exchange_at, 'epoch'::timestamptz)), id)
      INCLUDE (conv_status, assigned_member_id)`,
  }),
];
