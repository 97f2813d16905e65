import type { AnswerOf } from '../../../core/http/shapes';
import { operatorsFor } from '../../../services/processes/ruleSettings/fields';
import type { ruleShape } from '../../../services/processes/ruleSettings/serializer';
import { fieldShape } from '../../../services/resources/customFields/serializer';
import { teamInboxShape } from '../../../services/resources/inboxes/serializer';
import { macroShape } from '../../../services/resources/macros/serializer';
import { optionsOf, peopleOptions, type Option } from '../fieldViews';
import { loadMembers, loadNumbers } from '../lookups';
import type { PageRequest } from '../page';
import { readList } from '../typedCalls';
import { words } from '../words';

const { rules } = words;

/** A rule as its operations give it. */
export type Rule = AnswerOf<typeof ruleShape>;
type Macro = AnswerOf<typeof macroShape>;
type CustomField = AnswerOf<typeof fieldShape>;

/** What rules of the workspace may name, in words. */
export interface RuleChoices {
  readonly macros: readonly Macro[];
  /** Custom fields of conversations and their contacts. */
  readonly fields: ReadonlyMap<string, CustomField>;
  readonly options: Readonly<Record<string, readonly Option[]>>;
}

const named = (all: Readonly<Record<string, string>>): Option[] => optionsOf(Object.entries(all));

/** Reads the macros, where the member may see them. */
export async function loadMacros(page: PageRequest): Promise<readonly Macro[]> {
  return page.may('macros.list') ? readList(page, macroShape, 'macros.list') : [];
}

/** Reads what may be chosen. */
export async function loadRuleChoices(page: PageRequest): Promise<RuleChoices> {
  const [macros, fields, inboxes, members, numbers] = await Promise.all([
    loadMacros(page),
    page.may('customFields.list') ? readList(page, fieldShape, 'customFields.list') : [],
    page.may('teamInboxes.list') ? readList(page, teamInboxShape, 'teamInboxes.list') : [],
    loadMembers(page),
    loadNumbers(page),
  ]);
  const own = fields.filter(({ applies_to: subjects }) => subjects.some((subject) => subject !== 'tickets'));
  return {
    macros,
    fields: new Map(own.map((field) => [field.name, field])),
    options: {
      conv_status: named(rules.statuses),
      priority: named(rules.priorities),
      assigned_member: peopleOptions(members.filter(({ is_active: isActive }) => isActive)),
      assigned_team_inbox: inboxes.map(({ id, name }) => ({ value: id, label: name })),
      phone_number_id: numbers.map((number) => ({
        value: number.phone_number_id,
        label: number.verified_name || number.display_phone_number,
      })),
      hours: named(rules.open),
      waiting: named(rules.yesNo),
      window_open: named(rules.yesNo),
      opted_out: named(rules.yesNo),
      type: named(rules.messageTypes),
    },
  };
}

/** The name of a custom field in a condition (`custom_field.plan`) or a change (`custom_fields.plan`). */
export const customName = (field: string): string | undefined => /^custom_fields?\.(.+)$/.exec(field)?.[1];

/** What a value of a field is: chosen, typed, or one of several kinds of text. */
interface ValueKind {
  /** Empty: it is typed. */
  readonly options: readonly Option[];
  readonly is: 'boolean' | 'date' | 'number' | 'text';
}

/** Returns how the values of a field are given. */
export function valueKindOf(field: string, { fields, options }: RuleChoices): ValueKind {
  const custom = fields.get(customName(field) ?? '');
  if (custom) {
    const { field_type: type } = custom;
    if (type === 'boolean') return { options: named(rules.yesNo), is: 'boolean' };
    if (type === 'number' || type === 'date') return { options: [], is: type };
    return { options: custom.options.map((value) => ({ value, label: value })), is: 'text' };
  }
  const offered = options[field] ?? [];
  if (/^(waiting|window_open|opted_out)$/.test(field)) return { options: offered, is: 'boolean' };
  return {
    options: offered,
    is: /^(assigned_member|assigned_team_inbox|inbound_count)$/.test(field) ? 'number' : 'text',
  };
}

/** Returns the operators that fit a field, in words. */
export function operatorOptions(field: string, { fields }: RuleChoices): readonly Option[] {
  const custom = fields.get(customName(field) ?? '');
  const definition = custom && { ...custom, options: [...custom.options], applies_to: [...custom.applies_to] };
  return operatorsFor(field, definition as Parameters<typeof operatorsFor>[1]).map((op) => ({
    value: op,
    label: rules.operators[op],
  }));
}

/** Returns the fields that conditions may be about. */
export function fieldOptions({ fields }: RuleChoices): readonly Option[] {
  return [
    ...named(rules.fieldLabels),
    ...[...fields.values()].map(({ name, label }) => ({
      value: `custom_field.${name}`,
      label: rules.customLabel(label),
    })),
  ];
}

/** What a change may be about, as starts and ends name it: `conversation.updated:conv_status`. */
function changeOptions({ fields }: RuleChoices): readonly Option[] {
  const customs = [...fields.values()].map(({ name, label }): [string, string] => [
    `custom_fields.${name}`,
    rules.custom(label),
  ]);
  return optionsOf(
    [...Object.entries(rules.changed), ...customs].map(([changed, what]) => [
      `conversation.updated:${changed}`,
      rules.changes(what),
    ]),
  );
}

/** Returns what may start a rule. */
export const startOptions = (choices: RuleChoices): readonly Option[] => [
  ...named(rules.starts),
  ...changeOptions(choices),
];

/** Returns what may end a wait. */
export const endOptions = (choices: RuleChoices): readonly Option[] => [
  ...named(rules.stops),
  ...changeOptions(choices),
];
