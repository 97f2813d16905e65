import { canonicalJson } from '../../../core/db/idempotency';
import { isPlainObject } from '../../../core/http/fields';
import type { ActionType } from '../../../services/resources/macros/actions';
import { convStatuses, priorities, ticketOutcomes } from '../../../../models/enums';
import { optionsOf } from '../fieldViews';
import type { Keyed } from '../keyedRows';
import { asText, type Json, type Lookups } from '../lookups';
import { words } from '../words';
import { isContactVariable, namedText, namesIn, slotsOf, type Slot } from './templateTexts';
import { valueWord } from '../valueWord';

const { form: said } = words.steps;

/** A field of a step, as the form shows it. */
interface StepField {
  readonly name: string;
  readonly label: string;
  readonly type?: string;
  readonly hint?: string;
  readonly options?: readonly { readonly value: string | number; readonly label: string }[];
}

type Values = Readonly<Record<string, string>>;

/** How one kind of step is edited: its fields, and the way from its parameters to them and back. */
interface StepForm {
  readonly fields: (lookups: Lookups, values: Values) => readonly StepField[];
  readonly read: (params: Json) => Values;
  readonly write: (values: Values, lookups: Lookups) => Json;
}

/** Nothing is chosen by the page: what a step does is said by who makes it. */
const choose = () => ({ value: '', label: said.choose });
const none = () => ({ value: '', label: said.nobody });
const listed = (text = ''): string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
const choices = (values: readonly string[]): { value: string; label: string }[] =>
  values.map((value) => ({ value, label: valueWord(value) }));
const named = (items: readonly { readonly id: number; readonly name: string }[]) =>
  items.map(({ id, name }) => ({ value: id, label: name }));
/** Ids as numbers; what is none stays as it is, for the check to name it. */
const idOrNull = (text = ''): unknown => (text === '' ? null : /^\d{1,9}$/.test(text) ? Number(text) : text);
const text = (key: string, fields: StepForm['fields']): StepForm => ({
  fields,
  read: (params) => ({ [key]: asText(params[key]) }),
  write: (values) => ({ [key]: values[key] ?? '' }),
});
const reference = (key: string, fields: StepForm['fields']): StepForm => ({
  fields,
  read: (params) => ({ [key]: asText(params[key]) }),
  write: (values) => ({ [key]: idOrNull(values[key]) }),
});
const tags: StepForm = {
  fields: () => [{ name: 'tags', ...said.tags }],
  read: ({ tags: list }) => ({ tags: Array.isArray(list) ? list.map(asText).join(', ') : '' }),
  write: (values) => ({ tags: listed(values['tags']) }),
};
/** When a step sends: at once, when the team opens, or at the one moment that it was saved with. */
function laterFields({ send_at: at = '' }: Values): StepField[] {
  const usual = [
    { value: '', label: said.later.atOnce },
    { value: 'opening', label: said.later.opening },
  ];
  const options = usual.some(({ value }) => value === at) ? usual : [...usual, { value: at, label: at }];
  return [
    { name: 'send_at', label: said.later.when, type: 'select', options },
    {
      name: 'if_customer_writes',
      label: said.later.policy,
      type: 'select',
      options: optionsOf(Object.entries(words.thread.later.policies)),
      hint: said.later.hint,
    },
  ];
}
const readLater = ({ send_at: at, if_customer_writes: policy }: Json): Values => ({
  send_at: asText(at),
  if_customer_writes: asText(policy) || 'hold',
});
/** What is usual is not written. */
const writeLater = ({ send_at: at = '', if_customer_writes: policy = '' }: Values): Json => ({
  ...(at === '' ? {} : { send_at: at, ...(policy === '' || policy === 'hold' ? {} : { if_customer_writes: policy }) }),
});
const profileFields = ['name', 'email', 'company', 'notes'] as const;

