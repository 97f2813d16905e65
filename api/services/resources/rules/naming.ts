import type { RuleRow } from '../../../../models';
import type { RuleValue } from '../../../../models/ruleParts';
import type { Ctx } from '../../../core/context';
import { conflict } from '../../../core/http/errors';
import { boolean, described } from '../../../core/http/fields';
import { lockWorkspace } from '../../identity/workspaces/service';
import { waitsByHours } from './moments';
import { pauseRules } from './pausing';
import { rules } from './rows';
import { reason } from '../reasons';

/** Something that a rule can name. */
type Named =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'member' | 'inbox' | 'macro'; readonly id: number }
  /** A calendar: rules name none, but go by the hours of whichever a conversation has. */
  | { readonly kind: 'calendar' };

type Parts = Pick<RuleRow, 'starts' | 'conditions' | 'wait' | 'unless' | 'macro_id'>;

const fieldOf = { member: 'assigned_member', inbox: 'assigned_team_inbox' } as const;

/** Returns whether a rule goes by hours: it waits in them, or a condition asks for them. */
export function goesByHours({ wait, conditions }: Pick<Parts, 'wait' | 'conditions'>): boolean {
  return waitsByHours(wait) || [...conditions.all, ...conditions.any].some(({ field }) => field === 'hours');
}

const holds = (value: RuleValue | undefined, id: number): boolean =>
  Array.isArray(value) ? value.includes(id) : value === id;

/** Returns whether a rule names something. */
function names(rule: Parts, what: Named): boolean {
  if (what.kind === 'macro') return rule.macro_id === what.id;
  if (what.kind === 'calendar') return goesByHours(rule);
  const conditions = [...rule.conditions.all, ...rule.conditions.any];
  if (what.kind === 'field')
    return (
      conditions.some(({ field }) => field === `custom_field.${what.name}`) ||
      [...rule.starts, ...rule.unless].some(({ changed }) => changed === `custom_fields.${what.name}`)
    );
  const field = fieldOf[what.kind];
  return (
    conditions.some((condition) => condition.field === field && holds(condition.value, what.id)) ||
    rule.starts.some((start) => start.changed === field && holds(start.to, what.id))
  );
}

/** The field of a request that deletes what rules may name. */
export const pauseRulesField = {
  pause_rules: described(boolean(), 'true: rules that name it are paused; without it they forbid this.'),
};

/** The 409 of what rules name, as the API's description tells it. */
export const namedByRules = {
  when: 'Rules name it, and `pause_rules` is not true.',
  example: 'Rules name it: "Still there?" (7). Change them, or send pause_rules=true to pause them.',
};

/**
 * Throws the 409 that lists the rules which name something that is about to go, or pauses them where that is asked for
 * (contract 21), in the surrounding transaction.
 */
export async function releaseFromRules(ctx: Ctx, what: Named, pauseThem: boolean): Promise<void> {
  // No rule that names it is saved meanwhile.
  await lockWorkspace(ctx);
  const all = await rules(ctx).findAll({
    attributes: ['id', 'name', 'starts', 'conditions', 'wait', 'unless', 'macro_id'],
    order: ['id'],
    raw: true,
  });
  const naming = all.filter((rule) => names(rule, what));
  if (naming.length === 0) return;
  const listed = naming.map(({ id, name }) => `"${name}" (${id})`).join(', ');
  if (!pauseThem) throw conflict(reason('rulesName', { rules: listed }));
  const ids = naming.map(({ id }) => id);
  await pauseRules(ctx, ids, { reason: 'reference_gone', detail: what.kind });
}
