import type { Runtime } from '../../../core/runtime';
import { inTurnsSql } from '../../../core/db/turnsSql';

/** An event of the platform as it is kept until it is processed. */
export interface StoredEvent {
  readonly id: number;
  readonly workspace_id: number;
  readonly business_account_id: number;
  readonly kind: string;
  readonly order_key: string;
  readonly payload: Record<string, unknown>;
  readonly attempts: number;
  /** Its last leases ended without an outcome. */
  readonly suspect?: boolean;
  /** How many of its workspace's events its claim could take. */
  readonly share: number;
  /** Received just now: only such messages still weigh on the number's throughput. */
  readonly fresh: boolean;
}

/**
 * SQL: whether an event is suspected of stopping its process, because several of its leases ended without an outcome.
 * It is then leased alone, which shows whether it is the cause or was only leased together with the cause.
 */
const suspect = 'attempts >= 3 AND error IS NULL';

/** Statuses arrive by thousands after each broadcast; all other events go before them. */
const [others, statuses] = [`kind <> 'status'`, `kind = 'status'`];

/**
 * Leases up to `limit` events, or up to `ofStatuses` statuses where nothing else waits: never both, since a message
 * would wait for the statuses that were taken with it. Each workspace with waiting events gets an equal share, so that
 * none waits behind another one's backlog. A workspace's events are taken in the order in which they came.
 */
export async function claimEvents(runtime: Runtime, limit: number, ofStatuses = limit): Promise<StoredEvent[]> {
  const first = await claim(runtime, others, limit);
  const events = first.length > 0 || ofStatuses === 0 ? first : await claim(runtime, statuses, ofStatuses);
  return events.sort((left, right) => left.id - right.id);
}

/** Leases events of some kinds; the first suspect alone where there is one. */
function claim(runtime: Runtime, kinds: string, limit: number): Promise<StoredEvent[]> {
  return runtime.db.rows<StoredEvent>(
    `WITH next AS MATERIALIZED (${inTurnsSql({
      table: 'inbox_events',
      where: `state = 'new' AND ${kinds}`,
      due: 'available_at <= clock_timestamp()',
      order: 'id',
      columns: `id, ${suspect} AS suspect, turn.share`,
      limit: '$limit',
      lock: true,
    })}
     )
     UPDATE inbox_events i SET attempts = i.attempts + 1, error = NULL,
       available_at = clock_timestamp() + $leaseMs * interval '1 millisecond'
     -- By their ids, whatever the planner believes of a table that is empty at one moment and full at the next.
     WHERE i.id = ANY(ARRAY(SELECT id FROM next
       WHERE id = (SELECT min(id) FROM next WHERE suspect) OR NOT EXISTS (SELECT 1 FROM next WHERE suspect)))
     RETURNING i.id, i.workspace_id, i.business_account_id, i.kind, i.order_key, i.payload, i.attempts,
       EXISTS (SELECT 1 FROM next WHERE suspect) AS suspect, (SELECT min(share)::int FROM next) AS share,
       i.received_at > now() - interval '2 seconds' AS fresh`,
    // After this time the events of a dead worker are taken again.
    { limit, leaseMs: runtime.process.timing.eventLeaseMs },
  );
}
