import { cut } from '../text/cut';
import { AppError, invalid } from './errors';
import { reason } from './reasons';
/*
 * Numbers of JSON that a program of JavaScript cannot keep as they were written (contract 3): it takes 9007199254740993
 * for 9007199254740992, and 1E400 for infinite. They are found while a text is read, and refused where they stand.
 */

export const sendAsText = reason('sendAsText');

/** Replaces a number in an input that cannot be stored exactly. */
export class UnkeptNumber {
  /** Its beginning, as it was written. */
  readonly source: string;

  constructor(source: string) {
    this.source = cut(source, 200);
  }
}

/** Returns the first number in a value that could not be kept. */
export function unkeptIn(value: unknown): UnkeptNumber | undefined {
  if (value instanceof UnkeptNumber) return value;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const inner of Object.values(value)) {
    const found = unkeptIn(inner);
    if (found) return found;
  }
  return undefined;
}

/** Deepest nesting of an input (contract 3). What lies deeper is refused, so a number costs so many steps at most. */
export const maxDepth = 32;

/** What a number has that may be lost; most texts have none of it, and are not looked at any closer. */
const suspect = /\d{16}|\d[eE]/;

/** Most values in a JSON text, keys and items: those of the largest import. Four bytes are enough for one. */
const maxJsonValues = 125_000;

/** The refusal of what is nested deeper. */
export const tooDeep = reason('tooDeep', { max: maxDepth });

/**
 * Throws 413 for a JSON text with more values than any input has, 400 where it nests them; reads nothing. What a text
 * is made of costs more than its length: ten megabytes of `{},` were three million objects, and ten seconds of
 * everybody's time.
 */
export function refuseManyValues(text: string): void {
  let items = 0;
  let levels = 0;
  for (let at = 0; at < text.length && items + levels <= maxJsonValues; at += 1) {
    const sign = text.charCodeAt(at);
    if (sign === quote) at = endOfText(text, at);
    else if (sign === comma) items += 1;
    else if (sign === brace || sign === bracket) levels += 1;
    else if (sign === braceEnd || sign === bracketEnd) {
      // An object or list that has ended is a value like others.
      levels -= 1;
      items += 1;
    }
  }
  if (items + levels <= maxJsonValues) return;
  if (levels > maxDepth) throw invalid({ non_field_errors: [tooDeep] });
  throw new AppError('too_large', `A JSON body may have at most ${maxJsonValues} values.`);
}

const [quote, backslash, comma, brace, bracket, braceEnd, bracketEnd] = Array.from('"\\,{[}]', (sign) =>
  sign.charCodeAt(0),
) as [number, number, number, number, number, number, number];

/** Parses JSON as JSON.parse does, but returns an `UnkeptNumber` for each number that cannot be stored exactly. */
export function parseJson(text: string): unknown {
  refuseManyValues(text);
  const value: unknown = JSON.parse(text);
  if (!suspect.test(text) || typeof value !== 'object') return value;
  forEachNumber(text, (source, path) => {
    if (path.length > maxDepth || isKept(source)) return;
    let at = value as Record<string | number, unknown>;
    for (const key of path.slice(0, -1)) {
      const inner = at[key];
      // A key that stands there twice: the later value counts, and may be something else.
      if (typeof inner !== 'object' || inner === null || !Object.hasOwn(at, key)) return;
      at = inner as Record<string | number, unknown>;
    }
    const last = path.at(-1) ?? '';
    if (at[last] === Number(source) && Object.hasOwn(at, last)) at[last] = new UnkeptNumber(source);
  });
  return value;
}

/** Returns whether a number is kept as it is written in JSON. */
export function isKept(source: string): boolean {
  const value = Number(source);
  if (!Number.isFinite(value)) return false;
  if (value === 0) return !/^[^eE]*[1-9]/.test(source);
  return Math.abs(value) < 2 ** 53 || significantOf(source) === significantOf(String(value));
}

/** Returns the digits of a number without the zeros around them, and its power of ten. */
function significantOf(source: string): string {
  const [mantissa = '', exponent = '0'] = source.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace(/^[+-]/, '').split('.');
  const digits = whole + fraction;
  let start = 0;
  while (digits[start] === '0') start += 1;
  let end = digits.length;
  while (end > start && digits[end - 1] === '0') end -= 1;
  return `${digits.slice(start, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}

type Path = readonly (string | number)[];

/** Calls back for each number of a JSON text that JSON.parse has accepted, with the keys that lead to it. */
function forEachNumber(text: string, found: (source: string, path: Path) => void): void {
  const path: (string | number)[] = [];
  let isKey = false;
  const number = /-?\d[\d.eE+-]*/y;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    const top = path.length - 1;
    if (sign === '{' || sign === '[') {
      path.push(sign === '{' ? '' : 0);
      isKey = sign === '{';
    } else if (sign === '}' || sign === ']') {
      path.pop();
    } else if (sign === ':') {
      isKey = false;
    } else if (sign === ',') {
      const index = path[top];
      isKey = typeof index === 'string';
      if (typeof index === 'number') path[top] = index + 1;
    } else if (sign === '"') {
      const end = endOfText(text, at);
      if (isKey) path[top] = JSON.parse(text.slice(at, end + 1)) as string;
      at = end;
    } else if (sign === '-' || (sign >= '0' && sign <= '9')) {
      number.lastIndex = at;
      const source = number.exec(text)?.[0] ?? sign;
      found(source, path);
      at += source.length - 1;
    }
  }
}

/** Returns where the text ends that begins at a quote. */
function endOfText(text: string, start: number): number {
  for (let at = start; ;) {
    at = text.indexOf('"', at + 1);
    if (at < 0) return text.length;
    let before = at;
    while (text.charCodeAt(before - 1) === backslash) before -= 1;
    if ((at - before) % 2 === 0) return at;
  }
}
