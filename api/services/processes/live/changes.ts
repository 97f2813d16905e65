import type { Runtime } from '../../../core/runtime';
import { isPresentSql } from '../../resources/presence/service';

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
  /** Which transactions had ended by then, in PostgreSQL's words (`pg_snapshot`). */
  readonly snapshot: string;
}

/** Whose changes are asked for. */
interface LiveQuestion extends LivePosition {
  readonly workspaceId: number;
}

/** Something that changed. */
export interface LiveChange {
  readonly workspaceId: number;
  readonly type: string;
  readonly id: number;
  /** Of what comes again within the overlap: another one when it changes again. Null: each comes once. */
  readonly mark: string | null;
}

/** A member whose pages listen. */
interface Listener {
  readonly workspaceId: number;
  readonly memberId: number;
}

interface LiveChanges {
  readonly now: LivePosition;
  readonly changes: readonly LiveChange[];
  /** Who is in which conversation, in a few letters. */
  readonly presence: readonly { readonly workspaceId: number; readonly id: number; readonly mark: string }[];
  /** What each member who listens was told of and has not read: another mark when it changes, and when it came. */
  readonly notices: readonly { readonly memberId: number; readonly mark: string; readonly at: Date }[];
  /** State of the newest messages of the conversations that are open somewhere, and when it became that. */
  readonly messages: readonly {
    readonly workspaceId: number;
    readonly id: number;
    readonly mark: string;
    readonly at: Date;
  }[];
}

/** As of it nothing had ended. */
const noSnapshot = '1:1:';

type Row = Readonly<Record<'workspace_id' | 'id', number>> & { readonly mark: string };

/**
 * Returns what changed in several workspaces, in one statement for all members who look on: conversations by the time
 * of their change, notes by theirs, everything else by the events whose transaction had not ended when the snapshot
 * was taken; who is in which conversation; the newest notices and concerns of the members who listen; and for the
 * conversations in `open` what their newest messages look like, because statuses of messages record no event.
 * Crosses workspaces on purpose; each row names its own.
 */
