import type { RuleRow } from '../../../../models';
import { memberScopes, type Scope } from '../../../core/http/access';
import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { pauseRules } from './pausing';
import { rules } from './rows';

/** Returns the rules that are on of a macro, or that act in a member's name. */
export async function rulesThatAreOn(
  ctx: Ctx,
  where: { readonly macro_id: number } | { readonly runs_as_id: number },
): Promise<RuleRow[]> {
  return rules(ctx).findAll({ where: { ...where, state: 'on' }, order: ['id'], raw: true });
}

/**
 * Pauses rules whose member has left, or may not do all that they need, in the surrounding transaction (contract 21);
 * returns those.
 */
export async function pauseWithoutRights(
  ctx: Ctx,
  on: readonly RuleRow[],
  neededBy: (rule: RuleRow) => readonly Scope[],
): Promise<RuleRow[]> {
  const lenders = await of(ctx, ctx.runtime.db.models.Member).findAll({
    attributes: ['id', 'role', 'permissions'],
    where: { id: [...new Set(on.map(({ runs_as_id: id }) => id ?? 0))], is_active: true },
    raw: true,
  });
  const heldBy = new Map(lenders.map((row) => [row.id, new Set(memberScopes(row.role, row.permissions))]));
  const paused: RuleRow[] = [];
  for (const rule of on) {
    const held = heldBy.get(rule.runs_as_id ?? 0);
    const detail = neededBy(rule).find((scope) => !held?.has(scope));
    if (!held) paused.push(...(await pauseRules(ctx, [rule.id], { reason: 'owner_gone' })));
    else if (detail !== undefined)
      paused.push(...(await pauseRules(ctx, [rule.id], { reason: 'missing_scope', detail })));
  }
  return paused;
}
