import { words } from './words';

const known: Readonly<Record<string, string>> = words.values;

/** Says a word of the API as people read it; one that is not known as it is. */
export const valueWord = (word: string): string => known[word] ?? word.replaceAll('_', ' ');
