import { isPage, isReply } from '../../core/operations';

/** Longest text of one field, in characters. */
const maxText = 1_000;
/** Largest result in characters; clients cut off at about 25,000 tokens. */
export const maxResult = 60_000;

// Zero-width, bidirectional, tag, variation and control characters: what an agent would read there, a person does not
// see.
const invisible = new RegExp(
  '[' +
    String.raw`\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5` +
    String.raw`\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0` +
    String.raw`\ufff0-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}` +
    ']',
  'gu',
);
// Most texts: told in a fraction of the time.
const plain = /^[\t\n\r\x20-\x7e]*$/;

/** Fields of people and messages that tell an agent nothing. */
const dropped = new Set([
  'wallet_balance',
  'email_notify_alerts',
  'email_notify_updates',
  'referral_code',
  'referred_by',
  'pin',
  'is_truncated',
  'preview_length',
  'is_import_placeholder',
  'profile_picture',
  'receiver_profile',
  'uid',
  'locale',
  'country',
  'currency',
  'source_library_template',
  'last_login_source',
  'is_verified',
  'deleted_at',
  'first_name',
  'last_name',
]);

/** Removes characters that are not shown. */
export function visible(text: string): string {
  return plain.test(text) ? text : text.replace(invisible, '');
}

/**
 * A result as an agent reads it: nothing empty, no invisible characters, long texts shortened and marked, pages with
 * the cursor of the rest (contract 11: bounded, sanitised output).
 */
export function present(result: unknown): unknown {
  const value = isReply(result) ? result.value : result;
  const known: Known = new Map();
  if (Array.isArray(value)) {
    const total = isReply(result) ? Number(result.headers['X-Total-Count']) : Number.NaN;
    const more = isReply(result) && (result.headers['Link'] ?? '').includes('rel="next"');
    return {
      results: compactAll(value, known),
      ...(Number.isNaN(total) ? {} : { total }),
      ...(more ? { hint: 'More results: call again with a larger offset.' } : {}),
    };
  }
  if (!isPage(value)) return compact(value, known);
  const cursor = value.next?.['cursor'];
  return {
    results: compactAll(value.items, known),
    ...(value.count === undefined ? {} : { total: value.count }),
    ...(cursor === undefined ? {} : { next_cursor: cursor, hint: 'More results: call again with this cursor.' }),
  };
}

/** What became of an object: the messages of a conversation all carry the same contact. */
type Known = Map<object, Record<string, unknown>>;

function compactAll(values: readonly unknown[], known: Known): unknown[] {
  return values.map((value) => compact(value, known));
}

function compact(value: unknown, known: Known): unknown {
  if (typeof value === 'string') {
    const clean = visible(value);
    const characters = clean.length > maxText ? [...clean] : null;
    return characters && characters.length > maxText ? `${characters.slice(0, maxText).join('')}… [truncated]` : clean;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return compactAll(value, known);
  const before = known.get(value);
  if (before) return before;
  const kept: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    if (inner === null || inner === '' || dropped.has(key) || (Array.isArray(inner) && inner.length === 0)) continue;
    const compacted = compact(inner, known);
    if (
      typeof compacted === 'object' &&
      compacted !== null &&
      !Array.isArray(compacted) &&
      Object.keys(compacted).length === 0
    )
      continue;
    kept[visible(key)] = compacted;
  }
  known.set(value, kept);
  return kept;
}
