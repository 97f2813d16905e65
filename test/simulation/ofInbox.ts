import type { Invariant } from './end';

/** The most events of one customer that a claim takes. */
const maxOfOne = 10;
/** What is taken of one customer while another one's message waits for a drainer: some claims, as chance has it. */
const maxAhead = 3 * maxOfOne;
/** An event that waits for its next try holds its customer for so long. */
const maxHeldMs = 10_000;
/** SQL: from when on, which is its first failure, or when it was leased anew. */
const heldFromSql = 'min(at) FILTER (WHERE error IS NOT NULL OR attempts > 1)';

/** What must hold of the platform's events, and of what customers write. */
export const ofInbox: Readonly<Record<string, Invariant>> = {
  'C6 what a customer writes is stored, listed and told in the order of its webhooks': async ({ query }) =>
    (
      await query<{ first: string; second: string; stored: boolean; listed: boolean; told: boolean }>(
        // Each message by its first webhook, unless that one gave up its place.
        `WITH kept AS (
           SELECT DISTINCT ON (a.wamid) a.*, m.id, m.created_at, w.subject_id, w.sequence,
             (SELECT max(at) - ${heldFromSql} FROM sim.tries t WHERE t.event = a.event)
               > interval '${maxHeldMs} milliseconds' AS gave_up
           FROM sim.arrivals a JOIN messages m ON m.wamid = a.wamid
             LEFT JOIN webhook_events w ON w.type = 'message.received' AND w.data->>'message_id' = m.id::text
           ORDER BY a.wamid, a.event
         )
         SELECT a.wamid AS first, b.wamid AS second, a.id < b.id AS stored,
           (a.created_at, a.id) < (b.created_at, b.id) AS listed,
           a.subject_id <> b.subject_id OR coalesce(a.sequence < b.sequence, true) AS told
         FROM kept a JOIN kept b ON b.customer = a.customer AND b.event > a.event
           AND pg_visible_in_snapshot(a.by, b.seen)
         WHERE NOT coalesce(a.gave_up, false)
           AND NOT (a.id < b.id AND (a.created_at, a.id) < (b.created_at, b.id)
             AND (a.subject_id <> b.subject_id OR coalesce(a.sequence < b.sequence, true)))`,
      )
    ).map(({ first, second, stored, listed, told }) => {
      const what = [stored ? '' : 'stored', listed ? '' : 'listed', told ? '' : 'told'].filter((word) => word !== '');
      return `${first} is ${what.join(' and ')} after ${second}`;
    }),

  'C16 no claim takes more than a few of one customer': async ({ scene, query }) => {
    const troubles = await query<{ event: string; ms: string }>(
      `SELECT event::text, extract(epoch FROM ${heldFromSql}) * 1000 AS ms FROM sim.tries GROUP BY event`,
    );
    const heldFrom = new Map(troubles.map(({ event, ms }) => [event, Number(ms)]));
    return scene.statements.journal.taken.flatMap(({ by, atMs, events }) => {
      const counts = new Map<string, number>();
      for (const { id, customer, attempts } of events)
        // One that gave up its place stands in no line.
        if (attempts === 1 || atMs - (heldFrom.get(id) ?? atMs) <= maxHeldMs)
          counts.set(customer, (counts.get(customer) ?? 0) + 1);
      return [...counts].flatMap(([customer, count]) =>
        customer !== '' && count > maxOfOne ? [`${by.name} takes ${count} of ${customer} at once`] : [],
      );
    });
  },

  'C16 nothing is taken from whoever works at it': async ({ scene, query }) => {
    const failed = new Set(
      (
        await query<{ event: string; attempts: number }>(
          'SELECT event::text, attempts FROM sim.tries WHERE error IS NOT NULL',
        )
      ).map(({ event, attempts }) => `${event}/${attempts}`),
    );
    const { taken } = scene.statements.journal;
    return taken.flatMap(({ by, atMs, events }) =>
      events.flatMap(({ id, attempts }) => {
        const before = taken.find(
          (other) =>
            other.atMs < atMs && other.events.some((event) => event.id === id && event.attempts === attempts - 1),
        );
        if (!before || failed.has(`${id}/${attempts - 1}`) || scene.cluster.hasSuffered(before.by, before.atMs))
          return [];
        return [
          `${by.name} takes event ${id}, which ${before.by.name} has had for ${Math.round(atMs - before.atMs)} ms`,
        ];
      }),
    );
  },

  'C16 a rush of one customer goes before nobody else': async ({ scene, query }) =>
    scene.isCalm
      ? (
          await query<{ wamid: string; customer: string; count: number }>(
            `SELECT q.wamid, r.customer, count(*)::int AS count
             FROM sim.arrivals q JOIN messages m ON m.wamid = q.wamid
               JOIN sim.arrivals r ON r.customer <> q.customer AND r.event < q.event
               JOIN messages n ON n.wamid = r.wamid AND n.id > q.newest AND n.id < m.id
             GROUP BY 1, 2 HAVING count(*) > ${maxAhead}`,
          )
        ).map(({ wamid, customer, count }) => `${count} messages of ${customer} go before ${wamid}`)
      : [],
};
