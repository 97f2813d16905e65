/** SQL: whether a message was ever exchanged with a contact `c`; an import's placeholder is none. */
export const exchangedSql = `SELECT 1
  FROM conversations cv
  JOIN messages cm ON cm.workspace_id = cv.workspace_id AND cm.conversation_id = cv.id
  WHERE cv.contact_id = c.id AND NOT cm.is_import_placeholder`;

/**
 * SQL: whether a move `v` would notify a contact `c`. The template's status is not asked: it may be approved again
 * before the move is prepared.
 */
export const reachedSql = `NOT c.marketing_opt_out AND EXISTS (${exchangedSql})
  AND (c.phone IS NOT NULL OR upper(v.template->>'category') <> 'AUTHENTICATION')`;
