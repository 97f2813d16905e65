import { AsyncLocalStorage } from 'node:async_hooks';

/** The languages in which the team is spoken to: what they call themselves, and whose dates and numbers they write. */
const known = {
  en: { name: 'English', dates: 'en-GB', numbers: 'en' },
  de: { name: 'Deutsch', dates: 'de', numbers: 'de' },
  es: { name: 'Español', dates: 'es-419', numbers: 'es-419' },
  'pt-BR': { name: 'Português (Brasil)', dates: 'pt-BR', numbers: 'pt-BR' },
} as const;

export type Language = keyof typeof known;

export const languages = Object.keys(known) as readonly Language[];

/** Returns what a language calls itself. */
export const languageName = (language: Language): string => known[language].name;

/** Returns the locales by which the language of the surrounding work writes dates and numbers. */
export const localesNow = (): { readonly dates: string; readonly numbers: string } => known[languageNow()];

const spoken = new AsyncLocalStorage<{ language: Language }>();
let isStrict = false;

/** Runs the work in a language: what it reads of a catalogue is of that language. */
export function speaking<T>(language: Language, work: () => T): T {
  return spoken.run({ language }, work);
}

/** Goes on in another language, for all of the surrounding work: who asks is known only after a while. */
export function speak(language: Language): void {
  const here = spoken.getStore();
  if (here) here.language = language;
}

/** Returns the language of the surrounding work. */
export function languageNow(): Language {
  const here = spoken.getStore();
  if (here) return here.language;
  if (isStrict) throw new Error('a text is read where nobody is spoken to: read it in a function, not in a module');
  return 'en';
}

/** Makes reading a text throw where nobody is spoken to: for the test that loads all modules. */
export function refuseToSpeakToNobody(): void {
  isStrict = true;
}

/** Returns the language that a stored or given text names; null for none of ours. */
function languageOf(text: string | null | undefined): Language | null {
  return languages.find((language) => language === text) ?? null;
}

/**
 * Chooses the language for somebody: the one that they chose, else the first that their browser accepts (RFC 9110
 * section 12.5.4), else that of their workspace. Another country's form of a language is better than another language.
 */
export function chooseLanguage(own: string | null, accepted = '', workspace: string | null = null): Language {
  return languageOf(own) ?? acceptedLanguage(accepted) ?? languageOf(workspace) ?? 'en';
}

function acceptedLanguage(header: string): Language | null {
  const wanted = header
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='));
      return { tag, weight: weight === undefined ? 1 : Number(weight.slice(2)) };
    })
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight);
  for (const { tag } of wanted) {
    const found = languages.find((language) => base(language) === base(tag));
    if (found) return found;
  }
  return null;
}

const base = (tag: string): string => tag.toLowerCase().split('-')[0] ?? '';
