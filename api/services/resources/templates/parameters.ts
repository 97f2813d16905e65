import { invalidField } from '../../../core/http/errors';
import { isPlainObject, printable } from '../../../core/http/fields';
import type { TemplateVariables, VariableSource } from './variables';

type Json = Record<string, unknown>;

/** What the parameters of a template depend on. */
export interface TemplateContent {
  readonly category: string;
  readonly parameter_format: string;
  readonly components: unknown;
}

/** What a template wants to be given when it is sent (upstream 1.4, 1.4). */
interface Placeholders {
  readonly named: boolean;
  /** `text` carries names in order of appearance; other kinds take one parameter of that kind. */
  readonly header:
    | { readonly kind: 'none' }
    | { readonly kind: 'text'; readonly names: readonly string[] }
    | { readonly kind: 'image' | 'video' | 'document' | 'location' | 'gif' };
  /** Names in order of appearance: "1", "2", … or the named ones. */
  readonly body: readonly string[];
  /** Buttons that cannot be sent without a parameter, by position. */
  readonly buttons: readonly { readonly index: number; readonly subType: 'url' | 'copy_code' }[];
}

const placeholderPattern = /\{\{\s*([A-Za-z0-9_]+)\s*\}\}/g;
const mediaKinds = ['image', 'video', 'document', 'location', 'gif'] as const;
const emDash = '—';
const textKinds = new Set(['text', 'currency', 'date_time']);

/** Returns whether the template sends a one-time code; its buttons read back as URL, so only the category tells. */
export function isAuthentication(template: Pick<TemplateContent, 'category'>): boolean {
  return template.category.toUpperCase() === 'AUTHENTICATION';
}

/** Returns what the template wants to be given. */
export function placeholdersOf(template: TemplateContent): Placeholders {
  const components = objects(template.components);
  const component = (type: string): Json | undefined => components.find((item) => word(item['type']) === type);
  const header = component('header');
  const kind = word(header?.['format']);
  const media = mediaKinds.find((candidate) => candidate === kind);
  const headerNames = namesIn(header?.['text']);
  const bodyText = component('body')?.['text'];
  // The text of an authentication template is the platform's own and may be left out; it always holds the code.
  const body = typeof bodyText !== 'string' && isAuthentication(template) ? ['1'] : namesIn(bodyText);
  return {
    named: template.parameter_format.toUpperCase() === 'NAMED',
    header: media ? { kind: media } : headerNames.length > 0 ? { kind: 'text', names: headerNames } : { kind: 'none' },
    body,
    buttons: objects(component('buttons')?.['buttons']).flatMap(
      (button, index): { index: number; subType: 'url' | 'copy_code' }[] => {
        const type = word(button['type']);
        if (type === 'otp' || (type === 'url' && namesIn(button['url']).length > 0)) return [{ index, subType: 'url' }];
        return type === 'copy_code' ? [{ index, subType: 'copy_code' }] : [];
      },
    ),
  };
}

/**
 * Returns what the header and the body of a template take, as words to keep and compare. Values without names go by
 * number, wherever the text has it.
 */
export function takenBy(template: TemplateContent): Record<'header' | 'body', string> {
  const { named, header, body } = placeholdersOf(template);
  const words = (names: readonly string[]): string =>
    (named ? names : [...names].sort()).map((name) => `{{${name}}}`).join(', ') || 'nothing';
  return {
    header: header.kind === 'text' ? words(header.names) : header.kind === 'none' ? words([]) : header.kind,
    body: words(body),
  };
}

/** Refuses components that the upstream would refuse for their parameters (contract 6). */
export function checkComponents(template: TemplateContent, components: unknown): void {
  if (components !== undefined && components !== null && !Array.isArray(components))
    refuse('components: Expected a list of items.');
  const given = objects(components ?? []);
  if (Array.isArray(components) && given.length !== components.length)
    refuse('components: Each item must be an object.');
  const wanted = placeholdersOf(template);
  for (const item of given) {
    if (!['header', 'body', 'button', 'carousel', 'limited_time_offer'].includes(word(item['type'])))
      refuse(`components: "${printable(item['type'])}" is not a valid choice.`);
    const { parameters } = item;
    if (parameters === undefined || parameters === null) continue;
    if (!Array.isArray(parameters) || !parameters.every(isPlainObject))
      refuse(`${word(item['type'])}: parameters must be a list of objects.`);
  }
  const header = parametersOf(given, 'header');
  if (wanted.header.kind === 'none' || wanted.header.kind === 'text')
    checkTexts('header', wanted.named, wanted.header.kind === 'text' ? wanted.header.names : [], header);
  else checkMedia(wanted.header.kind, header);
  checkTexts('body', wanted.named, wanted.body, parametersOf(given, 'body'));
  checkButtons(
    wanted,
    given.filter((item) => word(item['type']) === 'button'),
    objects(objects(template.components).find((item) => word(item['type']) === 'buttons')?.['buttons']).length,
  );
}

