import { shortened } from '../db/changes';
import type { Ctx } from '../context';
import {
  webhookTypeOf,
  type EventSubject,
  type Happening,
  type PlainEventKind,
  type RecordedChanges,
} from './eventKinds';

/** One change that happened, written in the transaction of the change. */
export type EventInput = Happening & {
  readonly subjectId: number;
  readonly changes?: RecordedChanges;
  readonly data?: Record<string, unknown>;
  /**
   * The id of the request that caused it, when one transaction does the work of several requests. Default: the
   * context's.
   */
  readonly requestId?: string;
};

/** SQL: whether a workspace has rules that are not off, so that what happens in it has to be noted for them. */
export const watchedSql = (workspaceId = '$workspaceId'): string =>
  `EXISTS (SELECT 1 FROM rules r WHERE r.workspace_id = ${workspaceId} AND r.state <> 'off')`;

/**
 * SQL: the same of what a rule has caused, of a conversation: some rule follows rules, or something waits there. Asked
 * for one value: of EXISTS here the planner would read all that waits in the workspace, for each event anew.
 */
const watchedAfterRuleSql = `(EXISTS (SELECT 1 FROM rules r WHERE r.workspace_id = $workspaceId AND r.state <> 'off'
    AND r.after_rules)
  OR (SELECT true FROM rule_runs n WHERE n.workspace_id = $workspaceId AND n.conversation_id = subject_id
    AND n.state IN ('waiting', 'parked') LIMIT 1) IS NOT NULL)`;

/** What was recorded: the ids of the first event and of the first of each subject, and whether rules watch. */
interface RecordedEvents {
  readonly first: number;
  readonly firstOf: ReadonlyMap<number, number>;
  readonly watched: boolean;
}

/**
 * Records events, each with the type under which subscribers are told: the trigger `note_webhook_activity` then writes
 * a row of `webhook_events` for each that a subscription asks for.
 */
export async function recordEvents(ctx: Ctx, inputs: readonly EventInput[]): Promise<RecordedEvents> {
  if (inputs.length === 0) return { first: 0, firstOf: new Map(), watched: false };
  const rows = await ctx.runtime.db.rows<{ id: number; subject_id: number; watched: boolean }>(
    `INSERT INTO events (workspace_id, subject_type, subject_id, kind, webhook_type, actor_type, actor_member_id,
       api_key_id, changes, data, request_id)
     SELECT $workspaceId, e."subjectType", e."subjectId", e.kind, e."webhookType", $actorType, $memberId, $apiKeyId,
       coalesce(e.changes, '{}'), coalesce(e.data, '{}'), coalesce(e."requestId", $requestId)
     FROM jsonb_to_recordset($events::jsonb)
       AS e("subjectType" text, "subjectId" bigint, kind text, "webhookType" text, changes jsonb, data jsonb,
         "requestId" text)
     RETURNING id, subject_id, ${ctx.rule ? watchedAfterRuleSql : watchedSql()} AS watched`,
    {
      workspaceId: ctx.workspaceId,
      actorType: ctx.actor.type,
      memberId: ctx.actor.memberId,
      apiKeyId: ctx.actor.apiKeyId,
      requestId: ctx.requestId,
      events: JSON.stringify(
        inputs.map((event) => ({
          ...event,
          webhookType: webhookTypeOf(event, event.changes),
          changes: shortened(event.changes),
        })),
      ),
    },
  );
  const newestFirst = rows.toSorted((left, right) => right.id - left.id);
  return {
    first: newestFirst.at(-1)?.id ?? 0,
    firstOf: new Map(newestFirst.map(({ id, subject_id: subject }) => [subject, id])),
    watched: rows[0]?.watched ?? false,
  };
}

/** Records one event. */
export async function recordEvent(ctx: Ctx, input: EventInput): Promise<RecordedEvents> {
  return recordEvents(ctx, [input]);
}

/** The event that a statement records for each of its rows: one kind, or a kind by the value of an expression. */
type HappeningSql = {
  [Subject in EventSubject]: {
    readonly subjectType: Subject;
    readonly kind:
      PlainEventKind<Subject> | { readonly by: string; readonly of: Readonly<Record<string, PlainEventKind<Subject>>> };
  };
}[EventSubject];

/** SQL expressions of the columns of an event, over the rows that it is recorded for. */
export type EventSql = HappeningSql & {
  /** `workspace_id` of the row unless another one is named. */
  readonly workspaceId?: string;
  readonly subjectId: string;
  /** The system unless an actor is named: type, member and key. */
  readonly actor?: readonly [type: string, memberId: string, apiKeyId: string];
  readonly changes?: string;
  readonly data?: string;
  readonly requestId: string;
};

/** SQL: records one event for each row of `rows`, as part of the set-based statement that made the changes. */
export function recordSql(rows: string, event: EventSql): string {
  const [actorType, memberId, apiKeyId] = event.actor ?? ["'system'", 'NULL::bigint', 'NULL::bigint'];
  const { subjectType, kind } = event;
  const cases: readonly (readonly [value: string, kind: string])[] =
    typeof kind === 'string' ? [['', kind]] : Object.entries(kind.of);
  /** The text of each case as a constant. */
  const pick = (textOf: (kind: string) => string | null): string => {
    const texts = cases.map(([value, name]) => [value, textOf(name)] as const);
    const constant = (text: string | null): string => (text === null ? 'NULL' : `'${text}'`);
    if (typeof kind === 'string') return constant(texts[0]?.[1] ?? null);
    return `CASE ${kind.by} ${texts.map(([value, text]) => `WHEN '${value}' THEN ${constant(text)}`).join(' ')} END`;
  };
  return `
    INSERT INTO events (workspace_id, subject_type, subject_id, kind, webhook_type, actor_type, actor_member_id,
      api_key_id, changes, data, request_id)
    SELECT ${event.workspaceId ?? 'workspace_id'}, '${subjectType}', ${event.subjectId}, ${pick((name) => name)},
      ${pick((name) => webhookTypeOf({ subjectType, kind: name } as Happening))},
      ${actorType}, ${memberId}, ${apiKeyId},
      ${event.changes ?? "'{}'"}, ${event.data ?? "'{}'"}, ${event.requestId}
    FROM ${rows}`;
}
