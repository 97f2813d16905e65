import type { Claim } from './journal';
import type { Call } from './platform';
import { startMs } from './world';
import { causeOf, liedOf, maxCalmLateMs, repeated, type End, type Invariant, type MessageRow } from './end';

/** From the outcome of a reply's sender to the next one's call, where nothing goes wrong. */
const maxCalmReplyMs = 3_000;
/** Customers have written when a run begins, and not since in one that is so long. */
const dayMs = 24 * 3_600_000;
/** From a message's deadline to its failure: grace and sweep, with a worker that is away in between. */
const maxExpiryMs = 20 * 60_000;
/** From the last fault to the end of all that holds messages. */
const maxLiftMs = 3_600_000;
/** From the answer of the platform to its record: the service tries that for four seconds. */
const maxRecordMs = 10_000;
/** After the last fault: by then the platform has brought its webhooks again, and leases of the dead are over. */
const maxTakenMs = 5 * 60_000;
/** After the last fault: what was left to a workflow that Temporal lost is handed over again after a minute. */
const maxLookMs = 150_000;
/** A broadcast tries a recipient so often (broadcasts/runs/claims), for an hour. */
const maxBroadcastAttempts = 10;

const callsOf = ({ scene }: End, { opaque }: MessageRow): Call[] =>
  scene.platform.calls.filter((call) => call.opaque === opaque);
const claimsOf = ({ scene }: End, { id }: { readonly id: string }): Claim[] =>
  scene.statements.journal.claims.filter((claim) => claim.id === id);

/** Returns the conversation in which a message was claimed that arrived at a time: a merge moves messages later. */
const conversationOf = (end: End, row: MessageRow, atMs: number): string =>
  claimsOf(end, row).findLast((claim) => claim.atMs <= atMs)?.conversationId ?? row.conversation_id;

/** Whether nobody can tell what became of a call: no answer that can be read, or nobody there who could record it. */
function mayBeUnknown(end: End, row: MessageRow): boolean {
  return (
    callsOf(end, row).some(({ fate }) => fate === 'unsure') ||
    claimsOf(end, row).some(({ excuse, by, atMs }) => excuse !== null || end.scene.statements.hasTroubled(by, atMs))
  );
}

/** Whether a failure has a cause that can be seen outside of the service. */
function isExplained(end: End, row: MessageRow): boolean {
  const calls = callsOf(end, row);
  const failedMs = Number(row.failed_ms);
  // What was held for a day: nothing is for long, once all faults have ended.
  const byMs = Number(row.deliver_by_ms);
  if (row.error_title === 'Delivery expired' && row.origin !== 'broadcast')
    return byMs < end.scene.quietSinceMs + maxLiftMs && failedMs >= byMs && failedMs <= byMs + maxExpiryMs;
  // The other contact of a person was sent the same notification.
  if (row.error_title === 'Contacts merged')
    return end.messages.some(
      (one) => one.id !== row.id && one.conversation_id === row.conversation_id && causeOf(one) === causeOf(row),
    );
  if (row.error_title === 'Messaging window closed') return failedMs >= startMs + dayMs;
  if (row.error_title === 'Delivery unknown') return mayBeUnknown(end, row);
  if (row.error_code === 131026)
    return (
      calls.at(-1)?.fate === 'refused for good' ||
      end.scene.platform.accepted.some(({ opaque, end: told }) => opaque === row.opaque && told === 'failed')
    );
  if (row.origin === 'broadcast') return calls.length >= maxBroadcastAttempts || row.error_title === 'Delivery expired';
  return false;
}

