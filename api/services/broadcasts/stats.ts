import type { Db } from '../../core/db';
import type { BroadcastStats } from './serializer';

interface Group {
  readonly broadcast_id: number;
  readonly state: string;
  readonly message_status: string;
  readonly reason: string;
  readonly error_code: number | null;
  readonly count: number;
}

/** The numbers of broadcasts, live: one grouped look at their recipients, so that the sums always add up. */
export async function readStats(db: Db, ids: readonly number[]): Promise<Map<number, BroadcastStats>> {
  const groups =
    ids.length === 0
      ? []
      : await db.rows<Group>(
          `SELECT broadcast_id, state, message_status, reason, error_code, count(*)::int AS count FROM broadcast_recipients
           WHERE broadcast_id = ANY($ids::int[]) GROUP BY broadcast_id, state, message_status, reason, error_code`,
          { ids },
        );
  return new Map(ids.map((id) => [id, sumUp(groups.filter((group) => group.broadcast_id === id))]));
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
    delivered: sum(({ message_status: status }) => ['delivered', 'read', 'played'].includes(status)),
    read: sum(({ message_status: status }) => status === 'read' || status === 'played'),
    failed: state('failed'),
    skipped: state('skipped'),
    unknown: state('unknown'),
    skipped_by_reason: by('skipped', ({ reason }) => reason),
    failed_by_code: by('failed', ({ error_code: code }) => (code === null ? 'none' : String(code))),
  };
}
