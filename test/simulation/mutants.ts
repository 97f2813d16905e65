/** A rule of the service, and how it is broken: a text that stands once in a file, and what is put there instead. */
export interface Mutant {
  readonly name: string;
  /** The rule that it breaks. */
  readonly rule: string;
  readonly file: string;
  readonly find: string;
  readonly put: string;
}

const claims = 'api/services/resources/messages/rows/claims.ts';
const outcomes = 'api/services/resources/messages/rows/outcomes.ts';
const settlement = 'api/services/resources/messages/rows/settlement.ts';
const waiting = 'api/services/resources/messages/rows/waiting.ts';
const statuses = 'api/services/resources/messages/rows/statuses.ts';
const insert = 'api/services/resources/messages/rows/insert.ts';
const sends = 'api/services/delivery/sends.ts';
const direct = 'api/services/delivery/direct.ts';
const attempts = 'api/services/delivery/attempts.ts';
const decisions = 'api/services/delivery/decisions.ts';
const upstream = 'api/core/platform/upstream.ts';
const outboxRows = 'api/core/queue/outboxRows.ts';
const outbox = 'api/core/queue/outbox.ts';
const snooze = 'api/services/resources/conversations/snooze.ts';
const deadline = 'workflows/deadline.ts';
const messageDelivery = 'workflows/messageDelivery.ts';
const fanOut = 'api/services/processes/webhookDelivery/fanOut.ts';
const webhookOutcomes = 'api/services/processes/webhookDelivery/outcomes.ts';
const recipient = 'api/services/processes/stageMoves/recipient.ts';
const stageOutcomes = 'api/services/processes/stageMoves/outcomes.ts';
const broadcastClaims = 'api/services/processes/broadcastRuns/claims.ts';
const inboundClaim = 'api/services/processes/events/claim.ts';

