import type { Sequelize } from 'sequelize';

/** Date-ordered name; never changes once released. */
export const name = '2026-11-21-lean-messages';

// An index that begins with the workspace and holds the id invites the planner to read a whole workspace for a handful of
// ids while its statistics are young. A conversation belongs to one workspace, so its id alone finds its messages;
// the workspace lies beside it, so that they are counted without a look at each.
// Messages without a place in the order (mass sends) never look for one; the few that wait for another try are found here.
const statements = `
DROP INDEX messages_list;
CREATE INDEX messages_list ON messages (conversation_id, created_at, id) INCLUDE (workspace_id);
DROP INDEX messages_outbound;
CREATE INDEX messages_outbound ON messages (conversation_id, send_seq) WHERE delivery_state IN ('queued','sending') AND send_seq IS NOT NULL;
CREATE INDEX messages_retries ON messages (phone_number_id, id) WHERE delivery_state = 'queued' AND next_attempt_at IS NOT NULL;

-- One statement for all rows of an update instead of one for each. Its plan is made once, whatever number of rows it
-- sees then: by index in any case. A row that stands as it should is left alone, and a skipped one while nothing was sent.
DROP TRIGGER messages_follow_broadcast ON messages;
DROP FUNCTION follow_broadcast_message();
CREATE FUNCTION follow_broadcast_messages() RETURNS trigger LANGUAGE plpgsql SET enable_hashjoin = off SET enable_mergejoin = off AS $body$
BEGIN
  UPDATE broadcast_recipients r SET state = m.state, reason = '', message_status = m.status, error_code = m.code, message_id = m.id, updated_at = now()
  FROM (
    SELECT id, broadcast_id, broadcast_position,
      CASE message_status WHEN 'queued' THEN 'pending' WHEN 'failed' THEN 'failed' WHEN 'unknown' THEN 'unknown' ELSE 'sent' END AS state,
      CASE WHEN message_status IN ('sent','delivered','read','played') THEN message_status ELSE '' END AS status,
      CASE WHEN message_status = 'failed' THEN error_code END AS code
    FROM moved WHERE broadcast_id IS NOT NULL
  ) m
  WHERE r.broadcast_id = m.broadcast_id AND r.position = m.broadcast_position
    AND (r.state <> m.state OR r.message_status <> m.status OR r.error_code IS DISTINCT FROM m.code) AND NOT (r.state = 'skipped' AND m.state = 'pending');
  RETURN NULL;
END $body$;
CREATE TRIGGER messages_follow_broadcast AFTER UPDATE ON messages REFERENCING NEW TABLE AS moved
  FOR EACH STATEMENT EXECUTE FUNCTION follow_broadcast_messages();
`;

/** Makes bulk statements on messages as cheap as their rows. */
export async function up(sequelize: Sequelize): Promise<void> {
  await sequelize.query(statements);
}
