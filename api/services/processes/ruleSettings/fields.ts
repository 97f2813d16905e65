import {
  conversationFields,
  messageFields,
  type ChangedField,
  type RuleCondition,
  type RuleValue,
} from '../../../../models/ruleParts';
import { convStatuses, priorities } from '../../../../models/enums';
import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { isCalendarDay } from '../../../core/http/datetimes';
import { noSuchPk } from '../../../core/http/errors';
import { Fault, printable } from '../../../core/http/fields';
import { readDefinitions, type FieldDefinition } from '../../resources/customFields/values';
import { reason } from '../../resources/reasons';
import { within } from '../../../core/http/fields';
import { after, type Reason } from '../../../core/http/reasons';

/** What of a workspace rules may name. */
export interface Nameable {
  readonly definitions: ReadonlyMap<string, FieldDefinition>;
  readonly members: ReadonlySet<number>;
  readonly inboxes: ReadonlySet<number>;
  /** The platform's ids. */
  readonly numbers: ReadonlySet<string>;
}

/** Reads what of the workspace rules may name; custom fields are held until the transaction ends. */
export async function readNameable(ctx: Ctx): Promise<Nameable> {
  const { Member, PhoneNumber, TeamInbox } = ctx.runtime.db.models;
  const ids = { attributes: ['id'], raw: true as const };
  const all = await readDefinitions(ctx);
  const isOfConversations = ([, { applies_to: subjects }]: [string, FieldDefinition]): boolean =>
    subjects.some((subject) => subject !== 'tickets');
  const members = await of(ctx, Member).findAll({ ...ids, where: { is_active: true } });
  const inboxes = await of(ctx, TeamInbox).findAll(ids);
  const numbers = await of(ctx, PhoneNumber).findAll({ attributes: ['phone_number_id'], raw: true });
  return {
    definitions: new Map([...all].filter(isOfConversations)),
    members: new Set(members.map(({ id }) => id)),
    inboxes: new Set(inboxes.map(({ id }) => id)),
    numbers: new Set(numbers.map(({ phone_number_id: id }) => id)),
  };
}

type One = string | number | boolean;

/** What a field is compared by, and how one of its values is read. */
interface Comparison {
  readonly ops: readonly RuleCondition['op'][];
  readonly read: (raw: unknown) => One | Fault;
}

const maxListed = 100;
const listOps: readonly string[] = ['any_of', 'none_of', 'has_any', 'has_all', 'has_none'];
const withoutValue: readonly string[] = ['set', 'not_set'];

const choiceOps = ['is', 'is_not', 'any_of', 'none_of'] as const;
const presence = ['set', 'not_set'] as const;

/** Says beside a reason what fits. */
const fitting = (what: Reason, words: readonly string[]): Reason =>
  reason('ofFits', { what, fitting: words.join(', ') });

const oneOf =
  (words: readonly string[]) =>
  (raw: unknown): string | Fault =>
    typeof raw === 'string' && words.includes(raw)
      ? raw
      : new Fault(fitting(reason('noChoice', { value: printable(raw) }), words));

const idOf =
  (known: ReadonlySet<number>) =>
  (raw: unknown): number | Fault => {
    const id = typeof raw === 'string' && /^\d{1,15}$/.test(raw) ? Number(raw) : raw;
    return typeof id === 'number' && known.has(id) ? id : new Fault(noSuchPk(printable(raw)));
  };

const words =
  (max: number) =>
  (raw: unknown): string | Fault => {
    if (typeof raw !== 'string') return new Fault(reason('noText'));
    if (raw.trim() === '') return new Fault(reason('blank'));
    return [...raw].length > max ? new Fault(reason('tooLong', { max })) : raw;
  };

const flag = (raw: unknown): boolean | Fault => (typeof raw === 'boolean' ? raw : new Fault(reason('noBoolean')));
const number = (raw: unknown): number | Fault =>
  typeof raw === 'number' && Number.isFinite(raw) ? raw : new Fault(reason('noNumber'));
const day = (raw: unknown): string | Fault =>
  typeof raw === 'string' && isCalendarDay(raw) ? raw : new Fault(reason('noRuleDate'));

function ofDefinition({ field_type: type, options }: FieldDefinition): Comparison {
  switch (type) {
    case 'text':
      return { ops: ['equals', 'contains', 'words', ...presence], read: words(1_000) };
    case 'number':
      return { ops: ['is', 'is_not', 'above', 'below', ...presence], read: number };
    case 'boolean':
      return { ops: ['is', 'is_not', ...presence], read: flag };
    case 'date':
      return { ops: ['is', 'is_not', 'before', 'after', ...presence], read: day };
    case 'select':
      return { ops: [...choiceOps, ...presence], read: oneOf(options) };
    case 'multi_select':
      return { ops: ['has_any', 'has_all', 'has_none', ...presence], read: oneOf(options) };
  }
}