function checkTexts(where: string, named: boolean, names: readonly string[], parameters: readonly Json[]): void {
  if (parameters.length !== names.length)
    refuse(`${where}: expected ${count(names.length)} but got ${parameters.length}.`);
  const seen = new Set<string>();
  parameters.forEach((parameter, index) => {
    const kind = word(parameter['type']);
    if (!textKinds.has(kind)) refuse(`${where}.${index + 1}: expected a parameter of type text.`);
    const value =
      kind === 'text'
        ? parameter['text']
        : isPlainObject(parameter[kind])
          ? parameter[kind]['fallback_value']
          : undefined;
    if (typeof value !== 'string' || value.trim() === '') refuse(`${where}.${index + 1}: the value may not be blank.`);
    if (/[\n\r\t]| {5,}/.test(String(value)))
      refuse(`${where}.${index + 1}: the value may not have line breaks, tabs or more than four spaces in a row.`);
    if (!named) return;
    const name = parameter['parameter_name'];
    if (typeof name !== 'string' || name === '')
      return refuse(`${where}.${index + 1}: parameter_name is required, because the template's parameters have names.`);
    if (!names.includes(name)) refuse(`${where}: the template has no parameter named "${name.slice(0, 100)}".`);
    if (seen.has(name)) refuse(`${where}: the parameter "${name}" is given more than once.`);
    seen.add(name);
  });
}

function checkMedia(kind: string, parameters: readonly Json[]): void {
  const [parameter] = parameters;
  if (parameters.length !== 1 || !parameter)
    return refuse(`header: expected 1 parameter of type ${kind} but got ${parameters.length}.`);
  if (word(parameter['type']) !== kind) refuse(`header: expected a parameter of type ${kind}.`);
  if (!isPlainObject(parameter[kind])) refuse(`header: the parameter must carry an object "${kind}".`);
}

function checkButtons(wanted: Placeholders, given: readonly Json[], existing: number): void {
  const byIndex = new Map<number, Json>();
  for (const item of given) {
    const place = item['index'] ?? 0;
    const index = typeof place === 'string' || typeof place === 'number' ? Number(place) : Number.NaN;
    if (!Number.isInteger(index) || index < 0 || index >= existing)
      refuse(`button: the template has no button at index ${printable(place)}.`);
    if (byIndex.has(index)) refuse(`button ${index}: given more than once.`);
    byIndex.set(index, item);
  }
  for (const { index, subType } of wanted.buttons) {
    const item = byIndex.get(index);
    const parameters = objects(item?.['parameters']);
    const [parameter] = parameters;
    if (!item || parameters.length !== 1 || !parameter)
      return refuse(`button ${index}: expected 1 parameter but got ${parameters.length}.`);
    if (word(item['sub_type']) !== subType) refuse(`button ${index}: sub_type must be "${subType}".`);
    const value = subType === 'copy_code' ? parameter['coupon_code'] : parameter['text'];
    if (typeof value !== 'string' || value === '') refuse(`button ${index}: the value may not be blank.`);
  }
}

/**
 * Placeholders that the mapping leaves out, and parts of the template that no mapping can fill, as sentences;
 * empty when the template can be sent with it (contract 9).
 */
export function variableProblems(
  template: TemplateContent,
  variables: TemplateVariables,
  takes: 'texts' | 'texts and a file' = 'texts',
): string[] {
  const wanted = placeholdersOf(template);
  const headerNames = wanted.header.kind === 'text' ? wanted.header.names : [];
  const problems = [
    ...headerNames.flatMap((_name, index) =>
      variables.header?.[String(index + 1)] ? [] : [`header.${index + 1}: this placeholder is required.`],
    ),
    ...wanted.body.flatMap((_name, index) =>
      variables.body?.[String(index + 1)] ? [] : [`body.${index + 1}: this placeholder is required.`],
    ),
  ];
  return [...problems, ...unfillableParts(template, takes)];
}

const wayOut = 'Send it to one customer at a time, by template {name, language, components}.';