/** The kinds of steps in the order in which they are offered. */
export const stepForms: Readonly<Record<ActionType, StepForm>> = {
  send_message: {
    fields: (_lookups, values) => [
      {
        name: 'body',
        type: 'textarea',
        ...said.message,
      },
      ...textSlots(values).flatMap(slotFields),
      ...laterFields(values),
    ],
    read: (params) => ({
      body: namedText(asText(params['body']), params['template_variables']),
      ...readSlots(params['template_variables']),
      ...readLater(params),
    }),
    write: (values) => ({ ...numberedText(values), ...writeLater(values) }),
  },
  send_template: {
    fields: (lookups, values) => {
      const chosen = lookups.templates.find((template) => template.template_id === values['template_id']);
      return [
        {
          name: 'template_id',
          label: said.template,
          type: 'select',
          options: [
            { value: '', label: said.choose },
            ...lookups.templates.map((template) => ({
              value: template.template_id,
              label: `${template.name} (${template.language})`,
            })),
          ],
        },
        ...(chosen ? slotsOf(chosen).flatMap(slotFields) : []),
        ...laterFields(values),
      ];
    },
    read: (params) => ({
      template_id: asText(params['template_id']),
      ...readSlots(params['template_variables']),
      ...readLater(params),
    }),
    write: (values, lookups) => {
      const chosen = lookups.templates.find((template) => template.template_id === values['template_id']);
      return {
        template_id: values['template_id'] ?? '',
        ...writeLater(values),
        ...(chosen ? writeSlots(slotsOf(chosen), values) : {}),
      };
    },
  },
  set_status: {
    fields: () => [
      { name: 'status', label: said.status, type: 'select', options: [choose(), ...choices(convStatuses)] },
      { name: 'snooze_minutes', type: 'number', ...said.snooze },
    ],
    read: ({ status, snooze_minutes: minutes }) => ({ status: asText(status), snooze_minutes: asText(minutes) }),
    write: ({ status = '', snooze_minutes: minutes = '' }) => ({
      status,
      ...(minutes === '' || status !== 'snoozed'
        ? {}
        : { snooze_minutes: /^\d+$/.test(minutes) ? Number(minutes) : minutes }),
    }),
  },
  set_priority: text('priority', () => [
    { name: 'priority', label: said.priority, type: 'select', options: [choose(), ...choices(priorities)] },
  ]),
  assign_member: reference('assigned_member', ({ members, answerers }, { assigned_member: chosen }) => {
    // Whom a saved step names stays among those who are offered, whatever they may do by now.
    const offered = members.filter((one) => answerers.includes(one) || String(one.id) === chosen);
    return [{ name: 'assigned_member', label: said.member, type: 'select', options: [none(), ...named(offered)] }];
  }),
  assign_inbox: reference('assigned_team_inbox', ({ inboxes }) => [
    { name: 'assigned_team_inbox', label: said.inbox, type: 'select', options: [none(), ...named(inboxes)] },
  ]),
  add_tags: tags,
  remove_tags: tags,
  set_custom_fields: {
    fields: ({ fields }) =>
      fields.map(({ name, label, field_type: type, options }) => ({
        name: `field_${name}`,
        label,
        hint: said.stays,
        ...(type === 'select'
          ? { type: 'select', options: [{ value: '', label: said.stay }, ...choices(options ?? [])] }
          : {}),
        ...(type === 'boolean'
          ? {
              type: 'select',
              options: [
                { value: '', label: said.stay },
                { value: 'true', label: said.yes },
                { value: 'false', label: said.no },
              ],
            }
          : {}),
        ...(type === 'number' || type === 'date' ? { type } : {}),
      })),
    read: ({ custom_fields: given }) =>
      Object.fromEntries(
        Object.entries(isPlainObject(given) ? given : {}).map(([name, value]) => [
          `field_${name}`,
          Array.isArray(value) ? value.map(asText).join(', ') : asText(value),
        ]),
      ),
    write: (values, { fields }) => ({
      custom_fields: Object.fromEntries(
        fields
          .map(({ name, field_type: type }) => [name, customValue(type, values[`field_${name}`] ?? '')] as const)
          .filter(([, value]) => value !== undefined),
      ),
    }),
  },
  update_contact: {
    fields: () => profileFields.map((name) => ({ name, label: said.profile[name], hint: said.stays })),
    read: (params) => Object.fromEntries(profileFields.map((name) => [name, asText(params[name])])),
    write: (values) =>
      Object.fromEntries(profileFields.filter((name) => values[name]).map((name) => [name, values[name]])),
  },
  create_ticket: {
    fields: ({ pipelines }) => [
      { name: 'title', label: said.title },
      { name: 'description', label: said.description, type: 'textarea' },
      {
        name: 'pipeline',
        label: said.pipeline,
        type: 'select',
        options: [{ value: '', label: said.defaultOne }, ...named(pipelines)],
      },
      {
        name: 'priority',
        label: said.priority,
        type: 'select',
        options: [{ value: '', label: said.normal }, ...choices(priorities)],
      },
    ],
    read: (params) =>
      Object.fromEntries(['title', 'description', 'pipeline', 'priority'].map((key) => [key, asText(params[key])])),
    write: ({ title = '', description = '', pipeline = '', priority = '' }) => ({
      title,
      ...(description === '' ? {} : { description }),
      ...(pipeline === '' ? {} : { pipeline: idOrNull(pipeline) }),
      ...(priority === '' ? {} : { priority }),
    }),
  },
  move_stage: reference('stage', ({ pipelines }) => [
    {
      name: 'stage',
      label: said.stage,
      type: 'select',
      options: pipelines.flatMap((pipeline) =>
        pipeline.stages.map(({ id, name }) => ({ value: id, label: said.stageOf(pipeline.name, name) })),
      ),
    },
  ]),
  set_outcome: {
    fields: () => [
      {
        name: 'outcome',
        label: said.outcome,
        type: 'select',
        options: [{ value: '', label: said.none }, ...choices(ticketOutcomes)],
      },
    ],
    read: ({ outcome }) => ({ outcome: asText(outcome) }),
    write: ({ outcome = '' }) => ({ outcome: outcome === '' ? null : outcome }),
  },
  add_comment: text('body', () => [{ name: 'body', type: 'textarea', ...said.comment }]),
  escalate: {
    fields: ({ members }) => [
      { name: 'escalated_to', label: said.to, type: 'select', options: named(members) },
      { name: 'reason', label: said.reason },
    ],
    read: ({ escalated_to: to, reason }) => ({ escalated_to: asText(to), reason: asText(reason) }),
    write: ({ escalated_to: to, reason = '' }) => ({
      escalated_to: idOrNull(to),
      ...(reason === '' ? {} : { reason }),
    }),
  },
};

