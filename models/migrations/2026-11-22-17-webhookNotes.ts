import { transaction, type Step } from './step';

/** The name under which it is recorded. */
export const name = '2026-11-22-17-webhookNotes';

/**
 * Makes noting an event for subscribers cheaper. Its type was worked out three times, because the planner put the
 * function's whole body into each place that names the type; OFFSET 0 keeps it to one, and where nobody subscribes it
 * is not worked out at all. No statement could use the index of contacts: erasing a person looks into the payloads as
 * well.
 */
export const steps: readonly Step[] = [
  transaction(`
DROP INDEX webhook_events_contacts;

CREATE OR REPLACE FUNCTION note_webhook_activity() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM noted n JOIN webhook_subscriptions s ON s.workspace_id = n.workspace_id) THEN
    RETURN NULL;
  END IF;
  INSERT INTO webhook_events (workspace_id, type, subject_type, subject_id, changes, data, created_at)
  SELECT n.workspace_id, t.type,
    -- One person, one number: contact and conversation are one subject. Approvals are their own.
    CASE WHEN n.subject_type = 'conversation' THEN 'contact'
      WHEN n.subject_type = 'workspace' THEN 'approval' ELSE n.subject_type END,
    CASE WHEN n.subject_type = 'workspace' THEN (n.data->>'approval_id')::bigint ELSE n.subject_id END,
    nullif(n.changes, '{}'), n.data || jsonb_build_object('activity_id', n.id), n.created_at
  FROM noted n CROSS JOIN LATERAL (SELECT webhook_type_of(n.subject_type, n.kind, n.changes) AS type OFFSET 0) t
  WHERE EXISTS (SELECT 1 FROM webhook_subscriptions s
      WHERE s.workspace_id = n.workspace_id AND s.events && ARRAY['*', t.type])
    AND t.type IS NOT NULL
  ORDER BY n.id;
  RETURN NULL;
END $body$;`),
];
