import { cut } from '../../../core/text/cut';
import { invalidField } from '../../../core/http/errors';
import { isPlainObject, printable } from '../../../core/http/fields';
import {
  isAuthentication,
  objects,
  placeholdersOf,
  word,
  type Placeholders,
  type TemplateContent,
} from './requiredParts';
import type { TemplateVariables, VariableSource } from './variables';
import { reason } from '../reasons';
import type { Reason } from '../../../core/http/reasons';

type Json = Record<string, unknown>;

const emDash = '—';
const textKinds = new Set(['text', 'currency', 'date_time']);

/** Refuses components that the upstream would refuse for their parameters (contract 6). */
export function checkComponents(template: TemplateContent, components: unknown): void {
  if (components !== undefined && components !== null && !Array.isArray(components))
    refuse('components: Expected a list of items.');
  const given = objects(components ?? []);
  if (Array.isArray(components) && given.length !== components.length)
    refuse('components: Each item must be an object.');
  for (const item of given) {
    if (!['header', 'body', 'button', 'carousel', 'limited_time_offer'].includes(word(item['type'])))
      refuse(`components: "${printable(item['type'])}" is not a valid choice.`);
    checkParameterList(item);
  }
  checkParts(placeholdersOf(template), given, '');
}

function checkParameterList({ type, parameters }: Json): void {
  if (parameters === undefined || parameters === null) return;
  if (!Array.isArray(parameters) || !parameters.every(isPlainObject))
    refuse(`${word(type)}: parameters must be a list of objects.`);
}

/** Checks what is given for a template, or for a card of it, which `at` names. */
function checkParts(wanted: Placeholders, given: readonly Json[], at: string): void {
  const header = parametersOf(given, 'header');
  if (wanted.header.kind === 'none' || wanted.header.kind === 'text')
    checkTexts(`${at}header`, wanted.named, wanted.header.kind === 'text' ? wanted.header.names : [], header);
  else checkHeader(`${at}header`, wanted.header.kind, header);
  checkTexts(`${at}body`, wanted.named, wanted.body, parametersOf(given, 'body'));
  const buttons = given.filter((item) => word(item['type']) === 'button');
  checkButtons(wanted, buttons, at);
  checkOffer(wanted, parametersOf(given, 'limited_time_offer'), at);
  checkCards(
    wanted,
    given.filter((item) => word(item['type']) === 'carousel'),
    at,
  );
  // A button that came after this version may be filled by who knows it.
  const missing = wanted.unknown.find(
    ({ button }) => button === null || !buttons.some((item) => indexOf(item) === button),
  );
  if (missing)
    refuse(`${at}${missing.name}: it is not known what this part of the template needs, so it cannot be sent.`);
}

function checkOffer(wanted: Placeholders, parameters: readonly Json[], at: string): void {
  if (!wanted.expires) return;
  const offer = parameters[0]?.['limited_time_offer'];
  const time = isPlainObject(offer) ? offer['expiration_time_ms'] : undefined;
  if (parameters.length !== 1 || typeof time !== 'number' || !(time > 0))
    refuse(`${at}limited_time_offer: expected 1 parameter with an expiration_time_ms.`);
}

function checkCards({ cards: wanted }: Placeholders, given: readonly Json[], at: string): void {
  const cards = objects(given[0]?.['cards']);
  if (given.length > 1) refuse(`${at}carousel: given more than once.`);
  if (cards.length !== wanted.length)
    refuse(
      `${at}carousel: expected ${wanted.length === 1 ? '1 card' : `${wanted.length} cards`} but got ${cards.length}.`,
    );
  for (const [index, card] of wanted.entries()) {
    const own = cards.filter((item) => item['card_index'] === index);
    if (own.length !== 1) refuse(`${at}carousel: expected one card with the card_index ${index}.`);
    const components = objects(own[0]?.['components']);
    components.forEach(checkParameterList);
    checkParts(card, components, `${at}card ${index}: `);
  }
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
    if (!names.includes(name)) refuse(`${where}: the template has no parameter named "${cut(name, 100)}".`);
    if (seen.has(name)) refuse(`${where}: the parameter "${name}" is given more than once.`);
    seen.add(name);
  });
}

