import type { Ctx } from '../../../core/context';
import { ofWorkspace } from '../../../core/db/database';

/** Numbers of a broadcast; `audience` is the sum of pending, sent, failed, skipped and unknown (contract 9). */
export interface BroadcastStats {
  readonly audience: number;
  readonly pending: number;
  readonly sent: number;
  readonly held: number;
  readonly delivered: number;
  readonly read: number;
  readonly failed: number;
  readonly skipped: number;
  readonly unknown: number;
  readonly skipped_by_reason: Readonly<Record<string, number>>;
  readonly failed_by_code: Readonly<Record<string, number>>;
}

interface Group {
  readonly broadcast_id: number;
  readonly state: string;
  readonly message_status: string;
  readonly reason: string;
  readonly error_code: number | null;
  readonly count: number;
}

/**
 * Returns the numbers of broadcasts, live and exact: the sum of their entries in the ledger that triggers write with
 * every change of a recipient (SQL: one set-based sum for a whole list). Costs the same however many recipients there
 * are.
 */
export async function readStats(
  ctx: Pick<Ctx, 'runtime' | 'workspaceId'>,
  ids: readonly number[],
): Promise<Map<number, BroadcastStats>> {
  const groups =
    ids.length === 0
      ? []
      : await ctx.runtime.db.rows<Group>(
          `SELECT broadcast_id, state, message_status, reason, error_code, sum(count)::int AS count
           FROM broadcast_numbers WHERE broadcast_id = ANY($ids::bigint[]) AND ${ofWorkspace('workspace_id')}
           GROUP BY broadcast_id, state, message_status, reason, error_code HAVING sum(count) <> 0`,
          { workspaceId: ctx.workspaceId, ids },
        );
  return new Map(ids.map((id) => [id, sumUp(groups.filter((group) => group.broadcast_id === id))]));
}

/** Folds the ledger of a broadcast whose run has ended: from now on few entries come, and looks shall find few. */
export async function foldStats(ctx: Pick<Ctx, 'runtime'>, id: number): Promise<void> {
  await ctx.runtime.db.rows('SELECT fold_broadcast_numbers($id::bigint)', { id });
}

function sumUp(groups: readonly Group[]): BroadcastStats {
  const sum = (fits: (group: Group) => boolean): number =>
    groups.filter(fits).reduce((total, { count }) => total + count, 0);
  const by = (state: string, key: (group: Group) => string): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const group of groups) if (group.state === state) counts[key(group)] = (counts[key(group)] ?? 0) + group.count;
    return counts;
  };
  const state = (name: string): number => sum((group) => group.state === name);
  return {
    audience: sum(() => true),
    pending: state('pending'),
    sent: state('sent'),
    held: sum(({ message_status: status }) => status === 'held'),
    delivered: sum(({ message_status: status }) => ['delivered', 'read', 'played'].includes(status)),
    read: sum(({ message_status: status }) => status === 'read' || status === 'played'),
    failed: state('failed'),
    skipped: state('skipped'),
    unknown: state('unknown'),
    skipped_by_reason: by('skipped', ({ reason }) => reason),
    failed_by_code: by('failed', ({ error_code: code }) => (code === null ? 'none' : String(code))),
  };
}
