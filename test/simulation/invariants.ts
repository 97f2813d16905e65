import type { Days } from './days';
import type { Scene } from './run';

interface MessageRow {
  readonly id: string;
  readonly conversation_id: string;
  readonly mark: string | null;
  readonly opaque: string;
  readonly wamid: string | null;
  readonly origin: string;
  readonly dedupe_key: string | null;
  readonly delivery_state: string;
  readonly message_status: string;
  readonly send_seq: number | null;
  readonly error_code: number | null;
  readonly error_title: string;
  readonly created_ms: string;
  readonly deliver_by_ms: string | null;
}

/** What is known at the end of a run. */
interface End {
  readonly scene: Scene;
  readonly days: Days;
  readonly messages: readonly MessageRow[];
  query<T extends object>(sql: string): Promise<T[]>;
}

/** Longer than any outage of a run: by then a timer, or the look for what is overdue, has woken it. */
const maxLateMs = 300_000;
/** Where nothing goes wrong. */
const maxCalmLateMs = 5_000;

type Invariant = (end: End) => string[] | Promise<string[]>;

/** What must hold after every run, each with the section of the contract (docs/contract.md) that promises it. */
const invariants: Readonly<Record<string, Invariant>> = {
  'C16 no message reaches the platform twice': ({ scene }) =>
    repeated(scene.platform.accepted.map(({ opaque, mark }) => `${opaque} ${mark}`)),

  'C6 what was accepted is there once': ({ days, messages }) =>
    days.asked.flatMap(({ mark, answer }) => {
      const rows = messages.filter((row) => row.mark === mark);
      if (rows.length > 1) return [`${mark} has ${rows.length} rows`];
      if (answer === 'accepted' && rows.length === 0) return [`${mark} was accepted and is gone`];
      return [];
    }),

  'C6 no message is lost: each was sent, or says why not': ({ scene, messages }) =>
    messages.flatMap((row) => {
      const calls = scene.platform.calls.filter(({ opaque }) => opaque === row.opaque);
      const taken = scene.platform.accepted.find(({ opaque }) => opaque === row.opaque);
      if (row.delivery_state !== 'settled')
        return [`${row.mark} is still ${row.delivery_state} (${row.message_status})`];
      if (taken) return row.message_status === 'unknown' ? [`${row.mark} was taken and is unknown`] : [];
      if (row.message_status !== 'failed') return [`${row.mark} is ${row.message_status} and was never taken`];
      if (row.error_code === 131026 && calls.some(({ fate }) => fate === 'refused for good')) return [];
      if (/24 hours|window|opted out/i.test(row.error_title)) return [];
      // An attempt whose end nobody can tell: a call without an answer, or a process that ended after its claim.
      if (
        row.error_code === null &&
        (calls.some(({ fate }) => fate === 'unsure' || fate === 'never arrived' || fate === 'refused') ||
          scene.cluster.deaths > 0 ||
          scene.statements.hasFailed ||
          scene.hasFrozen)
      )
        return [];
      return [`${row.mark} failed without a cause: ${row.error_code} ${row.error_title}`];
    }),

  'C16 where nothing goes wrong, each message is sent at once': ({ scene, messages }) =>
    scene.isCalm
      ? messages.flatMap((row) => {
          const taken = scene.platform.accepted.find(({ opaque }) => opaque === row.opaque);
          const lateMs = taken ? taken.atMs - Number(row.created_ms) : Infinity;
          return lateMs > maxCalmLateMs ? [`${row.mark} was sent after ${lateMs} ms`] : [];
        })
      : [],

  'C6 statuses end at the highest that the platform told': ({ scene, messages }) =>
    messages.flatMap((row) => {
      const taken = scene.platform.accepted.find(({ opaque }) => opaque === row.opaque);
      if (!taken || row.message_status === taken.end) return [];
      return [`${row.mark} ends as ${row.message_status}, the platform said ${taken.end}`];
    }),

  'C16 nothing is sent after its deadline': ({ scene, messages }) =>
    scene.platform.accepted.flatMap(({ opaque, mark, atMs }) => {
      const by = Number(messages.find((row) => row.opaque === opaque)?.deliver_by_ms ?? Infinity);
      // A call that has begun in time may arrive ten seconds later.
      return atMs > by + 20_000 ? [`${mark} was sent ${Math.round(atMs - by)} ms after its deadline`] : [];
    }),

  'C6 messages of a conversation arrive in the order of their acceptance': ({ scene, messages }) => {
    const places = new Map(messages.filter((row) => row.send_seq !== null).map((row) => [row.opaque, row]));
    const last = new Map<string, number>();
    return scene.platform.accepted.flatMap(({ opaque, mark }) => {
      const row = places.get(opaque);
      if (!row || row.send_seq === null) return [];
      const before = last.get(row.conversation_id) ?? 0;
      last.set(row.conversation_id, row.send_seq);
      return row.send_seq < before ? [`${mark} (place ${row.send_seq}) arrived after place ${before}`] : [];
    });
  },

  'C16 nothing that a customer wrote is lost or doubled': async ({ days, query }) => {
    const rows = await query<{ wamid: string; rows: number }>(
      `SELECT wamid, count(*)::int AS rows FROM messages WHERE direction = 'inbound' GROUP BY wamid`,
    );
    const known = new Map(rows.map((row) => [row.wamid, row.rows]));
    return days.written.flatMap(({ wamid }) =>
      known.get(wamid) === 1 ? [] : [`${wamid} is there ${known.get(wamid) ?? 0} times`],
    );
  },

  'C8 every snooze ends, none early, none late': async ({ scene, query }) => {
    const asleep = await query<{ id: string }>(`SELECT id FROM conversations WHERE conv_status = 'snoozed'`);
    // Each wake beside the last snooze before it.
    const wakes = await query<{ id: string; late_ms: string | null }>(
      `SELECT w.subject_id AS id, (SELECT extract(epoch FROM w.created_at
           - (s.changes->'snoozed_until'->>'to')::timestamptz) * 1000
         FROM events s WHERE s.subject_id = w.subject_id AND s.subject_type = 'conversation' AND s.id < w.id
           AND s.changes->'snoozed_until'->>'to' IS NOT NULL ORDER BY s.id DESC LIMIT 1) AS late_ms
       FROM events w WHERE w.kind = 'woken' AND w.subject_type = 'conversation'`,
    );
    return [
      ...asleep.map(({ id }) => `conversation ${id} still sleeps`),
      ...wakes.flatMap(({ id, late_ms: late }) => {
        if (late === null) return [`conversation ${id} woke without a snooze`];
        if (Number(late) < 0) return [`conversation ${id} woke ${-Number(late)} ms too early`];
        return Number(late) > (scene.isCalm ? maxCalmLateMs : maxLateMs)
          ? [`conversation ${id} woke ${Number(late)} ms too late`]
          : [];
      }),
    ];
  },

  'C16 no event of the platform is left': async ({ query }) =>
    (
      await query<{ kind: string; state: string; error: string }>(
        `SELECT kind, state, error FROM inbox_events WHERE state <> 'done'`,
      )
    ).map(({ kind, state, error }) => `an event (${kind}) is ${state}: ${error}`),

  'ARCHITECTURE every intent was handed over': async ({ query }) =>
    (await query<{ workflow_id: string; error: string }>('SELECT workflow_id, error FROM outbox')).map(
      ({ workflow_id: id, error }) => `the intent of ${id} is left ${error}`,
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
    const twice = repeated(
      scene.platform.accepted.filter(({ mark }) => mark.startsWith('#b')).map(({ mark, to }) => `${mark} to ${to}`),
    );
    return [...ended, ...twice.map((what) => `${what} was sent twice`)];
  },

  'C8 a stage move settles each recipient, and tells each once': async ({ query, messages }) => {
    const rows = await query<{ id: string; state: string; message_id: string | null; move_id: string; done: boolean }>(
      `SELECT r.move_id, r.contact_id AS id, r.state, r.message_id, v.completed_at IS NOT NULL AS done
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
        if (message?.message_status === 'failed' && state === 'sent') return [];
        if (state === 'sent' && !message) return [`recipient ${id} of move ${move} is sent without a message`];
        return [];
      }),
      ...told
        .filter(({ move }) => move !== '')
        .map(({ contact, move }) => `the outcome of ${contact} in move ${move} is told twice`),
      ...repeated(
        messages
          .filter(({ origin }) => origin === 'stage')
          .map((row) => `${row.conversation_id} ${row.dedupe_key ?? row.id}`),
      ),
    ];
  },

  'C14 no event of a webhook is lost, and none comes again without a failed attempt': async ({ scene, query }) => {
    const rows = await query<{ uid: string; type: string; state: string | null; attempts: number; fanned: boolean }>(
      `SELECT e.uid, e.type, d.state, d.attempts, e.fanned_out_at IS NOT NULL AS fanned
       FROM webhook_events e LEFT JOIN webhook_deliveries d ON d.event_id = e.id`,
    );
    const arrived = new Map<string, number>();
    for (const { webhookId, isAnswered } of scene.receiver.received)
      if (isAnswered) arrived.set(webhookId, (arrived.get(webhookId) ?? 0) + 1);
    const calm =
      scene.cluster.deaths === 0 && !scene.statements.hasFailed && !scene.hasFrozen && scene.temporal.lost === 0;
    return rows.flatMap(({ uid, type, state, fanned }) => {
      if (!fanned || state !== 'delivered') return [`${type} ${uid} is ${state ?? 'not fanned out'}`];
      const times = arrived.get(uid) ?? 0;
      if (times === 0 && !scene.receiver.received.some(({ webhookId }) => webhookId === uid))
        return [`${type} ${uid} never arrived`];
      return times > 1 && calm ? [`${type} ${uid} arrived ${times} times though it was answered`] : [];
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
    `SELECT id, conversation_id, substring(body::text FROM '#[a-z]+[0-9]+') AS mark, opaque::text AS opaque, wamid,
       origin, dedupe_key, delivery_state, message_status, send_seq, error_code, error_title,
       extract(epoch FROM created_at) * 1000 AS created_ms,
       extract(epoch FROM deliver_by) * 1000 AS deliver_by_ms
     FROM messages WHERE direction = 'outbound' ORDER BY id`,
  );
  const found: string[] = [];
  for (const [name, invariant] of Object.entries(invariants))
    for (const what of await invariant({ scene, days, messages, query })) found.push(`${name}: ${what}`);
  return found;
}

function repeated(values: readonly string[]): string[] {
  const seen = new Set<string>();
  return values.filter((value) => {
    if (seen.has(value)) return true;
    seen.add(value);
    return false;
  });
}
