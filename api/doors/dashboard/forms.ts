import type { FieldErrors } from '../../core/http/errors';
import { countries } from '../../core/phones';
import { languageName, languages } from '../../core/text/language';
import type { FormField, Option } from './fieldViews';
import type { PageRequest } from './page';
import { words } from './words';

const { choice } = words.common;

/** The definition of a custom field, as the API lists it. */
export interface FieldDefinition {
  readonly name: string;
  readonly label: string;
  readonly field_type: string;
  readonly applies_to: readonly string[];
  readonly options: readonly string[];
}

/** What was typed into a form before. */
export type Typed = Pick<PageRequest, 'form' | 'all'>;

/** A custom value as a field of a form, and as a page shows it. */
export interface CustomValueView extends FormField {
  readonly shown: string;
  readonly errors: FieldErrors;
}

/** Fills a field of a form: with what was typed before, else with what is stored. */
export function formField(
  page: Pick<Typed, 'form'>,
  field: Omit<FormField, 'was' | 'value'>,
  stored: unknown,
  errors: FieldErrors = {},
): FormField {
  const text = textOf(stored);
  return { ...field, value: page.form[field.name] ?? text, was: page.form[`was.${field.name}`] ?? text, errors };
}

/** Returns the languages of the team, by what they call themselves. */
export function languageOptions(): readonly Option[] {
  return languages.map((language) => ({ value: language, label: languageName(language) }));
}

/** Returns the countries whose phone numbers are known, after the word for none of them. */
export function countryOptions(none: string): readonly Option[] {
  return [{ value: '', label: none }, ...countries().map(({ code, name }) => ({ value: code, label: name }))];
}

const inputTypes: Readonly<Record<string, string>> = {
  number: 'number',
  date: 'date',
  select: 'select',
  multi_select: 'select',
  boolean: 'select',
};
const yesNo = (): readonly Option[] => [
  { value: 'true', label: choice.yes },
  { value: 'false', label: choice.no },
];

/** Returns the custom fields that apply to any of the subjects; none where the member may not read them. */
export async function definitionsFor(page: PageRequest, ...subjects: readonly string[]): Promise<FieldDefinition[]> {
  const all = await page.callIfPermitted<FieldDefinition[]>('customFields.list', {}, []);
  return all.filter(({ applies_to: applies }) => applies.some((subject) => subjects.includes(subject)));
}

/** Builds form fields for custom fields: each with what was typed, else with what is stored, and its errors. */
export function customValueViews(
  page: Typed,
  definitions: readonly FieldDefinition[],
  stored: Readonly<Record<string, unknown>>,
  messages: readonly string[] = [],
): CustomValueView[] {
  return definitions.map((definition) => {
    const { name, label, field_type: type } = definition;
    const key = `custom.${name}`;
    const multiple = type === 'multi_select';
    const filled = stored[name] ?? (multiple ? [] : '');
    const before = page.form[`was.${key}`];
    const value = before === undefined ? filled : multiple ? page.all(key) : page.form[key];
    const choices = choicesOf(definition, filled);
    return {
      name: key,
      label: label || name,
      type: inputTypes[type] ?? 'text',
      value: multiple ? value : textOf(value),
      was: before ?? textOf(filled),
      shown: shownValue(filled),
      options: inputTypes[type] !== 'select' ? [] : multiple ? choices : [{ value: '', label: '–' }, ...choices],
      attributes: {
        ...(multiple ? { multiple: 'multiple', size: String(Math.min(6, choices.length)) } : {}),
        ...(type === 'number' ? { step: 'any' } : {}),
      },
      ...(multiple ? { hint: choice.several } : {}),
      errors: errorsOf(key, name, messages),
    };
  });
}

/** Returns the choices of a custom field, with a stored one that it has no more: else the next save would clear it. */
export function choicesOf({ field_type: type, options }: FieldDefinition, stored: unknown): readonly Option[] {
  if (type === 'boolean') return yesNo();
  const gone = [stored].flat().filter((value) => typeof value === 'string' && value !== '' && !options.includes(value));
  return [...options, ...(gone as string[])].map((option) => ({ value: option, label: option }));
}

/** Returns what was refused of one custom field, under the name of its field in the form. */
function errorsOf(key: string, name: string, messages: readonly string[]): FieldErrors {
  const own = messages.filter((message) => message.startsWith(`${name}: `));
  return own.length === 0 ? {} : { [key]: own.map((message) => message.slice(name.length + 2)) };
}

