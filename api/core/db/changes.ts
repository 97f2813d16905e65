import { cut } from '../text/cut';
import { isDeepStrictEqual } from 'node:util';

/** Longest text that an activity entry keeps of an old or new value, in characters. */
const maxRecordedText = 1_000;

/** Returns whether two JSON values are the same; the order of an object's keys is no difference. */
export function sameValue(left: unknown, right: unknown): boolean {
  return isDeepStrictEqual(left, right);
}

/** Returns whether two lists have the same members, in whatever order; other values are compared as they are. */
export function sameMembers(left: unknown, right: unknown): boolean {
  if (!Array.isArray(left) || !Array.isArray(right)) return sameValue(left, right);
  return sameValue(ordered(left), ordered(right));
}

function ordered(values: readonly unknown[]): string[] {
  return values.map((value) => JSON.stringify(value, sortedKeys)).sort();
}

/**
 * Returns a replacer for `JSON.stringify` that writes the keys of an object in one order, whatever order they came in.
 */
function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** Shortens all texts in a value, however deep, to the length that an activity entry keeps. */
export function shortened(value: unknown): unknown {
  if (typeof value === 'string') {
    // Fewer UTF-16 units than the limit cannot be more characters.
    return value.length <= maxRecordedText ? value : cut(value, maxRecordedText);
  }
  if (Array.isArray(value)) return value.map(shortened);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shortened(inner)]));
}
