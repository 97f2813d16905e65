/** A piece of a text as a messenger shows it. */
export interface TextPart {
  readonly text: string;
  readonly href?: string;
  readonly mark?: 'strong' | 'em' | 's' | 'code';
}

const link = /\bhttps?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]}]/g;
const marks = /(?<![\p{L}\p{N}*_~])([*_~])(?=\S)([^\n]+?)(?<=\S)\1(?![\p{L}\p{N}*_~])|```([^]+?)```/gu;
const markNames = { '*': 'strong', _: 'em', '~': 's' } as const;

/** Cuts a text into links, *bold*, _italic_, ~struck~ and ```code``` pieces. */
export function textParts(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let from = 0;
  for (const match of text.matchAll(link)) {
    parts.push(...marked(text.slice(from, match.index)));
    parts.push({ text: match[0], href: match[0] });
    from = match.index + match[0].length;
  }
  return [...parts, ...marked(text.slice(from))];
}

function marked(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let from = 0;
  for (const match of text.matchAll(marks)) {
    if (match.index > from) parts.push({ text: text.slice(from, match.index) });
    const [whole, sign, inner, code] = match;
    parts.push(
      code === undefined
        ? { text: inner ?? '', mark: markNames[sign as keyof typeof markNames] }
        : { text: code, mark: 'code' },
    );
    from = match.index + whole.length;
  }
  if (from < text.length) parts.push({ text: text.slice(from) });
  return parts;
}
