import type { RuleRow } from '../../../../models';
import { maxRulesOfStart, type RuleState } from '../../../../models/ruleParts';
import type { Ctx } from '../../../core/context';
import { canonicalJson } from '../../../core/db/idempotency';
import { dbNow } from '../../../core/db/columnValues';
import { conflict, invalidField } from '../../../core/http/errors';
import type { InputOf } from '../../../core/http/fields';
import { recordEvent, type EventInput } from '../../../core/queue/events';
import { requireRecent } from '../../identity/apiKeys/authenticate';
import { recordSecurity } from '../../identity/securityLog/service';
import { refuseAboveCeiling } from '../../identity/workspaces/objectLimits';
import { lockWorkspace } from '../../identity/workspaces/service';
import { tellStopped } from '../../resources/rules/pausing';
import { countStarting, endWaits, findRule, lockRule, rules, type RuleRecord } from '../../resources/rules/rows';
import { requireActionScopes } from '../macroRuns/steps';
import { armWaits } from '../../resources/rules/waits';
import { checkRule, type CheckedRule, type RuleParts } from './checks';
import type { createRuleInput, updateRuleInput } from './schema';
import { reason } from '../../resources/reasons';

type NewRule = InputOf<typeof createRuleInput>;
type RulePatch = InputOf<typeof updateRuleInput>;

/** Returns the parts of a rule as a request names them, and as they are where it names none. */
export function partsOf(values: Omit<RulePatch, 'state'>, before?: RuleRow): RuleParts {
  return {
    starts: [...(values.on ?? before?.starts ?? [])],
    conditions: values.conditions ?? before?.conditions ?? { all: [], any: [] },
    wait: values.wait === undefined ? (before?.wait ?? null) : values.wait,
    unless: [...(values.unless ?? before?.unless ?? [])],
    macro_id: values.macro_id ?? before?.macro_id ?? null,
  };
}

/** Returns how often a rule repeats for one customer where nothing is said. */
export const repeatOf = (sends: boolean): RuleRow['repeat'] => (sends ? 'per_episode' : 'each');

/** Saves a rule, which acts in the name of who saves it. Throws 400, 403 and 409. */
export async function createRule(ctx: Ctx, values: NewRule): Promise<RuleRecord> {
  return ctx.runtime.db.transaction(async () => {
    await refuseAboveCeiling(ctx, 'rules', () => rules(ctx).count());
    const checked = await checkRule(ctx, partsOf(values));
    requireActionScopes(ctx, checked.actions, 'chat');
    const state = values.state ?? 'off';
    const autonomy = values.autonomy ?? 'autonomous';
    if (state === 'on') await refuseCrowd(ctx, checked.parts, null);
    const opens = state === 'on' && goesOut(checked, autonomy);
    if (opens) requireRecent(ctx.actor);
    const row = await ctx.runtime.db.models.Rule.create({
      ...checked.parts,
      workspace_id: ctx.workspaceId,
      name: values.name,
      description: values.description ?? '',
      state,
      repeat: values.repeat ?? repeatOf(checked.sends),
      after_rules: values.after_rules ?? false,
      autonomy,
      runs_as_id: ctx.actor.memberId,
      active_since: state === 'on' ? dbNow : null,
      attention: null,
      created_by_id: ctx.actor.memberId,
    });
    if (opens) await tellOpened(ctx, row);
    await announce(ctx, 'rule_created', row.id);
    return findRule(ctx, row.id);
  });
}

/** A rule after a change, and how many waits that has ended. */
interface ChangedRule {
  readonly rule: RuleRecord;
  readonly waitsEnded: number;
}

/**
 * Changes a rule. Another start, condition, wait, `unless` or macro ends what waits (r17), as switching it off does;
 * whoever saves more than name, description or a pause lends it their rights. Throws 400, 403, 404, 409 and 412.
 */
export async function updateRule(ctx: Ctx, id: number, values: RulePatch): Promise<ChangedRule> {
  return ctx.runtime.db.transaction(async () => {
    await lockWorkspace(ctx);
    const before = await lockRule(ctx, id);
    const state = values.state ?? before.state;
    if (state === 'paused' && before.state === 'off') throw invalidField('state', reason('onlyOnPaused'));
    const starts = state === 'on' && before.state !== 'on';
    const change = await changeOf(ctx, before, values, starts);
    const rebuilt = change !== null && canonicalJson(change.checked.parts) !== canonicalJson(partsOf({}, before));
    const isOff = state === 'off' && before.state !== 'off';
    const endsAll = isOff || rebuilt;
    const waitsEnded = endsAll ? await endWaits(ctx, [id], isOff ? 'rule_off' : 'rule_changed') : 0;
    await rules(ctx).update(
      {
        name: values.name,
        description: values.description,
        ...change?.columns,
        state,
        // Also of what starts at this moment by the rule as it was.
        ...(endsAll ? { version: before.version + 1 } : {}),
        ...sinceOf(before.state, state),
        ...(starts || isOff ? { attention: null } : {}),
        updated_at: dbNow,
      },
      { where: { id } },
    );
    if (starts && before.state === 'paused') await armWaits(ctx, [id]);
    if (change?.opens) await tellOpened(ctx, before);
    await announce(ctx, 'rule_updated', id, { state, waits_ended: waitsEnded });
    if (before.state === 'on' && state !== 'on') await tellStopped(ctx, [before], state);
    return { rule: await findRule(ctx, id), waitsEnded };
  });
}

