import type { Client } from 'pg';
import { causeOf, type Invariant, type MessageRow } from './end';
import type { Customer } from './town';

/** After a merge and the last fault: by then Temporal has been told of it. */
const maxToldMs = 60_000;

/** Messages of years before: more than a merge moves at once, which is a thousand. */
const plantedEach = 4_500;
/** What a merge moves at once, and what waits to be sent. */
const maxPage = 1_100;

/** Pages that may be moved while a message of another workspace waits: as chance has it, by those who move them. */
const maxPagesAhead = 3;

/** Gives customers a long history each; nobody is told of it. */
export async function plantHistories(monitor: Client, customers: readonly Customer[]): Promise<void> {
  await monitor.query(
    `INSERT INTO messages (workspace_id, conversation_id, direction, type, body, message_status, wamid, "read",
       is_import_placeholder, created_at)
     SELECT v.workspace_id, v.id, 'inbound', 'text', '{"type": "text", "text": {"body": "Years ago"}}', 'received',
       'wamid.planted.' || v.id || '.' || n, true, true, now() - interval '1 year' - n * interval '1 hour'
     FROM conversations v, generate_series(1, ${plantedEach}) n WHERE v.id = ANY($1)`,
    [customers.map(({ id }) => id)],
  );
}

/** What must hold where two contacts become one. */
export const ofMerges: Readonly<Record<string, Invariant>> = {
  'C5 the ids of both contacts keep working': ({ days }) =>
    days.notFound.flatMap(({ what, messageId }) => (messageId === undefined ? [`nobody was found: ${what}`] : [])),

  'C5 one person gets a broadcast or a notification once, from when two contacts are one': ({ scene, messages }) => {
    const { claims, recorded, merged } = scene.statements.journal;
    return merged.flatMap(({ kept, atMs: mergedMs }) => {
      const mine = messages.filter((row) => row.conversation_id === kept && row.send_seq === null && row.dedupe_key);
      const isClaimedLater = ({ id }: MessageRow): boolean =>
        claims.some((claim) => claim.id === id && claim.atMs > mergedMs);
      // A refusal for now, known at the merge, leaves the message as if nothing had been tried.
      const wasTold = ({ id }: MessageRow): boolean =>
        claims.some(
          (claim) =>
            claim.id === id &&
            claim.atMs <= mergedMs &&
            !recorded.some(
              (one) => one.id === id && one.attempts === claim.attempts && one.kind === 'retry' && one.atMs <= mergedMs,
            ),
        );
      return mine.filter(isClaimedLater).flatMap((row) => {
        const other = mine.find(
          (one) => one.id !== row.id && causeOf(one) === causeOf(row) && (wasTold(one) || isClaimedLater(one)),
        );
        return other ? [`${row.mark} (${row.id}) was sent to ${kept} after the merge, beside ${other.id}`] : [];
      });
    });
  },

  'ARCHITECTURE no timer waits for a conversation that is gone': ({ scene }) =>
    scene.statements.journal.merged.flatMap(({ gone, atMs }) =>
      scene.temporal.ended
        .filter(({ id, atMs: endMs }) => {
          const lateMs = endMs - Math.max(atMs, scene.quietSinceMs);
          return lateMs > maxToldMs && id.includes('/snooze-timer/') && id.endsWith(`/${gone}`);
        })
        .map(({ id }) => `${id} waited on after its conversation had become another one`),
    ),

  'C16 no message is left under the id of a conversation that is gone': async ({ query }) => {
    const lost = await query<{ id: string; count: number }>(
      `SELECT conversation_id::text AS id, count(*)::int AS count FROM messages m
       WHERE NOT EXISTS (SELECT FROM conversations v WHERE v.id = m.conversation_id) GROUP BY 1`,
    );
    const left = await query<{ id: string }>('SELECT conversation_id::text AS id FROM left_histories');
    const whole = await query<{ id: string; count: number }>(
      `SELECT split_part(wamid, '.', 3) AS id, count(*)::int AS count FROM messages
       WHERE wamid LIKE 'wamid.planted.%' GROUP BY 1`,
    );
    return [
      ...lost.map(({ id, count }) => `${count} messages are those of ${id}, who is gone`),
      ...left.map(({ id }) => `the history of ${id} is still to be moved`),
      ...whole
        .filter(({ count }) => count !== plantedEach)
        .map(({ id, count }) => `of the history of ${id} ${count} messages are there`),
    ];
  },

  'C16 a history is moved in pages, so that nobody waits for all of it': ({ scene }) =>
    scene.statements.journal.pages.flatMap(({ count }) =>
      count > maxPage ? [`${count} messages are moved by one statement`] : [],
    ),

  'C16 nobody waits for the history of another workspace': async ({ scene, query }) => {
    if (!scene.isCalm) return [];
    const rows = await query<{ wamid: string; customer: string; fromMs: string; toMs: string }>(
      `SELECT a.wamid, a.customer, extract(epoch FROM a.at) * 1000 AS "fromMs",
         extract(epoch FROM min(t.at)) * 1000 AS "toMs"
       FROM sim.arrivals a JOIN sim.tries t ON t.event = a.event AND t.done
       WHERE a.wamid IS NOT NULL GROUP BY 1, 2, 3`,
    );
    return rows.flatMap(({ wamid, customer, fromMs, toMs }) => {
      const ahead = scene.statements.journal.pages.filter(
        ({ workspaceId, atMs }) =>
          !customer.startsWith(`${workspaceId}/`) && atMs > Number(fromMs) && atMs < Number(toMs),
      ).length;
      return ahead > maxPagesAhead ? [`${ahead} pages of another workspace go before ${wamid}`] : [];
    });
  },

  'C8 whoever a move concerns is told of it, under the id that they have now': async ({ scene, query }) => {
    const rows = await query<{ move: string; asked: string; told: string[] | null }>(
      `SELECT v.id::text AS move, w.contact_id::text AS asked, (SELECT array_agg(r.contact_id::text)
         FROM ticket_stage_move_recipients r WHERE r.move_id = v.id) AS told
       FROM ticket_stage_moves v CROSS JOIN unnest(v.recipient_ids) AS w(contact_id)`,
    );
    const presentOf = (id: string): string =>
      scene.statements.journal.merged.findLast(({ gone }) => gone === id)?.kept ?? id;
    return rows.flatMap(({ move, asked, told }) =>
      told?.includes(presentOf(asked)) === true ? [] : [`contact ${asked} is no recipient of move ${move}`],
    );
  },
};
