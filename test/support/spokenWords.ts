/*
 * What is English of a text that somebody reads in another language: the words of our English catalogues that the
 * language's own do not have.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Language } from '../../api/core/text/language';
import { operations } from '../../api/operations';
import { root } from './settings';

/** Returns the words of a text, those of three letters and more. */
export const wordsIn = (text: string): readonly string[] =>
  (text.match(/[\p{L}]{3,}/gu) ?? []).map((word) => word.toLowerCase());

/** Returns the words of all texts in files: what stands in quotes. */
function quotedWords(...files: readonly string[]): ReadonlySet<string> {
  const quoted = files.flatMap((file) => {
    const text = readFileSync(path.join(root, file), 'utf8').replace(/^import .*$|\/\*[\s\S]*?\*\/|^ *\/\/.*$/gm, '');
    return text.match(/'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g) ?? [];
  });
  return new Set(quoted.flatMap((text) => wordsIn(text.replace(/\$\{[^}]*\}/g, ' '))));
}

const catalogueOf = (language: string): readonly string[] => {
  const folder = `api/doors/dashboard/words/${language}`;
  return [
    ...readdirSync(path.join(root, folder)).map((file) => `${folder}/${file}`),
    `api/services/identity/words/${language}.ts`,
  ];
};

/** Words that hold English sentences together. */
const common =
  'the and for with from this that these those not are was were has have had been will can cannot may must should ' +
  'who what when where which how why its their your you there then than into onto after before until while without ' +
  'about again each every all any some other others only also they them nobody nothing';

/** Returns the texts of a page, with those of its attributes; what stands in `code` is of no language. */
export function textsOf(html: string): readonly string[] {
  const bare = html.replace(/<(script|style|code|pre|svg)\b[\s\S]*?<\/\1>/g, ' ');
  const spoken = [...bare.matchAll(/ (?:aria-label|title|placeholder|alt|data-confirm[\w-]*)="([^"]*)"/g)];
  const [, body = bare] = bare.split(/<body[^>]*>/);
  return [...spoken.map(([, text = '']) => text), ...body.split(/<[^>]*>/)].map((text) => text.trim()).filter(Boolean);
}

/** Returns what tells words that are English from those of a language. */
export function englishWords(language: Language): (word: string) => boolean {
  const own = quotedWords(...catalogueOf(language));
  const ours = new Set([
    ...quotedWords(...catalogueOf('en'), 'api/core/http/reasons.ts', 'api/core/http/access.ts'),
    ...quotedWords(...['identity', 'resources'].map((floor) => `api/services/${floor}/reasons.ts`)),
    ...quotedWords('api/services/processes/texts.ts'),
    ...operations.flatMap(({ summary, description = '' }) => wordsIn(`${summary} ${description}`)),
    ...wordsIn(common),
  ]);
  return (word) => ours.has(word) && !own.has(word);
}
