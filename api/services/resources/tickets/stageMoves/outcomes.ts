import type { Ctx } from '../../../../core/context';
import { recordSql, type EventSql } from '../../../../core/queue/events';
import { grouped } from '../../../../core/queue/groupedCalls';
import { kept, type Runtime } from '../../../../core/runtime';
import { batchRows } from '../../../../core/queue/parallel';
import { maxSweptRows, never, sweepAll, type IsOver } from '../../../../core/queue/sweep';
import { failQueued } from '../../messages/rows/withdrawal';

const arrived = "m.message_status IN ('sent', 'delivered', 'read', 'played')";

/**
 * Updates recipients from the states of their messages, and records the changes in the tickets' activity: a send that
 * was accepted, one that failed at once or later, and one whose unknown outcome is known now. Returns the new states.
 * SQL: one statement for any number of messages.
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
     ), recorded AS (${recordSql(
       "changed c JOIN ticket_stage_moves v ON v.id = c.move_id WHERE c.state IN ('sent', 'failed')",
       notificationEvent(
         'c',
         `|| jsonb_build_object('message_id', c.message_id)
           || CASE WHEN c.state = 'failed' THEN jsonb_build_object('error_code', c.error_code) ELSE '{}' END`,
       ),
     )})
     SELECT state FROM changed`,
    { messageIds },
  );
  return rows.map((row) => row.state);
}

const reflectors = kept((runtime) =>
  grouped<number>(async (messageIds) => void (await reflectOutcomes(runtime, messageIds)), { max: batchRows }),
);

/** Updates the recipient of a message from its state, together with others that this process has just sent to. */
export const reflectOutcome = (runtime: Runtime, messageId: number): Promise<void> => reflectors(runtime)(messageId);

/** Updates recipients whose message was settled by no webhook and no workflow. Returns how many. */
export async function reflectOverlooked(runtime: Runtime, isOver: IsOver = never): Promise<number> {
  return sweepAll(isOver, async () => {
    const rows = await runtime.db.rows<{ message_id: number }>(
      `SELECT r.message_id
       FROM ticket_stage_move_recipients r
       JOIN messages m ON m.id = r.message_id
       WHERE r.state IN ('pending', 'unknown') AND m.delivery_state = 'settled'
         AND (${arrived} OR m.message_status = 'failed' OR (r.state = 'pending' AND m.message_status = 'unknown'))
       LIMIT ${maxSweptRows}`,
    );
    const changed = await reflectOutcomes(
      runtime,
      rows.map((row) => row.message_id),
    );
    return changed.length;
  });
}

/**
 * SQL: the entry of a ticket's activity about a recipient of the move `v`, whose contact, state and reason the named
 * rows have; `more` is added to its data.
 */
export function notificationEvent(recipient: string, more = ''): EventSql {
  return {
    workspaceId: 'v.workspace_id',
    subjectType: 'ticket',
    subjectId: 'v.ticket_id',
    kind: {
      by: `${recipient}.state`,
      of: {
        sent: 'stage_notification_sent',
        skipped: 'stage_notification_skipped',
        failed: 'stage_notification_failed',
      },
    },
    data: `jsonb_build_object(
    'move_id', v.id, 'stage_id', v.stage_id, 'stage_name', v.stage_name,
    'template_id', v.template->>'template_id', 'template_name', v.template->>'name',
    'contact_id', ${recipient}.contact_id, 'reason', ${recipient}.reason) ${more}`,
    requestId: "'stage-move/' || v.id",
  };
}

/**
 * Of two recipients of one stage move who become one person, keeps the one who was told, or is being told; else one
 * whose message failed, because it may have arrived; else one who waits. The merge ends the other's message.
 */
export async function dropSecondRecipients(
  ctx: Ctx,
  contactIds: { readonly kept: number; readonly gone: number },
): Promise<void> {
  const { db } = ctx.runtime;
  // Nobody claims what waits until the merge has ended; the next statement sees what was claimed until now.
  await db.rows(
    `SELECT m.id FROM ticket_stage_move_recipients r JOIN messages m ON m.id = r.message_id
     WHERE r.contact_id IN ($kept, $gone) AND m.delivery_state = 'queued'
     ORDER BY m.id FOR UPDATE OF m`,
    contactIds,
  );
  await db.rows(
    `WITH mine AS (
       SELECT r.move_id, r.contact_id, CASE
           WHEN r.state IN ('sent', 'unknown') OR (r.state = 'pending' AND m.delivery_state <> 'queued') THEN 4
           WHEN r.state <> 'pending' AND r.message_id IS NOT NULL THEN 3
           WHEN r.message_id IS NOT NULL THEN 2
           WHEN r.state = 'pending' THEN 1
           ELSE 0 END AS progress
       FROM ticket_stage_move_recipients r LEFT JOIN messages m ON m.id = r.message_id
       WHERE r.contact_id IN ($kept, $gone)
     )
     DELETE FROM ticket_stage_move_recipients r USING mine k, mine g
     WHERE k.contact_id = $kept AND g.contact_id = $gone AND g.move_id = k.move_id AND r.move_id = k.move_id
       AND r.contact_id = CASE WHEN g.progress > k.progress THEN $kept::bigint ELSE $gone::bigint END`,
    contactIds,
  );
}

/** Ends notifications that wait although their contact has another one of the same move. */
export async function failSecondNotifications(ctx: Ctx, messageIds: readonly number[]): Promise<void> {
  await failQueued(ctx, messageIds, {
    title: 'Contacts merged',
    message: 'The contact was merged with another one that gets the same notification.',
  });
}
