import {
  changedFields,
  maxConditions,
  maxStarts,
  maxWaitMinutes,
  ruleOperators,
  ruleEnds,
  ruleRepeats,
  ruleRunStates,
  ruleStarts,
  ruleStates,
  type RuleCondition,
  type RuleConditions,
  type RuleStart,
  type RuleUnless,
  type RuleWait,
} from '../../../../models/ruleParts';
import { autonomyLevels } from '../../../core/http/access';
import {
  boolean,
  choice,
  datetime,
  described,
  Fault,
  field,
  input,
  integer,
  isPlainObject,
  json,
  list,
  nullable,
  object,
  parseWith,
  pk,
  required,
  text,
  type Field,
} from '../../../core/http/fields';
import { pagingQuery } from '../../../core/http/paging';
import { reason } from '../../resources/reasons';
import { after } from '../../../core/http/reasons';

const isCustom = (name: string): boolean => /^custom_fields\.[a-z][a-z0-9_]{0,63}$/.test(name);

const changed = described(
  field<NonNullable<RuleStart['changed']>>({ type: 'string', maxLength: 78 }, (raw) => {
    if (typeof raw === 'string' && ((changedFields as readonly string[]).includes(raw) || isCustom(raw)))
      return raw as NonNullable<RuleStart['changed']>;
    return new Fault(reason('noChange', { known: changedFields.join(', ') }));
  }),
  `What changed: ${changedFields.join(', ')}, or \`custom_fields.<name>\`; of \`conversation.updated\` alone.`,
);

/** Returns a list whose items say what changed where, and only where, their event is a change. */
function happenings<T extends { readonly event: string; readonly changed?: string | undefined; readonly to?: unknown }>(
  inner: Field<T[]>,
): Field<T[]> {
  return field<T[]>(inner.spec.meta?.json ?? {}, (raw) => {
    const read = parseWith(inner, raw);
    if (read instanceof Fault) return read;
    const faults = read.flatMap((item, index) => {
      const isChange = item.event === 'conversation.updated';
      if (isChange && item.changed === undefined) return [after(`${index}.changed: `, reason('required'))];
      const extra = (['changed', 'to'] as const).filter((key) => !isChange && item[key] !== undefined);
      return extra.map((key) => after(`${index}.${key}: `, reason('onlyOfUpdates')));
    });
    return faults.length > 0 ? new Fault(...faults) : read;
  });
}

const on = described(
  happenings(
    list(
      object(
        {
          event: required(choice(ruleStarts)),
          changed,
          to: described(json({ maxBytes: 1_000 }), 'Starts only where it has this value then.'),
        },
        'RuleStartInput',
      ) as Field<RuleStart>,
      { min: 1, max: maxStarts },
    ),
  ),
  'What starts it: any of these.',
);

const unless = described(
  happenings(
    list(object({ event: required(choice(ruleEnds)), changed }, 'RuleUnlessInput') as Field<RuleUnless>, {
      max: maxStarts,
    }),
  ),
  'What ends its wait: the first of these.',
);

const condition = object(
  {
    field: described(
      required(text({ max: 80, blank: false })),
      '`conv_status priority assigned_member assigned_team_inbox tags phone_number_id waiting window_open opted_out ' +
        'inbound_count hours`, `custom_field.<name>`, and of the message `text type button_id`.',
    ),
    op: required(choice(ruleOperators)),
    value: described(nullable(json({ maxBytes: 10_000 })), 'With what it is compared; none for `set` and `not_set`.'),
  },
  'RuleConditionInput',
) as Field<RuleCondition>;

const groups = object({ all: list(condition), any: list(condition) }, 'RuleConditionsInput');
const conditions = described(
  field<RuleConditions>(groups.spec.meta?.json ?? {}, (raw) => {
    const read = parseWith(groups, raw);
    if (read instanceof Fault) return read;
    const { all = [], any = [] } = read;
    if (all.length + any.length > maxConditions) return new Fault(reason('tooManyConditions', { max: maxConditions }));
    return { all, any };
  }),
  `All of the first must hold and, where there are some, one of the second; at most ${maxConditions} together. Those ` +
    'about the message are judged when it starts, all others then and again at the moment.',
);

