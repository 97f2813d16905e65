import { transaction, type Step } from './step';

/** The name under which it is recorded. */
export const name = '2026-11-24-51-heldAndPriced';

/**
 * Keeps what the platform charges for a message as it says it, and that it has taken a message and holds it back; such
 * a recipient of a broadcast counts as sent, and apart as held.
 */
export const steps: readonly Step[] = [
  transaction(
    `ALTER TABLE messages ADD COLUMN pricing jsonb, ADD COLUMN delivery_note varchar(32) NOT NULL DEFAULT ''`,
    `CREATE OR REPLACE FUNCTION follow_broadcast_messages()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
BEGIN
  IF NOT EXISTS (SELECT FROM moved WHERE broadcast_id IS NOT NULL) THEN RETURN NULL; END IF;
  UPDATE broadcast_recipients r SET state = m.state, reason = '', message_status = m.status, error_code = m.code,
    message_id = m.id, updated_at = now()
  FROM (
    SELECT id, broadcast_id, broadcast_position,
      CASE message_status
        WHEN 'queued' THEN 'pending' WHEN 'failed' THEN 'failed' WHEN 'unknown' THEN 'unknown' ELSE 'sent'
      END AS state,
      CASE WHEN message_status = 'sent' AND delivery_note <> '' THEN 'held'
        WHEN message_status IN ('sent','delivered','read','played') THEN message_status ELSE '' END AS status,
      CASE WHEN message_status = 'failed' THEN error_code END AS code
    FROM moved WHERE broadcast_id IS NOT NULL
  ) m
  WHERE r.broadcast_id = m.broadcast_id AND r.position = m.broadcast_position
    AND (r.state <> m.state OR r.message_status <> m.status OR r.error_code IS DISTINCT FROM m.code)
      AND NOT (r.state = 'skipped' AND m.state = 'pending');
  RETURN NULL;
END $function$`,
  ),
];
