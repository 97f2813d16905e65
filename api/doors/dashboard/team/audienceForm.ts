import { convStatuses } from '../../../../models/enums';
import { isPlainObject } from '../../../core/http/fields';
import { optionsOf, sentence, type FieldGiven, type Option } from '../fieldViews';
import { changedFields, editedTags, textOf } from '../forms';
import { localOf, momentOfLocal } from '../../../core/zones';
import { amountText } from '../formats';
import { asText, type CustomField, type Json, type Named } from '../lookups';
import type { PageRequest } from '../page';

export type Values = Readonly<Record<string, unknown>>;

const tagLists = ['tags_any', 'tags_all', 'tags_none'] as const;
const momentFields = [
  [
    ['last_inbound_after', 'Last wrote after'],
    ['last_inbound_before', 'Last wrote before'],
  ],
  [
    ['created_after', 'Added as a contact after'],
    ['created_before', 'Added as a contact before'],
  ],
] as const;
const moments = momentFields.flat().map(([name]) => name);
/** Filters that are folded away, with those by custom fields. */
const folded: readonly string[] = [...moments, 'receiver_ids', 'resend_of'];
const plainFilters: readonly string[] = [...tagLists, ...folded, 'assigned_team_inbox'];
const customPrefix = 'custom_';
const isCustom = (name: string): boolean => name.startsWith(customPrefix);
const any: Option = { value: '', label: 'Any' };

/** Returns the audience of a draft; one without filters where there is none yet. */
export function audienceOf(broadcast: Json | null): Json {
  return isPlainObject(broadcast?.['audience']) ? broadcast['audience'] : {};
}

/** Returns the fields of the form from an audience. */
export function audienceValues(audience: Json, timezone: string): Values {
  const list = (key: string): string => (Array.isArray(audience[key]) ? audience[key].map(asText).join(', ') : '');
  const custom = isPlainObject(audience['custom_fields']) ? audience['custom_fields'] : {};
  return {
    everybody: audience['all'] === true ? 'all' : 'some',
    ...Object.fromEntries([...tagLists, 'receiver_ids'].map((key) => [key, list(key)])),
    resend_of: asText(audience['resend_of']),
    // In the order of their boxes, as the form sends them.
    conv_status: convStatuses.filter((status) => [audience['conv_status']].flat().includes(status)),
    assigned_team_inbox: asText(audience['assigned_team_inbox']),
    ...Object.fromEntries(
      moments.map((key) => [key, audience[key] ? localOf(new Date(asText(audience[key])), timezone) : '']),
    ),
    ...Object.fromEntries(
      // Options with semicolons between them are read as a list of them.
      Object.entries(custom).map(([name, value]) => [
        `${customPrefix}${name}`,
        Array.isArray(value) ? value.map(asText).join('; ') : asText(value),
      ]),
    ),
  };
}

/** What an audience can be chosen by. */
export interface AudienceView {
  readonly inboxes: readonly Option[];
  readonly statuses: readonly Option[];
  /** Times, after and before. */
  readonly moments: readonly (readonly FieldGiven[])[];
  readonly custom: readonly FieldGiven[];
  /** Something is chosen among the filters that are folded away. */
  readonly usesMore: boolean;
}

/** Builds what the form offers for an audience, and what is chosen in it, though the member could not choose it now. */
export function audienceView(values: Values, inboxes: readonly Named[], fields: readonly CustomField[]): AudienceView {
  const offered = fields.filter(({ applies_to: subjects }) => subjects.includes('contacts'));
  const known = offered.map(({ name }) => `${customPrefix}${name}`);
  const others = Object.keys(values).filter((name) => isCustom(name) && !known.includes(name));
  return {
    inboxes: withChosen(
      [any, { value: 'none', label: 'None' }, ...inboxes.map(({ id, name }) => ({ value: id, label: name }))],
      values['assigned_team_inbox'],
    ),
    statuses: convStatuses.map((value) => ({ value, label: sentence(value) })),
    moments: momentFields.map((pair) =>
      pair.map(([name, label]) => ({ name, label, type: 'datetime-local', value: values[name] })),
    ),
    custom: [
      ...offered.map((field) => customView(field, values)),
      // The field was deleted, or the member may not read it.
      ...others.map((name) => selectOf({ name, label: name.slice(customPrefix.length) }, [], values)),
    ],
    usesMore: Object.entries(values).some(([key, value]) => Boolean(value) && (folded.includes(key) || isCustom(key))),
  };
}

function customView({ name, label, field_type: type, options }: CustomField, values: Values): FieldGiven {
  const field = { name: `${customPrefix}${name}`, label };
  const choices =
    type === 'boolean'
      ? optionsOf([
          ['true', 'Yes'],
          ['false', 'No'],
        ])
      : (options ?? []).map((value) => ({ value, label: value }));
  return choices.length === 0 ? { ...field, value: values[field.name] } : selectOf(field, choices, values);
}

