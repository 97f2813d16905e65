import { isGrpcServiceError } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time';
import type { Installation } from './context';
import type { Kind } from './quiet';
import { percentile } from './stats';
import type { Tenant } from './tenants';

/** When each thing that was begun passed each mark on its way, in ms of the epoch; what it did not pass is missing. */
export type Marks = Readonly<Record<string, number | undefined>>;

/** The marks of each kind in their order. A row's time is the beginning of its transaction. */
export const ways = {
  reply: ['asked', 'transaction begins', 'platform has it'],
  macro: ['asked', 'run stored', 'workflow started', 'task begun', 'transaction begins', 'workflow ended', 'answered'],
  wake: ['due', 'timer fired', 'task begun', 'awake'],
  'stage notification': [
    'asked',
    'move stored',
    'workflow started',
    'task begun',
    'transaction begins',
    'platform has it',
  ],
  "customer's message": ['asked', 'event stored', 'event claimed', 'event processed'],
} as const satisfies Record<Kind, readonly string[]>;

/** How long a claim of an event holds: the claim's time is its end less this. */
const claimMs = 30_000;

type HistoryEvent = { readonly type: string; readonly at: number };

/**
 * Reads the events of a workflow's last run: their types as the history names them, and their times. None where it
 * is not there: a sweep may wake a conversation before its workflow begins, and what was lost has none.
 */
export async function historyOf(installation: Installation, id: string): Promise<readonly HistoryEvent[]> {
  const { config, temporal } = installation.runtime;
  // Its client is there from the first use on.
  await temporal.probe();
  const history = await temporal
    .client()
    .workflow.getHandle(`${config.temporal.prefix}/${id}`)
    .fetchHistory()
    .catch((error: unknown) => {
      // fetchHistory passes on what gRPC says: 5 is NOT_FOUND.
      if (isGrpcServiceError(error) && Number(error.code) === 5) return undefined;
      throw error;
    });
  return (history?.events ?? []).map((event) => {
    const attributes = Object.keys(event).find((key) => key.endsWith('EventAttributes') && key in event) ?? '';
    return {
      type: attributes.replace(/EventAttributes$/, ''),
      at: event.eventTime ? tsToMs(event.eventTime) : Number.NaN,
    };
  });
}

const firstOf = (events: readonly HistoryEvent[], type: string, notBefore = 0): number | undefined =>
  events.find((event) => event.type === type && event.at >= notBefore)?.at;

const epochMs = (column: string): string => `(extract(epoch FROM ${column}) * 1000)::float8`;

