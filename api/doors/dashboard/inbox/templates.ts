import { placeholdersOf } from '../../../services/resources/templates/requiredParts';
import type { TemplateItem } from '../../../services/resources/templates/serializer';
import type { PageRequest } from '../page';
import { words } from '../words';

const { template: said } = words.composer;

type Json = Record<string, unknown>;

/** A value that a template wants, as a field of the form. */
export interface TemplateField {
  readonly name: string;
  readonly label: string;
  readonly type: 'text' | 'url';
  readonly example: string;
}

/** A template as the customer would see it. */
export interface TemplatePreview {
  readonly header: string;
  readonly headerMedia: string;
  readonly body: string;
  readonly footer: string;
  readonly buttons: readonly string[];
}

/** Returns the approved templates, for the composer. */
export async function approvedTemplates(page: PageRequest): Promise<readonly TemplateItem[]> {
  const list = await page.callIfPermitted<{ items: TemplateItem[] }>(
    'templates.list',
    { status: 'APPROVED', page_size: 200 },
    { items: [] },
  );
  return list.items;
}

/** Returns what has to be filled in before the template can be sent. */
export function templateFields(template: TemplateItem): TemplateField[] {
  const wanted = placeholdersOf({ category: template.category, parameter_format: '', components: template.components });
  const examples = exampleTexts(template);
  const fields: TemplateField[] = [];
  if (wanted.header.kind === 'text') {
    for (const name of wanted.header.names)
      fields.push({ name: `header.${name}`, label: said.header(name), type: 'text', example: '' });
  } else if (['image', 'video', 'document'].includes(wanted.header.kind)) {
    fields.push({
      name: 'header.link',
      label: said.media(wanted.header.kind),
      type: 'url',
      example: 'https://',
    });
  }
  for (const [index, name] of wanted.body.entries())
    fields.push({ name: `body.${name}`, label: `{{${name}}}`, type: 'text', example: examples[index] ?? '' });
  for (const { index, subType } of wanted.buttons)
    fields.push({
      name: `button.${index}.${subType}`,
      label: subType === 'url' ? said.buttonUrl(index + 1) : said.buttonCode(index + 1),
      type: 'text',
      example: '',
    });
  return fields;
}

/** Returns the components to send, from the fields `header.…`, `body.…` and `button.…` of a form. */
export function templateComponents(template: TemplateItem, form: Readonly<Record<string, string>>): Json[] {
  const wanted = placeholdersOf({ category: template.category, parameter_format: '', components: template.components });
  const textOf = (name: string): string => form[name] ?? '';
  const parameter = (prefix: string, name: string): Json => ({
    type: 'text',
    text: textOf(`${prefix}.${name}`),
    ...(/^\d+$/.test(name) ? {} : { parameter_name: name }),
  });
  const components: Json[] = [];
  if (wanted.header.kind === 'text')
    components.push({ type: 'header', parameters: wanted.header.names.map((name) => parameter('header', name)) });
  else if (['image', 'video', 'document'].includes(wanted.header.kind))
    components.push({
      type: 'header',
      parameters: [{ type: wanted.header.kind, [wanted.header.kind]: { link: textOf('header.link') } }],
    });
  if (wanted.body.length > 0)
    components.push({ type: 'body', parameters: wanted.body.map((name) => parameter('body', name)) });
  for (const { index, subType } of wanted.buttons) {
    const value = textOf(`button.${index}.${subType}`);
    components.push({
      type: 'button',
      sub_type: subType,
      index: String(index),
      parameters: [subType === 'url' ? { type: 'text', text: value } : { type: 'coupon_code', coupon_code: value }],
    });
  }
  return components;
}

/** Returns the template with its values in place; what is still missing stays a placeholder. */
export function previewTemplate(components: unknown, values: Readonly<Record<string, string>>): TemplatePreview {
  const list = objects(components);
  const component = (type: string): Json | undefined => list.find((item) => word(item['type']) === type);
  const fill = (prefix: string, text: unknown): string =>
    typeof text !== 'string'
      ? ''
      : text.replace(/\{\{\s*(\w+)\s*\}\}/g, (whole, name: string) => values[`${prefix}.${name}`] || whole);
  const header = component('header');
  const format = word(header?.['format']);
  return {
    header: fill('header', header?.['text']),
    headerMedia: ['image', 'video', 'document', 'location'].includes(format) ? format : '',
    body: fill('body', component('body')?.['text']),
    footer: fill('footer', component('footer')?.['text']),
    buttons: objects(component('buttons')?.['buttons']).map((button) => String(button['text'] ?? '')),
  };
}

/** Returns the values that a sent template carries, by the names that `previewTemplate` takes. */
export function sentValues(components: unknown): Record<string, string> {
  const values: Record<string, string> = {};
  for (const component of objects(components)) {
    const prefix = word(component['type']);
    objects(component['parameters']).forEach((parameter, index) => {
      const name = String(parameter['parameter_name'] ?? index + 1);
      if (typeof parameter['text'] === 'string') values[`${prefix}.${name}`] = parameter['text'];
    });
  }
  return values;
}

function exampleTexts(template: TemplateItem): string[] {
  return textsIn(exampleOf(template.components, 'body')['body_text']);
}

/** Returns the examples that the platform was shown for its review, by the names that `previewTemplate` takes. */
export function exampleValues(components: unknown): Record<string, string> {
  const [header, body] = [exampleOf(components, 'header'), exampleOf(components, 'body')];
  const texts = [
    ...textsIn(header['header_text']).map((text, index) => [`header.${index + 1}`, text] as const),
    ...textsIn(body['body_text']).map((text, index) => [`body.${index + 1}`, text] as const),
    ...objects(header['header_text_named_params']).map((one) => [
      `header.${String(one['param_name'])}`,
      one['example'],
    ]),
    ...objects(body['body_text_named_params']).map((one) => [`body.${String(one['param_name'])}`, one['example']]),
  ];
  return Object.fromEntries(texts.filter((one): one is [string, string] => typeof one[1] === 'string'));
}

function exampleOf(components: unknown, type: string): Json {
  const example = objects(components).find((item) => word(item['type']) === type)?.['example'];
  return objects([example])[0] ?? {};
}

/** Returns the texts of an example: a list of them, or a list that holds one. */
function textsIn(value: unknown): string[] {
  const [first] = Array.isArray(value) ? (value as unknown[]) : [];
  return (Array.isArray(first) ? (first as unknown[]) : Array.isArray(value) ? (value as unknown[]) : []).map(String);
}

function objects(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter((item): item is Json => typeof item === 'object' && item !== null) : [];
}

function word(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase() : '';
}
