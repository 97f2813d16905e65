import type { Mutant } from './mutants';

const claims = 'api/services/resources/messages/rows/claims.ts';
const outcomes = 'api/services/resources/messages/rows/outcomes.ts';
const settlement = 'api/services/resources/messages/rows/settlement.ts';
const waiting = 'api/services/resources/messages/rows/waitingConversations.ts';
const statuses = 'api/services/resources/messages/rows/statuses.ts';
const insert = 'api/services/resources/messages/rows/insert.ts';
const sends = 'api/services/delivery/sends.ts';
const direct = 'api/services/delivery/direct.ts';
const attempts = 'api/services/delivery/attempts.ts';
const decisions = 'api/services/delivery/decisions.ts';
const upstream = 'api/core/platform/upstream.ts';
const answers = 'api/core/platform/answers.ts';
const messageDelivery = 'workflows/messageDelivery.ts';

/** Rules of accepting, claiming and sending messages, and of what becomes of them. */
export const mutantsOfMessages: readonly Mutant[] = [
  {
    name: 'claim whatever state',
    isFound: true,
    theme: 'replies',
    seed: 21,
    rule: 'of two senders one finds the row queued',
    file: claims,
    edits: [["AND m.id = $messageId AND m.delivery_state = 'queued'", 'AND m.id = $messageId']],
  },
  {
    name: 'claim before its time',
    isFound: true,
    theme: 'hesitations',
    rule: 'a message that was put off is not claimed before its time',
    file: claims,
    edits: [
      [
        "AND m.delivery_state = 'queued'\n" +
          '       AND coalesce(m.next_attempt_at, clock_timestamp()) <= clock_timestamp()',
        "AND m.delivery_state = 'queued'",
      ],
    ],
  },
  {
    name: 'claim that never ends',
    isFound: true,
    theme: 'replies',
    seed: 9,
    rule: 'a claim ends, so that a dead sender is noticed',
    file: claims,
    edits: [
      [
        "`clock_timestamp() + ${runtime.process.timing.messageClaimMs} * interval '1 millisecond'`",
        "`clock_timestamp() + 1000 * ${runtime.process.timing.messageClaimMs} * interval '1 second'`",
      ],
    ],
  },
  {
    name: 'broadcast claims again',
    isFound: true,
    theme: 'crowds',
    rule: 'the unique key of a message is the claim of its recipient',
    file: claims,
    edits: [
      [
        "WHERE m.delivery_state = 'queued' AND m.broadcast_position = excluded.broadcast_position",
        'WHERE m.broadcast_position = excluded.broadcast_position',
      ],
    ],
  },
  {
    name: 'expired claim is queued again',
    isFound: true,
    theme: 'replies',
    seed: 9,
    rule: 'a sender that died during the call makes its message unknown, never queued',
    file: settlement,
    edits: [["const toUnknown = `delivery_state = 'settled',", "const toUnknown = `delivery_state = 'queued',"]],
  },
  {
    name: 'claims settled at once',
    theme: 'replies',
    rule: 'a claim is settled only when its time is over',
    file: settlement,
    edits: [
      ["AND claim_expires_at < clock_timestamp() - $graceMs * interval '1 millisecond'", 'AND $graceMs::int > 0'],
    ],
  },
  {
    name: 'unknown stays unknown',
    isFound: true,
    theme: 'replies',
    seed: 5,
    rule: 'an unknown outcome ends after its time',
    file: settlement,
    edits: [
      [
        'AND m.unknown_intake_ms <= (SELECT up_ms FROM intake_clock) - $waitMs::bigint',
        'AND m.unknown_intake_ms > (SELECT up_ms FROM intake_clock)',
      ],
    ],
  },
  {
    name: 'stale claims are left',
    theme: 'replies',
    rule: 'the sweep settles claims whose sender died',
    file: settlement,
    edits: [
      [
        "AND claim_expires_at < clock_timestamp() - $graceMs * interval '1 millisecond'",
        "AND claim_expires_at < clock_timestamp() - $graceMs * interval '1 day'",
      ],
    ],
  },
  {
    name: 'outcome of any attempt',
    theme: 'answers',
    rule: 'only the attempt that made the call is touched by its outcome',
    file: outcomes,
    edits: [
      [
        'AND m.id = ANY($ids::bigint[]) AND m.id = o.id AND m.attempts = o.attempts\n         AND ${kindSql} <>',
        'AND m.id = ANY($ids::bigint[]) AND m.id = o.id\n         AND ${kindSql} <>',
      ],
    ],
  },
  {
    name: 'retry that is settled',
    isFound: true,
    theme: 'replies',
    rule: 'what was refused for now waits again',
    file: outcomes,
    edits: [
      [
        "delivery_state = CASE ${kindSql} WHEN 'retry' THEN 'queued' ELSE 'settled' END",
        "delivery_state = CASE ${kindSql} WHEN 'retry' THEN 'settled' ELSE 'settled' END",
      ],
    ],
  },
  {
    name: 'unknown that is queued',
    isFound: true,
    theme: 'answers',
    rule: 'a call without a readable answer is never made again',
    file: outcomes,
    edits: [
      [
        "delivery_state = CASE ${kindSql} WHEN 'retry' THEN 'queued' ELSE 'settled' END",
        "delivery_state = CASE WHEN ${kindSql} IN ('retry', 'unknown') THEN 'queued' ELSE 'settled' END",
      ],
    ],
  },
  {
    name: 'answer over status',
    theme: 'replies',
    rule: 'a status that was faster than the answer stays',
    file: outcomes,
    edits: [
      [
        "WHEN 'accepted' THEN CASE\n" +
          "             WHEN ${statusRankSql('m.message_status')} < ${statusRank.sent} THEN 'sent'\n" +
          '             ELSE m.message_status END',
        "WHEN 'accepted' THEN 'sent'",
      ],
    ],
  },
  {
    name: 'refused after it was told of',
    theme: 'replies',
    rule: 'what the platform has spoken of is not tried again, whatever the answer to its call',
    file: outcomes,
    edits: [["WHEN o.kind IN ('retry', 'failed', 'withdrawn') AND", "WHEN o.kind IN ('failed', 'withdrawn') AND"]],
  },
  {
    name: 'late answer is dropped',
    theme: 'answers',
    rule: 'an answer that comes after the claim ended still settles its message',
    file: outcomes,
    edits: [
      [
        "AND (m.delivery_state = 'sending' OR (m.message_status = 'unknown' AND (o.kind = 'accepted'",
        "AND (m.delivery_state = 'sending' OR (m.message_status = 'unknown' AND (o.kind = 'never'",
      ],
    ],
  },
  {
    name: 'status of any rank',
    isFound: true,
    theme: 'replies',
    rule: 'statuses only ever go up',
    file: statuses,
    edits: [["const moves = `${storedRankSql('m')} < u.rank`;", 'const moves = `true`;']],
  },
  {
    name: 'status leaves it queued',
    theme: 'replies',
    rule: 'whatever the platform speaks of was sent, and is not sent again',
    file: statuses,
    edits: [
      [
        "delivery_state = CASE WHEN m.delivery_state = 'queued' THEN 'settled' ELSE m.delivery_state END",
        'delivery_state = m.delivery_state',
      ],
    ],
  },
  {
    name: 'newest first',
    isFound: true,
    theme: 'replies',
    rule: 'messages of a conversation go out in the order of their acceptance',
    file: sends,
    edits: [
      [
        "AND delivery_state IN ('queued', 'sending')\n     ORDER BY send_seq LIMIT 1`",
        "AND delivery_state IN ('queued', 'sending')\n     ORDER BY send_seq DESC LIMIT 1`",
      ],
    ],
  },
  {
    name: 'past the one under way',
    isFound: true,
    theme: 'replies',
    rule: 'a message waits for the end of the one before it',
    file: sends,
    edits: [
      [
        'AND conversation_id = $conversationId AND send_seq IS NOT NULL\n' +
          "       AND delivery_state IN ('queued', 'sending')\n     ORDER BY send_seq LIMIT 1`",
        'AND conversation_id = $conversationId AND send_seq IS NOT NULL\n' +
          "       AND delivery_state IN ('queued')\n     ORDER BY send_seq LIMIT 1`",
      ],
    ],
  },
  {
    name: 'no look at what is left',
    theme: 'replies',
    rule: 'who records an outcome looks for the next message',
    file: direct,
    edits: [
      [
        "if ((outcome.kind !== 'progress' || outcome.more === false) && !sender.again) return false;",
        'if (!sender.again) return false;',
      ],
    ],
  },
  {
    name: 'nothing is found again',
    theme: 'replies',
    rule: 'a look finds what no process sends',
    file: waiting,
    edits: [["due: 'look_at <= clock_timestamp()'", 'due: "look_at <= clock_timestamp() - interval \'30 days\'"']],
  },
  {
    name: 'workflow ends early',
    theme: 'brakes',
    rule: 'the workflow of a conversation ends only when nothing is left',
    file: messageDelivery,
    edits: [['if (outcome.more === false && !dirty) return { settled };', 'if (!dirty) return { settled };']],
  },
  {
    name: 'lost answer is a refusal',
    isFound: true,
    theme: 'answers',
    rule: 'a call that may have been made is unknown, not refused',
    file: upstream,
    edits: [["if (started) return { kind: 'unknown', reason };", 'void started;']],
  },
  {
    name: 'garbage is a refusal',
    isFound: true,
    theme: 'answers',
    rule: 'a 5xx without a readable error may have been sent',
    file: answers,
    edits: [['if (status >= 500)\n', 'if (status >= 600)\n']],
  },
  {
    name: 'refused for now is refused for good',
    theme: 'replies',
    rule: 'what may succeed later is tried again',
    file: decisions,
    edits: [["if (outcome.class === 'permanent') return null;", "if (outcome.class !== 'stop') return null;"]],
  },
  {
    name: 'accepted without its place',
    isFound: true,
    theme: 'replies',
    rule: 'each message gets its own place in the order',
    file: insert,
    edits: [['$dedupeKey, $fileId, place.send_seq, $grantId', '$dedupeKey, $fileId, 1, $grantId']],
  },
  {
    name: 'outcome is not recorded',
    isFound: true,
    theme: 'replies',
    rule: 'what the platform accepted is recorded with its id',
    file: attempts,
    edits: [
      [
        "const more = await end(scoped, claimed, { kind: 'accepted', wamid, held });",
        "const more = claimed.id % 2 === 0 && (await end(scoped, claimed, { kind: 'accepted', wamid, held }));",
      ],
    ],
  },
];
