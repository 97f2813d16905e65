import type { FieldErrors } from '../../core/http/errors';
import { languageNow, speaking } from '../../core/text/language';
import { words } from './words';

const { refusals } = words;

type Name = keyof typeof refusals;

/** Returns what finds a text of the catalogue, and what stands in its places. */
function patternOf(template: string): RegExp {
  const escaped = template.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/\{(\w+)\}/g, '(?<$1>.+)')}$`, 'su');
}

const patterns = speaking('en', () =>
  (Object.entries(refusals) as [Name, string][]).map(([name, template]) => ({ name, pattern: patternOf(template) })),
);

/** Says in the language of the page why something was refused; in English what the catalogue does not have. */
export function refusalText(message: string): string {
  if (languageNow() === 'en') return message;
  for (const { name, pattern } of patterns) {
    const found = pattern.exec(message);
    if (found) return refusals[name].replace(/\{(\w+)\}/g, (_, key: string) => found.groups?.[key] ?? '');
  }
  return message;
}

/** The same for what was refused, by field. */
export const refusalTexts = (errors: FieldErrors): FieldErrors =>
  Object.fromEntries(Object.entries(errors).map(([field, messages]) => [field, messages.map(refusalText)]));
