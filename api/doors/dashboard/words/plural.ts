/** The forms of an English noun with its number: `other` may be all there is. */
interface Forms {
  readonly one: string;
  readonly other: string;
}

const rules = new Intl.PluralRules('en');
const numbers = new Intl.NumberFormat('en');

/** Returns a number with its noun in the form that the number asks for: `1 run`, `1,200 runs`. */
export function plural(count: number, { one, other }: Forms): string {
  return `${numbers.format(count)} ${rules.select(count) === 'one' ? one : other}`;
}
