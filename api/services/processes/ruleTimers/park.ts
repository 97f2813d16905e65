import type { RuleRunRow } from '../../../../models';
import { rehearsed } from '../../../core/autonomy';
import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { AppError } from '../../../core/http/errors';
import { reaches } from '../../../core/frozenSends';
import { parkCall } from '../approvals/service';
import { performActions } from '../macroRuns/steps';
import type { Act } from '../ruleRuns/judge';

/**
 * Parks what a rule below autonomous would do, where that reaches a customer: with its texts as they are now, for a
 * member to decide. Returns `free` where it need not be parked, and `full` where members have as many to decide as they
 * can be expected to read.
 */
export async function park(
  ctx: Ctx,
  run: RuleRunRow,
  { rule, macro, actions, ctx: acting }: Act,
): Promise<'parked' | 'free' | 'full'> {
  const { autonomy } = rule;
  if (autonomy === 'autonomous') return 'free';
  const target = { conversationId: run.conversation_id, ticketId: null };
  const frozen = await rehearsed(acting, (rehearsing) =>
    performActions(rehearsing, { actions, target, dedupePrefix: `rehearsal/rule-run/${run.id}` }),
  );
  if (!frozen.some(reaches)) return 'free';
  const id = await parkCall(
    acting,
    { kind: 'rule', id: rule.id, name: rule.name },
    autonomy,
    'run_macro',
    { kind: 'macro', input: { id: macro.id, chat_id: run.conversation_id, rule_run_id: run.id } },
    { sends: true, frozen, macro: { name: macro.name, steps: actions } },
  ).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'conflict') return null;
    throw error;
  });
  if (id === null) return 'full';
  await of(ctx, ctx.runtime.db.models.RuleRun).update({ state: 'parked', look_at: null }, { where: { id: run.id } });
  return 'parked';
}
