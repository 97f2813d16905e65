import type { RuleRow } from '../../../../models';
import type { Scope } from '../../../core/http/access';
import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { Fault } from '../../../core/http/fields';
import { parseActions, scopeOf } from '../../resources/macros/actions';
import { pauseWithoutRights } from '../../resources/rules/rights';

/** Pauses rules whose member has changed and may not do all of their macros any more; returns those. */
export async function pauseLent(ctx: Ctx, lent: readonly RuleRow[]): Promise<RuleRow[]> {
  if (lent.length === 0) return [];
  const macros = await of(ctx, ctx.runtime.db.models.Macro).findAll({
    attributes: ['id', 'actions'],
    where: { id: [...new Set(lent.map(({ macro_id: id }) => id ?? 0))] },
    raw: true,
  });
  const needed = new Map(macros.map(({ id, actions }) => [id, scopesOf(actions)]));
  return pauseWithoutRights(ctx, lent, (rule) => needed.get(rule.macro_id ?? 0) ?? []);
}

function scopesOf(raw: unknown): Scope[] {
  const actions = parseActions(raw);
  return actions instanceof Fault ? [] : [...new Set(actions.map(({ type }) => scopeOf(type, 'chat')))];
}