/** Kinds of a header that a file of ours fills. */
const fileHeaders = ['image', 'video', 'document'] as const;

/** Returns as what a file fills the header of a template; null where it takes none. */
export function headerFileKind({
  components,
}: Pick<TemplateContent, 'components'>): (typeof fileHeaders)[number] | null {
  const header = objects(components).find((item) => word(item['type']) === 'header');
  const format = word(header?.['format']);
  return fileHeaders.find((one) => one === format) ?? null;
}

/** Parts of a template that no mapping, or no mapping with a file, can fill, as sentences. */
export function unfillableParts(template: TemplateContent, takes: 'texts' | 'texts and a file' = 'texts'): string[] {
  const wanted = placeholdersOf(template);
  const isFilled = takes === 'texts and a file' && headerFileKind(template) !== null;
  return [
    ...(wanted.header.kind === 'none' || wanted.header.kind === 'text' || isFilled
      ? []
      : [`header: a template with a header of type ${wanted.header.kind} cannot be filled by variables. ${wayOut}`]),
    ...(isAuthentication(template) || wanted.buttons.length === 0
      ? []
      : [`button: a template whose buttons take parameters cannot be filled by variables. ${wayOut}`]),
  ];
}

/** A file of ours for the header of a template. */
export interface HeaderFile {
  readonly id: string;
  readonly filename: string;
}

/**
 * Returns the upstream components of a template filled by a mapping of contract 6.6, and by a file where its header is
 * one. Named placeholders are counted in
 * order of appearance. What the mapping leaves out and what resolves to nothing is sent as an em dash; the code of an
 * authentication template goes into its button too (upstream 1.4).
 */
export function componentsFromVariables(
  template: TemplateContent,
  variables: TemplateVariables,
  resolve: (source: VariableSource) => string | null | undefined,
  file: HeaderFile | null = null,
): Json[] {
  const wanted = placeholdersOf(template);
  const fill = (names: readonly string[], bindings: TemplateVariables['body']): Json[] =>
    names.map((name, index) => {
      const binding = bindings?.[String(index + 1)];
      return {
        type: 'text',
        ...(wanted.named ? { parameter_name: name } : {}),
        text: flattenValue(binding ? (resolve(binding) ?? '') : ''),
      };
    });
  const components: Json[] = [];
  if (wanted.header.kind === 'text')
    components.push({ type: 'header', parameters: fill(wanted.header.names, variables.header) });
  const kind = headerFileKind(template);
  if (kind !== null && file !== null) {
    const named = kind === 'document' && file.filename !== '' ? { filename: file.filename } : {};
    components.push({ type: 'header', parameters: [{ type: kind, [kind]: { id: file.id, ...named } }] });
  }
  const body = fill(wanted.body, variables.body);
  if (body.length > 0) components.push({ type: 'body', parameters: body });
  if (isAuthentication(template) && body[0]) {
    const code = body[0]['text'];
    for (const { index, subType } of wanted.buttons) {
      components.push({
        type: 'button',
        sub_type: subType,
        index: String(index),
        parameters: [
          subType === 'copy_code' ? { type: 'coupon_code', coupon_code: code } : { type: 'text', text: code },
        ],
      });
    }
  }
  return components;
}

// Zero-width and direction controls; the joiners U+200C and U+200D stay, because scripts and emoji need them.
const invisible = /[\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF\u00AD]/g;
// Built from text, because control characters in a literal are taken for typing errors.
const spaceOrControl = new RegExp('[\\s\\u0000-\\u001F\\u007F-\\u009F]+', 'g');

/** One line without runs of spaces, never empty: nothing becomes an em dash (contract 6.6). */
export function flattenValue(text: string): string {
  return text.replace(invisible, '').replace(spaceOrControl, ' ').trim() || emDash;
}

function parametersOf(components: readonly Json[], type: string): Json[] {
  const found = components.filter((item) => word(item['type']) === type);
  if (found.length > 1) refuse(`${type}: given more than once.`);
  return objects(found[0]?.['parameters']);
}

function namesIn(text: unknown): string[] {
  return typeof text === 'string'
    ? [...new Set([...text.matchAll(placeholderPattern)].map((match) => match[1] ?? ''))]
    : [];
}

function objects(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isPlainObject) : [];
}

function word(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase() : '';
}

function count(number: number): string {
  return number === 1 ? '1 parameter' : `${number} parameters`;
}

function refuse(message: string): never {
  throw invalidField('template', message);
}
