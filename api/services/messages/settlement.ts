import { messageDeliveryStart } from '../../../workflows/contract';
import type { Runtime } from '../../core/runtime';

/** After a claim's end, time for the actor itself to look. */
const staleGrace = "interval '5 seconds'";
const strandedAfter = "interval '60 seconds'";

/** Claims whose sender died become unknown, wherever their actor is; gives how many. */
export async function settleStaleClaims(runtime: Runtime): Promise<number> {
  const rows = await runtime.db.rows(
    `UPDATE messages SET delivery_state = 'settled', claim_expires_at = NULL, updated_at = now(), unknown_intake_ms = (SELECT up_ms FROM intake_clock),
       message_status = CASE WHEN message_status = 'queued' THEN 'unknown' ELSE message_status END
     WHERE delivery_state = 'sending' AND claim_expires_at < clock_timestamp() - ${staleGrace} RETURNING id`,
  );
  return rows.length;
}

/**
 * Unknown outcomes that no webhook has settled end as failed after 15 minutes in which webhooks could be received and
 * were processed (contract C6). Gives how many.
 */
export async function settleUnknown(runtime: Runtime): Promise<number> {
  const rows = await runtime.db.rows(
    `UPDATE messages m SET message_status = 'failed', failed_at = now(), updated_at = now(), error_code = NULL, error_title = 'Delivery unknown',
       error_message = 'Delivery unknown: the upstream never said whether it sent this message. It was not sent again.'
     WHERE message_status = 'unknown' AND unknown_intake_ms IS NOT NULL AND failed_at IS NULL AND unknown_intake_ms <= (SELECT up_ms FROM intake_clock) - $waitMs::bigint
       AND NOT EXISTS (SELECT 1 FROM inbox_events i WHERE i.workspace_id = m.workspace_id AND i.state = 'new' AND i.received_at < now() - interval '5 seconds')
     RETURNING id`,
    { waitMs: runtime.config.deliveryUnknownMinutes * 60_000 },
  );
  return rows.length;
}

/** Queued messages that no actor seems to care for get their intent again (an engine that lost its state); gives how many conversations. */
export async function rearmStranded(runtime: Runtime): Promise<number> {
  const rows = await runtime.db.rows<{ workspace_id: number; conversation_id: number }>(
    `SELECT DISTINCT m.workspace_id, m.conversation_id FROM messages m
     WHERE m.delivery_state = 'queued' AND m.send_seq IS NOT NULL AND greatest(coalesce(m.next_attempt_at, m.created_at), m.updated_at) < clock_timestamp() - ${strandedAfter}
     LIMIT 1000`,
  );
  const byWorkspace = new Map<number, typeof rows>();
  for (const row of rows) byWorkspace.set(row.workspace_id, [...(byWorkspace.get(row.workspace_id) ?? []), row]);
  for (const [workspaceId, group] of byWorkspace) {
    await runtime.outbox.addMany(
      workspaceId,
      group.map(({ conversation_id: conversationId }) => ({
        start: { ...messageDeliveryStart(workspaceId, conversationId), workflow: 'messageDelivery' as const },
        input: { workspaceId, conversationId },
        signal: 'deliver',
      })),
    );
  }
  return rows.length;
}

/** Advances the intake clock; called every few seconds by each process that can receive webhooks. */
export async function tickIntakeClock(runtime: Runtime): Promise<void> {
  await runtime.db.rows(
    `UPDATE intake_clock SET up_ms = up_ms + least(10000, greatest(0, extract(epoch FROM clock_timestamp() - seen_at) * 1000))::bigint, seen_at = clock_timestamp()`,
  );
}
