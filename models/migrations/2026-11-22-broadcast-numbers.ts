import type { Sequelize } from 'sequelize';

/** Date-ordered name; never changes once released. */
export const name = '2026-11-22-broadcast-numbers';

// A ledger: every statement that changes recipients adds what it changed, and the numbers of a broadcast are the sum of its
// entries. Entries are only added, so that statements that run together never wait for one another, as they would for one
// row of counters; and some statements fold the entries of the broadcast into a handful, passing over those that another
// one holds. One look at the ledger sees a fold as a whole or not at all, so the sums are right at every moment.
const statements = `
CREATE TABLE broadcast_numbers (
  broadcast_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  workspace_id integer NOT NULL,
  state varchar(8) NOT NULL,
  message_status varchar(16) NOT NULL,
  reason varchar(32) NOT NULL,
  error_code integer,
  count bigint NOT NULL,
  PRIMARY KEY (broadcast_id, id)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0.1, autovacuum_analyze_threshold = 500);

INSERT INTO broadcast_numbers (broadcast_id, workspace_id, state, message_status, reason, error_code, count)
SELECT broadcast_id, workspace_id, state, message_status, reason, error_code, count(*) FROM broadcast_recipients
GROUP BY broadcast_id, workspace_id, state, message_status, reason, error_code;

CREATE FUNCTION fold_broadcast_numbers(folded bigint) RETURNS void LANGUAGE sql AS $body$
  WITH taken AS (
    DELETE FROM broadcast_numbers
    WHERE ctid = ANY(ARRAY(SELECT ctid FROM broadcast_numbers WHERE broadcast_id = folded FOR UPDATE SKIP LOCKED))
    RETURNING *
  )
  INSERT INTO broadcast_numbers (broadcast_id, workspace_id, state, message_status, reason, error_code, count)
  SELECT broadcast_id, workspace_id, state, message_status, reason, error_code, sum(count) FROM taken
  GROUP BY broadcast_id, workspace_id, state, message_status, reason, error_code HAVING sum(count) <> 0
$body$;

CREATE FUNCTION count_broadcast_recipients() RETURNS trigger LANGUAGE plpgsql AS $body$
DECLARE
  changed bigint[];
BEGIN
  IF TG_OP = 'INSERT' THEN
    WITH added AS (
      INSERT INTO broadcast_numbers (broadcast_id, workspace_id, state, message_status, reason, error_code, count)
      SELECT broadcast_id, workspace_id, state, message_status, reason, error_code, count(*) FROM after
      GROUP BY broadcast_id, workspace_id, state, message_status, reason, error_code
      RETURNING broadcast_id
    ) SELECT array_agg(DISTINCT broadcast_id) INTO changed FROM added;
  ELSIF TG_OP = 'DELETE' THEN
    WITH added AS (
      INSERT INTO broadcast_numbers (broadcast_id, workspace_id, state, message_status, reason, error_code, count)
      SELECT broadcast_id, workspace_id, state, message_status, reason, error_code, -count(*) FROM before
      GROUP BY broadcast_id, workspace_id, state, message_status, reason, error_code
      RETURNING broadcast_id
    ) SELECT array_agg(DISTINCT broadcast_id) INTO changed FROM added;
  ELSE
    WITH added AS (
      INSERT INTO broadcast_numbers (broadcast_id, workspace_id, state, message_status, reason, error_code, count)
      SELECT broadcast_id, workspace_id, state, message_status, reason, error_code, sum(n) FROM (
        SELECT broadcast_id, workspace_id, state, message_status, reason, error_code, 1 AS n FROM after
        UNION ALL
        SELECT broadcast_id, workspace_id, state, message_status, reason, error_code, -1 FROM before
      ) AS moved
      GROUP BY broadcast_id, workspace_id, state, message_status, reason, error_code HAVING sum(n) <> 0
      RETURNING broadcast_id
    ) SELECT array_agg(DISTINCT broadcast_id) INTO changed FROM added;
  END IF;
  -- About one statement in fifty folds: the entries of a broadcast stay a few hundred, however long it runs.
  IF changed IS NOT NULL AND random() < 0.02 THEN
    PERFORM fold_broadcast_numbers(changed[i]) FROM generate_subscripts(changed, 1) AS i;
  END IF;
  RETURN NULL;
END $body$;
CREATE TRIGGER broadcast_recipients_added AFTER INSERT ON broadcast_recipients REFERENCING NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION count_broadcast_recipients();
CREATE TRIGGER broadcast_recipients_changed AFTER UPDATE ON broadcast_recipients REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION count_broadcast_recipients();
CREATE TRIGGER broadcast_recipients_removed AFTER DELETE ON broadcast_recipients REFERENCING OLD TABLE AS before
  FOR EACH STATEMENT EXECUTE FUNCTION count_broadcast_recipients();

-- As before, but what moves no broadcast's message (almost every statement) ends here.
CREATE OR REPLACE FUNCTION follow_broadcast_messages() RETURNS trigger LANGUAGE plpgsql SET enable_hashjoin = off SET enable_mergejoin = off AS $body$
BEGIN
  IF NOT EXISTS (SELECT FROM moved WHERE broadcast_id IS NOT NULL) THEN RETURN NULL; END IF;
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
`;

/** Keeps the numbers of every broadcast beside it, instead of counting its recipients at every look. */
export async function up(sequelize: Sequelize): Promise<void> {
  await sequelize.query(statements);
}