/** Rules of accepting, claiming, sending, outcomes, waking, turns, moves, broadcasts, the inbox and webhooks. */
export const mutants: readonly Mutant[] = [
  {
    name: 'claim whatever state',
    rule: 'of two senders one finds the row queued',
    file: claims,
    find: "AND m.id = $messageId AND m.delivery_state = 'queued'",
    put: 'AND m.id = $messageId',
  },
  {
    name: 'claim before its time',
    rule: 'a message that was put off is not claimed before its time',
    file: claims,
    find:
      "AND m.delivery_state = 'queued'\n" +
      '       AND coalesce(m.next_attempt_at, clock_timestamp()) <= clock_timestamp()',
    put: "AND m.delivery_state = 'queued'",
  },
  {
    name: 'claim that never ends',
    rule: 'a claim ends, so that a dead sender is noticed',
    file: claims,
    find: "`clock_timestamp() + ${runtime.process.timing.messageClaimMs} * interval '1 millisecond'`",
    put: "`clock_timestamp() + 1000 * ${runtime.process.timing.messageClaimMs} * interval '1 second'`",
  },
  {
    name: 'broadcast claims again',
    rule: 'the unique key of a message is the claim of its recipient',
    file: claims,
    find: "WHERE m.delivery_state = 'queued' AND m.broadcast_position = excluded.broadcast_position",
    put: 'WHERE m.broadcast_position = excluded.broadcast_position',
  },
  {
    name: 'expired claim is queued again',
    rule: 'a sender that died during the call makes its message unknown, never queued',
    file: settlement,
    find: "const toUnknown = `delivery_state = 'settled',",
    put: "const toUnknown = `delivery_state = 'queued',",
  },
  {
    name: 'claims settled at once',
    rule: 'a claim is settled only when its time is over',
    file: settlement,
    find: "AND delivery_state = 'sending'\n       AND claim_expires_at < clock_timestamp()",
    put: "AND delivery_state = 'sending'",
  },
  {
    name: 'unknown stays unknown',
    rule: 'an unknown outcome ends after its time',
    file: settlement,
    find: 'AND m.unknown_intake_ms <= (SELECT up_ms FROM intake_clock) - $waitMs::bigint',
    put: 'AND m.unknown_intake_ms > (SELECT up_ms FROM intake_clock)',
  },
  {
    name: 'stale claims are left',
    rule: 'the sweep settles claims whose sender died',
    file: settlement,
    find: "AND claim_expires_at < clock_timestamp() - $graceMs * interval '1 millisecond'",
    put: "AND claim_expires_at < clock_timestamp() - $graceMs * interval '1 day'",
  },
  {
    name: 'outcome of any attempt',
    rule: 'only the attempt that made the call is touched by its outcome',
    file: outcomes,
    find: 'AND m.id = ANY($ids::bigint[]) AND m.id = o.id AND m.attempts = o.attempts\n         AND o.kind',
    put: 'AND m.id = ANY($ids::bigint[]) AND m.id = o.id\n         AND o.kind',
  },
  {
    name: 'retry that is settled',
    rule: 'what was refused for now waits again',
    file: outcomes,
    find: "delivery_state = CASE o.kind WHEN 'retry' THEN 'queued' ELSE 'settled' END",
    put: "delivery_state = CASE o.kind WHEN 'retry' THEN 'settled' ELSE 'settled' END",
  },
  {
    name: 'unknown that is queued',
    rule: 'a call without a readable answer is never made again',
    file: outcomes,
    find: "delivery_state = CASE o.kind WHEN 'retry' THEN 'queued' ELSE 'settled' END",
    put: "delivery_state = CASE WHEN o.kind IN ('retry', 'unknown') THEN 'queued' ELSE 'settled' END",
  },
  {
    name: 'answer over status',
    rule: 'a status that was faster than the answer stays',
    file: outcomes,
    find:
      "WHEN 'accepted' THEN CASE\n" +
      "             WHEN ${statusRankSql('m.message_status')} < ${statusRank.sent} THEN 'sent'\n" +
      '             ELSE m.message_status END',
    put: "WHEN 'accepted' THEN 'sent'",
  },
  {
    name: 'late answer is dropped',
    rule: 'an answer that comes after the claim ended still settles its message',
    file: outcomes,
    find: "AND (m.delivery_state = 'sending' OR (m.message_status = 'unknown' AND (o.kind = 'accepted'",
    put: "AND (m.delivery_state = 'sending' OR (m.message_status = 'unknown' AND (o.kind = 'never'",
  },
  {
    name: 'status of any rank',
    rule: 'statuses only ever go up',
    file: statuses,
    find: "const moves = `${storedRankSql('m')} < u.rank`;",
    put: 'const moves = `true`;',
  },
  {
    name: 'status leaves it queued',
    rule: 'whatever the platform speaks of was sent, and is not sent again',
    file: statuses,
    find: "delivery_state = CASE WHEN m.delivery_state = 'queued' THEN 'settled' ELSE m.delivery_state END",
    put: 'delivery_state = m.delivery_state',
  },
  {
    name: 'newest first',
    rule: 'messages of a conversation go out in the order of their acceptance',
    file: sends,
    find: "AND delivery_state IN ('queued', 'sending')\n     ORDER BY send_seq LIMIT 1`",
    put: "AND delivery_state IN ('queued', 'sending')\n     ORDER BY send_seq DESC LIMIT 1`",
  },
  {
    name: 'past the one under way',
    rule: 'a message waits for the end of the one before it',
    file: sends,
    find:
      'AND conversation_id = $conversationId AND send_seq IS NOT NULL\n' +
      "       AND delivery_state IN ('queued', 'sending')\n     ORDER BY send_seq LIMIT 1`",
    put:
      'AND conversation_id = $conversationId AND send_seq IS NOT NULL\n' +
      "       AND delivery_state IN ('queued')\n     ORDER BY send_seq LIMIT 1`",
  },
  {
    name: 'no look at what is left',
    rule: 'who records an outcome looks for the next message',
    file: direct,
    find: "if ((outcome.kind !== 'progress' || outcome.more === false) && !sender.again) return false;",
    put: 'if (!sender.again) return false;',
  },
  {
    name: 'nothing is found again',
    rule: 'a look finds what no process sends',
    file: waiting,
    find: "due: 'look_at <= clock_timestamp()'",
    put: 'due: "look_at <= clock_timestamp() - interval \'30 days\'"',
  },
  {
    name: 'workflow ends early',
    rule: 'the workflow of a conversation ends only when nothing is left',
    file: messageDelivery,
    find: 'if (outcome.more === false && !dirty) return { settled };',
    put: 'if (!dirty) return { settled };',
  },
  {
    name: 'lost answer is a refusal',
    rule: 'a call that may have been made is unknown, not refused',
    file: upstream,
    find: "if (started) return { kind: 'unknown', reason };",
    put: 'void started;',
  },
  {
    name: 'garbage is a refusal',
    rule: 'a 5xx without a readable error may have been sent',
    file: upstream,
    find: 'if (status >= 500)\n',
    put: 'if (status >= 600)\n',
  },
  {
    name: 'refused for now is refused for good',
    rule: 'what may succeed later is tried again',
    file: decisions,
    find: "if (outcome.class === 'permanent') return null;",
    put: "if (outcome.class !== 'stop') return null;",
  },
  {
    name: 'accepted without its place',
    rule: 'each message gets its own place in the order',
    file: insert,
    find: '$dedupeKey, place.send_seq, $grantId',
    put: '$dedupeKey, 1, $grantId',
  },
  {
    name: 'outcome is not recorded',
    rule: 'what the platform accepted is recorded with its id',
    file: attempts,
    find: "await end(scoped, claimed, { kind: 'accepted', wamid: outcome.wamid, held: outcome.held === true });",
    put: "if (claimed.id % 2 === 0) await end(scoped, claimed, { kind: 'accepted', wamid: outcome.wamid });",
  },
  {
    name: 'intent is removed first',
    rule: 'an intent goes only after Temporal took it',
    file: outbox,
    find: 'await removeIntents(db, [row]);',
    put: 'void row;',
  },
  {
    name: 'oldest intent counts',
    rule: 'of several intents of a workflow the newest version is delivered',
    file: outboxRows,
    find: 'ORDER BY o.version DESC, o.id DESC LIMIT 1) AS n',
    put: 'ORDER BY o.version, o.id LIMIT 1) AS n',
  },
  {
    name: 'newer intents are removed',
    rule: 'an intent that came since has its own turn',
    file: outboxRows,
    find: 'WHERE o.id = gone.id AND o.version <= gone.version`',
    put: 'WHERE o.workflow_id = (SELECT workflow_id FROM outbox WHERE id = gone.id)`',
  },
  {
    name: 'wakes too early',
    rule: 'no snooze ends early',
    file: snooze,
    find: 'AND snooze_version = $version AND snoozed_until <= ${now}\n     FOR UPDATE`',
    put: "AND snooze_version = $version AND snoozed_until <= ${now} + interval '10 minutes'\n     FOR UPDATE`",
  },
  {
    name: 'overdue one hour early',
    rule: 'what is woken in bulk is overdue',
    file: snooze,
    find: "`snoozed_until <= ${dueNowSql(runtime.clock)} - interval '${overdueAfterSeconds} seconds'`",
    put: "`snoozed_until <= ${dueNowSql(runtime.clock)} + interval '1 hour'`",
  },
  {
    name: 'wakes whatever version',
    rule: 'a timer wakes the snooze that it was set for and no later one',
    file: snooze,
    find: "conv_status = 'snoozed'\n       AND snooze_version = $version AND snoozed_until <= ${now}",
    put: "conv_status = 'snoozed'",
  },
  {
    name: 'deadline takes older states',
    rule: 'an older version of a deadline is ignored',
    file: deadline,
    find: 'if (next.version < this.state.version) return;',
    put: 'if (next.version > this.state.version) return;',
  },
  {
    name: 'fan-out skips',
    rule: 'each event is told to each subscription that asks for it',
    file: fanOut,
    find: "WHERE ${ofWorkspace('e.workspace_id')} AND e.id = ANY($eventIds::bigint[]) ORDER BY s.id, e.id",
    put:
      "WHERE ${ofWorkspace('e.workspace_id')} AND e.id = ANY($eventIds::bigint[])" +
      ' AND e.id % 5 <> 0 ORDER BY s.id, e.id',
  },
  {
    name: 'sequence begins anew',
    rule: 'the sequence of a subject rises',
    file: fanOut,
    find: 'DO UPDATE SET last_sequence = s.last_sequence + excluded.last_sequence',
    put: 'DO UPDATE SET last_sequence = excluded.last_sequence',
  },
  {
    name: 'sequence leaves gaps',
    rule: 'a receiver can see a gap, because there is none otherwise',
    file: fanOut,
    find: 'DO UPDATE SET last_sequence = s.last_sequence + excluded.last_sequence',
    put: 'DO UPDATE SET last_sequence = s.last_sequence + excluded.last_sequence + 1',
  },
  {
    name: 'actors are not woken',
    rule: 'whoever has a delivery is woken for it',
    file: fanOut,
    find: 'await wakeActors(ctx, [...woken]);',
    put: 'await wakeActors(ctx, [...woken].filter(() => false));',
  },
  {
    name: 'failed counts as delivered',
    rule: 'only a 2xx answer delivers an event',
    file: webhookOutcomes,
    find: "state: succeeded(outcome) ? 'delivered' : pauseMs === null ? 'failed' : 'pending'",
    put: "state: 'delivered'",
  },
  {
    name: 'delivered is due again',
    rule: 'an event comes again only after a failed attempt',
    file: webhookOutcomes,
    find: "state: succeeded(outcome) ? 'delivered' : pauseMs === null ? 'failed' : 'pending'",
    put: "state: succeeded(outcome) && outcome.delivery.attempts > 0 ? 'delivered' : 'pending'",
  },
  {
    name: 'notice of no key',
    rule: 'a recipient of a move gets one message, whatever is repeated',
    file: recipient,
    find: 'dedupe_key: `stage:${moveId}:${loaded.contact_id}`',
    put: 'dedupe_key: `stage:${moveId}:${loaded.contact_id}:${Math.random()}`',
  },
  {
    name: 'recipient is not linked',
    rule: 'a recipient knows its message, so that its outcome finds it',
    file: recipient,
    find: 'UPDATE ticket_stage_move_recipients r SET message_id = stored.id',
    put: 'UPDATE ticket_stage_move_recipients r SET message_id = NULL',
  },
  {
    name: 'failed notice stays sent',
    rule: 'a recipient follows its message',
    file: stageOutcomes,
    find: "OR (r.state IN ('pending', 'unknown', 'sent') AND m.message_status = 'failed')",
    put: "OR (r.state IN ('unknown', 'sent') AND m.message_status = 'failed' AND r.move_id < 0)",
  },
  {
    name: 'skips nobody who waits',
    rule: 'a recipient is claimed once however many chunks run',
    file: broadcastClaims,
    find: "WHERE r.state = 'pending'\n       FOR UPDATE OF r SKIP LOCKED",
    put: "WHERE r.state <> 'skipped'\n       FOR UPDATE OF r SKIP LOCKED",
  },
  {
    name: 'events for ever leased',
    rule: "a dead worker's events are taken again",
    file: inboundClaim,
    find: "available_at = clock_timestamp() + $leaseMs * interval '1 millisecond'",
    put: "available_at = clock_timestamp() + $leaseMs * interval '1 day'",
  },
];
