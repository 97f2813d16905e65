const characters = new Intl.Segmenter('und', { granularity: 'grapheme' });

/**
 * Cuts a text to so many characters as the database counts them (code points), between what people see as one
 * character (grapheme clusters), never inside. What is no character, half of a pair, becomes U+FFFD.
 */
export function cut(text: string, max: number): string {
  let end = 0;
  for (let room = max; room > 0 && end < text.length; room -= 1) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  if (end >= text.length) return text.toWellFormed();
  // One look at the place alone: each step of an iteration costs as much as the text is long.
  const { index } = characters.segment(text.slice(0, end + 2)).containing(end) ?? { index: 0 };
  return text.slice(0, index).toWellFormed();
}