/** Leaves out the errors of custom fields that stand beside their field. */
export function unshown(errors: FieldErrors, custom: readonly { readonly errors: FieldErrors }[]): FieldErrors {
  const { custom_fields: messages, ...others } = errors;
  const shown = custom.flatMap((field) => Object.values(field.errors).flat()).length;
  return messages && messages.length > shown ? { ...others, custom_fields: messages } : others;
}

/** Reads the custom fields of a form: those that differ from what the form was filled with. */
export function readCustomValues(
  page: PageRequest,
  definitions: readonly FieldDefinition[],
): Record<string, unknown> | undefined {
  const values: Record<string, unknown> = {};
  for (const { name, field_type: type } of definitions) {
    const key = `custom.${name}`;
    const before = page.form[`was.${key}`];
    if (before === undefined) continue;
    const given = type === 'multi_select' ? page.all(key) : (page.form[key] ?? '').trim();
    if (textOf(given) !== before) values[name] = typed(type, given);
  }
  return Object.keys(values).length > 0 ? values : undefined;
}

/** Returns a value as the text of an input. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value);
}

/** Returns a value in the words of a page. */
export function shownValue(value: unknown): string {
  if (value === true) return choice.yes;
  if (value === false) return choice.no;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ');
  return textOf(value);
}

/**
 * Converts what was typed to the type of the field. What cannot be converted is passed on as it is: the API refuses it,
 * and the page shows why beside the field.
 */
function typed(type: string, given: string | readonly string[]): unknown {
  if (typeof given !== 'string') return given.length > 0 ? given : null;
  if (given === '') return null;
  if (type === 'number' && Number.isFinite(Number(given))) return Number(given);
  return type === 'boolean' ? given === 'true' : given;
}

/**
 * Reads tags that were typed with commas between them, into those that are stored: what a colleague or a macro added
 * since the form was filled (`was`) stays, and so does a tag with a comma of its own, unless a piece of it was removed.
 */
export function editedTags(stored: unknown, was = '', given = ''): string[] {
  const [before, after] = [tagPieces(was), tagPieces(given)];
  const tags = tagsOf(stored) ?? [];
  const isRemoved = (tag: string): boolean =>
    tagPieces(tag).some((piece) => before.includes(piece) && !after.includes(piece));
  // What is left of a tag with a comma is a tag by itself.
  const left = tags.filter(isRemoved).flatMap(tagPieces);
  return [
    ...new Set([
      ...tags.filter((tag) => !isRemoved(tag)),
      ...after.filter((piece) => !before.includes(piece) || left.includes(piece)),
    ]),
  ];
}

function tagPieces(text: string): string[] {
  return text
    .split(',')
    .map((tag) => tag.trim())
    .filter(Boolean);
}

/** Reads what was typed one to a line. */
export function readLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Tags as a form shows them; null for another JSON value, which can be changed over the API only. */
export function tagsOf(value: unknown): readonly string[] | null {
  if (value === null || value === undefined || value === '') return [];
  return Array.isArray(value) && value.every((tag) => typeof tag === 'string') ? value : null;
}

/**
 * Reads the changed fields of a form. Each field has a hidden copy of its first value, so that saving never undoes what
 * a colleague has changed meanwhile.
 */
export function changedFields(page: PageRequest, names: readonly string[]): Record<string, string> {
  const changed = names.flatMap((name): [string, string][] => {
    const given = page.form[name];
    return given === undefined || given.replace(/\r\n/g, '\n') === page.form[`was.${name}`]?.replace(/\r\n/g, '\n')
      ? []
      : [[name, given]];
  });
  return Object.fromEntries(changed);
}

/** Reads the checkboxes of a form that were ticked or unticked, by the hidden copies of their first values. */
export function changedChecks(page: PageRequest, names: readonly string[]): Record<string, boolean> {
  const now = names.map((name): [string, boolean] => [name, page.form[name] === 'true']);
  return Object.fromEntries(now.filter(([name, isTicked]) => String(isTicked) !== page.form[`was.${name}`]));
}

/** Returns the hidden copies of what a form was first filled with (`Was`). */
export function filledWith(
  page: Pick<Typed, 'form'>,
  stored: Readonly<Record<string, unknown>>,
): [name: string, was: string][] {
  return Object.entries(stored).map(([name, value]) => [name, page.form[`was.${name}`] ?? textOf(value)]);
}
