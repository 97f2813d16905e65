/** Characters that people do not see, or that change what they see: control, zero-width, bidirectional and the like. */
const invisible = new RegExp(
  '[' +
    String.raw`\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5` +
    String.raw`\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0` +
    String.raw`\ufff0-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}` +
    ']',
  'gu',
);

/** Writes invisible characters as `[U+202E]`, so that what a member reads is what is sent. */
export function showInvisible(text: string): string {
  return text.replace(invisible, (character, offset: number) =>
    isJoined(character, text, offset) ? character : `[U+${codeOf(character)}]`,
  );
}

/** Writes them so in every text of a JSON value. */
export function showInvisibleIn<T>(value: T): T {
  if (typeof value === 'string') return showInvisible(value) as T;
  if (Array.isArray(value)) return value.map(showInvisibleIn) as T;
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [showInvisible(key), showInvisibleIn(inner as unknown)]),
  ) as T;
}

/** Joiners belong to the letters of some scripts and to emoji; elsewhere they hide something. */
function isJoined(character: string, text: string, offset: number): boolean {
  if (character !== '\u200c' && character !== '\u200d') return false;
  const before = [...text.slice(Math.max(0, offset - 2), offset)].at(-1) ?? '';
  const after = [...text.slice(offset + 1, offset + 3)][0] ?? '';
  const joins = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f\p{Script=Arabic}\p{Script=Devanagari}]/u;
  return joins.test(before) && joins.test(after);
}

const codeOf = (character: string): string =>
  (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
