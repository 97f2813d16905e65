import type { Runtime } from '../../../core/runtime';
import type { StoredEvent } from './service';

/** How long a worker holds the events that it took; a dead worker's events are taken again after that. */
const leaseSeconds = 30;

/**
 * SQL: an event whose leases end without an outcome had its process stop, or was leased with the one that stopped it.
 * After so many it is leased alone, which shows which one it is.
 */
const suspect = 'attempts >= 3 AND error IS NULL';

/** Statuses come in thousands after each broadcast; whatever a customer or the platform says goes before them. */
const [others, statuses] = [`kind <> 'status'`, `kind = 'status'`];

/** Where the turns of the workspaces go on, where there are more of them than one claim can serve. */
const turns = new WeakMap<Runtime, Map<string, number>>();

/**
 * Leases up to `limit` events, or up to `ofStatuses` statuses where nothing else waits: never both, since a message
 * would wait for the statuses that were taken with it. Each workspace with waiting events gets an equal share, so that
 * none waits behind another one's backlog. A workspace's events are taken in the order in which they came.
 */
export async function claimEvents(runtime: Runtime, limit: number, ofStatuses = limit): Promise<StoredEvent[]> {
  const first = await claimInTurn(runtime, others, limit);
  const events = first.length > 0 || ofStatuses === 0 ? first : await claimInTurn(runtime, statuses, ofStatuses);
  return events.sort((left, right) => left.id - right.id);
}

async function claimInTurn(runtime: Runtime, kinds: string, limit: number): Promise<StoredEvent[]> {
  const places = turns.get(runtime) ?? new Map<string, number>();
  turns.set(runtime, places);
  const after = places.get(kinds) ?? 0;
  const events = await claim(runtime, kinds, limit, after);
  const served = new Set(events.map((event) => event.workspace_id));
  places.set(kinds, served.size >= limit ? Math.max(...served) : 0);

  // Behind the last workspace it is the first one's turn again.
  return events.length === 0 && after > 0 ? claim(runtime, kinds, limit, 0) : events;
}

/** Leases events of some kinds; the first suspect alone where there is one. */
async function claim(runtime: Runtime, kinds: string, limit: number, after: number): Promise<StoredEvent[]> {
  const waiting = `FROM inbox_events WHERE state = 'new' AND ${kinds}`;
  return runtime.db.rows<StoredEvent>(
    `WITH RECURSIVE spaces AS (
       SELECT (SELECT workspace_id ${waiting} AND workspace_id > $after ORDER BY workspace_id LIMIT 1) AS id
       UNION ALL
       SELECT (SELECT workspace_id ${waiting} AND workspace_id > s.id ORDER BY workspace_id LIMIT 1)
       FROM spaces s WHERE s.id IS NOT NULL
     ), turn AS MATERIALIZED (
       SELECT id FROM spaces WHERE id IS NOT NULL LIMIT $limit
     ), next AS MATERIALIZED (
       SELECT e.id, e.suspect FROM turn CROSS JOIN LATERAL (
         SELECT id, ${suspect} AS suspect ${waiting} AND workspace_id = turn.id AND available_at <= clock_timestamp()
         ORDER BY id LIMIT (SELECT greatest(1, $limit / greatest(1, count(*))) FROM turn)
         FOR UPDATE SKIP LOCKED
       ) e
     )
     UPDATE inbox_events i SET attempts = i.attempts + 1, error = NULL,
       available_at = clock_timestamp() + ${leaseSeconds} * interval '1 second'
     -- By their ids, whatever the planner believes of a table that is empty at one moment and full at the next.
     WHERE i.id = ANY(ARRAY(SELECT id FROM next
       WHERE id = (SELECT min(id) FROM next WHERE suspect) OR NOT EXISTS (SELECT 1 FROM next WHERE suspect)))
     RETURNING i.id, i.workspace_id, i.business_account_id, i.kind, i.order_key, i.payload, i.attempts,
       EXISTS (SELECT 1 FROM next WHERE suspect) AS suspect,
       (SELECT greatest(1, $limit / greatest(1, count(*)))::int FROM turn) AS share,
       i.received_at > now() - interval '2 seconds' AS fresh`,
    { after, limit },
  );
}
