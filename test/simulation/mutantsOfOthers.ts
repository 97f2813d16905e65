import type { Mutant } from './mutants';

const outboxRows = 'api/core/queue/outboxRows.ts';
const outbox = 'api/core/queue/outbox.ts';
const snooze = 'api/services/resources/conversations/snooze.ts';
const deadline = 'workflows/deadline.ts';
const fanOut = 'api/services/processes/webhookDelivery/fanOut.ts';
const webhookOutcomes = 'api/services/processes/webhookDelivery/outcomes.ts';
const recipient = 'api/services/resources/tickets/stageMoves/recipient.ts';
const stageOutcomes = 'api/services/resources/tickets/stageMoves/outcomes.ts';
const inboundClaim = 'api/services/processes/events/claim.ts';

/** Rules of intents, wakes, moves, the inbox and webhooks. */
export const mutantsOfOthers: readonly Mutant[] = [
  {
    name: 'intent is removed first',
    isFound: true,
    theme: 'snoozes',
    rule: 'an intent goes only after Temporal took it',
    file: outbox,
    edits: [
      [
        'const { start, input, argument } = row.input;\n    await tracing.span(',
        'const { start, input, argument } = row.input;\n    await removeIntents(db, [row]);\n    await tracing.span(',
      ],
    ],
  },
  {
    name: 'oldest intent counts',
    theme: 'snoozes',
    rule: 'of several intents of a workflow the newest version is delivered',
    file: outboxRows,
    edits: [
      ['ORDER BY o.version DESC, o.id DESC LIMIT 1) AS n', 'ORDER BY o.version, o.id LIMIT 1) AS n'],
      ['WHERE o.id = gone.id AND o.version <= gone.version`', 'WHERE o.id = gone.id AND gone.version >= 0`'],
    ],
  },
  {
    name: 'newer intents are removed',
    theme: 'snoozes',
    rule: 'an intent that came since has its own turn',
    file: outboxRows,
    edits: [
      [
        'WHERE o.id = gone.id AND o.version <= gone.version`',
        'WHERE o.workflow_id = (SELECT workflow_id FROM outbox WHERE id = gone.id)`',
      ],
    ],
  },
  {
    name: 'a backlog takes all places',
    isFound: true,
    theme: 'backlogs',
    rule: 'relays lease the intents of workspaces in turns',
    file: outboxRows,
    edits: [["limit: '$limit',\n       lock: true,", "limit: '$limit',\n       each: 1_000,\n       lock: true,"]],
  },
  {
    name: 'a backlog goes first within a batch',
    isFound: true,
    theme: 'backlogs',
    rule: 'of what was leased the workspaces have their turns',
    file: outboxRows,
    edits: [['ORDER BY row_number() OVER (PARTITION BY n.workspace_id ORDER BY n.id)`', 'ORDER BY n.id`']],
  },
  {
    name: 'old workers take what is for newer ones',
    isFound: true,
    theme: 'backlogs',
    rule: 'an intent of a workflow that this version does not know is left to newer workers',
    file: outboxRows,
    edits: [["`workflow = ANY('{${Object.keys(workflowPlaces).join(',')}}')`", "`workflow <> ''`"]],
  },
  {
    name: 'older workers take what a newer one takes up',
    isFound: true,
    theme: 'versions',
    rule: 'beside newer workers an older one leaves them the intents of a workflow that it does not know',
    file: outboxRows,
    edits: [["`workflow = ANY('{${Object.keys(workflowPlaces).join(',')}}')`", "`workflow <> ''`"]],
  },
  {
    name: 'what older workers cannot do is given up',
    isFound: true,
    theme: 'versions',
    rule: 'an activity that an older worker has not is tried until a newer one gets it',
    file: 'workflows/activities.ts',
    edits: [["retry: forever('500 milliseconds', '30 seconds'),", 'retry: { maximumAttempts: 2 },']],
  },
  {
    name: 'wakes too early',
    isFound: true,
    theme: 'snoozes',
    rule: 'no snooze ends early',
    file: snooze,
    edits: [
      [
        'AND snooze_version = $version AND snoozed_until <= ${now}\n     FOR UPDATE`',
        "AND snooze_version = $version AND snoozed_until <= ${now} + interval '10 minutes'\n     FOR UPDATE`",
      ],
    ],
  },
  {
    name: 'overdue one hour early',
    isFound: true,
    theme: 'snoozes',
    rule: 'what is woken in bulk is overdue',
    file: snooze,
    edits: [["overdueSql('snoozed_until', clock)", "`snoozed_until <= ${dueNowSql(clock)} + interval '1 hour'`"]],
  },
  {
    name: 'wakes whatever version',
    isFound: true,
    theme: 'snoozes',
    rule: 'a timer wakes the snooze that it was set for and no later one',
    file: snooze,
    edits: [
      [
        "conv_status = 'snoozed'\n       AND snooze_version = $version AND snoozed_until <= ${now}",
        "conv_status = 'snoozed'",
      ],
    ],
  },
  {
    name: 'deadline takes older states',
    isFound: true,
    theme: 'snoozes',
    rule: 'an older version of a deadline is ignored',
    file: deadline,
    edits: [['if (next.version < this.state.version) return;', 'if (next.version > this.state.version) return;']],
  },
  {
    name: 'deadline named again changes nothing',
    theme: 'snoozes',
    rule: 'a row is asked at once when its deadline is named again, whatever the clock of Temporal says',
    file: deadline,
    edits: [['if (waitMs > 0 && !this.askNow) {', 'if (waitMs > 0) {']],
  },
  {
    name: 'fan-out skips',
    isFound: true,
    rule: 'each event is told to each subscription that asks for it',
    file: fanOut,
    edits: [
      [
        "WHERE ${ofWorkspace('e.workspace_id')} AND e.id = ANY($eventIds::bigint[]) ORDER BY s.id, e.id",
        "WHERE ${ofWorkspace('e.workspace_id')} AND e.id = ANY($eventIds::bigint[])" +
          ' AND e.id % 5 <> 0 ORDER BY s.id, e.id',
      ],
    ],
  },
  {
    name: 'sequence begins anew',
    isFound: true,
    theme: 'inbound',
    rule: 'the sequence of a subject rises',
    file: fanOut,
    edits: [
      [
        'DO UPDATE SET last_sequence = s.last_sequence + excluded.last_sequence',
        'DO UPDATE SET last_sequence = excluded.last_sequence',
      ],
    ],
  },
  {
    name: 'sequence leaves gaps',
    isFound: true,
    rule: 'a receiver can see a gap, because there is none otherwise',
    file: fanOut,
    edits: [
      [
        'DO UPDATE SET last_sequence = s.last_sequence + excluded.last_sequence',
        'DO UPDATE SET last_sequence = s.last_sequence + excluded.last_sequence + 1',
      ],
    ],
  },
  {
    name: 'actors are not woken',
    isFound: true,
    theme: 'replies',
    rule: 'whoever has a delivery is woken for it',
    file: fanOut,
    edits: [
      [
        'await wakeWorkflows(ctx, await makeDeliveries(ctx, ids));',
        'await wakeWorkflows(ctx, (await makeDeliveries(ctx, ids)).filter(() => false));',
      ],
    ],
  },
  {
    name: 'failed counts as delivered',
    theme: 'inbound',
    rule: 'only a 2xx answer delivers an event',
    file: webhookOutcomes,
    edits: [
      ["state: succeeded(outcome) ? 'delivered' : pauseMs === null ? 'failed' : 'pending'", "state: 'delivered'"],
      // The table refuses a delivered row that is due.
      ['pause_ms: pauseMs', 'pause_ms: null'],
    ],
  },
  {
    name: 'delivered is due again',
    isFound: true,
    theme: 'inbound',
    rule: 'an event comes again only after a failed attempt',
    file: webhookOutcomes,
    edits: [
      [
        "state: succeeded(outcome) ? 'delivered' : pauseMs === null ? 'failed' : 'pending'",
        "state: succeeded(outcome) && outcome.delivery.attempts > 0 ? 'delivered' : 'pending'",
      ],
    ],
  },
  {
    name: 'notification of no key',
    theme: 'crowds',
    rule: 'a recipient of a move gets one message, whatever is repeated',
    file: recipient,
    edits: [
      [
        'dedupe_key: `stage:${moveId}:${loaded.contact_id}`',
        'dedupe_key: `stage:${moveId}:${loaded.contact_id}:${Math.random()}`',
      ],
      ["AND state = 'pending' AND message_id IS NULL\n       FOR UPDATE", "AND state = 'pending'\n       FOR UPDATE"],
    ],
  },
  {
    name: 'recipient is not linked',
    isFound: true,
    theme: 'crowds',
    rule: 'a recipient knows its message, so that its outcome finds it',
    file: recipient,
    edits: [
      [
        'UPDATE ticket_stage_move_recipients r SET message_id = stored.id',
        'UPDATE ticket_stage_move_recipients r SET message_id = NULL',
      ],
    ],
  },
  {
    name: 'failed notification stays sent',
    theme: 'crowds',
    rule: 'a recipient follows its message',
    file: stageOutcomes,
    edits: [
      [
        "OR (r.state IN ('pending', 'unknown', 'sent') AND m.message_status = 'failed')",
        "OR (r.state IN ('unknown', 'sent') AND m.message_status = 'failed' AND r.move_id < 0)",
      ],
    ],
  },
  {
    name: 'answer to an older deadline counts',
    theme: 'snoozes',
    rule: 'what a row said of a deadline does not end the newer one',
    file: deadline,
    edits: [
      [
        'if (this.state.version !== version || this.manual !== null) return null;',
        'if (this.manual !== null) return null;',
      ],
    ],
  },
  {
    name: 'events for ever leased',
    theme: 'inbound',
    rule: "a dead worker's events are taken again",
    file: inboundClaim,
    edits: [
      [
        "${process.timing.eventLeaseMs} * interval '1 millisecond'",
        "${process.timing.eventLeaseMs} * interval '1 day'",
      ],
    ],
  },
];