/** Adds what rows and histories know to the marks of what was begun; by the keys of `begun`. */
export async function readMarks(
  installation: Installation,
  { ctx }: Pick<Tenant, 'ctx'>,
  kind: Kind,
  known: ReadonlyMap<string, Marks>,
): Promise<readonly Marks[]> {
  const { workspaceId } = ctx;
  const keys = [...known.keys()];
  const marks = new Map<string, Marks>(known);
  const add = (key: string, more: Marks): void => void marks.set(key, { ...marks.get(key), ...more });

  if (kind === 'reply') {
    const rows = await installation.sql<{ key: string; stored: number }>(
      `SELECT c.phone AS key, ${epochMs('m.created_at')} AS stored FROM messages m
       JOIN contacts c ON c.id = m.conversation_id
       WHERE m.workspace_id = $1 AND m.direction = 'outbound' AND m.type = 'text' AND c.phone = ANY($2::text[])`,
      [workspaceId, keys],
    );
    for (const { key, stored } of rows) add(key, { 'transaction begins': stored });
  } else if (kind === "customer's message") {
    const rows = await installation.sql<{ key: string; stored: number; claim_ends: number; processed: number }>(
      `SELECT substring(payload::text FROM 'wamid\\.QUIET[0-9a-f]+') AS key, ${epochMs('received_at')} AS stored,
         ${epochMs('available_at')} AS claim_ends, ${epochMs('processed_at')} AS processed
       FROM processed_events WHERE workspace_id = $1 AND kind = 'message'`,
      [workspaceId],
    );
    for (const { key, stored, claim_ends: ends, processed } of rows)
      if (known.has(key))
        add(key, { 'event stored': stored, 'event claimed': ends - claimMs, 'event processed': processed });
  } else if (kind === 'wake') {
    for (const key of keys) {
      const events = await historyOf(installation, `snooze-timer/${workspaceId}/${key}`);
      const fired = events.filter(({ type }) => type === 'timerFired').at(-1)?.at;
      add(key, {
        'timer fired': fired,
        'task begun': fired === undefined ? undefined : firstOf(events, 'workflowTaskStarted', fired),
      });
    }
  } else if (kind === 'macro') {
    const runs = await installation.sql<{ id: number; key: string; stored: number; applied: number }>(
      `SELECT id::int, conversation_id::text AS key, ${epochMs('created_at')} AS stored,
         ${epochMs('finished_at')} AS applied
       FROM macro_runs WHERE workspace_id = $1 AND conversation_id = ANY($2::bigint[])`,
      [workspaceId, keys],
    );
    for (const { id, key, stored, applied } of runs) {
      const events = await historyOf(installation, `macro-run/${workspaceId}/${id}`);
      add(key, {
        'run stored': stored,
        'workflow started': firstOf(events, 'workflowExecutionStarted'),
        'task begun': firstOf(events, 'workflowTaskStarted'),
        'transaction begins': applied,
        'workflow ended': firstOf(events, 'workflowExecutionCompleted'),
      });
    }
  } else {
    const moves = await installation.sql<{
      id: number;
      ticket_id: number;
      key: string;
      stored: number;
      message: number;
    }>(
      `SELECT v.id::int, v.ticket_id::int, c.phone AS key, ${epochMs('v.created_at')} AS stored,
         ${epochMs('m.created_at')} AS message
       FROM ticket_stage_moves v JOIN contacts c ON c.id = v.recipient_ids[1]
       JOIN ticket_stage_move_recipients r ON r.move_id = v.id AND r.contact_id = c.id
       JOIN messages m ON m.workspace_id = v.workspace_id AND m.id = r.message_id
       WHERE v.workspace_id = $1 AND c.phone = ANY($2::text[])`,
      [workspaceId, keys],
    );
    for (const { id, ticket_id: ticket, key, stored, message } of moves) {
      const events = await historyOf(installation, `stage-notify/${workspaceId}/${ticket}/${id}`);
      add(key, {
        'move stored': stored,
        'workflow started': firstOf(events, 'workflowExecutionStarted'),
        'task begun': firstOf(events, 'workflowTaskStarted'),
        'transaction begins': message,
      });
    }
  }
  return [...marks.values()];
}

/** Returns the milliseconds between each mark and the next one, by the words "from → to". */
function stagesOf(kind: Kind, marks: readonly Marks[]): ReadonlyMap<string, readonly number[]> {
  const way: readonly string[] = ways[kind];
  return new Map(
    way.slice(1).map((to, index) => {
      const from = way[index] ?? '';
      const took = marks.map((passed) => (passed[to] ?? Number.NaN) - (passed[from] ?? Number.NaN));
      return [`${from} → ${to}`, took.filter((ms) => !Number.isNaN(ms))];
    }),
  );
}

/** Returns the stages of every kind, alone and beside others, as a table in Markdown. */
export function stageTable(
  alone: Readonly<Record<Kind, readonly Marks[]>>,
  beside: Readonly<Record<Kind, readonly Marks[]>>,
): string {
  const cells = (Object.keys(ways) as Kind[]).flatMap((kind) => {
    const [quiet, loud] = [stagesOf(kind, alone[kind]), stagesOf(kind, beside[kind])];
    return [...quiet.keys()].map((stage) => [
      kind,
      stage,
      ...[quiet, loud].flatMap((stages) =>
        [0.5, 0.99].map((share) => percentile(stages.get(stage) ?? [], share).toFixed(0)),
      ),
    ]);
  });
  const rows = [['what', 'stage', 'alone p50', 'p99', 'beside p50', 'p99'], Array<string>(6).fill('---'), ...cells];
  return rows.map((row) => `| ${row.join(' | ')} |`).join('\n');
}