function selectOf(field: FieldGiven, choices: readonly Option[], values: Values): FieldGiven {
  const value = values[field.name];
  return { ...field, type: 'select', value, options: withChosen([any, ...choices], value) };
}

/** Returns the choices with what is chosen, which may be none of them any more: else the next save would drop it. */
function withChosen(options: readonly Option[], chosen: unknown): readonly Option[] {
  const value = asText(chosen);
  return options.some((option) => String(option.value) === value) ? options : [...options, { value, label: value }];
}

/** Returns what an audience asks for, rule by rule. */
export function rulesOf(
  audience: Json,
  timezone: string,
  inboxes: readonly Named[],
  fields: readonly CustomField[],
): string[] {
  if (audience['all'] === true) return ['all contacts'];
  const values = audienceValues(audience, timezone);
  const list = (key: string): string[] => (Array.isArray(audience[key]) ? audience[key].map(asText) : []);
  const told = (text: unknown, tell: (text: string) => string): string[] => (text ? [tell(asText(text))] : []);
  const joined = (key: string, verb: string, joint: string) => told(list(key).join(joint), (text) => `${verb} ${text}`);
  const labels = new Map(fields.map(({ name, label }) => [`${customPrefix}${name}`, label]));
  return [
    ...joined('tags_any', 'tagged', ' or '),
    ...joined('tags_all', 'tagged', ' and '),
    ...joined('tags_none', 'not tagged', ' or '),
    ...joined('conv_status', 'conversation is', ' or '),
    ...told(values['assigned_team_inbox'], (inbox) =>
      inbox === 'none'
        ? 'in no team inbox'
        : `in the team inbox ${inboxes.find(({ id }) => String(id) === inbox)?.name ?? inbox}`,
    ),
    ...momentFields
      .flat()
      .flatMap(([key, label]) => told(values[key], (time) => `${label.toLowerCase()} ${time.replace('T', ' ')}`)),
    ...Object.keys(values)
      .filter(isCustom)
      .flatMap((key) =>
        told(values[key], (value) => `${labels.get(key) ?? key.slice(customPrefix.length)} is ${value}`),
      ),
    ...('receiver_ids' in audience ? [`one of ${amountText(list('receiver_ids').length, 'chosen contact')}`] : []),
    ...told(values['resend_of'], (id) => `not reached by broadcast ${id}`),
  ];
}

/**
 * Reads an audience: the stored one, with what was changed in the form. What the form cannot say, or the member is not
 * offered, stays: a filter lost in silence would let more people get the message.
 */
export function readAudience(page: PageRequest, stored: Json, fields: readonly CustomField[]): Json {
  const { form } = page;
  const { all = false, custom_fields: custom, ...kept } = stored;
  const { everybody = all === true ? 'all' : 'some' } = changedFields(page, ['everybody']);
  if (everybody === 'all') return { all: true };
  // Of an audience of all, and of none yet, no filter is stored: those in the form are meant.
  const isFresh = Object.keys(kept).length === 0 && custom === undefined;
  const names = [...plainFilters, ...Object.keys(form).filter(isCustom)];
  const given = isFresh ? form : changedFields(page, names);
  const filters: Json = { ...kept };
  const values: Json = isPlainObject(custom) ? { ...custom } : {};
  for (const name of names) {
    const text = given[name];
    if (text === undefined) continue;
    const own = name.slice(customPrefix.length);
    if (isCustom(name)) values[own] = customValue(fields.find((field) => field.name === own)?.field_type, text);
    else filters[name] = filterValue(page, name, text, isFresh ? undefined : stored[name]);
  }
  const status = page.all('conv_status');
  if (isFresh || textOf(status) !== form['was.conv_status']) filters['conv_status'] = status.length > 0 ? status : null;
  const customs = withoutNulls(values);
  return { ...withoutNulls(filters), ...(Object.keys(customs).length > 0 ? { custom_fields: customs } : {}) };
}

const withoutNulls = (values: Json): Json =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));

/** Returns what a filter asks for; null: nothing. */
function filterValue({ form, workspace }: PageRequest, name: string, text: string, stored: unknown): unknown {
  if ((tagLists as readonly string[]).includes(name)) {
    const tags = editedTags(stored, stored === undefined ? '' : form[`was.${name}`], text);
    return tags.length > 0 ? tags : null;
  }
  if (text.trim() === '') return null;
  if (name === 'receiver_ids')
    return text
      .split(',')
      .map((id) => id.trim())
      .filter((id) => id !== '');
  // What is no time goes on as it is, for the check to name it.
  if ((moments as readonly string[]).includes(name))
    return momentOfLocal(text, workspace.timezone)?.toISOString() ?? text;
  return text;
}

function customValue(type: string | undefined, text: string): unknown {
  if (text === '') return null;
  if (type === 'boolean' && ['true', 'false'].includes(text)) return text === 'true';
  return type === 'number' && Number.isFinite(Number(text)) ? Number(text) : text;
}
