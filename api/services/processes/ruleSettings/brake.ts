import type { Ctx } from '../../../core/context';
import { recordEvent } from '../../../core/queue/events';
import type { RuleBrake } from '../../../../models/ruleParts';
import { getWorkspace, setRuleBrake } from '../../identity/workspaces/service';
import { tellStopped } from '../../resources/rules/pausing';
import { rules } from '../../resources/rules/rows';
import { armWaits } from '../../resources/rules/waits';

/** The brake of a workspace as it is shown. */
interface BrakeView {
  readonly on: boolean;
  readonly reason: string;
  readonly since: string | null;
  readonly member_id: number | null;
}

/** Returns whether the rules of the workspace stand still, since when and why. */
export async function readBrake(ctx: Pick<Ctx, 'runtime' | 'workspaceId'>): Promise<BrakeView> {
  return viewOf((await getWorkspace(ctx)).rule_brake);
}

/**
 * Stops all rules of the workspace at once, whatever state they are in, or lets them go on: while the brake is on
 * nothing starts or is applied, and waits run on. A brake that is on already keeps its time, and gets the new reason.
 */
export async function setBrake(ctx: Ctx, on: boolean, reason: string): Promise<BrakeView> {
  return ctx.runtime.db.transaction(async () => {
    const { rule_brake: before } = await getWorkspace(ctx);
    const since = before?.since ?? ctx.runtime.clock.now().toISOString();
    const brake: RuleBrake | null = on ? { since, reason, member_id: ctx.actor.memberId } : null;
    await setRuleBrake(ctx, brake);
    if (on !== (before !== null)) {
      const workspace = { subjectType: 'workspace', subjectId: ctx.workspaceId } as const;
      await recordEvent(ctx, { ...workspace, kind: on ? 'rules_braked' : 'rules_released', data: { reason } });
      if (!on) await armWaits(ctx, null);
      else {
        const stopped = await rules(ctx).findAll({ attributes: ['id', 'name'], where: { state: 'on' }, raw: true });
        await tellStopped(ctx, stopped, 'brake');
      }
    }
    return viewOf(brake);
  });
}

function viewOf(brake: RuleBrake | null): BrakeView {
  return brake
    ? { on: true, reason: brake.reason, since: brake.since, member_id: brake.member_id }
    : { on: false, reason: '', since: null, member_id: null };
}
