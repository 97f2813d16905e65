import { convStatuses } from '../../../../models/enums';
import { isPlainObject } from '../../../core/http/fields';
import { headerFileKind } from '../../../services/resources/templates/parameters';
import type { FieldErrors } from '../../../core/http/errors';
import { optionsOf, sentence, type FieldGiven, type Option, type RadioView } from '../fieldViews';
import { amountText, localOf, momentOfLocal } from '../formats';
import type { PageRequest } from '../page';
import { asText, type CustomField, type Json, type Named, type PhoneNumber, type Template } from '../lookups';
import { previewTemplate, type TemplatePreview } from '../inbox/templates';
import { fileField, type FileGiven } from '../fileField';
import { readSlots, writeSlots } from './macroForm';
import { slotsOf, type Slot } from './templateTexts';

const tagLists = ['tags_any', 'tags_all', 'tags_none'] as const;
const moments = ['created_after', 'created_before', 'last_inbound_after', 'last_inbound_before'] as const;

type Values = Readonly<Record<string, unknown>>;

const words = (text = ''): string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

/** Returns the fields of the form from a stored broadcast. */
export function valuesOf(broadcast: Json, timezone: string): Values {
  const audience = isPlainObject(broadcast['audience']) ? broadcast['audience'] : {};
  const list = (key: string): string => (Array.isArray(audience[key]) ? audience[key].map(asText).join(', ') : '');
  const custom = isPlainObject(audience['custom_fields']) ? audience['custom_fields'] : {};
  return {
    name: broadcast['name'],
    template_id: broadcast['template_id'],
    phone_number_id: broadcast['phone_number_id'],
    header_media: isPlainObject(broadcast['header_media']) ? asText(broadcast['header_media']['id']) : '',
    everybody: audience['all'] === true ? 'all' : 'some',
    ...Object.fromEntries(tagLists.map((key) => [key, list(key)])),
    receiver_ids: list('receiver_ids'),
    resend_of: asText(audience['resend_of']),
    conv_status: Array.isArray(audience['conv_status']) ? audience['conv_status'] : [],
    assigned_team_inbox: asText(audience['assigned_team_inbox']),
    ...Object.fromEntries(
      moments.map((key) => [key, audience[key] ? localOf(new Date(asText(audience[key])), timezone) : '']),
    ),
    ...Object.fromEntries(Object.entries(custom).map(([name, value]) => [`custom_${name}`, asText(value)])),
    ...readSlots(broadcast['template_variables']),
  };
}

/** What the form of a draft offers beside its values. */
interface DraftView {
  readonly template: FieldGiven;
  /** The number that it is sent from; null: there is no choice. */
  readonly number: FieldGiven | null;
  /** The file for the header of the template; null: it takes none. */
  readonly file: FileGiven | null;
  /** The message of the chosen template, with the names of its placeholders; null: none is chosen. */
  readonly message: TemplatePreview | null;
  readonly errors: { readonly number: string; readonly placeholders: string; readonly audience: string };
  readonly everybody: readonly RadioView[];
  readonly button: { readonly label: string; readonly style: string };
  /** The rules of the stored audience in words: all of them hold. */
  readonly rules: readonly string[];
  readonly inboxes: readonly Option[];
  readonly statuses: readonly Option[];
  readonly slots: readonly SlotView[];
  /** The times that an audience can be chosen by, after and before. */
  readonly moments: readonly (readonly FieldGiven[])[];
  /** The custom fields that an audience can be chosen by. */
  readonly custom: readonly FieldGiven[];
  /** Something is chosen among the filters that are folded away. */
  readonly usesMore: boolean;
}

/** One placeholder as two fields: where its value comes from, and the text where it is one. */
interface SlotView {
  readonly source: FieldGiven & { readonly label: string; readonly options: readonly Option[] };
  readonly text: FieldGiven & { readonly label: string };
}

interface DraftParts {
  readonly templates: readonly Template[];
  readonly numbers: readonly PhoneNumber[];
  readonly inboxes: readonly Named[];
  readonly fields: readonly CustomField[];
}

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

const sources = optionsOf([
  ['name', 'Name of the contact'],
  ['phone', 'Phone'],
  ['email', 'Email'],
  ['company', 'Company'],
  ['static', 'This text:'],
]);

/** The draft that is edited. */
interface DraftState {
  readonly own: string;
  readonly isNew: boolean;
  readonly values: Values;
  readonly errors: FieldErrors | undefined;
}

const choose: Option = { value: '', label: 'Choose one' };

