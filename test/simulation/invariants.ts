import type { Days } from './days';
import { liedOf, maxCalmLateMs, repeated, type Invariant, type MessageRow } from './end';
import { ofInbox } from './ofInbox';
import { ofIntents, workflowOfTomorrow } from './ofIntents';
import { ofLater } from './ofLater';
import { ofMerges } from './ofMerges';
import { ofMessages } from './ofMessages';
import { ofRules } from './ofRules';
import type { Scene } from './run';
import { readSteps } from './steps';

/** Longer than any outage of a run: by then a timer, or the look for what is overdue, has woken it. */
const maxLateMs = 300_000;
/** How long a round of deliveries may take: Temporal then gives it to another worker, if the first one stood still. */
const maxRoundMs = 120_000;
/** Within this time an event arrives without the help of the sweep, which looks for deliveries much later. */
const maxToldMs = 15_000;
/** After the last fault: by then relays have tried again what they could not hand over. */
const maxResumeMs = 60_000;
/** What must hold after every run, each with the section of the contract (docs/contract.md) that promises it. */
const invariants: Readonly<Record<string, Invariant>> = {
  ...ofMessages,
  ...ofMerges,
  ...ofInbox,
  ...ofIntents,
  ...ofRules,
  ...ofLater,

  'C8 every snooze ends, none early, none late': async ({ scene, query }) => {
    const asleep = await query<{ id: string }>(`SELECT id FROM conversations WHERE conv_status = 'snoozed'`);
    // A merge moves the activity of one conversation to another: there a wake ends the latest snooze that was over.
    const mixed = scene.statements.journal.merged.map(({ kept }) => kept);
    // Each wake, with how long after the end of the last snooze before it.
    const wakes = await query<{ id: string; waker: string; at_ms: string; late_ms: string | null }>(
      `SELECT w.subject_id AS id, split_part(w.request_id, '/', 1) AS waker,
         extract(epoch FROM w.created_at) * 1000 AS at_ms, (SELECT extract(epoch FROM w.created_at
           - (s.changes->'snoozed_until'->>'to')::timestamptz) * 1000
         FROM events s WHERE s.subject_id = w.subject_id AND s.subject_type = 'conversation' AND s.id < w.id
           AND s.changes->'snoozed_until'->>'to' IS NOT NULL
         ORDER BY CASE WHEN s.subject_id = ANY('{${mixed.join(',')}}') AND
             (s.changes->'snoozed_until'->>'to')::timestamptz <= w.created_at
           THEN s.changes->'snoozed_until'->>'to' END DESC NULLS LAST, s.id DESC LIMIT 1) AS late_ms
       FROM events w WHERE w.kind = 'woken' AND w.subject_type = 'conversation'`,
    );
    return [
      ...asleep.map(({ id }) => `conversation ${id} still sleeps`),
      ...wakes.flatMap(({ id, waker, at_ms: atMs, late_ms: late }) => {
        const due = Number(atMs) - Number(late);
        // No fault was in the way of its own timer.
        const isQuiet =
          scene.isCalm ||
          (!scene.temporal.hasForgotten &&
            Number(due) > scene.quietSinceMs + maxResumeMs &&
            scene.temporal.party.skewMs >= 0);
        if (isQuiet && waker !== 'snooze-timer') return [`conversation ${id} was woken by ${waker}`];
        if (late === null) return [`conversation ${id} woke without a snooze`];
        if (Number(late) < 0) return [`conversation ${id} woke ${-Number(late)} ms too early`];
        return Number(late) > (scene.isCalm ? maxCalmLateMs : maxLateMs)
          ? [`conversation ${id} woke ${Number(late)} ms too late`]
          : [];
      }),
    ];
  },

  'C16 no event of the platform is left': async ({ query }) =>
    (await query<{ kind: string; state: string; error: string }>(`SELECT kind, state, error FROM inbox_events`)).map(
      ({ kind, state, error }) => `an event (${kind}) is ${state}: ${error}`,
    ),

  'ARCHITECTURE every intent was handed over': async ({ query }) =>
    (
      await query<{ workflow_id: string; error: string }>(
        `SELECT workflow_id, error FROM outbox WHERE workflow <> '${workflowOfTomorrow}'`,
      )
    ).map(({ workflow_id: id, error }) => `the intent of ${id} is left ${error}`),

  'ARCHITECTURE every intent reached Temporal, or a newer one of its workflow did': ({ scene }) =>
    scene.statements.journal.intended.flatMap(({ workflowId, version, atMs }) =>
      scene.temporal.taken.some(
        (call) => call.id.endsWith(`/${workflowId}`) && call.version >= version && call.atMs >= atMs,
      )
        ? []
        : [`the intent of ${workflowId} (version ${version}) never reached Temporal`],
    ),

  'ARCHITECTURE no workflow goes on, and none failed': ({ scene }) => [
    ...[...scene.temporal.runs.values()].filter(({ type }) => type !== 'reconcile').map(({ id }) => `${id} goes on`),
    ...scene.temporal.failed,
  ],

  'C9 a broadcast reaches each of its audience once, and its numbers add up': async ({ scene, days, query }) => {
    const rows = await query<{ name: string; status: string; audience: number; recipients: number; odd: number }>(
      `SELECT b.name, b.status,
         (SELECT count(*)::int FROM broadcast_recipients r WHERE r.broadcast_id = b.id) AS recipients,
         (SELECT coalesce(sum(n.count), 0)::int FROM broadcast_numbers n WHERE n.broadcast_id = b.id) AS audience,
         (SELECT count(*)::int FROM broadcast_recipients r WHERE r.broadcast_id = b.id AND r.state = 'pending') AS odd
       FROM broadcasts b`,
    );
    const ended = rows.flatMap(({ name, status, audience, recipients, odd }) => [
      ...(status === 'draft' && !days.broadcasts.some(({ mark }) => mark === name)
        ? []
        : status === 'completed' || status === 'failed'
          ? []
          : [`${name} is ${status}`]),
      ...(audience === recipients ? [] : [`${name} has ${recipients} recipients, its numbers say ${audience}`]),
      ...(odd === 0 ? [] : [`${name} ended with ${odd} recipients pending`]),
    ]);
    const lied = liedOf(scene);
    const twice = repeated(
      scene.platform.accepted
        .filter(({ mark, opaque }) => mark.startsWith('#b') && !lied.has(opaque))
        .map(({ mark, to }) => `${mark} to ${to}`),
    );
    return [...ended, ...twice.map((what) => `${what} was sent twice`)];
  },

  'C8 a stage move settles each recipient, and tells each once': async ({ query, messages }) => {
    const rows = await query<{ id: string; state: string; message_id: string | null; move_id: string; done: boolean }>(
      `SELECT r.move_id::text AS move_id, r.contact_id::text AS id, r.state, r.message_id::text AS message_id,
         v.completed_at IS NOT NULL AS done
       FROM ticket_stage_moves v JOIN ticket_stage_move_recipients r ON r.move_id = v.id`,
    );
    const told = await query<{ kind: string; events: number; contact: string; move: string }>(
      `SELECT data->>'contact_id' AS contact, coalesce(data->>'move_id', '') AS move, count(*)::int AS events
       FROM events WHERE kind IN ('stage_notification_sent', 'stage_notification_failed', 'stage_notification_skipped')
       GROUP BY kind, 1, 2 HAVING count(*) > 1`,
    );
    return [
      ...rows.flatMap(({ id, state, message_id: messageId, move_id: move, done }) => {
        const message = messages.find((row) => row.id === messageId);
        if (state === 'pending' || !done)
          return [`recipient ${id} of move ${move} is ${state} (move ${done ? '' : 'not '}completed)`];
        if (state === 'skipped' || (state === 'failed' && messageId === null)) return [];
        if (!message) return [`recipient ${id} of move ${move} is ${state} without a message`];
        const should = message.message_status === 'failed' ? 'failed' : 'sent';
        return state === should
          ? []
          : [`recipient ${id} of move ${move} is ${state}, its message ${message.message_status}`];
      }),
      ...told
        .filter(({ move }) => move !== '')
        .map(({ contact, move }) => `the outcome of ${contact} in move ${move} is told twice`),
      ...repeated(
        messages
          .filter(({ origin }) => origin === 'stage')
          // stage:MOVE:CONTACT
          .map((row) => `${row.conversation_id} ${row.dedupe_key?.split(':').slice(0, 3).join(':') ?? row.id}`),
      ),
    ];
  },

  'C14 no event of a webhook is lost, and none comes again without a failed attempt': async ({ scene, query }) => {
    const rows = await query<{ uid: string; type: string; state: string | null; fanned: boolean; created_ms: string }>(
      `SELECT e.uid, e.type, d.state, e.fanned_out_at IS NOT NULL AS fanned,
         extract(epoch FROM e.created_at) * 1000 AS created_ms
       FROM webhook_events e LEFT JOIN webhook_deliveries d ON d.event_id = e.id`,
    );
    const { received } = scene.receiver;
    return rows.flatMap(({ uid, type, state, fanned, created_ms: created }) => {
      if (!fanned || state !== 'delivered') return [`${type} ${uid} is ${state ?? 'not fanned out'}`];
      const arrivals = received
        .filter(({ webhookId }) => webhookId === uid)
        .sort((one, other) => one.atMs - other.atMs);
      const [first] = arrivals;
      if (!first) return [`${type} ${uid} never arrived`];
      const lateMs = first.atMs - Number(created);
      // A round whose end Temporal did not hear of keeps the next ones waiting until its time is over.
      const isQuiet =
        scene.isCalm || (Number(created) > scene.quietSinceMs + maxRoundMs + maxResumeMs && !scene.receiver.hasFailed);
      if (isQuiet && lateMs > maxToldMs) return [`${type} ${uid} arrived ${Math.round(lateMs)} ms late`];
      const wasSound = ({ by, atMs }: (typeof arrivals)[number]): boolean =>
        !scene.cluster.hasSuffered(by, atMs - maxRoundMs);
      // The process that sent it got the answer, and lived long enough to record it.
      const known = arrivals.find((arrival) => arrival.heardMs < Infinity && wasSound(arrival));
      // Not counted: a Temporal that lost its state starts a workflow beside the round that is under way, and a process
      // that stood still between reading and sending does not know that another one has sent the event meanwhile.
      const again =
        known &&
        !scene.temporal.hasForgotten &&
        arrivals.find((arrival) => arrival.atMs > known.heardMs && wasSound(arrival));
      return again ? [`${type} ${uid} came again ${Math.round(again.atMs - known.heardMs)} ms after its answer`] : [];
    });
  },

  'C10 a macro does everything or nothing, once, and its caller is told which': async ({ days, messages, query }) => {
    const runs = await query<{ id: string; state: string; request_id: string }>(
      `SELECT id, state, request_id FROM macro_runs WHERE request_id NOT LIKE 'rule-run/%'`,
    );
    return runs.flatMap(({ id, state, request_id: request }) => {
      const sent = messages.filter(({ dedupe_key: key }) => key?.startsWith(`macro-run/${id}/`) === true).length;
      const answer = days.ran.find(({ name }) => name === request)?.answer ?? 'open';
      if (state === 'pending') return answer === 'open' ? [] : [`${request} is pending and was ${answer}`];
      if (sent !== (state === 'applied' ? 1 : 0)) return [`${request} is ${state} and sent ${sent} messages`];
      if (answer === 'open' || (answer === 'accepted') === (state === 'applied')) return [];
      return [`${request} is ${state} and its caller was told that it was ${answer}`];
    });
  },

  'C14 sequences of a subject have no gap': async ({ query }) =>
    (
      await query<{ subject_type: string; subject_id: string; events: number; span: number }>(
        `SELECT subject_type, subject_id, count(*)::int AS events, (max(sequence) - min(sequence) + 1)::int AS span
         FROM webhook_events WHERE sequence > 0 GROUP BY workspace_id, subject_type, subject_id
         HAVING count(*) <> max(sequence) - min(sequence) + 1 OR count(*) <> count(DISTINCT sequence)`,
      )
    ).map(
      ({ subject_type: kind, subject_id: id, events, span }) => `${kind} ${id}: ${events} events span ${span} numbers`,
    ),

  'ARCHITECTURE nothing waits for each other': ({ scene }) =>
    scene.statements.deadlocks.map((text) => `deadlock: ${text}`),

  'C3 nothing fails without a cause outside': ({ scene }) => scene.cluster.faults,
};

/** Judges a run that has come to its end. */
export async function findViolations(scene: Scene, days: Days): Promise<string[]> {
  const { monitor } = scene.statements;
  const query = async <T extends object>(sql: string): Promise<T[]> => (await monitor.query<T>(sql)).rows;
  const messages = await query<MessageRow>(
    `SELECT id::text AS id, conversation_id::text AS conversation_id,
       substring(body::text FROM '#[a-z]+[0-9]+') AS mark, opaque::text AS opaque, origin,
       dedupe_key, delivery_state, message_status, send_seq, error_code, error_title,
       extract(epoch FROM created_at) * 1000 AS created_ms,
       extract(epoch FROM failed_at) * 1000 AS failed_ms, extract(epoch FROM deliver_by) * 1000 AS deliver_by_ms
     FROM messages WHERE direction = 'outbound' ORDER BY id`,
  );
  const end = { scene, days, messages, steps: await readSteps(query), query };
  const found: string[] = [];
  for (const [name, invariant] of Object.entries(invariants))
    for (const what of await invariant(end)) found.push(`${name}: ${what}`);
  return found;
}