const sources = () => [
  { value: '', label: said.sources.none },
  ...(['first_name', 'name', 'phone', 'email', 'company', 'static'] as const).map((value) => ({
    value,
    label: said.sources[value],
  })),
];

/** The placeholders of a text that do not name themselves what stands there. */
function textSlots(values: Values): readonly Slot[] {
  return namesIn(values['body'] ?? '')
    .filter((name) => !isContactVariable(name))
    .map((name) => ({ component: 'body', name, number: name, around: '' }));
}

/** Returns a text as a step keeps it: its placeholders are numbers, and a mapping says what stands there. */
function numberedText(values: Values): Json {
  const text = values['body'] ?? '';
  const slots = textSlots(values);
  const taken = new Set(slots.map(({ number }) => number));
  const numbers = new Map<string, string>();
  for (const name of namesIn(text).filter(isContactVariable)) {
    let number = 1;
    while (taken.has(String(number))) number += 1;
    taken.add(String(number));
    numbers.set(name, String(number));
  }
  const { template_variables: others } = writeSlots(slots, values);
  const body = {
    ...(isPlainObject(others?.['body']) ? others['body'] : {}),
    ...Object.fromEntries([...numbers].map(([field, number]) => [number, { source: 'field', field }])),
  };
  return {
    body: text.replace(/\{\{\s*(\w+)\s*\}\}/g, (whole, name: string) => {
      const number = numbers.get(name);
      return number === undefined ? whole : `{{${number}}}`;
    }),
    ...(Object.keys(body).length > 0 ? { template_variables: { body } } : {}),
  };
}

