import type { RuleRow } from '../../../../models';
import { memberScopes, type Scope } from '../../../core/http/access';
import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { pauseRules } from './pausing';
import { rules } from './rows';

/**
 * Pauses the rules of a macro that are on and whose member may not do all that it needs, in the surrounding
 * transaction; returns those that go on.
 */
export async function pauseBeyondRights(ctx: Ctx, macroId: number, needed: readonly Scope[]): Promise<RuleRow[]> {
  const on = await rules(ctx).findAll({ where: { macro_id: macroId, state: 'on' }, order: ['id'], raw: true });
  const lenders = await of(ctx, ctx.runtime.db.models.Member).findAll({
    attributes: ['id', 'role', 'permissions', 'is_active'],
    where: { id: [...new Set(on.map(({ runs_as_id: id }) => id ?? 0))] },
    raw: true,
  });
  const held = new Map(
    lenders.map((row) => [row.id, new Set(row.is_active ? memberScopes(row.role, row.permissions) : [])]),
  );
  const lacking = (rule: RuleRow): Scope | undefined =>
    needed.find((scope) => !held.get(rule.runs_as_id ?? 0)?.has(scope));
  for (const scope of new Set(on.map(lacking)))
    if (scope !== undefined)
      await pauseRules(
        ctx,
        on.filter((rule) => lacking(rule) === scope).map(({ id }) => id),
        {
          reason: 'missing_scope',
          detail: scope,
        },
      );
  return on.filter((rule) => lacking(rule) === undefined);
}
