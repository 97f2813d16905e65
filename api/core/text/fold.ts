const wordPattern = /[\p{L}\p{N}\u0590-\u109f]+/gu;

/** Returns the words of a text as the database's `fold_words`: what both compare is without case, accents and marks. */
export function foldWords(text: string): readonly string[] {
  return fold(text).match(wordPattern) ?? [];
}

const alike = [
  [/[\u2018-\u201b\u2032\u02b9\u02bb-\u02bd\u02c8\u00b4]/g, "'"],
  [/[\u201c-\u201f\u00ab\u00bb\u2033]/g, '"'],
  [/[\u2010-\u2015\u2212]/g, '-'],
  [/[\u1680\u2028\u2029\u0085]/g, ' '],
] as const;
/** Marks of accents, points and vowels that do not make another letter; and what nobody sees. */
const marks = new RegExp(
  '[\\u0300-\\u036f\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7\\u0610-\\u061a\\u0640\\u064b-\\u065f' +
    '\\u0670\\u06d6-\\u06dc\\u06df-\\u06e4\\u06e7\\u06e8\\u06ea-\\u06ed\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20ff' +
    '\\ufe20-\\ufe2f\\u00ad\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e' +
    '\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff9-\\ufffb\\u{e0000}-\\u{e0fff}]',
  'gu',
);
const strokes: Readonly<Record<string, string>> = { ł: 'l', ø: 'o', đ: 'd', ħ: 'h', ŧ: 't', ı: 'i', ς: 'σ' };

/** Returns a text as the database's `fold`. */
export function fold(text: string): string {
  return alike
    .reduce((words, [pattern, one]) => words.replace(pattern, one), text)
    .normalize('NFKD')
    .replace(marks, '')
    .replace(/ı/g, 'i')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replace(/[łøđħŧıς]/g, (letter) => strokes[letter] ?? letter);
}
