import { mentionsIn } from '../../../services/resources/notes/mentions';

/** A piece of a text as a messenger shows it. */
export interface TextPart {
  readonly text: string;
  readonly href?: string;
  /** It names a member. */
  readonly isMention?: true;
  readonly mark?: 'strong' | 'em' | 's' | 'code';
}

/** Most characters of a text that a thread shows before it is asked for all of it. */
export const maxShownText = 10_000;

const link = /\bhttps?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]}]/g;
const markNames: Readonly<Record<string, TextPart['mark']>> = { '*': 'strong', _: 'em', '~': 's' };
const fence = '```';
const space = /\s/;
const wordOrSign = /[\p{L}\p{N}*_~]/u;

/** Cuts a text into links, *bold*, _italic_, ~struck~ and ```code``` pieces, and what names one of `members`. */
export function textParts(text: string, members: Parameters<typeof mentionsIn>[1] = []): TextPart[] {
  const parts: TextPart[] = [];
  let from = 0;
  for (const match of text.matchAll(link)) {
    addNamed(parts, text.slice(from, match.index), members);
    parts.push({ text: match[0], href: match[0] });
    from = match.index + match[0].length;
  }
  addNamed(parts, text.slice(from), members);
  return parts;
}

function addNamed(parts: TextPart[], given: string, members: Parameters<typeof mentionsIn>[1]): void {
  if (members.length === 0 || !given.includes('@')) return addMarked(parts, given);
  const text = given.normalize('NFC');
  let begin = 0;
  for (const { from, to } of mentionsIn(text, members)) {
    addMarked(parts, text.slice(begin, from));
    parts.push({ text: text.slice(from, to), isMention: true });
    begin = to;
  }
  addMarked(parts, text.slice(begin));
}

function addMarked(parts: TextPart[], text: string): void {
  const units = [...text];
  const ends = endsOf(units);
  let from = 0;
  const addPlain = (to: number): void => {
    if (to > from) parts.push({ text: units.slice(from, to).join('') });
  };
  for (let at = 0; at < units.length; at += 1) {
    const end = ends[at];
    if (!end) continue;
    addPlain(at);
    const mark = markNames[units[at] ?? ''] ?? 'code';
    const width = mark === 'code' ? fence.length : 1;
    parts.push({ text: units.slice(at + width, end).join(''), mark });
    from = end + width;
    at = from - 1;
  }
  addPlain(units.length);
}

/**
 * Returns, for each place where a mark or code may begin, where it ends. One look at each character, from the last to
 * the first: customers write these texts, and a search from each sign would cost the square of their length.
 */
function endsOf(units: readonly string[]): (number | undefined)[] {
  const ends: (number | undefined)[] = [];
  /** The nearest sign of each kind that may close a mark, in the line that is being read. */
  const closing = new Map<string, number>();
  let code: number | undefined;
  const isFence = (at: number): boolean => units[at] === '`' && units[at + 1] === '`' && units[at + 2] === '`';
  const isSpace = (at: number): boolean => space.test(units[at] ?? ' ');
  const isBeside = (at: number): boolean => wordOrSign.test(units[at] ?? '');
  for (let at = units.length - 1; at >= 0; at -= 1) {
    // Something stands between the signs, so what closes is at least one character away.
    const near = units[at + 2] ?? '';
    if (near in markNames && !isSpace(at + 1) && !isBeside(at + 3)) closing.set(near, at + 2);
    if (units[at + 1] === '\n') closing.clear();
    if (isFence(at + fence.length + 1)) code = at + fence.length + 1;
    const sign = units[at] ?? '';
    if (sign in markNames && !isBeside(at - 1) && !isSpace(at + 1)) ends[at] = closing.get(sign);
    else if (isFence(at)) ends[at] = code;
  }
  return ends;
}
