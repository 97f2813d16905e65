import type { FieldErrors } from '../../core/http/errors';
import { linkTo, numberText } from './formats';
import { words } from './words';
import { valueWord } from './valueWord';

/** The colours of states, for all kinds of objects. */
const statusStyles: Readonly<Record<string, string>> = {
  applied: 'tag-good',
  approved: 'tag-good',
  completed: 'tag-good',
  delivered: 'tag-good',
  met: 'tag-good',
  ok: 'tag-good',
  on: 'tag-good',
  published: 'tag-good',
  sent: 'tag-good',
  paused: 'tag-warn',
  pending: 'tag-warn',
  running: 'tag-warn',
  throttled: 'tag-warn',
  unknown: 'tag-warn',
  scheduled: 'tag-accent',
  blocked: 'tag-bad',
  disabled: 'tag-bad',
  error: 'tag-bad',
  failed: 'tag-bad',
  missed: 'tag-bad',
  refused: 'tag-bad',
  rejected: 'tag-bad',
};

/** A label in a frame, with the class of its colour. */
export interface TagView {
  readonly text: string;
  readonly style: string;
}

/** Returns the tag of a state, in other words where given; it has no colour where it asks for no notice. */
export function statusTag(status: string, text = valueWord(status)): TagView {
  return { text, style: statusStyles[status.toLowerCase()] ?? '' };
}

/** What the navigation counts. */
export type BadgeName = 'approvals' | 'concerns' | 'waiting';

/** What concerns the member and is unread: ids, by the path of the page that shows it. */
export type Unread = Readonly<Record<string, readonly number[]>>;

/** A number beside a place of the navigation. */
export interface BadgeView {
  readonly name: BadgeName;
  readonly text: string;
  readonly isHidden: boolean;
}

const maxBadge = 99;

/** Builds the number beside a place. */
export function badgeView(name: BadgeName, count: number): BadgeView {
  return { name, text: count > maxBadge ? `${maxBadge}+` : String(count), isHidden: count === 0 };
}

/** One page of a list, as its operation gives it. */
interface Paged {
  readonly count?: number;
  readonly next: Readonly<Record<string, string>> | null;
  readonly previous: Readonly<Record<string, string>> | null;
}

/** The way from a page of a list to its neighbours. */
export interface PagerView {
  readonly text: string;
  readonly previous: string | null;
  readonly next: string | null;
}

/** Builds the way to the neighbours of a page; null where the list has one page and nothing is to be said. */
export function pagerView(
  { count, next, previous }: Paged,
  path: string,
  query: Readonly<Record<string, string | undefined>> = {},
  text?: string,
): PagerView | null {
  if (!next && !previous && text === undefined) return null;
  return {
    text: text ?? (count === undefined ? '' : words.common.inAll(numberText(count))),
    previous: previous && linkTo(path, { ...query, ...previous }),
    next: next && linkTo(path, { ...query, ...next }),
  };
}

/** A choice of a select. */
export interface Option {
  readonly value: string | number;
  readonly label: string;
  /** What a box says beside its label. */
  readonly detail?: string;
  /** The heading that boxes stand below. */
  readonly group?: string;
}

/** A choice of a select as it stands there. */
interface OptionView extends Option {
  readonly isChosen: boolean;
}

function optionViews(options: readonly Option[], chosen: readonly string[]): OptionView[] {
  return options.map((option) => ({ ...option, isChosen: chosen.includes(String(option.value)) }));
}

/** A select of a filter form, which is submitted when another choice is made. */
export interface FilterView {
  readonly name: string;
  readonly label: string;
  readonly options: readonly OptionView[];
}

/** Builds a select of a form that finds. */
export function filterView(name: string, label: string, options: readonly Option[], chosen = ''): FilterView {
  return { name, label, options: optionViews(options, [chosen]) };
}

/** A way to another part of what a page shows. */
export interface TabView {
  readonly label: string;
  readonly href: string;
  readonly isCurrent: boolean;
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
interface ErrorLine {
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
  readonly errors?: FieldErrors | undefined;
  readonly hint?: string;
  readonly options?: readonly Option[];
  readonly required?: boolean;
  /** Said beside the label. */
  readonly optional?: boolean;
  readonly rows?: number;
  readonly attributes?: Readonly<Record<string, string | number>>;
}

/** A field of a form. */
export interface FormField extends FieldGiven {
  readonly label: string;
  /** What it was filled with. A hidden input sends it back, so that only what was changed is saved. */
  readonly was: string;
}

/** A field of a form with what the browser needs to tie its parts together. */
interface FieldView {
  readonly id: string;
  readonly kind: 'checkbox' | 'input' | 'select' | 'textarea';
  /** The type of an input. */
  readonly type: string;
  readonly value: unknown;
  readonly rows: number;
  readonly isTicked: boolean;
  readonly options: readonly OptionView[];
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly error: string;
}

/** Builds a field: its id, what describes it, and its attributes. */
export function fieldView(field: FieldGiven): FieldView {
  const { type = 'text', value = '' } = field;
  const id = field.id ?? `field-${field.name.replace(/[^\w-]/g, '-')}`;
  const error = errorText(field.errors, field.name);
  const described = [field.hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ');
  const attributes = {
    ...(field.required && type !== 'select' ? { required: '' } : {}),
    ...(described ? { 'aria-describedby': described } : {}),
    ...(error ? { 'aria-invalid': 'true' } : {}),
    ...field.attributes,
  };
  const chosen = (Array.isArray(value) ? value : [value ?? '']).map(String);
  return {
    id,
    kind: type === 'checkbox' || type === 'select' || type === 'textarea' ? type : 'input',
    type,
    value,
    rows: field.rows ?? 3,
    isTicked: chosen.includes('true'),
    options: optionViews(field.options ?? [], chosen),
    attributes,
    error,
  };
}

/** Returns what is wrong with a field, as a sentence. */
function errorText(errors: FieldErrors | undefined, name: string): string {
  return (errors?.[name] ?? []).map(sentence).join(' ');
}

/** What a template says of boxes of which several may be ticked. */
export interface ChecksGiven {
  readonly name: string;
  readonly legend: string;
  readonly options: readonly Option[];
  readonly values?: readonly unknown[] | undefined;
  readonly errors?: FieldErrors | undefined;
  readonly hint?: string;
}

/** The boxes, with what describes them. */
interface ChecksView {
  /** Boxes that follow each other, by their headings; of one without a heading it is empty. */
  readonly groups: readonly { readonly name: string; readonly options: readonly OptionView[] }[];
  readonly isDescribed: boolean;
  readonly error: string;
}

/** Builds the boxes of which several may be ticked. */
export function checksView({ name, options, values = [], errors, hint }: ChecksGiven): ChecksView {
  const error = errorText(errors, name);
  const names = [...new Set(options.map(({ group = '' }) => group))];
  const groups = names.map((group) => {
    const own = options.filter((option) => (option.group ?? '') === group);
    return { name: group, options: optionViews(own, values.map(String)) };
  });
  return { groups, isDescribed: Boolean(error || hint), error };
}

/** One choice of several, as the buttons of a radio group. */
export interface RadioView {
  readonly name: string;
  readonly value: string;
  readonly label: string;
  readonly detail: string;
  readonly isChosen: boolean;
}

/** What is asked before something that cannot be undone. */
export interface Confirmation {
  readonly title: string;
  readonly text: string;
  readonly button: string;
}
