import { languageNow } from '../../../core/text/language';
import { numberText } from './numbers';

/** The forms of a noun with its number, by the plural rules of its language: `other` may be all there is. */
interface Forms {
  readonly one: string;
  readonly other: string;
}

const rules = new Map<string, Intl.PluralRules>();

/** Returns a number with its noun in the form that the number asks for: `1 run`, `1,200 runs`. */
export function plural(count: number, forms: Forms): string {
  return `${numberText(count)} ${formOf(count, forms)}`;
}

/** Returns the form alone. */
function formOf(count: number, { one, other }: Forms): string {
  const language = languageNow();
  const known = rules.get(language) ?? new Intl.PluralRules(language);
  rules.set(language, known);
  return known.select(count) === 'one' ? one : other;
}