const builtIn = ({ members, inboxes, numbers }: Nameable): Readonly<Record<string, Comparison>> => ({
  conv_status: { ops: choiceOps, read: oneOf(convStatuses) },
  priority: { ops: choiceOps, read: oneOf(priorities) },
  assigned_member: { ops: [...choiceOps, ...presence], read: idOf(members) },
  assigned_team_inbox: { ops: [...choiceOps, ...presence], read: idOf(inboxes) },
  tags: { ops: ['has_any', 'has_all', 'has_none', ...presence], read: words(255) },
  phone_number_id: { ops: [...choiceOps, ...presence], read: oneOf([...numbers]) },
  waiting: { ops: ['is', 'is_not'], read: flag },
  window_open: { ops: ['is', 'is_not'], read: flag },
  opted_out: { ops: ['is', 'is_not'], read: flag },
  inbound_count: { ops: ['is', 'is_not', 'above', 'below'], read: number },
  hours: { ops: ['is', 'is_not'], read: oneOf(['open', 'closed']) },
  text: { ops: ['equals', 'contains', 'words', ...presence], read: words(1_000) },
  type: { ops: choiceOps, read: words(32) },
  button_id: { ops: [...choiceOps, ...presence], read: words(256) },
});

const nothing: Nameable = { definitions: new Map(), members: new Set(), inboxes: new Set(), numbers: new Set() };

/** Returns the operators that fit a field, a custom one by its definition; none where there is no such field. */
export function operatorsFor(field: string, custom?: FieldDefinition): readonly RuleCondition['op'][] {
  if (custom) return ofDefinition(custom).ops;
  const known = builtIn(nothing);
  return Object.hasOwn(known, field) ? (known[field]?.ops ?? []) : [];
}

/** Reads a condition by what the workspace has: as it is stored, or what is wrong with it and what fits. */
export function readCondition(condition: RuleCondition, nameable: Nameable): RuleCondition | Fault {
  const { field, op } = condition;
  const custom = field.startsWith('custom_field.') ? nameable.definitions.get(field.slice(13)) : undefined;
  const known = builtIn(nameable);
  const comparison = custom ? ofDefinition(custom) : Object.hasOwn(known, field) ? known[field] : undefined;
  if (!comparison) {
    const fields = [...conversationFields, ...messageFields];
    const named = [...nameable.definitions.keys()].map((name) => `custom_field.${name}`);
    return new Fault(within('field', fitting(reason('noField', { field: printable(field) }), [...fields, ...named])));
  }
  if (!comparison.ops.includes(op))
    return new Fault(within('op', fitting(reason('noOperator', { op, field }), comparison.ops)));
  const raw: unknown = condition.value ?? null;
  if (withoutValue.includes(op))
    return raw === null ? { field, op } : new Fault(within('value', reason('takesNone', { op })));
  if (raw === null) return new Fault(within('value', reason('required')));
  const value = listOps.includes(op) ? readList(raw, comparison) : comparison.read(raw);
  return value instanceof Fault
    ? new Fault(...value.reasons.map((one) => after('value: ', one)))
    : { field, op, value: value as RuleValue };
}

function readList(raw: unknown, { read }: Comparison): One[] | Fault {
  if (!Array.isArray(raw) || raw.length === 0) return new Fault(reason('noValues'));
  if (raw.length > maxListed) return new Fault(reason('tooMany', { max: maxListed }));
  const values = raw.map(read);
  const faults = values.flatMap((value) => (value instanceof Fault ? value.reasons : []));
  return faults.length > 0 ? new Fault(...faults.slice(0, 20)) : [...new Set(values as One[])];
}

/** Returns what is wrong with the field that a change is about, null where it is there. */
export function changedProblem(changed: ChangedField | undefined, nameable: Nameable): string | null {
  if (!changed?.startsWith('custom_fields.')) return null;
  const name = changed.slice('custom_fields.'.length);
  return nameable.definitions.has(name) ? null : `"${printable(name)}" is not a custom field of conversations.`;
}

/** Reads the value that a changed field shall have: as it is stored, or what is wrong with it. */
export function readTo(changed: ChangedField, raw: unknown, nameable: Nameable): RuleValue | Fault {
  const custom = nameable.definitions.get(changed.replace(/^custom_fields\./, ''));
  const comparison = changed.startsWith('custom_fields.') ? custom && ofDefinition(custom) : builtIn(nameable)[changed];
  if (!comparison) return new Fault(reason('noSuchField'));
  if (raw === null) {
    const mayBeEmpty = comparison.ops.includes('not_set');
    return mayBeEmpty ? null : new Fault(reason('null'));
  }
  return comparison.read(raw);
}