const fileOf = ({ header_media: id, header_media_filename: filename }: Values) => ({ id, filename: asText(filename) });

/** Builds what the form offers. */
export function draftView({ templates, numbers, inboxes, fields }: DraftParts, state: DraftState): DraftView {
  const { isNew, values, errors } = state;
  const chosen = templates.find(({ template_id: id }) => id === values['template_id']);
  const folded = [...moments, 'receiver_ids', 'resend_of'];
  const errorOf = (name: string): string => (errors?.[name] ?? []).join(' ');
  const everybody = (value: string, label: string, detail: string): RadioView => ({
    name: 'everybody',
    value,
    label,
    detail,
    isChosen: values['everybody'] === value,
  });
  return {
    template: templateField(templates, state),
    number: numbers.length > 1 ? numberField(numbers, state) : null,
    file: chosen ? fileField('header_media', chosen, fileOf(values), errors) : null,
    message: chosen ? previewTemplate(chosen.components, {}) : null,
    errors: {
      number: errorOf('phone_number_id'),
      placeholders: errorOf('template_variables'),
      audience: errorOf('audience'),
    },
    everybody: [
      everybody('some', 'Contacts that fit all of these', 'Fill in at least one.'),
      everybody('all', 'All contacts', 'Everybody who has not opted out; the filters below are not used.'),
    ],
    button: isNew
      ? { label: 'Save the draft and count', style: 'button-main' }
      : { label: 'Save the draft', style: '' },
    rules: isNew ? [] : rulesOf(values, inboxes, fields),
    inboxes: [
      { value: '', label: 'Any' },
      { value: 'none', label: 'None' },
      ...inboxes.map(({ id, name }) => ({ value: id, label: name })),
    ],
    statuses: convStatuses.map((value) => ({ value, label: sentence(value) })),
    slots: (chosen ? slotsOf(chosen) : []).map((slot) => slotView(slot, values)),
    moments: momentFields.map((pair) =>
      pair.map(([name, label]) => ({ name, label, type: 'datetime-local', value: values[name] })),
    ),
    custom: fields
      .filter(({ applies_to: subjects }) => subjects.some((subject) => subject !== 'tickets'))
      .map((field) => customView(field, values)),
    usesMore: Object.entries(values).some(
      ([key, value]) => Boolean(value) && (folded.includes(key) || key.startsWith('custom_')),
    ),
  };
}

/** Returns what an audience asks for, rule by rule. */
function rulesOf(values: Values, inboxes: readonly Named[], fields: readonly CustomField[]): string[] {
  if (values['everybody'] === 'all') return ['all contacts'];
  const told = (items: readonly string[], tell: (count: number) => string): string[] =>
    items.length > 0 ? [tell(items.length)] : [];
  const tags = (key: (typeof tagLists)[number], verb: string, joint: string): string[] => {
    const list = words(asText(values[key]));
    return told(list, () => `${verb} ${list.join(joint)}`);
  };
  const statuses = Array.isArray(values['conv_status']) ? values['conv_status'].map(asText) : [];
  const inbox = asText(values['assigned_team_inbox']);
  const inboxName = inboxes.find(({ id }) => String(id) === inbox)?.name ?? inbox;
  return [
    ...tags('tags_any', 'tagged', ' or '),
    ...tags('tags_all', 'tagged', ' and '),
    ...tags('tags_none', 'not tagged', ' or '),
    ...told(statuses, () => `conversation is ${statuses.join(' or ')}`),
    ...told(words(inbox), () => (inbox === 'none' ? 'in no team inbox' : `in the team inbox ${inboxName}`)),
    ...momentFields.flat().flatMap(([key, label]) => {
      const time = asText(values[key]);
      return told(words(time), () => `${label.toLowerCase()} ${time.replace('T', ' ')}`);
    }),
    ...fields.flatMap(({ name, label }) => {
      const value = asText(values[`custom_${name}`]);
      return told(words(value), () => `${label} is ${value}`);
    }),
    ...told(words(asText(values['receiver_ids'])), (count) => `one of ${amountText(count, 'chosen contact')}`),
    ...told(words(asText(values['resend_of'])), () => `not reached by broadcast ${asText(values['resend_of'])}`),
  ];
}

