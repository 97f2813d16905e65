import { transaction, type Step } from './step';

/** The name under which it is recorded. */
export const name = '2026-11-22-16-webhookTriggers';

/**
 * Lets the trigger that notes messages for subscribers end at once where there are none: before, each new message was
 * asked whether it is the first of its conversation before anybody looked for a subscriber.
 */
export const steps: readonly Step[] = [
  transaction(`
CREATE OR REPLACE FUNCTION note_webhook_messages() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM written n JOIN webhook_subscriptions s ON s.workspace_id = n.workspace_id
    WHERE s.events && '{*,conversation.created,message.received}') THEN
    RETURN NULL;
  END IF;
  INSERT INTO webhook_events (workspace_id, type, subject_type, subject_id, data)
  SELECT n.workspace_id, t.type, 'contact', n.conversation_id, jsonb_build_object('message_id', n.id)
  FROM written n CROSS JOIN LATERAL (
    SELECT 'conversation.created' AS type, 1 AS place
    WHERE NOT EXISTS (SELECT 1 FROM messages m
      WHERE m.workspace_id = n.workspace_id AND m.conversation_id = n.conversation_id
      AND m.id < n.id AND NOT m.is_import_placeholder)
    UNION ALL SELECT 'message.received', 2 WHERE n.direction = 'inbound'
  ) t
  WHERE NOT n.is_import_placeholder
    AND EXISTS (SELECT 1 FROM webhook_subscriptions s
      WHERE s.workspace_id = n.workspace_id AND s.events && ARRAY['*', t.type])
  ORDER BY n.id, t.place;
  RETURN NULL;
END $body$;`),
];