export async function readChanges(
  runtime: Runtime,
  questions: readonly LiveQuestion[],
  open: readonly { readonly workspaceId: number; readonly conversationId: number }[],
  listeners: readonly Listener[] = [],
): Promise<LiveChanges> {
  const row = await runtime.db.row<{
    now: Date;
    snapshot: string;
    conversations: Row[] | null;
    events: (Omit<Row, 'mark'> & { type: string })[] | null;
    notes: Row[] | null;
    notices: { member_id: number; mark: string; at: string }[] | null;
    presence: Row[] | null;
    messages: (Row & { at: string | null })[] | null;
  }>(
    `SELECT clock_timestamp() AS now, pg_current_snapshot()::text AS snapshot,
       (SELECT json_agg(json_build_object('workspace_id', w.id, 'id', v.id, 'mark', v.updated_at))
        FROM unnest($ids::bigint[], $since::timestamptz[]) AS w(id, since)
        CROSS JOIN LATERAL (
          SELECT id, updated_at FROM conversations
          WHERE workspace_id = w.id AND updated_at > w.since ORDER BY updated_at DESC LIMIT ${maxChanges}
        ) v) AS conversations,
       (SELECT json_agg(json_build_object(
          'workspace_id', w.id, 'id', e.subject_id, 'type', e.subject_type))
        FROM unnest($ids::bigint[], $snapshots::pg_snapshot[]) AS w(id, seen)
        CROSS JOIN LATERAL (
          SELECT CASE WHEN kind LIKE 'approval\\_%' THEN 'approvals' ELSE subject_type END AS subject_type, subject_id
          FROM events
          WHERE workspace_id = w.id AND transaction_id >= pg_snapshot_xmin(w.seen)::text::bigint
            -- A dump that was restored brings transactions along that this server has not had.
            AND transaction_id < pg_snapshot_xmax(pg_current_snapshot())::text::bigint
            AND NOT pg_visible_in_snapshot(transaction_id::text::xid8, w.seen)
          ORDER BY transaction_id LIMIT ${maxChanges}
        ) e) AS events,
       (SELECT json_agg(json_build_object('workspace_id', w.id, 'id', n.conversation_id, 'mark', n.mark))
        FROM unnest($ids::bigint[], $since::timestamptz[]) AS w(id, since)
        CROSS JOIN LATERAL (
          SELECT k.conversation_id, max(k.id)::text AS mark
          FROM (SELECT id, conversation_id FROM conversation_notes
                WHERE workspace_id = w.id AND created_at > w.since ORDER BY created_at DESC LIMIT ${maxChanges}) k
          GROUP BY k.conversation_id
        ) n) AS notes,
       (SELECT json_agg(json_build_object('member_id', o.id, 'mark', n.mark, 'at', n.at))
        FROM unnest($listenerWorkspaces::bigint[], $listenerIds::bigint[]) AS o(workspace_id, id)
        CROSS JOIN LATERAL (
          -- The sum, because one with a lower id may be committed later.
          SELECT concat(max(t.id), ' ', sum(t.id)) AS mark, max(t.created_at) AS at
          FROM ((SELECT id, created_at FROM notices
                WHERE member_id = o.id AND workspace_id = o.workspace_id ORDER BY id DESC LIMIT 30)
            UNION ALL (SELECT id, created_at FROM concerns
                WHERE member_id = o.id AND workspace_id = o.workspace_id AND read_at IS NULL
                ORDER BY created_at DESC, id DESC LIMIT 30)) t
        ) n WHERE n.at IS NOT NULL) AS notices,
       (SELECT json_agg(json_build_object('workspace_id', p.workspace_id, 'id', p.conversation_id, 'mark', p.mark))
        FROM (SELECT workspace_id, conversation_id,
                string_agg(member_id || ' ' || state, ',' ORDER BY member_id) AS mark
              FROM presence p WHERE workspace_id = ANY($ids::bigint[]) AND ${isPresentSql('p')}
              GROUP BY workspace_id, conversation_id) p) AS presence,
       (SELECT json_agg(json_build_object('workspace_id', o.workspace_id, 'id', o.id, 'mark', m.mark, 'at', m.at))
        FROM unnest($openWorkspaces::bigint[], $openIds::bigint[]) AS o(workspace_id, id)
        CROSS JOIN LATERAL (
          -- The sum, because a change that began earlier may be committed later.
          SELECT concat(max(n.id), ' ', sum(extract(epoch FROM n.updated_at))) AS mark, max(n.updated_at) AS at
          FROM (SELECT id, updated_at FROM messages
                WHERE conversation_id = o.id AND (workspace_id = o.workspace_id) IS TRUE
                ORDER BY created_at DESC, id DESC LIMIT 30) n
        ) m) AS messages`,
    {
      ids: questions.map(({ workspaceId }) => workspaceId),
      since: questions.map(({ at }) => new Date(at.getTime() - overlapMs)),
      snapshots: questions.map(({ snapshot }) => snapshot),
      openWorkspaces: open.map(({ workspaceId }) => workspaceId),
      openIds: open.map(({ conversationId }) => conversationId),
      listenerWorkspaces: listeners.map(({ workspaceId }) => workspaceId),
      listenerIds: listeners.map(({ memberId }) => memberId),
    },
  );
  const events = (row?.events ?? []).map((event) => ({
    workspaceId: event.workspace_id,
    type: event.type,
    id: event.id,
    mark: null,
  }));
  const conversations = (row?.conversations ?? []).map(({ workspace_id: workspaceId, id, mark }) => ({
    workspaceId,
    type: 'conversation',
    id,
    mark,
  }));
  const notes = marksOf(row?.notes).map((note) => ({ ...note, type: 'note' }));
  return {
    now: { at: row?.now ?? new Date(), snapshot: row?.snapshot ?? noSnapshot },
    changes: [...conversations, ...events, ...notes],
    presence: marksOf(row?.presence),
    notices: (row?.notices ?? []).map(({ member_id: memberId, mark, at }) => ({ memberId, mark, at: new Date(at) })),
    messages: (row?.messages ?? []).map(({ workspace_id: workspaceId, id, mark, at }) => ({
      ...{ workspaceId, id, mark },
      at: new Date(at ?? 0),
    })),
  };
}

const marksOf = (rows: readonly Row[] | null | undefined): LiveChanges['presence'] =>
  (rows ?? []).map(({ workspace_id: workspaceId, id, mark }) => ({ workspaceId, id, mark }));

/** Returns how far everything is now. */
export async function readPosition(runtime: Runtime): Promise<LivePosition> {
  const row = await runtime.db.row<LivePosition>(
    'SELECT clock_timestamp() AS at, pg_current_snapshot()::text AS snapshot',
  );
  return row ?? { at: new Date(), snapshot: noSnapshot };
}

/** The number of the oldest transaction that had not ended: of a snapshot, all that a browser has to remember. */
export const oldestOpen = ({ snapshot }: LivePosition): string => snapshot.split(':', 1)[0] ?? '';

/** Returns a snapshot as of which no transaction had ended from this one on: all after it is told, some of it again. */
export const snapshotFrom = (oldest: string): string => `${oldest}:${oldest}:`;
