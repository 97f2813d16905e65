import {
  type RuleCondition,
  type RuleStart,
  type RuleUnless,
  type RuleWait,
  attentionReasons,
  ruleRepeats,
  ruleRunStates,
  ruleStarts,
  ruleStates,
} from '../../../../models/ruleParts';
import { autonomyLevels } from '../../../core/http/access';
import { from, shapeOf, wire, type Wire } from '../../../core/http/shapes';
import { userFromJson, type UserJson } from '../../identity/members/userColumns';
import { userBriefShape, userObjectBrief } from '../../identity/members/userObject';
import type { RuleRecord } from '../../resources/rules/rows';
import type { RuleRunView } from './runs';

const conditionShape: Wire<RuleCondition> = wire.open(
  'RuleCondition',
  { field: wire.text(), op: wire.text(), value: wire.any('Absent for `set` and `not_set`.') },
  ['field', 'op'],
);
const startShape: Wire<RuleStart> = wire.open(
  'RuleStart',
  { event: wire.oneOf(ruleStarts), changed: wire.text(), to: wire.any('The value that it has then.') },
  ['event'],
);
const unlessShape: Wire<RuleUnless> = wire.open('RuleUnless', { event: wire.text(), changed: wire.text() }, ['event']);
const waitShape: Wire<RuleWait> = wire.open('RuleWait', {
  minutes: wire.integer(),
  by: wire.oneOf(['clock', 'hours']),
  until: wire.oneOf(['opening']),
  plus_minutes: wire.integer(),
  before: wire.oneOf(['window_end']),
});
const brief = (user: UserJson | null) => (user === null ? null : userObjectBrief(userFromJson(user)));

/** A rule (contract 21). */
export const { schema: ruleShape, serialize: serializeRule } = shapeOf<RuleRecord>('Rule').with({
  id: wire.integer(),
  name: wire.text(),
  description: wire.text(),
  state: wire.oneOf(ruleStates),
  on: from(wire.list(startShape), ({ starts }) => starts),
  conditions: from(
    wire.named('RuleConditions', { all: wire.list(conditionShape), any: wire.list(conditionShape) }),
    (row) => row.conditions as never,
  ),
  wait: from(wire.nullable(waitShape), ({ wait }) => wait),
  unless: from(wire.list(unlessShape), ({ unless }) => unless),
  repeat: wire.oneOf(ruleRepeats),
  after_rules: wire.boolean('Whether it also starts by what another rule did.'),
  macro_id: wire.nullable(wire.integer('Null: it was deleted.')),
  autonomy: wire.oneOf(autonomyLevels),
  runs_as: from(wire.nullable(userBriefShape), (row) => brief(row.runs_as)),
  version: wire.integer('Rises by a change that ends what waits.'),
  active_since: wire.nullable(wire.datetime()),
  attention: from(
    wire.nullable(
      wire.named('RuleAttention', {
        reason: wire.oneOf(attentionReasons),
        since: { type: 'string', format: 'date-time' },
        detail: wire.any('The scope, the number or the kind of thing that it is about; null where it is about none.'),
      }),
    ),
    ({ attention }) => (attention === null ? null : { detail: null, ...attention }),
  ),
  counts: from(
    wire.named('RuleCounts', {
      waiting: wire.integer('So many waits end where a change ends them.'),
      applied: wire.integer(),
      ended: wire.integer(),
      skipped: wire.integer(),
      failed: wire.integer(),
    }),
    ({ counts }) => {
      const { waiting = 0, applied = 0, ended = 0, skipped = 0, failed = 0 } = counts;
      return { waiting, applied, ended, skipped, failed };
    },
  ),
  created_by: from(wire.nullable(userBriefShape), (row) => brief(row.created_by)),
  created_at: wire.datetime(),
  updated_at: wire.datetime(),
});

type RuleJson = typeof ruleShape extends Wire<infer T> ? T : never;

/** A rule after a change, with what that ended. */
export const changedRuleShape: Wire<RuleJson & { readonly waits_ended: number }> = wire.named('ChangedRule', {
  ...(ruleShape['properties'] as Record<string, object>),
  waits_ended: wire.integer('How many waits the change has ended.'),
} as never);

/** Where a run can be. */
export const ruleRunStateNames = ruleRunStates;

/** A run of a rule. */
export const { schema: ruleRunShape, serialize: serializeRuleRun } = shapeOf<RuleRunView>('RuleRun').with({
  id: wire.integer(),
  rule_id: wire.nullable(wire.integer()),
  version: from(wire.integer('Of the rule, when it started.'), (row) => row.rule_version),
  receiver_id: wire.text(),
  state: wire.oneOf(ruleRunStates),
  reason: wire.nullable(
    wire.text('Why it was skipped, which event ended it, or the code of the failure; null where it was applied.'),
  ),
  event: wire.oneOf(ruleStarts),
  started_at: wire.datetime(),
  moment: wire.datetime(),
  ended_at: wire.nullable(wire.datetime()),
  macro_run_id: wire.nullable(wire.integer()),
});
