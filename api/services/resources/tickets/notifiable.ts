import type { Ctx } from '../../../core/context';

/** SQL: whether a message was ever exchanged with a contact `c`; an import's placeholder is none. */
export const exchangedSql = `SELECT 1
  FROM conversations cv
  JOIN messages cm ON cm.workspace_id = cv.workspace_id AND cm.conversation_id = cv.id
  WHERE cv.contact_id = c.id AND NOT cm.is_import_placeholder`;

/**
 * Returns whether a recorded move would notify anybody: one recipient who has not opted out and with whom messages were
 * exchanged is enough. The template's status is not asked: it may be approved again before the move is prepared.
 */
export async function notifiesSomebody(ctx: Ctx, moveId: number): Promise<boolean> {
  const row = await ctx.runtime.db.row(
    `SELECT 1 AS ok
     FROM ticket_stage_moves v
     CROSS JOIN unnest(v.recipient_ids) AS w(contact_id)
     JOIN contacts c ON c.workspace_id = v.workspace_id AND c.id = w.contact_id
     WHERE v.workspace_id = $workspaceId AND v.id = $moveId AND NOT c.marketing_opt_out AND EXISTS (${exchangedSql})
     LIMIT 1`,
    { workspaceId: ctx.workspaceId, moveId },
  );
  return row !== null;
}