function templateField(templates: readonly Template[], { own, isNew, values, errors }: DraftState): FieldGiven {
  return {
    name: 'template_id',
    label: 'Template',
    type: 'select',
    value: values['template_id'],
    errors,
    options: [
      choose,
      ...templates.map(({ template_id: value, name, language, category }) => ({
        value,
        label: `${name} (${language}, ${category.toLowerCase()})`,
      })),
    ],
    hint: templates.length === 0 ? 'There is no approved template. Templates are made at the messaging platform.' : '',
    // A stored draft saves itself with every change; of a new one only the placeholders follow.
    attributes: isNew
      ? {
          'hx-post': own,
          'hx-trigger': 'change',
          'hx-target': '#draft',
          'hx-swap': 'morph:outerHTML',
          'hx-include': '#draft-form',
          'hx-vals': '{"do":"refresh"}',
        }
      : {},
  };
}

function numberField(numbers: readonly PhoneNumber[], { values, errors }: DraftState): FieldGiven {
  return {
    name: 'phone_number_id',
    label: 'Send from',
    type: 'select',
    value: values['phone_number_id'],
    errors,
    options: [
      choose,
      ...numbers.map(({ phone_number_id: value, display_phone_number: number, verified_name: name }) => ({
        value,
        label: `${number} ${name}`,
      })),
    ],
  };
}

function slotView({ component, name, number, around }: Slot, values: Values): SlotView {
  const key = `${component}_${number}`;
  const label = `${component === 'header' ? 'Header ' : ''}{{${name}}}`;
  return {
    source: {
      name: `${key}_source`,
      label,
      type: 'select',
      options: sources,
      value: values[`${key}_source`],
      hint: around,
    },
    text: {
      name: `${key}_value`,
      label: `Text for ${label}`,
      value: values[`${key}_value`],
      attributes: { maxlength: 512 },
    },
  };
}

function customView({ name, label, field_type: type, options }: CustomField, values: Values): FieldGiven {
  const field = { name: `custom_${name}`, label, value: values[`custom_${name}`] };
  const choices =
    type === 'boolean'
      ? optionsOf([
          ['true', 'Yes'],
          ['false', 'No'],
        ])
      : (options ?? []).map((value) => ({ value, label: value }));
  return choices.length === 0
    ? field
    : { ...field, type: 'select', options: [{ value: '', label: 'Any' }, ...choices] };
}

/** Returns the fields as they were sent, to be shown again. */
export function valuesSent(page: PageRequest): Values {
  return { ...page.form, conv_status: page.all('conv_status') };
}

/** Returns what the operation takes from the fields of the form. */
export function inputOf(page: PageRequest, templates: readonly Template[], fields: readonly CustomField[]): Json {
  const { form } = page;
  const template = templates.find((candidate) => candidate.template_id === form['template_id']);
  return {
    name: form['name'] ?? '',
    template_id: form['template_id'] ?? '',
    ...(form['phone_number_id'] ? { phone_number_id: form['phone_number_id'] } : {}),
    audience: form['everybody'] === 'all' ? { all: true } : filtersOf(page, fields),
    header_media: template && headerFileKind(template) && form['header_media'] ? { id: form['header_media'] } : null,
    template_variables: (template ? writeSlots(slotsOf(template), form).template_variables : undefined) ?? {},
  };
}

function filtersOf(page: PageRequest, fields: readonly CustomField[]): Json {
  const { form } = page;
  const lists = [...tagLists, 'receiver_ids'].map((key) => [key, words(form[key])] as const);
  const times = moments.map((key) => {
    const local = form[key] ?? '';
    // What is no time goes on as it is, for the check to name it.
    return [key, local && (momentOfLocal(local, page.workspace.timezone)?.toISOString() ?? local)] as const;
  });
  const custom = fields
    .map(({ name, field_type: type }) => [name, customValue(type, form[`custom_${name}`] ?? '')] as const)
    .filter(([, value]) => value !== '');
  const status = page.all('conv_status');
  return {
    ...Object.fromEntries(lists.filter(([, list]) => list.length > 0)),
    ...Object.fromEntries(times.filter(([, time]) => time !== '')),
    ...(status.length > 0 ? { conv_status: status } : {}),
    ...(form['assigned_team_inbox'] ? { assigned_team_inbox: form['assigned_team_inbox'] } : {}),
    ...(form['resend_of'] ? { resend_of: form['resend_of'] } : {}),
    ...(custom.length > 0 ? { custom_fields: Object.fromEntries(custom) } : {}),
  };
}

function customValue(type: string, text: string): unknown {
  if (text === '') return '';
  if (type === 'boolean') return text === 'true';
  return type === 'number' && Number.isFinite(Number(text)) ? Number(text) : text;
}
