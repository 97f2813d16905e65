import { literal } from 'sequelize';
import type { RuleRow } from '../../../../models';
import type { RuleAttention } from '../../../../models/ruleParts';
import type { Ctx } from '../../../core/context';
import { dbNow } from '../../../core/db/columnValues';
import { recordEvents } from '../../../core/queue/events';
import { recordSecurity } from '../../identity/securityLog/service';
import { noticeRules } from '../notices/rows';
import { ruleLock, rules } from './rows';

/** Why rules are paused by the service itself, and what it is about. */
type Reason = Pick<RuleAttention, 'reason' | 'detail'>;

/**
 * Pauses rules by the service's own decision, in the surrounding transaction: their waits run on, nothing of them is
 * applied, and those who may manage rules are told. One that is off stays off and says why it should be looked at.
 * Returns the rules that were on.
 */
export async function pauseRules(ctx: Ctx, ids: readonly number[], { reason, detail }: Reason): Promise<RuleRow[]> {
  if (ids.length === 0) return [];
  const since = ctx.runtime.clock.now().toISOString();
  const attention: RuleAttention = { reason, since, ...(detail === undefined ? {} : { detail }) };
  const where = { id: [...ids] };
  const before = await rules(ctx).findAll({ where, order: ['id'], lock: ruleLock, raw: true });
  const stopped = before.filter(({ state }) => state === 'on');
  await rules(ctx).update(
    { attention, state: literal(`CASE state WHEN 'on' THEN 'paused' ELSE state END`), updated_at: dbNow } as never,
    { where },
  );
  await tellStopped(ctx, stopped, reason);
  for (const { id } of stopped)
    await recordSecurity(ctx, { action: 'rules.paused', subjectId: id, given: { why: reason, detail } });
  await noticeRules(
    ctx,
    before.map(({ id }) => id),
  );
  return stopped;
}

/**
 * Notes on a rule how many of its waits came too late to send (r7), in the surrounding transaction; those who may
 * manage rules are told of the first. What else asks for them stands before it.
 */
export async function noteLate(ctx: Ctx, id: number): Promise<void> {
  // SQL: counted in place.
  const row = await ctx.runtime.db.row<{ count: number }>(
    `UPDATE rules SET attention = jsonb_build_object('reason', 'late', 'since', coalesce(attention->>'since', $since),
       'detail', coalesce((attention->>'detail')::int, 0) + 1)
     WHERE workspace_id = $workspaceId AND id = $id AND (attention IS NULL OR attention->>'reason' = 'late')
     RETURNING (attention->>'detail')::int AS count`,
    { workspaceId: ctx.workspaceId, id, since: ctx.runtime.clock.now().toISOString() },
  );
  if (row?.count === 1) await noticeRules(ctx, [id]);
}

/** Records that rules which were on act no more, for subscribers, too. */
export async function tellStopped(
  ctx: Ctx,
  stopped: readonly Pick<RuleRow, 'id' | 'name'>[],
  why: string,
): Promise<void> {
  await recordEvents(
    ctx,
    stopped.map(({ id, name }) => ({ subjectType: 'rule', subjectId: id, kind: 'rule_stopped', data: { name, why } })),
  );
}
