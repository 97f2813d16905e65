import { recorded } from './changes';
import type { Ctx } from './context';

/** One change that happened, written in the transaction of the change. */
export interface EventInput {
  readonly subjectType:
    'contact' | 'conversation' | 'ticket' | 'broadcast' | 'macro' | 'template' | 'message' | 'workspace' | 'flow';
  readonly subjectId: number;
  readonly kind: string;
  readonly changes?: Record<string, { from: unknown; to: unknown }>;
  readonly data?: Record<string, unknown>;
  /** Of the request that caused it, where one transaction does the work of several; the context's unless given. */
  readonly requestId?: string;
}

/**
 * Records events; their sequence numbers come later, from the relay, so that writers do not queue behind each other.
 */
export async function recordEvents(ctx: Ctx, inputs: readonly EventInput[]): Promise<void> {
  if (inputs.length === 0) return;
  await ctx.runtime.db.rows(
    `INSERT INTO events (workspace_id, subject_type, subject_id, kind, actor_type, actor_member_id, api_key_id,
       changes, data, request_id)
     SELECT $workspaceId, e."subjectType", e."subjectId", e.kind, $actorType, $memberId, $apiKeyId,
       coalesce(e.changes, '{}'), coalesce(e.data, '{}'), coalesce(e."requestId", $requestId)
     FROM jsonb_to_recordset($events::jsonb)
       AS e("subjectType" text, "subjectId" bigint, kind text, changes jsonb, data jsonb, "requestId" text)`,
    {
      workspaceId: ctx.workspaceId,
      actorType: ctx.actor.type,
      memberId: ctx.actor.memberId,
      apiKeyId: ctx.actor.apiKeyId,
      requestId: ctx.requestId,
      events: JSON.stringify(inputs.map((event) => ({ ...event, changes: recorded(event.changes) }))),
    },
  );
}

/** Records one event. */
export async function recordEvent(ctx: Ctx, input: EventInput): Promise<void> {
  await recordEvents(ctx, [input]);
}

/** SQL expressions of the columns of an event, over the rows that it is recorded for. */
export interface EventSql {
  /** `workspace_id` of the row unless another one is named. */
  readonly workspaceId?: string;
  readonly subjectType: string;
  readonly subjectId: string;
  readonly kind: string;
  /** The system unless an actor is named: type, member and key. */
  readonly actor?: readonly [type: string, memberId: string, apiKeyId: string];
  readonly changes?: string;
  readonly data?: string;
  readonly requestId: string;
}

/** SQL: records one event for each row of `rows`, as part of the set-based statement that made the changes. */
export function recordSql(rows: string, event: EventSql): string {
  const [actorType, memberId, apiKeyId] = event.actor ?? ["'system'", 'NULL::bigint', 'NULL::bigint'];
  return `
    INSERT INTO events (workspace_id, subject_type, subject_id, kind, actor_type, actor_member_id, api_key_id,
      changes, data, request_id)
    SELECT ${event.workspaceId ?? 'workspace_id'}, ${event.subjectType}, ${event.subjectId}, ${event.kind},
      ${actorType}, ${memberId}, ${apiKeyId},
      ${event.changes ?? "'{}'"}, ${event.data ?? "'{}'"}, ${event.requestId}
    FROM ${rows}`;
}
