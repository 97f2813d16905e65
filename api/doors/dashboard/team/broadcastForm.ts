import { isPlainObject } from '../../../core/fields';
import { localOf, momentOfLocal } from '../formats';
import type { PageRequest } from '../page';
import { asText, type CustomField, type Json, type Template } from '../lookups';
import { readSlots, writeSlots } from './macroForm';
import { slotsOf } from './templateTexts';

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
