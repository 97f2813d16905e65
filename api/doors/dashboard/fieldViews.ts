import type { FieldErrors } from '../../core/http/errors';

/** How the states of things are coloured, whatever is in them. */
const statusStyles: Readonly<Record<string, string>> = {
  applied: 'tag-good',
  approved: 'tag-good',
  completed: 'tag-good',
  delivered: 'tag-good',
  met: 'tag-good',
  ok: 'tag-good',
  published: 'tag-good',
  sent: 'tag-good',
  pending: 'tag-warn',
  running: 'tag-warn',
  throttled: 'tag-warn',
  unknown: 'tag-warn',
  scheduled: 'tag-accent',
  blocked: 'tag-bad',
  error: 'tag-bad',
  failed: 'tag-bad',
  missed: 'tag-bad',
  refused: 'tag-bad',
  rejected: 'tag-bad',
};

/** Returns the class of a state; none for one that asks for no notice. */
export function statusStyle(status: string): string {
  return statusStyles[status.toLowerCase()] ?? '';
}

/** A choice of a select. */
export interface Option {
  readonly value: string | number;
  readonly label: string;
}

/** A select of a form that finds: it asks anew when another choice is made. */
export interface FilterView {
  readonly name: string;
  readonly label: string;
  readonly options: readonly Option[];
  readonly chosen: string;
}

/** Returns the choices of a select from pairs of value and label. */
export function optionsOf(pairs: readonly (readonly [value: string | number, label: string])[]): Option[] {
  return pairs.map(([value, label]) => ({ value, label }));
}

/** Returns the choices that people are, by their names. */
export function peopleOptions(
  people: readonly { readonly id: number; readonly name: string; readonly email: string }[],
): Option[] {
  return people.map(({ id, name, email }) => ({ value: id, label: name || email }));
}

/** A refusal as a page words it: of which field, where its form shows none of its own. */
export interface ErrorLine {
  /** Empty: of the whole form. */
  readonly field: string;
  readonly text: string;
}

/** Returns what was refused beyond the fields that show their own errors. */
export function otherErrors(errors: FieldErrors = {}, fields: readonly string[] = []): ErrorLine[] {
  return Object.entries(errors)
    .filter(([name]) => !fields.includes(name))
    .flatMap(([name, messages]) =>
      messages.map((message) => ({
        field: name === 'non_field_errors' ? '' : sentence(name.replaceAll('_', ' ')),
        text: sentence(message),
      })),
    );
}

/** Returns a text with a capital letter at its head, as the API's own begin with the name of a field. */
export function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** What a template says of a field. */
export interface FieldGiven {
  readonly name: string;
  readonly label?: string;
  readonly id?: string;
  readonly type?: string;
  readonly value?: unknown;
  readonly errors?: FieldErrors;
  readonly hint?: string;
  readonly options?: readonly Option[];
  readonly required?: boolean;
  readonly attributes?: Readonly<Record<string, string | number>>;
}

/** A field of a form with what the browser needs to tie its parts together. */
export interface FieldView {
  readonly id: string;
  readonly isCheckbox: boolean;
  /** What is chosen, or ticked. */
  readonly chosen: readonly string[];
  /** HTML of its attributes, with a space before each. */
  readonly attributes: string;
  readonly error: string;
}

/** Builds a field: its id, what describes it, and its attributes. */
export function fieldView(field: FieldGiven, escape: (value: unknown) => string): FieldView {
  const id = field.id ?? `field-${field.name.replace(/[^\w-]/g, '-')}`;
  const error = (field.errors?.[field.name] ?? []).map(sentence).join(' ');
  const described = [field.hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ');
  const isCheckbox = field.type === 'checkbox';
  const attributes = {
    ...(field.required && field.type !== 'select' ? { required: '' } : {}),
    ...(described ? { 'aria-describedby': described } : {}),
    ...(error ? { 'aria-invalid': 'true' } : {}),
    ...field.attributes,
  };
  const value = field.value ?? '';
  return {
    id,
    isCheckbox,
    chosen: (Array.isArray(value) ? value : [value]).map(String),
    attributes: Object.entries(attributes)
      .map(([name, text]) => ` ${name}="${escape(text)}"`)
      .join(''),
    error,
  };
}
