/** What nobody sees: blanks, controls, and characters that are drawn as nothing. */
const seen = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Returns whether a text shows nothing: no character of it can be seen. */
export function isBlank(text: string): boolean {
  return !seen.test(text);
}

/**
 * Returns a text as words that a customer says are compared: case, accents, forms of characters, invisible characters,
 * and the signs around it make no difference. What is signs alone stays.
 */
export function bareWords(text: string): string {
  const folded = text
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/[\u2018\u2019\u201b\u02bc`\u00b4]/g, "'")
    .replace(/\p{Pd}/gu, '-')
    .replace(/\s+/gu, ' ')
    .toUpperCase();
  const signs = [...folded];
  const isWord = (sign: string): boolean => /[\p{L}\p{N}]/u.test(sign);
  const first = signs.findIndex(isWord);
  return first < 0 ? folded.trim() : signs.slice(first, signs.findLastIndex(isWord) + 1).join('');
}
