import { sha256 } from '../../core/secrets';

/** Returns the strong tag of an answer (RFC 9110, 8.8): the same text, the same tag. */
export function tagOf(text: string): string {
  return `"${sha256(text).toString('base64url').slice(0, 27)}"`;
}

/**
 * Returns whether a condition (`*`, or tags with commas) names a tag. A weak tag is never the same as a strong one
 * where something is to be written; for reading it is.
 */
export function namesTag(condition: string, tag: string, options: { readonly weak: boolean }): boolean {
  if (condition.trim() === '*') return true;
  const named = condition.match(/(?:W\/)?"[^"]*"/g) ?? [];
  return named.some((one) => one === tag || (options.weak && one === `W/${tag}`));
}
