import type { Runtime } from '../../../core/runtime';
import { inTurnsSql } from '../../../core/db/workspaceTurnsSql';

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

/** Most events of one customer in a claim: they are one transaction, and whoever was taken with them waits for it. */
const maxOfOne = 10;

const due = `state = 'new' AND available_at <= clock_timestamp()`;
/** SQL: whether an event keeps its place, so that later ones of its customer wait for it. */
const holds = '(holds_until IS NULL OR holds_until > clock_timestamp())';
/** SQL: whether nobody waits for an event, nor it for another one. */
const isLone = `(kind = 'status' OR order_key = '' OR NOT ${holds})`;
/** SQL: until when an event that has to wait holds its customer (contract 6): from the first time on. */
export const holdSql = `coalesce(holds_until, clock_timestamp() + interval '10 seconds')`;

/** SQL: the ids of the events in line with the one of `row`, in their order. */
const lineSql = (row: string, limit: string, from = ''): string =>
  `SELECT id FROM inbox_events WHERE state = 'new' AND kind <> 'status' AND order_key <> ''
     AND workspace_id = ${row}.workspace_id AND order_key = ${row}.order_key AND ${holds}${from}
   ORDER BY id LIMIT ${limit}`;

/**
 * Leases up to `limit` events, or up to `ofStatuses` statuses where nothing else waits: never both, since a message
 * would wait for the statuses that were taken with it. Each workspace with waiting events gets an equal share, so that
 * none waits behind another one's backlog, and each customer a few. A customer's events are taken in the order in which
 * they came, by one taker at a time.
 */
export async function claimEvents(runtime: Runtime, limit: number, ofStatuses = limit): Promise<StoredEvent[]> {
  const first = await claim(runtime, others, limit);
  const events = first.length > 0 || ofStatuses === 0 ? first : await claim(runtime, statuses, ofStatuses);
  return events.sort((left, right) => left.id - right.id);
}

/**
 * Leases events of some kinds; the first suspect alone where there is one. The first event in a customer's line stands
 * for the whole line: who has it locked or leased is its one taker. Of two claims at the same moment one passes it by,
 * and what stands behind an event that could not be had is not taken either, whatever the snapshot of the claim says.
 */
function claim(runtime: Runtime, kinds: string, limit: number): Promise<StoredEvent[]> {
  return runtime.db.rows<StoredEvent>(
    `WITH first AS MATERIALIZED (${inTurnsSql({
      table: 'inbox_events',
      where: `state = 'new' AND ${kinds}`,
      due: 'available_at <= clock_timestamp()',
      order: 'place, id',
      free: (row) => `(${isLone} OR id = (${lineSql(row, '1')}))`,
      columns: `id, workspace_id, order_key, ${isLone} AS is_lone, turn.share`,
      limit: '$limit',
    })}
     ), wanted AS MATERIALIZED (
       SELECT f.id AS first, f.share, line.id, row_number() OVER (PARTITION BY f.id ORDER BY line.id) AS place
       FROM first f CROSS JOIN LATERAL (
         SELECT f.id WHERE f.is_lone
         UNION ALL (${lineSql('f', `CASE WHEN f.is_lone THEN 0 ELSE ${maxOfOne} END`, ' AND id >= f.id')})
       ) line
       ORDER BY place, first LIMIT $limit
     ), locked AS MATERIALIZED (
       SELECT id, ${suspect} AS suspect FROM inbox_events WHERE id = ANY(ARRAY(SELECT id FROM wanted)) AND ${due}
       FOR UPDATE SKIP LOCKED
     ), next AS MATERIALIZED (
       SELECT id, suspect, share FROM (
         SELECT w.id, w.share, l.suspect, bool_and(l.id IS NOT NULL) OVER (PARTITION BY w.first ORDER BY w.place) AS had
         FROM wanted w LEFT JOIN locked l ON l.id = w.id) AS line
       WHERE had
     )
     UPDATE inbox_events i SET attempts = i.attempts + 1, error = NULL, available_at = ${leaseSql(runtime)},
       -- Of one whose lease ended without an outcome, too: its process may have died.
       holds_until = CASE WHEN i.attempts > 0 THEN ${holdSql} END
     -- By their ids, whatever the planner believes of a table that is empty at one moment and full at the next.
     WHERE i.id = ANY(ARRAY(SELECT id FROM next
       WHERE id = (SELECT min(id) FROM next WHERE suspect) OR NOT EXISTS (SELECT 1 FROM next WHERE suspect)))
     RETURNING i.id, i.workspace_id, i.business_account_id, i.kind, i.order_key, i.payload, i.attempts,
       EXISTS (SELECT 1 FROM next WHERE suspect) AS suspect, (SELECT min(share)::int FROM next) AS share,
       i.received_at > now() - interval '2 seconds' AS fresh`,
    { limit },
  );
}

/** SQL: the end of a lease that begins now. After it the events of a dead worker are taken again. */
const leaseSql = ({ process }: Runtime): string =>
  `clock_timestamp() + ${process.timing.eventLeaseMs} * interval '1 millisecond'`;

/** SQL: those of `$ids` whose lease is still the one with `$attempts`, unless they are being processed. */
const leasedSql = `SELECT i.id FROM unnest($ids::bigint[], $attempts::int[]) AS g(id, attempts)
  JOIN inbox_events i ON i.id = g.id AND i.attempts = g.attempts AND i.state = 'new' AND i.error IS NULL
  FOR UPDATE OF i SKIP LOCKED`;

/** Changes events that are still leased by whoever says so. */
async function changeLeased(runtime: Runtime, events: readonly StoredEvent[], change: string): Promise<void> {
  const values = { ids: events.map(({ id }) => id), attempts: events.map(({ attempts }) => attempts) };
  // Where it fails, their lease ends by itself.
  await runtime.db
    .rows(`UPDATE inbox_events SET ${change} WHERE id = ANY(ARRAY(${leasedSql}))`, values)
    .catch(() => undefined);
}

/** Renews the leases of events until the work is done, however long that takes. */
export async function whileLeased<T>(
  runtime: Runtime,
  events: readonly StoredEvent[],
  work: () => Promise<T>,
): Promise<T> {
  const renew = (): void => void changeLeased(runtime, events, `available_at = ${leaseSql(runtime)}`);
  const timer = setInterval(renew, runtime.process.timing.eventLeaseMs / 4);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** Gives events back that were not tried, because an earlier one of their customer has to be tried again first. */
export async function giveBack(runtime: Runtime, events: readonly StoredEvent[]): Promise<void> {
  if (events.length > 0)
    await changeLeased(runtime, events, 'attempts = attempts - 1, available_at = clock_timestamp()');
}
