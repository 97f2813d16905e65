import { literal } from 'sequelize';
import type { RuleRow } from '../../../../models';
import type { RuleAttention } from '../../../../models/ruleParts';
import type { Ctx } from '../../../core/context';
import { dbNow } from '../../../core/db/stored';
import { recordEvents } from '../../../core/queue/events';
import { recordSecurity } from '../../identity/securityLog/service';
import { noticeRules } from '../notices/rows';
import { rules } from './rows';

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
  const before = await rules(ctx).findAll({ where, order: ['id'], lock: true, raw: true });
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
