import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';

/** A member as far as a text can name them. */
interface Named {
  readonly id: number;
  readonly name: string;
}

/** Where a text names members, and whom. */
interface Mention {
  readonly from: number;
  readonly to: number;
  readonly ids: readonly number[];
}

/** Each letter stays as long as it was: what is found in the folded text stands at the same place in the other. */
const folded = (text: string): string =>
  [...text]
    .map((letter) => {
      const small = letter.toLowerCase();
      return small.length === letter.length ? small : letter;
    })
    .join('');
const isInWord = (text: string, at: number): boolean => /[\p{L}\p{N}_]/u.test(text.charAt(at));

/**
 * Returns where a text in NFC mentions members: after an `@` that begins a word, the longest name of a member. A first
 * name counts where only one member has it; of two with the same whole name both are meant.
 */
export function mentionsIn(body: string, members: readonly Named[]): Mention[] {
  const byName = new Map<string, number[]>();
  const byFirstName = new Map<string, number[]>();
  const add = (names: Map<string, number[]>, name: string, id: number): void => {
    if (name !== '') names.set(name, [...(names.get(name) ?? []), id]);
  };
  for (const { id, name } of members) {
    const whole = folded(name.normalize('NFC').trim());
    add(byName, whole, id);
    add(byFirstName, whole.split(/\s+/)[0] ?? '', id);
  }
  for (const [first, ids] of byFirstName) if (ids.length === 1 && !byName.has(first)) byName.set(first, ids);
  // By their first letter: a text of nothing but `@` must not be compared with every name at each.
  const byLetter = new Map<string, [string, number[]][]>();
  for (const entry of [...byName].sort(([left], [right]) => right.length - left.length)) {
    const letter = entry[0].charAt(0);
    byLetter.set(letter, [...(byLetter.get(letter) ?? []), entry]);
  }

  const text = folded(body);
  const found: Mention[] = [];
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    if (at > 0 && isInWord(text, at - 1)) continue;
    const names = byLetter.get(text.charAt(at + 1));
    const named = names?.find(([name]) => text.startsWith(name, at + 1) && !isInWord(text, at + 1 + name.length));
    if (named) found.push({ from: at, to: at + 1 + named[0].length, ids: named[1] });
  }
  return found;
}

/** Returns whom a text mentions. */
export function mentionedIn(body: string, members: readonly Named[]): number[] {
  return [...new Set(mentionsIn(body.normalize('NFC'), members).flatMap(({ ids }) => ids))];
}

/** Returns the active members whom a text mentions, but for the one who writes it. */
export async function findMentioned(ctx: Ctx, body: string): Promise<number[]> {
  if (!body.includes('@')) return [];
  const members = await of(ctx, ctx.runtime.db.models.Member).findAll({
    attributes: ['id', 'name'],
    where: { is_active: true },
    raw: true,
  });
  return mentionedIn(body, members).filter((member) => member !== ctx.actor.memberId);
}