const minutes = () => required(integer({ min: 1, max: maxWaitMinutes }));
const waits = {
  so_long: object({ minutes: minutes(), by: required(choice(['clock', 'hours'])) }, 'RuleWaitSoLong'),
  until: object(
    {
      until: required(choice(['opening'])),
      plus_minutes: described(integer({ min: 0, max: maxWaitMinutes }), '0 when left out.'),
    },
    'RuleWaitUntilOpening',
  ),
  before: object({ minutes: minutes(), before: required(choice(['window_end'])) }, 'RuleWaitBeforeWindowEnds'),
};
const wait = described(
  nullable(
    field<RuleWait>({ anyOf: Object.values(waits).map((one) => one.spec.meta?.json ?? {}) }, (raw) => {
      if (!isPlainObject(raw)) return new Fault(reason('noWait'));
      if ('until' in raw) {
        const read = parseWith(waits.until, raw);
        return read instanceof Fault ? read : { until: read.until, plus_minutes: read.plus_minutes ?? 0 };
      }
      return parseWith<RuleWait>(('before' in raw ? waits.before : waits.so_long) as Field<RuleWait>, raw);
    }),
  ),
  'Null: at once. `{minutes, by: clock}` by the clock or `hours` of the conversation’s calendar, ' +
    '`{until: opening, plus_minutes}`, or `{minutes, before: window_end}`.',
);

const name = text({ max: 255, blank: false });
const parts = {
  description: text({ max: 2_000 }),
  conditions,
  wait,
  unless,
  repeat: described(
    choice(ruleRepeats),
    'How often for one customer, counting what was applied; `per_episode` when left out where it sends, else `each`.',
  ),
  after_rules: described(boolean(), 'true: what another rule did starts it, too; at most three deep.'),
  autonomy: described(choice(autonomyLevels), 'Below `autonomous` what would reach a customer waits for approval.'),
};
const macro = described(pk(), 'What it runs: all of it or nothing.');
const state = described(
  choice(ruleStates),
  '`paused`: nothing starts or is applied, waits run on; only a rule that is on can be paused. `off`: waits end.',
);

/** `POST /rules/`. */
export const createRuleInput = input({
  name: required(name),
  ...parts,
  on: required(on),
  macro_id: required(macro),
  state: described(choice(['off', 'on']), '`off` when left out.'),
});

/** `PATCH /rules/{id}/`. */
export const updateRuleInput = input({ name, ...parts, on, macro_id: macro, state });

/** `POST /rules/rehearse/`: a rule that is saved, or one that is not. */
export const rehearseInput = input({
  rule_id: pk(),
  rule: described(
    object({ name, ...parts, on: required(on), macro_id: required(macro) }, 'RehearsedRuleInput'),
    'As `POST /api/v1/rules/` takes it.',
  ),
  days: required(integer({ min: 1, max: 30 })),
});

/** `POST /rules/brake/`. */
export const brakeInput = input({
  on: described(required(boolean()), 'true stops all rules of the workspace at once, false lets them go on.'),
  reason: described(text({ max: 500 }), 'Shown on every page while they stand still.'),
});

/** `PATCH /rules/{id}/runs/{run_id}/`. */
export const moveRunInput = input({
  moment: described(datetime(), 'When it is judged; one that has passed is now.'),
});

/** `GET /rules/{id}/runs/`. */
export const listRuleRunsQuery = input({
  state: described(choice(ruleRunStates), 'Only runs in this state.'),
  receiver: described(text({ max: 160, blank: false }), 'Only those of this customer, by `receiver_id`.'),
  after: described(datetime(), 'Started at this time or later.'),
  before: described(datetime(), 'Started before this time.'),
  ...pagingQuery,
});
