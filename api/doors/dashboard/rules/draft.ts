import { keyed, keysIn, newRow, type Keyed } from '../keyedRows';
import type { PageRequest } from '../page';
import { asText } from '../lookups';
import { operatorOptions, valueKindOf, type Rule, type RuleChoices } from './choices';

/** A condition as it is chosen; what is missing is empty. */
export interface DraftCondition extends Keyed {
  readonly group: string;
  readonly field: string;
  readonly op: string;
  readonly values: readonly string[];
}

/** A rule as its form has it. */
export interface Draft {
  readonly name: string;
  readonly description: string;
  /** `message.received`, or `conversation.updated:conv_status` with the value that it becomes, empty for any. */
  readonly on: readonly (Keyed & { readonly what: string; readonly to: string })[];
  readonly conditions: readonly DraftCondition[];
  readonly waitKind: string;
  readonly amount: string;
  readonly unit: string;
  readonly unless: readonly string[];
  /** Its id, or `new:` and the name of a starter whose macro is made with it. */
  readonly macro: string;
  readonly repeat: string;
  readonly autonomy: string;
  readonly afterRules: boolean;
}

/** Nothing chosen yet. */
export const emptyDraft: Draft = {
  name: '',
  description: '',
  on: keyed([{ what: 'message.received', to: '' }]),
  conditions: [],
  waitKind: 'none',
  amount: '',
  unit: 'minutes',
  unless: [],
  macro: '',
  repeat: '',
  autonomy: 'autonomous',
  afterRules: false,
};

const unitMinutes: Readonly<Record<string, number>> = { minutes: 1, hours: 60, days: 1_440 };
const listOps = ['any_of', 'none_of', 'has_any', 'has_all', 'has_none'];
/** Whether an operator compares with several values. */
export const takesList = (op: string): boolean => listOps.includes(op);
/** Whether an operator compares with none. */
export const takesNothing = (op: string): boolean => op === 'set' || op === 'not_set';

const happening = ({ event, changed }: { readonly event: string; readonly changed?: string }): string =>
  changed === undefined ? event : `${event}:${changed}`;
const textOf = (value: unknown): string => (typeof value === 'boolean' ? String(value) : asText(value));

/** Returns a stored rule as its form has it. */
export function draftOf(rule: Rule): Draft {
  const { wait, conditions } = rule;
  const groups = ['all', 'any'] as const;
  return {
    name: rule.name,
    description: rule.description,
    on: keyed(rule.on.map((start) => ({ what: happening(start), to: start.to === undefined ? '' : textOf(start.to) }))),
    conditions: keyed(
      groups.flatMap((group) =>
        conditions[group].map(({ field, op, value }) => ({
          ...{ group, field, op },
          values: [value ?? []].flat().map(textOf),
        })),
      ),
    ),
    ...waitDraft(wait),
    unless: rule.unless.map(happening),
    macro: rule.macro_id === null ? '' : String(rule.macro_id),
    repeat: rule.repeat,
    autonomy: rule.autonomy,
    afterRules: rule.after_rules,
  };
}

function waitDraft(wait: Rule['wait']): Pick<Draft, 'waitKind' | 'amount' | 'unit'> {
  if (wait === null) return { waitKind: 'none', amount: '', unit: 'minutes' };
  const all = 'until' in wait ? wait.plus_minutes : wait.minutes;
  const unit = ['days', 'hours'].find((one) => all > 0 && all % (unitMinutes[one] ?? 1) === 0) ?? 'minutes';
  const waitKind = 'until' in wait ? 'opening' : 'before' in wait ? 'before' : wait.by;
  return { waitKind, amount: all === 0 ? '' : String(all / (unitMinutes[unit] ?? 1)), unit };
}

/** Reads the form: starts come as `on-0-what`, conditions as `if-0-field`, …, by the keys of their rows. */
export function readDraft(page: PageRequest, choices: RuleChoices): Draft {
  const { form } = page;
  return {
    name: form['name'] ?? '',
    description: (form['description'] ?? '').replace(/\r\n/g, '\n'),
    on: keysIn(page, 'on').map((key) => ({
      key,
      what: form[`on-${key}-what`] ?? '',
      to: form[`on-${key}-what`] === form[`on-${key}-was`] ? (form[`on-${key}-to`] ?? '') : '',
    })),
    conditions: keysIn(page, 'if').map((key) => fitting(readCondition(page, key), choices)),
    waitKind: form['wait-kind'] ?? 'none',
    amount: form['wait-amount'] ?? '',
    unit: form['wait-unit'] ?? 'minutes',
    unless: page.all('unless'),
    macro: form['macro_id'] ?? '',
    repeat: form['repeat'] ?? '',
    autonomy: form['autonomy'] ?? 'autonomous',
    afterRules: form['after_rules'] === 'true',
  };
}

