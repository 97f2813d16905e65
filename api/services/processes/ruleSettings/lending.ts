import type { RuleRow } from '../../../../models';
import type { Scope } from '../../../core/http/access';
import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { Fault } from '../../../core/http/fields';
import { parseActions, scopeOf } from '../../resources/macros/actions';
import { pauseRules } from '../../resources/rules/pausing';
import { rules } from '../../resources/rules/rows';

/** Returns the rules that are on and act in a member's name. */
export async function rulesLentBy(ctx: Ctx, memberId: number): Promise<RuleRow[]> {
  return rules(ctx).findAll({ where: { runs_as_id: memberId, state: 'on' }, order: ['id'], raw: true });
}

/**
 * Pauses rules whose member has left (`held` is null) or may not do all of them any more, in the surrounding
 * transaction; returns those.
 */
export async function pauseWithoutRights(
  ctx: Ctx,
  lent: readonly RuleRow[],
  held: ReadonlySet<Scope> | null,
): Promise<RuleRow[]> {
  if (lent.length === 0) return [];
  if (held === null) {
    const ids = lent.map(({ id }) => id);
    return pauseRules(ctx, ids, { reason: 'owner_gone' });
  }
  const macros = await of(ctx, ctx.runtime.db.models.Macro).findAll({
    attributes: ['id', 'actions'],
    where: { id: [...new Set(lent.map(({ macro_id: id }) => id ?? 0))] },
    raw: true,
  });
  const needed = new Map(macros.map(({ id, actions }) => [id, scopesOf(actions)]));
  const paused: RuleRow[] = [];
  for (const rule of lent) {
    const detail = needed.get(rule.macro_id ?? 0)?.find((scope) => !held.has(scope));
    if (detail !== undefined) paused.push(...(await pauseRules(ctx, [rule.id], { reason: 'missing_scope', detail })));
  }
  return paused;
}

function scopesOf(raw: unknown): Scope[] {
  const actions = parseActions(raw);
  return actions instanceof Fault ? [] : [...new Set(actions.map(({ type }) => scopeOf(type, 'chat')))];
}