export const ofMessages: Readonly<Record<string, Invariant>> = {
  'C16 nothing is claimed while it is held': ({ scene, days, messages }) =>
    days.holds.flatMap(({ shop, fromMs, untilMs }) => {
      const conversations = new Set(shop.customers.map(({ id }) => String(id)));
      const ids = new Set(messages.filter((row) => conversations.has(row.conversation_id)).map(({ id }) => id));
      return scene.statements.journal.claims
        .filter(({ id, atMs }) => ids.has(id) && atMs > fromMs && atMs < untilMs)
        .map(({ id, by }) => `message ${id} was claimed by ${by.name} during a hold`);
    }),

  'C16 no message reaches the platform twice': ({ scene }) => {
    const lied = liedOf(scene);
    return repeated(
      scene.platform.accepted.filter(({ opaque }) => !lied.has(opaque)).map(({ opaque, mark }) => `${opaque} ${mark}`),
    );
  },

  'C6 nothing is sent again that the platform has spoken of': ({ scene }) => {
    const { claims, spoken } = scene.statements.journal;
    return claims.flatMap(({ id, atMs, attempts }) =>
      spoken.some((one) => one.id === id && one.atMs < atMs) ? [`message ${id} was claimed again (${attempts})`] : [],
    );
  },

  'C6 what was accepted is there once': ({ days, messages }) =>
    days.asked.flatMap(({ mark, answer }) => {
      const rows = messages.filter((row) => row.mark === mark);
      if (rows.length > 1) return [`${mark} has ${rows.length} rows`];
      if (answer === 'accepted' && rows.length === 0) return [`${mark} was accepted and is gone`];
      return [];
    }),

  'C3 a request with a key has one effect and one answer': ({ days, messages }) =>
    days.keyed.flatMap(({ asked: { mark }, ids }) => {
      const rows = messages.filter((row) => row.mark === mark);
      const [first] = ids;
      if (rows.length > 1) return [`${mark} has ${rows.length} rows`];
      if (ids.some((id) => id !== first)) return [`${mark} was answered with ${ids.join(', ')}`];
      if (first !== undefined && first > 0 && rows[0]?.id !== String(first)) return [`${mark} is not message ${first}`];
      return first !== undefined && first < 0 ? [`${mark} was refused with ${-first}`] : [];
    }),

  'C6 no message is lost: each was sent, or says why not': (end) =>
    end.messages.flatMap((row) => {
      const taken = end.scene.platform.accepted.find(({ opaque }) => opaque === row.opaque);
      if (row.delivery_state !== 'settled')
        return [`${row.mark} is still ${row.delivery_state} (${row.message_status})`];
      if (row.message_status === 'unknown' || row.message_status === 'queued')
        return [`${row.mark} is ${row.message_status} at the end`];
      if (row.message_status !== 'failed')
        return taken ? [] : [`${row.mark} is ${row.message_status} and was never taken`];
      if (isExplained(end, row)) return [];
      const told = [...claimsOf(end, row).map(({ by, atMs, excuse }) => `${by.name} at ${atMs} ${excuse ?? ''}`)];
      return [`${row.mark} failed without a cause: ${row.error_code} ${row.error_title} (${told.join(', ')})`];
    }),

  'C6 an outcome is unknown only where nobody can tell': async (end) => {
    const rows = await end.query<{ id: string }>(
      `SELECT DISTINCT data->>'message_id' AS id FROM webhook_events
       WHERE type = 'message.status_changed' AND changes->'message_status'->>'to' = 'unknown'`,
    );
    return rows.flatMap(({ id }) => {
      const row = end.messages.find((one) => one.id === id);
      return row && !mayBeUnknown(end, row) ? [`${row.mark} was unknown, though its sender lived and heard`] : [];
    });
  },

  'C6 a call that may have been made is not taken for a refusal': ({ scene }) => {
    const { claims, recorded } = scene.statements.journal;
    return recorded.flatMap(({ id, attempts, kind, atMs }) => {
      const claim = claims.find((one) => one.id === id && one.attempts === attempts);
      const call =
        claim &&
        scene.platform.calls.find(
          (one) =>
            one.opaque === claim.opaque && one.by === claim.by.name && one.atMs >= claim.atMs && one.atMs <= atMs,
        );
      return call?.fate === 'unsure' && kind !== 'unknown' ? [`${call.mark} was not heard of and is ${kind}`] : [];
    });
  },

  'C6 an answer settles its message, however late it is': async (end) => {
    const rows = await end.query<{ id: string; to: string; at_ms: string }>(
      `SELECT data->>'message_id' AS id, changes->'message_status'->>'to' AS "to",
         extract(epoch FROM created_at) * 1000 AS at_ms
       FROM webhook_events WHERE type = 'message.status_changed' AND changes->'message_status'->>'from' = 'unknown'`,
    );
    const { recorded } = end.scene.statements.journal;
    return rows.flatMap(({ id, to, at_ms: atMs }) => {
      const known = recorded.find((one) => one.id === id && one.kind === 'accepted' && one.atMs < Number(atMs));
      return known ? [`message ${id} was unknown until it was ${to}, though its answer was recorded before`] : [];
    });
  },

  'C16 where nothing goes wrong, each message is sent at once': ({ scene, days, messages }) => {
    const last = new Map<string, number>();
    return scene.isCalm
      ? scene.platform.accepted.flatMap(({ opaque, mark, atMs, numberId }) => {
          const row = messages.find((one) => one.opaque === opaque);
          const hold = days.holds.find(({ shop }) => shop.account.phoneNumberId === numberId);
          // A mass send asks from time to time whether a hold is over.
          if (!row || numberId === scene.platform.slow || (hold && row.send_seq === null)) return [];
          const before = row.send_seq === null ? 0 : (last.get(row.conversation_id) ?? 0);
          last.set(row.conversation_id, atMs);
          const freeMs = hold && hold.fromMs < atMs ? hold.untilMs : 0;
          const lateMs = atMs - Math.max(Number(row.created_ms), before, freeMs);
          const isLate = lateMs > (row.send_seq === null || freeMs > 0 ? maxCalmLateMs : maxCalmReplyMs);
          return isLate ? [`${mark} was sent after ${Math.round(lateMs)} ms`] : [];
        })
      : [];
  },

  'C16 what nothing keeps waiting is tried soon after the last fault': ({ scene, days, messages }) => {
    const { claims, recorded } = scene.statements.journal;
    const kept = new Set([...days.holds, ...days.stops].flatMap(({ shop }) => shop.customers.map(({ id }) => `${id}`)));
    const waitedFor = ({ conversationId, atMs }: Claim): number[] =>
      claims
        .filter((one) => one.conversationId === conversationId && one.atMs < atMs)
        .map(({ id, attempts, endMs }) => {
          const end = recorded.find((one) => one.id === id && one.attempts === attempts && one.kind === 'retry');
          return Math.min(endMs, atMs) + (end?.waitMs ?? 0);
        });
    return claims.flatMap((claim) => {
      const { id, conversationId, atMs } = claim;
      if (conversationId === null || kept.has(conversationId) || atMs < scene.quietSinceMs) return [];
      const createdMs = Number(messages.find((row) => row.id === id)?.created_ms ?? 0);
      const lateMs = atMs - Math.max(scene.quietSinceMs, createdMs, ...waitedFor(claim));
      return lateMs > maxLookMs ? [`message ${id} was claimed ${Math.round(lateMs)} ms late`] : [];
    });
  },

  'C6 what was heard of the platform is written down': (end) =>
    end.messages.flatMap((row) => {
      const call = callsOf(end, row).find(({ fate, heardMs }) => fate === 'accepted' && heardMs < Infinity);
      if (!call || row.message_status !== 'failed' || row.error_title !== 'Delivery unknown') return [];
      // Who died, or lost the database, with the answer in its hands took it along.
      const isLost = claimsOf(end, row).some(
        // One that stood still before may have lost its claim when it heard.
        ({ excuse, by }) => excuse === 'died' || excuse === 'cut off' || by.endMs < call.heardMs + maxRecordMs,
      );
      return isLost || Number(row.failed_ms) < call.heardMs + maxRecordMs
        ? []
        : [`${row.mark} failed as unknown ${Math.round(Number(row.failed_ms) - call.heardMs)} ms after its answer`];
    }),

  'C6 statuses end at the highest that the platform told': (end) => {
    const lied = liedOf(end.scene);
    return end.messages.flatMap((row) => {
      const taken = end.scene.platform.accepted.filter(({ opaque }) => opaque === row.opaque);
      const [first] = taken;
      if (!first || taken.length > 1) return [];
      if (row.message_status === first.end) return [];
      if (first.end === null && (row.message_status === 'sent' || mayBeUnknown(end, row))) return [];
      // What the platform took, denied and never spoke of is tried again: that answer counts.
      if (first.end === null && lied.has(row.opaque)) return [];
      // What it denied and then refused for good, before it spoke of it, stays failed until it arrives.
      const { recorded, spoken } = end.scene.statements.journal;
      const refused = recorded.find(({ id, kind }) => id === row.id && kind === 'failed');
      const spokenMs = spoken.find(({ id }) => id === row.id)?.atMs ?? Infinity;
      const isLate = lied.has(row.opaque) && refused !== undefined && refused.atMs < spokenMs;
      if (first.end === 'sent' && row.message_status === 'failed' && isLate) return [];
      return [`${row.mark} ends as ${row.message_status}, the platform said ${first.end ?? 'nothing'}`];
    });
  },

  'C6 what was refused for now is tried again after its pause, not before': ({ scene }) => {
    const { claims, recorded } = scene.statements.journal;
    return recorded.flatMap(({ id, attempts, kind, waitMs, atMs }) => {
      const next = claims.find((one) => one.id === id && one.attempts === attempts + 1);
      const early = kind === 'retry' && next ? atMs + waitMs - next.atMs : 0;
      return early > 1 ? [`message ${id} was claimed ${Math.round(early)} ms before its time`] : [];
    });
  },

  'C16 nothing is sent after its deadline': ({ scene, messages }) =>
    scene.platform.accepted.flatMap(({ opaque, mark, atMs }) => {
      const by = Number(messages.find((row) => row.opaque === opaque)?.deliver_by_ms ?? Infinity);
      // A call that has begun in time may arrive ten seconds later.
      return atMs > by + 20_000 ? [`${mark} was sent ${Math.round(atMs - by)} ms after its deadline`] : [];
    }),

  'C6 messages of a conversation have different places in its order': ({ messages }) =>
    repeated(
      messages
        .filter(({ send_seq: place }) => place !== null)
        .map((row) => `${row.conversation_id} place ${row.send_seq}`),
    ),

  'C6 messages of a conversation arrive in the order of their acceptance': (end) => {
    const { scene, days, messages } = end;
    const last = new Map<string, number>();
    const arrivals = scene.platform.accepted.flatMap(({ opaque, mark, atMs }) => {
      const row = messages.find((one) => one.opaque === opaque);
      if (!row || row.send_seq === null) return [];
      const conversationId = conversationOf(end, row, atMs);
      const before = last.get(conversationId) ?? 0;
      last.set(conversationId, Math.max(before, row.send_seq));
      // Who stood still between claim and call sends when the others are through; nobody holds it back then.
      if (row.send_seq >= before || claimsOf(end, row).some(({ excuse, endMs }) => excuse !== null && endMs < atMs))
        return [];
      return [`${mark} (place ${row.send_seq}) arrived after place ${before}`];
    });
    // Whoever hears that one was accepted before asking for the next one may rely on it.
    const promised = days.asked.flatMap((first) =>
      days.asked.flatMap((next) => {
        if (first.customer !== next.customer || first.answer !== 'accepted' || first.answeredMs >= next.atMs) return [];
        const placeOf = (mark: string): number | null => messages.find((row) => row.mark === mark)?.send_seq ?? null;
        const [one, other] = [placeOf(first.mark), placeOf(next.mark)];
        return one !== null && other !== null && one >= other ? [`${next.mark} has a place before ${first.mark}`] : [];
      }),
    );
    return [...arrivals, ...promised];
  },

  'C6 one message of a conversation is under way at a time': ({ scene }) => {
    const { claims, recorded } = scene.statements.journal;
    const ordered = claims.filter(({ conversationId }) => conversationId !== null);
    // Settled as its process was late, and refused afterwards: it waits again, before those that went on without it.
    const returns = (one: Claim, other: Claim): boolean =>
      one.id !== other.id &&
      claims.some(
        ({ id, attempts, endMs }) =>
          id === other.id &&
          endMs <= one.atMs &&
          recorded.some(
            (end) => end.id === id && end.attempts === attempts && end.kind === 'retry' && end.atMs > endMs,
          ),
      );
    return ordered.flatMap((one, place) =>
      ordered.slice(place + 1).flatMap((other) => {
        if (one.conversationId !== other.conversationId || other.atMs >= one.endMs || returns(one, other)) return [];
        return [`message ${other.id} was claimed by ${other.by.name} while ${one.by.name} had ${one.id}`];
      }),
    );
  },

  'C16 what customers wrote is there soon after the last fault': async ({ scene, query }) =>
    (
      await query<{ id: string; at_ms: string }>(
        `SELECT data->>'message_id' AS id, extract(epoch FROM created_at) * 1000 AS at_ms
         FROM webhook_events WHERE type = 'message.received'`,
      )
    ).flatMap(({ id, at_ms: atMs }) => {
      const lateMs = Number(atMs) - scene.quietSinceMs;
      return lateMs > maxTakenMs ? [`message ${id} was taken ${Math.round(lateMs)} ms after the last fault`] : [];
    }),

  'C16 nothing that a customer wrote is lost or doubled': async ({ days, query }) => {
    const rows = await query<{ wamid: string; rows: number }>(
      `SELECT wamid, count(*)::int AS rows FROM messages WHERE direction = 'inbound' GROUP BY wamid`,
    );
    const known = new Map(rows.map((row) => [row.wamid, row.rows]));
    return days.written.flatMap(({ wamid }) =>
      known.get(wamid) === 1 ? [] : [`${wamid} is there ${known.get(wamid) ?? 0} times`],
    );
  },
};
