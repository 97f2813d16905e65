import type { Rank } from '../../core/platform/permits';
import type { Runtime } from '../../core/runtime';

/** `granted` slots may be used after `waitMs`; with none granted, `waitMs` says when to ask again. */
interface Slots {
  readonly granted: number;
  readonly waitMs: number;
}

/** The part of the upstream's throughput that is used; not all, because two clocks never run at the same speed. */
const used = 0.99;
/**
 * Seconds of throughput that may be taken at once. The upstream allows a whole second at once, so what network and
 * scheduling bunch together up to three quarters of a second is still within its limit.
 */
const peopleBurst = 0.25;
/** Mass sends leave the last tenth of a second's throughput to people. */
const massBurst = 0.15;
/**
 * How many seconds ahead a person's message can book a slot, so that its conversation wakes once, at that slot. Later
 * ones try again.
 */
const maxPeopleAhead = 600;
/**
 * A caller that found no slot left waits until this part of a second's throughput is free again, so that one statement
 * takes several slots.
 */
const batchSeconds = 0.04;
/** How fast the share grows back after the upstream said "too fast". */
const recoveryPerSecond = 0.02;

/** SQL: seconds per message of number `p` with its slot row `s`, by the share that it has grown back to. */
const sinceSlowedSql = 'coalesce(extract(epoch FROM clock_timestamp() - s.slowed_at), 1000)';
const shareSql = `least(1, s.share + ${recoveryPerSecond} * ${sinceSlowedSql})`;
const intervalSql = `1.0 / (p.throughput_mps * ${used} * ${shareSql})`;

/** SQL: the number, its booked time (locked) and its interval; the clock is read after the lock was granted. */
const bucketSql = (number: string): string => `locked AS MATERIALIZED (
    SELECT s.phone_number_id, s.booked_until, (${intervalSql})::float8 AS every
    FROM send_slots s JOIN phone_numbers p ON p.id = s.phone_number_id
    WHERE s.phone_number_id = ${number}
    FOR UPDATE OF s
  ), bucket AS MATERIALIZED (
    SELECT phone_number_id, every, now, greatest(0, extract(epoch FROM booked_until - now))::float8 AS ahead
    FROM (SELECT *, clock_timestamp() AS now FROM locked) AS clocked
  )`;

/**
 * Takes up to `wanted` slots of a phone number's throughput, on the database's clock and for all workers together
 * (contract 9). A person's message gets its slot by booking ahead, which pushes mass sends back; a mass send gets what
 * is free now, never the headroom of people. One statement on one row that is committed at once.
 */
export async function reserveSlots(runtime: Runtime, numberPk: number, wanted: number, rank: Rank): Promise<Slots> {
  // Slots for people are booked ahead; those within the burst need no wait.
  const reach = `ahead + $wanted::float8 * every - greatest(${peopleBurst}, every)`;
  const free = `(greatest(${massBurst}, every) - ahead) / every + 0.000001`;
  const batch = `greatest(1, least($wanted::float8, ${batchSeconds} / every)) * every`;
  const take =
    rank === 'people'
      ? `CASE WHEN ${reach} > ${maxPeopleAhead} THEN 0 ELSE $wanted::float8 END`
      : `greatest(0, least($wanted::float8, floor(${free})))`;
  const wait =
    rank === 'people'
      ? `CASE WHEN taken > 0 THEN ${reach} ELSE ${maxPeopleAhead} * (0.8 + 0.2 * random()) END`
      : `CASE WHEN taken > 0 THEN 0 ELSE ahead + ${batch} - greatest(${massBurst}, every) END`;

  for (let attempt = 0; attempt < 2; attempt += 1) {
    const row = await runtime.db.row<{ granted: number; wait_ms: number }>(
      `WITH ${bucketSql('$numberPk')}, decided AS MATERIALIZED (
         SELECT *, (${take})::float8 AS taken FROM bucket
       ), booked AS (
         UPDATE send_slots s
         SET booked_until = d.now + (d.ahead + d.taken * d.every) * interval '1 second'
         FROM decided d
         WHERE s.phone_number_id = d.phone_number_id AND d.taken > 0
       )
       SELECT taken::int AS granted, ceil(greatest(0, ${wait}) * 1000)::int AS wait_ms
       FROM decided`,
      { numberPk, wanted },
    );
    if (row) return { granted: row.granted, waitMs: row.wait_ms };
    const added = await runtime.db.row(
      `INSERT INTO send_slots (phone_number_id)
       SELECT id FROM phone_numbers WHERE id = $numberPk
       ON CONFLICT DO NOTHING
       RETURNING phone_number_id`,
      { numberPk },
    );
    if (!added && attempt > 0) break;
  }
  // A deleted number limits nothing: the send itself will fail.
  return { granted: wanted, waitMs: 0 };
}

/**
 * Slows a number down after the upstream said "too fast" (130429): a second's pause and a smaller share that grows
 * back.
 */
export async function slowDown(runtime: Runtime, numberPk: number): Promise<void> {
  await runtime.db.rows(
    `UPDATE send_slots s SET
       share = greatest(0.2, 0.7 * ${shareSql}),
       slowed_at = clock_timestamp(),
       booked_until = greatest(s.booked_until, clock_timestamp() + interval '1 second')
     WHERE s.phone_number_id = $numberPk
       AND (s.slowed_at IS NULL OR s.slowed_at < clock_timestamp() - interval '1 second')`,
    { numberPk },
  );
}

/**
 * Inbound messages take part of a number's throughput too (contract 9). `counts` is by the upstream's id of the number.
 * They delay sends by a second at most: the messages of a backlog arrived long ago.
 */
export async function countInbound(runtime: Runtime, counts: ReadonlyMap<string, number>): Promise<void> {
  if (counts.size === 0) return;
  await runtime.db.rows(
    `UPDATE send_slots s
     SET booked_until = greatest(s.booked_until, least(
       greatest(s.booked_until, clock_timestamp())
         + ($counts::jsonb->>p.phone_number_id)::int * (${intervalSql}) * interval '1 second',
       clock_timestamp() + interval '1 second'))
     FROM phone_numbers p
     WHERE s.phone_number_id = p.id
       -- Locked in one order, whatever is in the batch: drainers of many numbers would else wait for each other.
       AND p.id = ANY(ARRAY(
         SELECT l.phone_number_id FROM send_slots l JOIN phone_numbers q ON q.id = l.phone_number_id
         WHERE q.phone_number_id = ANY(ARRAY(SELECT jsonb_object_keys($counts::jsonb)))
         ORDER BY l.phone_number_id FOR UPDATE OF l))`,
    { counts: JSON.stringify(Object.fromEntries(counts)) },
  );
}
