import type { Runtime } from '../../../core/runtime';

const arrived = "m.message_status IN ('sent', 'delivered', 'read', 'played')";

/**
 * Brings recipients in line with their messages, and writes what changed into the tickets' activity: a send that was
 * accepted, one that failed then or later, and one whose outcome was not known and is now. Returns the states that are
 * new. SQL: one statement for any number of messages.
 */
export async function reflectOutcomes(
  runtime: Runtime,
  messageIds: readonly number[],
): Promise<('sent' | 'failed' | 'unknown')[]> {
  const rows = await runtime.db.rows<{ state: 'sent' | 'failed' | 'unknown' }>(
    `WITH changed AS (
       UPDATE ticket_stage_move_recipients r SET settled_at = now(),
         state = CASE WHEN ${arrived} THEN 'sent' WHEN m.message_status = 'failed' THEN 'failed' ELSE 'unknown' END,
         reason = CASE WHEN m.message_status = 'failed'
           THEN left(coalesce(nullif(m.error_message, ''), nullif(m.error_title, ''), 'failed'), 255) ELSE '' END
       FROM messages m
       WHERE m.id = r.message_id AND r.message_id = ANY($messageIds::bigint[]) AND m.delivery_state = 'settled' AND (
         (r.state IN ('pending', 'unknown', 'failed') AND ${arrived})
         OR (r.state IN ('pending', 'unknown', 'sent') AND m.message_status = 'failed')
         OR (r.state = 'pending' AND m.message_status = 'unknown'))
       RETURNING r.move_id, r.contact_id, r.state, r.reason, m.id AS message_id, m.error_code
     ), recorded AS (
       INSERT INTO events (workspace_id, subject_type, subject_id, kind, actor_type, data, request_id)
       SELECT v.workspace_id, 'ticket', v.ticket_id, 'stage_notification_' || c.state, 'system',
         ${recipientData('v', 'c')} || jsonb_build_object('message_id', c.message_id)
           || CASE WHEN c.state = 'failed' THEN jsonb_build_object('error_code', c.error_code) ELSE '{}' END,
         'stage-move/' || v.id
       FROM changed c
       JOIN ticket_stage_moves v ON v.id = c.move_id
       WHERE c.state IN ('sent', 'failed')
     )
     SELECT state FROM changed`,
    { messageIds },
  );
  return rows.map((row) => row.state);
}

/** Messages of one page of the sweep. */
const batch = 2_000;

/** Brings recipients in line whose message ended without a webhook or a workflow; returns how many. */
export async function reflectOverlooked(runtime: Runtime): Promise<number> {
  for (let total = 0; ;) {
    const rows = await runtime.db.rows<{ message_id: number }>(
      `SELECT r.message_id
       FROM ticket_stage_move_recipients r
       JOIN messages m ON m.id = r.message_id
       WHERE r.state IN ('pending', 'unknown') AND m.delivery_state = 'settled'
         AND (${arrived} OR m.message_status = 'failed' OR (r.state = 'pending' AND m.message_status = 'unknown'))
       LIMIT ${batch}`,
    );
    const changed = await reflectOutcomes(
      runtime,
      rows.map((row) => row.message_id),
    );
    total += changed.length;
    if (rows.length < batch) return total;
  }
}

/** SQL: the data of an activity entry about a recipient of a move. */
export function recipientData(move: string, recipient: string): string {
  return `jsonb_build_object(
    'move_id', ${move}.id, 'stage_id', ${move}.stage_id, 'stage_name', ${move}.stage_name,
    'template_id', ${move}.template->>'template_id', 'template_name', ${move}.template->>'name',
    'contact_id', ${recipient}.contact_id, 'reason', ${recipient}.reason)`;
}
