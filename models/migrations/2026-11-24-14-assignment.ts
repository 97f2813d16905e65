import { transaction, type Step } from './step';

/** Sorts after what it builds on; never changes once released. */
export const name = '2026-11-24-14-assignment';

// Each change of a conversation, one by one or in bulk, of a member or of a team inbox makes the inbox look again; no
// code can forget it. Where an inbox does not assign by itself that costs one look into a small table per change.
const asking = `
-- The intent that workflows/starts.ts has for it, in SQL. A relay may take it at once.
CREATE FUNCTION ask_for_assignment(inbox bigint) RETURNS void LANGUAGE sql AS $body$
  INSERT INTO outbox (workspace_id, workflow, workflow_id, signal, input, available_at)
  SELECT i.workspace_id, 'assignment', a.id, 'assign', jsonb_build_object(
    'start', jsonb_build_object(
      'workflow', 'assignment', 'id', a.id,
      'summary', 'Assignment in team inbox ' || i.id || ' of workspace ' || i.workspace_id,
      'page', '/dashboard/team-inboxes/' || i.id || '/',
      'attributes', jsonb_build_object('WorkspaceId', i.workspace_id::text)),
    'input', jsonb_build_object('workspaceId', i.workspace_id, 'inboxId', i.id)), now()
  FROM team_inboxes i, LATERAL (SELECT 'assignment/' || i.workspace_id || '/' || i.id AS id) a
  WHERE i.id = inbox AND i.assignment <> 'manual'
$body$;

CREATE FUNCTION note_seats_for_assignment() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  PERFORM ask_for_assignment(CASE WHEN TG_OP = 'DELETE' THEN OLD.team_inbox_id ELSE NEW.team_inbox_id END);
  RETURN NULL;
END $body$;
CREATE TRIGGER team_inbox_members_assignment AFTER INSERT OR DELETE OR UPDATE OF capacity ON team_inbox_members
  FOR EACH ROW EXECUTE FUNCTION note_seats_for_assignment();

CREATE FUNCTION note_inbox_for_assignment() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  PERFORM ask_for_assignment(NEW.id);
  RETURN NULL;
END $body$;
CREATE TRIGGER team_inboxes_assignment AFTER UPDATE OF assignment, is_default ON team_inboxes
  FOR EACH ROW EXECUTE FUNCTION note_inbox_for_assignment();

CREATE FUNCTION note_member_for_assignment() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  PERFORM ask_for_assignment(inbox) FROM (
    SELECT team_inbox_id AS inbox FROM team_inbox_members WHERE member_id = NEW.id
    -- What they leave behind may be in others, or comes to the default one.
    UNION SELECT coalesce(v.assigned_team_inbox_id, i.id) FROM conversations v
      LEFT JOIN team_inboxes i ON i.workspace_id = v.workspace_id AND i.is_default
    WHERE NOT NEW.is_active AND v.assigned_member_id = NEW.id AND v.conv_status = 'open'
  ) theirs;
  RETURN NULL;
END $body$;
CREATE TRIGGER members_assignment AFTER UPDATE OF is_active, is_away ON members
  FOR EACH ROW WHEN (OLD.is_active <> NEW.is_active OR OLD.is_away <> NEW.is_away)
  EXECUTE FUNCTION note_member_for_assignment();
`;

const queue = `
CREATE FUNCTION queue_conversation() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF NEW.conv_status <> 'open' OR NEW.assigned_team_inbox_id IS NULL THEN
    NEW.queued_at := NULL;
  ELSIF NEW.assigned_member_id IS NULL THEN
    IF OLD.queued_at IS NULL OR OLD.assigned_team_inbox_id IS DISTINCT FROM NEW.assigned_team_inbox_id THEN
      -- What was in no inbox keeps its place among those whose customers wait.
      NEW.queued_at := CASE WHEN OLD.conv_status = 'open' AND OLD.assigned_team_inbox_id IS NULL
        THEN coalesce(NEW.unanswered_since, clock_timestamp()) ELSE clock_timestamp() END;
    END IF;
  ELSIF OLD.conv_status <> 'open' AND NEW.assigned_member_id = OLD.assigned_member_id THEN
    -- It opens again with the member that it had.
    NEW.queued_at := (SELECT clock_timestamp() FROM team_inboxes i
      WHERE i.id = NEW.assigned_team_inbox_id AND i.assignment <> 'manual');
  ELSE
    NEW.queued_at := NULL;
  END IF;
  RETURN NEW;
END $body$;
CREATE TRIGGER conversations_queued
  BEFORE UPDATE OF conv_status, assigned_member_id, assigned_team_inbox_id ON conversations
  FOR EACH ROW WHEN (OLD.conv_status <> NEW.conv_status
    OR OLD.assigned_member_id IS DISTINCT FROM NEW.assigned_member_id
    OR OLD.assigned_team_inbox_id IS DISTINCT FROM NEW.assigned_team_inbox_id)
  EXECUTE FUNCTION queue_conversation();

CREATE FUNCTION note_conversation_for_assignment() RETURNS trigger LANGUAGE plpgsql AS $body$
DECLARE
  had_place boolean := OLD.conv_status = 'open' AND OLD.assigned_member_id IS NOT NULL AND OLD.queued_at IS NULL;
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF had_place THEN PERFORM ask_for_assignment(OLD.assigned_team_inbox_id); END IF;
    RETURN NULL;
  END IF;
  IF had_place AND (NEW.conv_status <> 'open' OR NEW.assigned_member_id IS DISTINCT FROM OLD.assigned_member_id
      OR NEW.assigned_team_inbox_id IS DISTINCT FROM OLD.assigned_team_inbox_id) THEN
    PERFORM ask_for_assignment(OLD.assigned_team_inbox_id);
  END IF;
  IF NEW.queued_at IS DISTINCT FROM OLD.queued_at AND NEW.queued_at IS NOT NULL THEN
    PERFORM ask_for_assignment(NEW.assigned_team_inbox_id);
  ELSIF NEW.conv_status = 'open' AND NEW.assigned_team_inbox_id IS NULL AND NEW.assigned_member_id IS NULL
      AND NEW.unanswered_since IS NOT NULL THEN
    -- It comes to the default inbox, where that assigns by itself.
    PERFORM ask_for_assignment(i.id) FROM team_inboxes i WHERE i.workspace_id = NEW.workspace_id AND i.is_default;
  END IF;
  RETURN NULL;
END $body$;
CREATE TRIGGER conversations_assignment
  AFTER UPDATE OF conv_status, assigned_member_id, assigned_team_inbox_id, unanswered_since, queued_at ON conversations
  FOR EACH ROW WHEN (OLD.conv_status <> NEW.conv_status
    OR OLD.assigned_member_id IS DISTINCT FROM NEW.assigned_member_id
    OR OLD.assigned_team_inbox_id IS DISTINCT FROM NEW.assigned_team_inbox_id
    OR OLD.queued_at IS DISTINCT FROM NEW.queued_at
    OR OLD.unanswered_since IS NULL AND NEW.unanswered_since IS NOT NULL)
  EXECUTE FUNCTION note_conversation_for_assignment();
CREATE TRIGGER conversations_gone_assignment AFTER DELETE ON conversations
  FOR EACH ROW WHEN (OLD.assigned_team_inbox_id IS NOT NULL) EXECUTE FUNCTION note_conversation_for_assignment();
`;

/** Tells the workflow of a team inbox when conversations, members or the inbox change. */
export const steps: readonly Step[] = [transaction(asking, queue)];
