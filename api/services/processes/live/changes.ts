import type { WorkspaceCtx } from '../../../core/context';
import type { Runtime } from '../../../core/runtime';

/** Changes of a workspace that one look tells at most; where there are more, everything counts as changed. */
export const maxChanges = 100;

/**
 * Rows carry the time at which their transaction began, and can be seen only when it ends: each look reaches back this
 * far, and what was told already is not told again.
 */
export const overlapMs = 8_000;

/** How far the changes of a workspace were told. */
export interface LivePosition {
  /** By the database's clock. */
  readonly at: Date;
  readonly seq: number;
}

/** Whose changes are asked for. */
interface LiveQuestion extends LivePosition {
  readonly workspaceId: number;
}

/** Something that changed; `mark` differs when it changes again. */
export interface LiveChange {
  readonly workspaceId: number;
  readonly type: string;
  readonly id: number;
  readonly mark: string;
  readonly seq: number;
}

interface LiveChanges {
  readonly now: Date;
  readonly changes: readonly LiveChange[];
  /** State of the newest messages of the conversations that are open somewhere. */
  readonly messages: readonly { readonly workspaceId: number; readonly id: number; readonly mark: string }[];
}

type Row = Readonly<Record<'workspace_id' | 'id', number>> & { readonly mark: string };

/**
 * Returns what changed in several workspaces, in one statement for all members who look on: conversations by the time
 * of their change, everything else by the events that were recorded, and for the conversations in `open` what their
 * newest messages look like, because statuses of messages record no event. Crosses workspaces on purpose; each row
 * names its own.
 */
export async function readChanges(
  runtime: Runtime,
  questions: readonly LiveQuestion[],
  open: readonly { readonly workspaceId: number; readonly conversationId: number }[],
): Promise<LiveChanges> {
  const row = await runtime.db.row<{
    now: Date;
    conversations: Row[] | null;
    events: (Row & { type: string; seq: number })[] | null;
    messages: Row[] | null;
  }>(
    `SELECT clock_timestamp() AS now,
       (SELECT json_agg(json_build_object('workspace_id', w.id, 'id', v.id, 'mark', v.updated_at))
        FROM unnest($ids::bigint[], $since::timestamptz[]) AS w(id, since)
        CROSS JOIN LATERAL (
          SELECT id, updated_at FROM conversations
          WHERE workspace_id = w.id AND updated_at > w.since ORDER BY updated_at DESC LIMIT ${maxChanges}
        ) v) AS conversations,
       (SELECT json_agg(json_build_object(
          'workspace_id', w.id, 'id', e.subject_id, 'type', e.subject_type, 'mark', e.id, 'seq', e.seq))
        FROM unnest($ids::bigint[], $seqs::bigint[]) AS w(id, seq)
        CROSS JOIN LATERAL (
          SELECT id, seq, subject_type, subject_id FROM events
          WHERE workspace_id = w.id AND w.seq >= 0 AND seq > w.seq ORDER BY seq LIMIT ${maxChanges}
        ) e) AS events,
       (SELECT json_agg(json_build_object('workspace_id', o.workspace_id, 'id', o.id, 'mark', m.mark))
        FROM unnest($openWorkspaces::bigint[], $openIds::bigint[]) AS o(workspace_id, id)
        CROSS JOIN LATERAL (
          SELECT concat(max(n.id), ' ', max(n.updated_at)) AS mark
          FROM (SELECT id, updated_at FROM messages
                WHERE conversation_id = o.id AND (workspace_id = o.workspace_id) IS TRUE
                ORDER BY created_at DESC, id DESC LIMIT 30) n
        ) m) AS messages`,
    {
      ids: questions.map(({ workspaceId }) => workspaceId),
      since: questions.map(({ at }) => new Date(at.getTime() - overlapMs)),
      seqs: questions.map(({ seq }) => seq),
      openWorkspaces: open.map(({ workspaceId }) => workspaceId),
      openIds: open.map(({ conversationId }) => conversationId),
    },
  );
  const events = (row?.events ?? []).map((event) => ({
    workspaceId: event.workspace_id,
    type: event.type,
    id: event.id,
    mark: String(event.mark),
    seq: event.seq,
  }));
  const conversations = (row?.conversations ?? []).map(({ workspace_id: workspaceId, id, mark }) => ({
    workspaceId,
    type: 'conversation',
    id,
    mark,
    seq: 0,
  }));
  return {
    now: row?.now ?? new Date(),
    changes: [...conversations, ...events],
    messages: (row?.messages ?? []).map(({ workspace_id: workspaceId, id, mark }) => ({ workspaceId, id, mark })),
  };
}

/** Returns where a workspace stands now. */
export async function readPosition({ runtime, workspaceId }: WorkspaceCtx): Promise<LivePosition> {
  const row = await runtime.db.row<{ at: Date; seq: number | null }>(
    `SELECT clock_timestamp() AS at, (SELECT last_seq FROM event_counters WHERE workspace_id = $workspaceId) AS seq`,
    { workspaceId },
  );
  return { at: row?.at ?? new Date(), seq: row?.seq ?? 0 };
}
