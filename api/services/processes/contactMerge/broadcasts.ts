import type { Ctx } from '../../../core/context';
import { broadcastKeySql } from '../../resources/messages/rows/claims';

/**
 * Lets whoever was a recipient of a broadcast as both contacts get it once. Runs in the merge's transaction,
 * after both conversations were locked and their messages moved: no call can be claimed for either meanwhile.
 *
 * The message's key follows the contact. It is what a claim writes, so a claim that began before the merge and goes on
 * after it finds the other row's message there. Rows that a claim holds at this moment are left as they are (waiting
 * for them would be a deadlock: the claim waits for the conversation); the next look at them finds the same message.
 */
export async function mergeBroadcastRecipients(ctx: Ctx, kept: number, gone: number): Promise<void> {
  const { db } = ctx.runtime;
  const bind = { workspaceId: ctx.workspaceId, kept, gone };
  // Of two rows the one that waits, with a refused attempt behind it or none, gives way to the one that was sent to; of
  // two that wait, the vanishing contact's. Claims need the row's lock, so nobody takes what is taken away here.
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

  await db.rows(
    `WITH mine AS MATERIALIZED (
       SELECT r.broadcast_id, r.position
       FROM broadcasts b JOIN broadcast_recipients r ON r.broadcast_id = b.id AND r.contact_id = $gone
       WHERE b.workspace_id = $workspaceId
         AND (r.reason = 'duplicate' OR NOT EXISTS (
           SELECT FROM broadcast_recipients k
           WHERE k.broadcast_id = b.id AND k.contact_id = $kept AND k.reason <> 'duplicate'))
       FOR UPDATE OF r SKIP LOCKED
     )
     UPDATE broadcast_recipients r
     SET contact_id = $kept
     FROM mine
     WHERE r.broadcast_id = mine.broadcast_id AND r.position = mine.position`,
    bind,
  );
}
