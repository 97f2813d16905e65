import { transaction, type Step } from './step';

/** Sorts after what it builds on; never changes once released. */
export const name = '2026-11-27-18-assigned-notices';

const statements = `
CREATE OR REPLACE FUNCTION note_assigned_member() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  INSERT INTO notices (workspace_id, member_id, kind, conversation_id, push_until)
  SELECT m.workspace_id, m.id, 'assigned', NEW.subject_id,
    CASE WHEN m.notify_assigned = 'push' THEN clock_timestamp() + interval '5 minutes' END
  FROM members m
  WHERE m.workspace_id = NEW.workspace_id AND m.id = (NEW.changes #>> '{assigned_member,to}')::bigint
    AND m.is_active AND (m.role <> 'agent' OR 'chat.view' = ANY(m.permissions))
    AND m.notify_assigned <> 'off' AND m.id IS DISTINCT FROM NEW.actor_member_id;
  RETURN NULL;
END $body$;
`;

/** Who is told that a conversation is theirs: like all notices, only who may see conversations at all. */
export const steps: readonly Step[] = [transaction(statements)];
