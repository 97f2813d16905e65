import type { Days } from './days';
import type { Scene } from './run';

interface MessageRow {
  readonly id: string;
  readonly conversation_id: string;
  readonly mark: string | null;
  readonly opaque: string;
  readonly wamid: string | null;
  readonly origin: string;
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

  'C8 every snooze ends, none early': async ({ query }) => {
    const asleep = await query<{ id: string }>(`SELECT id FROM conversations WHERE conv_status = 'snoozed'`);
    return asleep.map(({ id }) => `conversation ${id} still sleeps`);
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
       origin, delivery_state, message_status, send_seq, error_code, error_title, extract(epoch FROM created_at) * 1000 AS created_ms,
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