interface Change {
  readonly checked: CheckedRule;
  readonly columns: Partial<RuleRow>;
  /** It sends by itself from now on, and did not before. */
  readonly opens: boolean;
}

/** Checks what a request changes of how a rule acts; null: no more than name, description or a pause. */
async function changeOf(ctx: Ctx, before: RuleRow, values: RulePatch, starts: boolean): Promise<Change | null> {
  const { repeat, after_rules, autonomy } = values;
  const parts = partsOf(values, before);
  const options = { repeat, after_rules, autonomy };
  const differs = (Object.keys(options) as (keyof typeof options)[]).some(
    (name) => options[name] !== undefined && options[name] !== before[name],
  );
  // What comes back as it was read changes nothing.
  const named = canonicalJson(parts) !== canonicalJson(partsOf({}, before));
  if (!starts && !differs && !named) return null;
  const checked = await checkRule(ctx, parts);
  // The operator lends no rights: it goes on in the name in which it was saved.
  const { memberId } = ctx.actor;
  if (memberId !== null) requireActionScopes(ctx, checked.actions, 'chat');
  else if (before.runs_as_id === null) throw conflict(reason('nobodyLends'));
  const state = starts ? 'on' : (values.state ?? before.state);
  if (starts && before.state === 'off') await refuseCrowd(ctx, checked.parts, before.id);
  else if (state !== 'off' && named) await refuseCrowd(ctx, checked.parts, before.id);
  const opens =
    state === 'on' &&
    goesOut(checked, autonomy ?? before.autonomy) &&
    (before.state !== 'on' || before.autonomy !== (autonomy ?? before.autonomy) || parts.macro_id !== before.macro_id);
  if (opens) requireRecent(ctx.actor);
  return {
    checked,
    opens,
    columns: {
      ...checked.parts,
      repeat,
      after_rules,
      autonomy,
      ...(memberId === null ? {} : { runs_as_id: memberId }),
    } as Partial<RuleRow>,
  };
}

const goesOut = ({ sends }: CheckedRule, autonomy: RuleRow['autonomy']): boolean => sends && autonomy === 'autonomous';

/** Returns since when a rule looks at what happens, as far as a change of its state moves it. */
function sinceOf(before: RuleState, state: RuleState): Partial<RuleRow> {
  if (state === 'off') return before === 'off' ? {} : { active_since: null };
  return before === 'off' ? { active_since: dbNow } : {};
}

/** Throws the 409 where one event would start more rules than it may. */
async function refuseCrowd(ctx: Ctx, { starts }: RuleParts, but: number | null): Promise<void> {
  for (const event of new Set(starts.map((start) => start.event)))
    if ((await countStarting(ctx, event, but)) >= maxRulesOfStart)
      throw conflict(reason('crowded', { event, max: maxRulesOfStart }));
}

/** Deletes a rule and ends what waits of it; its runs are kept. Throws 404 and 412. */
export async function deleteRule(ctx: Ctx, id: number): Promise<void> {
  await ctx.runtime.db.transaction(async () => {
    const before = await lockRule(ctx, id);
    await endWaits(ctx, [id], 'rule_off');
    await rules(ctx).destroy({ where: { id } });
    await announce(ctx, 'rule_deleted', id, { name: before.name });
    if (before.state === 'on') await tellStopped(ctx, [before], 'deleted');
  });
}

async function tellOpened(ctx: Ctx, { id, name }: Pick<RuleRow, 'id' | 'name'>): Promise<void> {
  await recordSecurity(ctx, { action: 'rules.opened', subjectId: id, given: { name } });
}

async function announce(
  ctx: Ctx,
  kind: 'rule_created' | 'rule_updated' | 'rule_deleted',
  id: number,
  data: Record<string, unknown> = {},
): Promise<void> {
  await recordEvent(ctx, { subjectType: 'rule', subjectId: id, kind, data } satisfies EventInput);
}
