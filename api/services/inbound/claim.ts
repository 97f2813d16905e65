import type { Runtime } from '../../core/runtime';
import type { StoredEvent } from './service';

/** How long a worker holds the events that it took; a dead worker's events are taken again after that. */
const leaseSeconds = 30;

/** Statuses come in thousands after each broadcast; whatever a customer or the platform says goes before them. */
const classes = [`kind <> 'status'`, `kind = 'status'`] as const;

/** Where the turns of the workspaces go on, where there are more of them than one claim can serve. */
const turns = new WeakMap<Runtime, Map<string, number>>();

/**
 * Leases up to `limit` events: all others before statuses, and each workspace with waiting events gets an equal share, so
 * that nobody waits behind another one's backlog. A workspace's events are taken in the order in which they came.
 */
export async function claimEvents(runtime: Runtime, limit: number): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for (const kinds of classes) {
    if (events.length < limit) events.push(...(await claimInTurn(runtime, kinds, limit - events.length)));
  }
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
       SELECT e.id FROM turn CROSS JOIN LATERAL (
         SELECT id ${waiting} AND workspace_id = turn.id AND available_at <= clock_timestamp()
         ORDER BY id LIMIT (SELECT greatest(1, $limit / greatest(1, count(*))) FROM turn)
         FOR UPDATE SKIP LOCKED
       ) e
     )
     UPDATE inbox_events i SET attempts = i.attempts + 1,
       available_at = clock_timestamp() + ${leaseSeconds} * interval '1 second'
     -- By their ids, whatever the planner believes of a table that is empty at one moment and full at the next.
     WHERE i.id = ANY(ARRAY(SELECT id FROM next))
     RETURNING i.id, i.workspace_id, i.business_account_id, i.kind, i.order_key, i.payload, i.attempts,
       i.received_at > now() - interval '2 seconds' AS fresh`,
    { after, limit },
  );
}
