import type { Context, Installation } from './context';
import type { Child } from './processes';
import { inParallel, sleep, until } from './stats';

/** What a round of snoozes came to. */
interface Round {
  readonly armedPerSecond: number;
  /** Per conversation, how long after its time it was woken; negative would be early. */
  readonly lateMs: readonly number[];
  readonly lost: number;
  readonly together: number;
}

/** Returns when each of so many is due, evenly spread over a time that begins with the first. */
export function spreadOver(count: number, spreadMs: number): (index: number, firstAt: number) => number {
  return (index, firstAt) => firstAt + Math.floor((index * spreadMs) / count);
}

/** Snoozes every conversation by PATCH, waits until all are awake, and reads from the trail when each one woke. */
export async function snoozeAll(
  context: Context,
  installation: Installation,
  api: Child,
  handles: readonly string[],
  untilOf: (index: number, firstAt: number) => number,
  foreseenPerSecond: number,
): Promise<Round> {
  const [mark] = await installation.sql<{ id: number }>('SELECT coalesce(max(id), 0)::int AS id FROM events');
  const leadMs = 5_000 + (handles.length / foreseenPerSecond) * 1000;
  const begun = Date.now();
  const firstAt = Math.ceil((begun + leadMs) / 1000) * 1000;
  await inParallel(handles, 20, (handle, index) =>
    snooze(api, installation, handle, new Date(untilOf(index, firstAt))),
  );
  const patchedMs = Date.now() - begun;
  await until(
    'arming the timers',
    300_000,
    async () => (await installation.sql<{ left: number }>('SELECT count(*)::int AS left FROM outbox'))[0]?.left === 0,
  );
  const armedMs = Date.now() - begun;
  context.log(
    `${handles.length} snoozed in ${(patchedMs / 1000).toFixed(1)} s, armed after ` +
      `${(armedMs / 1000).toFixed(1)} s, first due at ${(leadMs / 1000).toFixed(1)} s`,
  );
  if (Date.now() > firstAt)
    context.log('arming took longer than foreseen: the first ones were due before the last were armed');

  const lastAt = untilOf(handles.length - 1, firstAt);
  await sleep(Math.max(0, lastAt - Date.now()));
  const snoozed = async (): Promise<number> =>
    (
      await installation.sql<{ left: number }>(
        `SELECT count(*)::int AS left FROM conversations WHERE conv_status = 'snoozed'`,
      )
    )[0]?.left ?? 0;
  await until('waking', 180_000, async () => (await snoozed()) === 0, 500).catch(() => undefined);
  const woken = await installation.sql<{ late_ms: number; together: boolean }>(
    `SELECT (extract(epoch FROM w.created_at - (s.changes->'snoozed_until'->>'to')::timestamptz)
      * 1000)::float8 AS late_ms, w.request_id LIKE 'snoozes-overdue/%' AS together
     FROM events w JOIN events s ON s.subject_type = w.subject_type AND s.subject_id = w.subject_id
       AND s.kind = 'status_changed' AND s.id > $1
     WHERE w.kind = 'woken' AND w.subject_type = 'conversation' AND w.id > $1`,
    [mark?.id ?? 0],
  );
  return {
    armedPerSecond: (handles.length / armedMs) * 1000,
    lateMs: woken.map((row) => row.late_ms),
    lost: handles.length - woken.length,
    together: woken.filter((row) => row.together).length,
  };
}

async function snooze(api: Child, installation: Installation, handle: string, at: Date): Promise<void> {
  const response = await fetch(`${api.url}/api/v1/conversations/${handle}/`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${installation.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ conv_status: 'snoozed', snoozed_until: at.toISOString() }),
  });
  if (response.status !== 200) throw new Error(`PATCH answered ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}