function slotFields({ component, name, number, around }: Slot): StepField[] {
  const label = component === 'header' ? said.inHeader(name) : said.inBody(name);
  return [
    { name: `${component}_${number}_source`, label, type: 'select', options: sources(), hint: around },
    {
      name: `${component}_${number}_value`,
      label: said.textFor(label),
      hint: said.textHint,
    },
  ];
}

/** Returns the fields of placeholders from a mapping. */
export function readSlots(variables: unknown): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [component, bindings] of Object.entries(isPlainObject(variables) ? variables : {}))
    for (const [number, binding] of Object.entries(isPlainObject(bindings) ? bindings : {})) {
      if (!isPlainObject(binding)) continue;
      const isStatic = binding['source'] === 'static';
      values[`${component}_${number}_source`] = isStatic ? 'static' : asText(binding['field']);
      values[`${component}_${number}_value`] = asText(isStatic ? binding['value'] : binding['default']);
    }
  return values;
}

/** Returns the mapping of placeholders from their fields. */
export function writeSlots(slots: readonly Slot[], values: Values): { template_variables?: Json } {
  const variables: Record<string, Record<string, Json>> = {};
  for (const { component, number } of slots) {
    const source = values[`${component}_${number}_source`];
    if (source === undefined || source === '') continue;
    const text = values[`${component}_${number}_value`] ?? '';
    (variables[component] ??= {})[number] =
      source === 'static'
        ? { source, value: text }
        : { source: 'field', field: source, ...(text === '' ? {} : { default: text }) };
  }
  return Object.keys(variables).length > 0 ? { template_variables: variables } : {};
}

function customValue(type: string, value: string): unknown {
  if (value === '') return undefined;
  if (type === 'multi_select') return listed(value);
  if (type === 'boolean') return value === 'true';
  return type === 'number' && Number.isFinite(Number(value)) ? Number(value) : value;
}

/** One step in the editor: by its fields, or as JSON where they cannot say all of it. */
export interface EditedStep {
  readonly type: string;
  readonly values: Values;
}

/** A step with the key of its row. */
export type StepRow = EditedStep & Keyed;

const isType = (type: string): type is ActionType => Object.hasOwn(stepForms, type);

/** Returns a stored step as the editor shows it. */
export function toEdited(type: string, params: Json, lookups: Lookups): EditedStep {
  const plain = { type, values: { json: JSON.stringify(params, null, 2) } };
  if (!isType(type)) return plain;
  const values = stepForms[type].read(params);
  return canonicalJson(stepForms[type].write(values, lookups)) === canonicalJson(params) ? { type, values } : plain;
}

/** Returns the step of what was edited; JSON that is none stays a text, which the check names. */
export function fromEdited({ type, values }: EditedStep, lookups: Lookups): { type: string; params: unknown } {
  const { json } = values;
  if (json === undefined) return { type, params: isType(type) ? stepForms[type].write(values, lookups) : {} };
  try {
    return { type, params: JSON.parse(json) as unknown };
  } catch {
    return { type, params: json };
  }
}

/** Returns the fields of an edited step. */
export function fieldsOf({ type, values }: EditedStep, lookups: Lookups): readonly StepField[] {
  if (values['json'] !== undefined || !isType(type)) return [{ name: 'json', label: said.json, type: 'textarea' }];
  return stepForms[type].fields(lookups, values);
}
