/** A member as far as a text can name them. */
interface Named {
  readonly id: number;
  readonly name: string;
}

const folded = (text: string): string => text.normalize('NFC').toLowerCase();
const isInWord = (text: string, at: number): boolean => /[\p{L}\p{N}_]/u.test(text.charAt(at));

/**
 * Returns whom a text mentions: after an `@` that begins a word, the longest name of a member. A first name counts
 * where only one member has it; of two with the same whole name both are meant.
 */
export function mentionedIn(body: string, members: readonly Named[]): number[] {
  const byName = new Map<string, number[]>();
  const byFirstName = new Map<string, number[]>();
  const add = (names: Map<string, number[]>, name: string, id: number): void => {
    if (name !== '') names.set(name, [...(names.get(name) ?? []), id]);
  };
  for (const { id, name } of members) {
    const whole = folded(name.trim());
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
  const found = new Set<number>();
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    if (at > 0 && isInWord(text, at - 1)) continue;
    const names = byLetter.get(text.charAt(at + 1));
    const named = names?.find(([name]) => text.startsWith(name, at + 1) && !isInWord(text, at + 1 + name.length));
    for (const id of named?.[1] ?? []) found.add(id);
  }
  return [...found];
}
