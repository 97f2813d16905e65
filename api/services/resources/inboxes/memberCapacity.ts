import type { Ctx } from '../../../core/context';

/** A member of a team inbox with what they have and may have. */
export interface Seat {
  readonly memberId: number;
  /** Open conversations of the inbox that they are given at most; null: as many as come. */
  readonly capacity: number | null;
  /** Active and not away. */
  readonly isPresent: boolean;
  /** Open conversations of the inbox that they have, without those about which is still to be decided. */
  readonly open: number;
  /** Grows with each conversation that they are given. */
  readonly turn: number;
}

/** What a member of a team inbox is given at most; null: as many as come. */
export interface CapacityChange {
  readonly member_id: number;
  readonly capacity: number | null;
}

/** Returns who sits in a team inbox of the workspace, by id. */
export async function seatsOf(ctx: Ctx, inboxId: number): Promise<Seat[]> {
  return ctx.runtime.db.rows<Seat>(
    `SELECT s.member_id AS "memberId", s.capacity, s.turn, m.is_active AND NOT m.is_away AS "isPresent",
       coalesce(o.open, 0)::int AS open
     FROM team_inbox_members s
       JOIN members m ON m.id = s.member_id AND m.workspace_id = $workspaceId
       LEFT JOIN (
         SELECT assigned_member_id, count(*) AS open FROM conversations
         WHERE assigned_team_inbox_id = $inboxId AND conv_status = 'open' AND queued_at IS NULL
         GROUP BY assigned_member_id) o ON o.assigned_member_id = s.member_id
     WHERE s.team_inbox_id = $inboxId
     ORDER BY s.member_id`,
    { workspaceId: ctx.workspaceId, inboxId },
  );
}

/** SQL: whether team inbox `i` assigns by itself and has a present member with room (as `seatsOf` counts). */
export const hasRoomSql = `i.assignment <> 'manual' AND EXISTS (
  SELECT 1 FROM team_inbox_members s JOIN members m ON m.id = s.member_id AND m.is_active AND NOT m.is_away
  WHERE s.team_inbox_id = i.id AND (s.capacity IS NULL OR s.capacity > (
    SELECT count(*) FROM conversations o
    WHERE o.assigned_team_inbox_id = i.id AND o.assigned_member_id = s.member_id AND o.conv_status = 'open'
      AND o.queued_at IS NULL)))`;

/** Notes the turns of members who were given something. */
export async function takeTurns(ctx: Ctx, inboxId: number, turns: ReadonlyMap<number, number>): Promise<void> {
  if (turns.size === 0) return;
  await ctx.runtime.db.rows(
    `UPDATE team_inbox_members s SET turn = t.turn
     FROM unnest($memberIds::bigint[], $turns::bigint[]) AS t(member_id, turn)
     WHERE s.team_inbox_id = $inboxId AND s.member_id = t.member_id`,
    { inboxId, memberIds: [...turns.keys()], turns: [...turns.values()] },
  );
}

/** Gives members of a team inbox that the caller has found their capacities; those who are not named keep theirs. */
export async function setCapacities(ctx: Ctx, inboxId: number, capacities: readonly CapacityChange[]): Promise<void> {
  if (capacities.length === 0) return;
  // Of a member who is named twice the last word counts.
  const byMember = new Map(capacities.map(({ member_id: memberId, capacity }) => [memberId, capacity]));
  await ctx.runtime.db.rows(
    `UPDATE team_inbox_members s SET capacity = c.capacity
     FROM unnest($memberIds::bigint[], $capacities::int[]) AS c(member_id, capacity)
     WHERE s.team_inbox_id = $inboxId AND s.member_id = c.member_id`,
    {
      inboxId,
      memberIds: [...byMember.keys()],
      capacities: [...byMember.values()],
    },
  );
}
