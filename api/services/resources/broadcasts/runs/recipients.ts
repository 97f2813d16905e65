import { broadcastKeySql } from '../../messages/rows/claims';

/**
 * SQL: joins a pending recipient `r` with its message `m`, which exists once it was claimed; after a merge the key may
 * be another row's.
 */
export const messageOfRecipient = `LEFT JOIN messages m ON m.workspace_id = r.workspace_id
  AND m.dedupe_key = ${broadcastKeySql('r.broadcast_id', 'r.contact_id')} AND m.broadcast_position = r.position`;

/** SQL: whether a recipient with the message `m` can be sent to now. */
export const isDueSql = `(m.id IS NULL OR (m.delivery_state = 'queued'
  AND coalesce(m.next_attempt_at, clock_timestamp()) <= clock_timestamp()))`;

/** SQL: the queued messages of recipients who wait or were skipped. */
export const waitingMessages = `SELECT m.id
  FROM broadcast_recipients r
  ${messageOfRecipient}
  WHERE r.workspace_id = $workspaceId AND r.broadcast_id = $broadcastId AND r.state IN ('pending', 'skipped')
    AND m.delivery_state = 'queued'`;
