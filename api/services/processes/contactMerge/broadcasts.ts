import type { Ctx } from '../../../core/context';
import { broadcastKeySql } from '../../resources/messages/rows/claims';

/**
 * Makes a customer who was a recipient of a broadcast as both contacts get it once. Runs in the merge's transaction,
 * after both conversations were locked and their messages moved: meanwhile no message of either can be claimed.
 *
 * The key of a broadcast's message contains the contact, and a claim writes the message under that key. The key is
 * changed to the kept contact, so a claim that began before the merge and continues after it finds the message of the
 * other row. Rows that a claim locks at this moment are left as they are, because waiting for them would be a deadlock
 * (the claim waits for the conversation); the next attempt for them finds the message of the other row, or, where
 * neither has one, takes the first of the two.
 */
export async function mergeBroadcastRecipients(ctx: Ctx, kept: number, gone: number): Promise<void> {
  const { db } = ctx.runtime;
  const bind = { workspaceId: ctx.workspaceId, kept, gone };
  // Of two rows, the one that still waits is skipped in favour of the one that was sent; of two that wait, the row of
  // the contact that goes is skipped. A claim needs the lock of the row, so none can take a row that is skipped here.
  await db.rows(
    `WITH mine AS MATERIALIZED (
       SELECT r.broadcast_id, r.position, r.contact_id, m.id AS message_id,
         r.state = 'pending' AND coalesce(m.delivery_state, 'queued') = 'queued' AS waits,
         m.delivery_state <> 'queued' OR (r.state <> 'pending' AND r.message_id IS NOT NULL) AS told
       FROM broadcasts b
       JOIN broadcast_recipients r
         ON r.broadcast_id = b.id AND r.contact_id IN ($kept, $gone) AND r.reason <> 'duplicate'
       LEFT JOIN messages m
         ON m.workspace_id = r.workspace_id AND m.dedupe_key = ${broadcastKeySql('r.broadcast_id', 'r.contact_id')}
         AND m.broadcast_position = r.position
       WHERE b.workspace_id = $workspaceId
       FOR UPDATE OF r SKIP LOCKED
     ), givesWay AS (
       SELECT w.*
       FROM mine w JOIN mine o ON o.broadcast_id = w.broadcast_id AND o.contact_id <> w.contact_id
       WHERE w.waits AND (o.told OR (o.waits AND w.contact_id = $gone))
     ), withdrawn AS (
       DELETE FROM messages m USING givesWay w WHERE m.id = w.message_id
     )
     UPDATE broadcast_recipients r
     SET state = 'skipped', reason = 'duplicate', message_id = NULL, error_code = NULL, updated_at = now()
     FROM givesWay w
     WHERE r.broadcast_id = w.broadcast_id AND r.position = w.position`,
    bind,
  );

  await db.rows(
    `UPDATE messages m
     SET dedupe_key = ${broadcastKeySql('b.id', '$kept::bigint')}
     FROM broadcasts b
     WHERE b.workspace_id = $workspaceId AND m.workspace_id = $workspaceId
       AND m.dedupe_key = ${broadcastKeySql('b.id', '$gone::bigint')}
       AND NOT EXISTS (
         SELECT FROM messages k
         WHERE k.workspace_id = $workspaceId AND k.dedupe_key = ${broadcastKeySql('b.id', '$kept::bigint')})`,
    bind,
  );

  // By the index of those who are no duplicates: a duplicate keeps the contact that has gone, and is shown as the
  // present one by its alias.
  await db.rows(
    `WITH mine AS MATERIALIZED (
       SELECT r.broadcast_id, r.position
       FROM broadcasts b JOIN broadcast_recipients r ON r.broadcast_id = b.id AND r.contact_id = $gone
       WHERE b.workspace_id = $workspaceId
         AND r.reason <> 'duplicate' AND NOT EXISTS (
           SELECT FROM broadcast_recipients k
           WHERE k.broadcast_id = b.id AND k.contact_id = $kept AND k.reason <> 'duplicate')
       FOR UPDATE OF r SKIP LOCKED
     )
     UPDATE broadcast_recipients r
     SET contact_id = $kept
     FROM mine
     WHERE r.broadcast_id = mine.broadcast_id AND r.position = mine.position`,
    bind,
  );
}
