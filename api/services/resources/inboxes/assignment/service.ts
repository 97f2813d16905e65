import { Transaction } from 'sequelize';
import type { AssignmentRound } from '../../../../../workflows/contract';
import { assignmentIntent } from '../../../../../workflows/starts';
import type { AssignmentMode } from '../../../../../models/enums';
import type { Ctx } from '../../../../core/context';
import { of } from '../../../../core/db/scoped';
import { invalidField } from '../../../../core/http/errors';
import { maxSweptRows, never, restartAll, type IsOver } from '../../../../core/queue/sweep';
import type { Runtime } from '../../../../core/runtime';
import { assignQueued, gatherAstray, queueOf, requeueAbandoned } from '../../conversations/queue';
import { seatsOf, setCapacities, takeTurns, type CapacityChange, type Seat } from '../memberCapacity';
import { getInbox, setAssignment } from '../service';
import { decide } from './decide';
import { reason } from '../../reasons';

/** How many waiting conversations the workflow shows to operators. */
const maxShown = 20;

const nothing: AssignmentRound = { assigned: 0, waiting: 0, first: [], why: null, more: false };

/** Finds members for those who wait in a team inbox, where it assigns by itself. */
export async function assignWaiting(ctx: Ctx, inboxId: number): Promise<AssignmentRound> {
  const inbox = await readInbox(ctx, inboxId);
  if (!inbox) return nothing;
  // Before the transaction, each by a statement of its own that locks rows in the order of their ids, as everywhere.
  const isMoreAstray = inbox.is_default && (await gatherAstray(ctx, inboxId));
  await requeueAbandoned(ctx, inboxId);
  const round = await ctx.runtime.db.transaction(() => decideLocked(ctx, inboxId));
  return { ...round, more: round.more || isMoreAstray };
}

/** Returns a team inbox that assigns by itself. */
async function readInbox(ctx: Ctx, inboxId: number, lock = false) {
  const inbox = await of(ctx, ctx.runtime.db.models.TeamInbox).findOne({
    where: { id: inboxId },
    lock: lock && Transaction.LOCK.NO_KEY_UPDATE,
    raw: true,
  });
  const mode = inbox?.assignment ?? 'manual';
  return inbox && mode !== 'manual' ? { is_default: inbox.is_default, mode } : null;
}

/**
 * Decides and writes with the inbox locked: two of these never decide about the same state. A change that a member
 * makes meanwhile wins; the next round takes it into account.
 */
async function decideLocked(ctx: Ctx, inboxId: number): Promise<AssignmentRound> {
  const inbox = await readInbox(ctx, inboxId, true);
  if (!inbox) return nothing;
  const seats = await seatsOf(ctx, inboxId);
  const { first: queue, count } = await queueOf(ctx, inboxId);
  const waiting = queue.map(({ id, assigned_member_id: memberId }) => ({ conversationId: id, memberId }));
  const { decisions, turns, why } = decide(inbox.mode, seats, waiting);
  const written = await assignQueued(ctx, inboxId, decisions);
  await takeTurns(ctx, inboxId, turns);

  const given = new Set(decisions.flatMap(({ conversationId, to }) => (to === null ? [] : [conversationId])));
  const left = waiting.filter(({ conversationId }) => !given.has(conversationId));
  return {
    assigned: given.size,
    waiting: count - given.size,
    first: left.slice(0, maxShown).map(({ conversationId }) => conversationId),
    why,
    more: (why === null && count > queue.length) || written < decisions.length,
  };
}

/** how a team inbox assigns, its members, and how many wait. */
export interface AssignmentState {
  readonly mode: AssignmentMode;
  readonly members: readonly Seat[];
  readonly waiting: number;
}

/** Returns how a team inbox assigns. Throws 404. */
export async function readAssignment(ctx: Ctx, inboxId: number): Promise<AssignmentState> {
  const { assignment: mode } = await getInbox(ctx, inboxId);
  const [members, { count: waiting }] = await Promise.all([seatsOf(ctx, inboxId), queueOf(ctx, inboxId)]);
  return { mode, members, waiting };
}

/** Changes how a team inbox assigns; members who are not named keep their capacity. Throws 400 and 404. */
export async function changeAssignment(
  ctx: Ctx,
  inboxId: number,
  changes: { readonly mode?: AssignmentMode | undefined; readonly capacities?: readonly CapacityChange[] | undefined },
): Promise<AssignmentState> {
  const { mode, capacities = [] } = changes;
  return ctx.runtime.db.transaction(async () => {
    const { member_ids: seated } = await getInbox(ctx, inboxId);
    const unseated = capacities.find(({ member_id }) => !seated.includes(member_id));
    if (unseated) throw invalidField('capacities', reason('notSeated', { id: unseated.member_id }));
    if (mode !== undefined) await setAssignment(ctx, inboxId, mode);
    await setCapacities(ctx, inboxId, capacities);
    return readAssignment(ctx, inboxId);
  });
}

/** Wakes the workflows of team inboxes where a conversation waits and a member is present; returns how many. */
export async function restartAssignments(runtime: Runtime, isOver: IsOver = never): Promise<number> {
  return restartAll(
    runtime,
    isOver,
    (after) =>
      runtime.db.rows<{ id: number; workspace_id: number }>(
        `SELECT i.id, i.workspace_id FROM team_inboxes i
         WHERE i.id > $after AND i.assignment <> 'manual'
           AND EXISTS (SELECT 1 FROM team_inbox_members s JOIN members m ON m.id = s.member_id
             WHERE s.team_inbox_id = i.id AND m.is_active AND NOT m.is_away)
           AND (EXISTS (SELECT 1 FROM conversations v WHERE v.assigned_team_inbox_id = i.id AND v.conv_status = 'open'
               AND v.queued_at IS NOT NULL)
             OR i.is_default AND EXISTS (SELECT 1 FROM conversations v WHERE v.workspace_id = i.workspace_id
               AND v.unanswered_since IS NOT NULL AND v.conv_status = 'open' AND v.assigned_team_inbox_id IS NULL
               AND v.assigned_member_id IS NULL))
         ORDER BY i.id LIMIT ${maxSweptRows}`,
        { after },
      ),
    (row) => assignmentIntent(row.workspace_id, row.id),
  );
}