function readCondition(page: PageRequest, key: string): DraftCondition {
  const { form } = page;
  const field = form[`if-${key}-field`] ?? '';
  const isOther = field !== form[`if-${key}-was`];
  return {
    key,
    group: form[`if-${key}-group`] ?? 'all',
    field,
    op: form[`if-${key}-op`] ?? '',
    values: isOther ? [] : page.all(`if-${key}-value`).filter((value) => value !== ''),
  };
}

/** Keeps of a condition what fits its field: another one was chosen a moment ago. */
function fitting(condition: DraftCondition, choices: RuleChoices): DraftCondition {
  const fits = operatorOptions(condition.field, choices);
  const op = fits.some(({ value }) => value === condition.op) ? condition.op : String(fits[0]?.value ?? '');
  return { ...condition, op, values: takesNothing(op) ? [] : condition.values };
}

/** Returns a new condition as it is added. */
export function newCondition(choices: RuleChoices): DraftCondition {
  return fitting(newRow({ group: 'all', field: 'hours', op: '', values: ['closed'] }), choices);
}

function happeningOf(what: string): { event: string; changed?: string } {
  const [event = '', changed] = what.split(/:(.*)/s);
  return changed === undefined ? { event } : { event, changed };
}

/** A value as the operation takes it; what is none stays a text, for the operation to name it. */
function typed(text: string, is: ReturnType<typeof valueKindOf>['is']): string | number | boolean {
  if (is === 'number' && /^-?\d+(\.\d+)?$/.test(text.trim())) return Number(text);
  return is === 'boolean' && /^(true|false)$/.test(text) ? text === 'true' : text;
}

function conditionInput({ field, op, values }: DraftCondition, choices: RuleChoices): Record<string, unknown> {
  if (takesNothing(op)) return { field, op };
  const { is, options } = valueKindOf(field, choices);
  const all = options.length > 0 || !takesList(op) ? values : values.flatMap((value) => value.split(','));
  const read = all.map((value) => typed(value.trim(), is)).filter((value) => value !== '');
  return { field, op, value: takesList(op) ? read : (read[0] ?? null) };
}

function waitInput({ waitKind, amount, unit }: Draft): Record<string, unknown> | null {
  const given = amount.trim();
  const minutes = /^\d{1,6}$/.test(given) ? Number(given) * (unitMinutes[unit] ?? 1) : given;
  if (waitKind === 'opening') return { until: 'opening', plus_minutes: given === '' ? 0 : minutes };
  if (waitKind === 'before') return { minutes, before: 'window_end' };
  return waitKind === 'clock' || waitKind === 'hours' ? { minutes, by: waitKind } : null;
}

/** Returns what the operation that saves a rule takes; of its macro the caller takes care. */
export function inputOf(draft: Draft, choices: RuleChoices): Record<string, unknown> {
  const conditions = (group: string): Record<string, unknown>[] =>
    draft.conditions.filter((one) => one.group === group).map((one) => conditionInput(one, choices));
  return {
    name: draft.name,
    description: draft.description,
    on: draft.on.map(({ what, to }) => {
      const start = happeningOf(what);
      return to === '' || start.changed === undefined
        ? start
        : { ...start, to: typed(to, valueKindOf(start.changed, choices).is) };
    }),
    conditions: { all: conditions('all'), any: conditions('any') },
    wait: waitInput(draft),
    unless: draft.unless.map(happeningOf),
    after_rules: draft.afterRules,
    autonomy: draft.autonomy,
    ...(draft.repeat === '' ? {} : { repeat: draft.repeat }),
  };
}

/** Returns what a draft's sentence says of it, as far as it is complete. */
export function partsOf(draft: Draft, choices: RuleChoices): Pick<Rule, 'on' | 'conditions' | 'wait' | 'unless'> {
  const input = inputOf(draft, choices) as unknown as Pick<Rule, 'on' | 'conditions' | 'wait' | 'unless'>;
  const wait = input.wait;
  const isWhole =
    wait === null || ('until' in wait ? Number.isInteger(wait.plus_minutes) : Number.isInteger(wait.minutes));
  return { ...input, wait: isWhole ? wait : null };
}