function checkHeader(at: string, kind: string, parameters: readonly Json[]): void {
  const [parameter] = parameters;
  if (parameters.length !== 1 || !parameter)
    return refuse(`${at}: expected 1 parameter of type ${kind} but got ${parameters.length}.`);
  if (word(parameter['type']) !== kind) refuse(`${at}: expected a parameter of type ${kind}.`);
  const value = parameter[kind];
  if (!isPlainObject(value)) return refuse(`${at}: the parameter must carry an object "${kind}".`);
  for (const keys of headerKeys[kind] ?? [['id', 'link']])
    if (!keys.some((key) => isGiven(value[key]))) refuse(`${at}: ${kind} needs ${keys.join(' or ')}.`);
}

/** What the parameter of a header that is no file carries, of each group one; a file has `id` or `link`. */
const headerKeys: Readonly<Record<string, readonly (readonly string[])[]>> = {
  location: [['latitude'], ['longitude']],
  product: [['product_retailer_id']],
};

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

function indexOf(item: Json): number {
  const place = item['index'] ?? 0;
  return typeof place === 'string' || typeof place === 'number' ? Number(place) : Number.NaN;
}

function checkButtons(wanted: Placeholders, given: readonly Json[], at: string): void {
  const byIndex = new Map<number, Json>();
  for (const item of given) {
    const index = indexOf(item);
    if (!Number.isInteger(index) || index < 0 || index >= wanted.buttonCount)
      refuse(`${at}button: the template has no button at index ${printable(item['index'] ?? 0)}.`);
    if (byIndex.has(index)) refuse(`${at}button ${index}: given more than once.`);
    byIndex.set(index, item);
  }
  const parameterOf = (index: number, subType: string): Json => {
    const item = byIndex.get(index);
    const parameters = objects(item?.['parameters']);
    const [parameter] = parameters;
    if (!item || parameters.length !== 1 || !parameter)
      return refuse(`${at}button ${index}: expected 1 parameter but got ${parameters.length}.`);
    if (word(item['sub_type']) !== subType) refuse(`${at}button ${index}: sub_type must be "${subType}".`);
    return parameter;
  };
  for (const { index, subType } of wanted.buttons) {
    const parameter = parameterOf(index, subType);
    const value = subType === 'copy_code' ? parameter['coupon_code'] : parameter['text'];
    if (typeof value !== 'string' || value === '') refuse(`${at}button ${index}: the value may not be blank.`);
  }
  for (const { index, subType } of wanted.actions)
    if (!isPlainObject(parameterOf(index, subType)['action']))
      refuse(`${at}button ${index}: the parameter must carry an object "action".`);
}

/**
 * Placeholders that the mapping leaves out, and parts of the template that no mapping can fill, as sentences;
 * empty when the template can be sent with it (contract 9).
 */
export function variableProblems(
  template: TemplateContent,
  variables: TemplateVariables,
  takes: 'texts' | 'texts and a file' = 'texts',
): Reason[] {
  const wanted = placeholdersOf(template);
  const headerNames = wanted.header.kind === 'text' ? wanted.header.names : [];
  const problems = [
    ...headerNames.flatMap((_name, index) =>
      variables.header?.[String(index + 1)] ? [] : [reason('placeholderRequired').at(`header.${index + 1}: `)],
    ),
    ...wanted.body.flatMap((_name, index) =>
      variables.body?.[String(index + 1)] ? [] : [reason('placeholderRequired').at(`body.${index + 1}: `)],
    ),
  ];
  return [...problems, ...unfillableParts(template, takes)];
}

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
export function unfillableParts(template: TemplateContent, takes: 'texts' | 'texts and a file' = 'texts'): Reason[] {
  const wanted = placeholdersOf(template);
  const isFilled = takes === 'texts and a file' && headerFileKind(template) !== null;
  const without = (place: string, what: string): Reason => reason('unfillable', { what }).at(`${place}: `);
  return [
    ...(wanted.header.kind === 'none' || wanted.header.kind === 'text' || isFilled
      ? []
      : [without('header', `a template with a header of type ${wanted.header.kind}`)]),
    ...(isAuthentication(template) || wanted.buttons.length === 0
      ? []
      : [without('button', 'a template whose buttons take parameters')]),
    ...wanted.actions.map(({ index, subType }) => without(`button ${index}`, `the action of its type ${subType}`)),
    ...(wanted.expires ? [without('limited_time_offer', 'the end of the offer')] : []),
    ...(wanted.cards.length > 0 ? [without('carousel', `the contents of its ${wanted.cards.length} cards`)] : []),
    ...wanted.unknown.map(({ name }) => reason('unknownNeed').at(`${name}: `)),
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

function count(number: number): string {
  return number === 1 ? '1 parameter' : `${number} parameters`;
}

function refuse(message: string): never {
  throw invalidField('template', message);
}
