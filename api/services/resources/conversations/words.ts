import { foldWords } from '../../../core/text/fold';

/** SQL: a search in the words of messages; its parameter is what `wordsQuery` returns. */
export const wordsQuerySql = (query: string): string => `to_tsquery('simple', ${query})`;

/**
 * Returns a search as PostgreSQL reads it: all of its words, the last one as the beginning of a word. They are folded
 * here: the planner would fold them again for each way that it weighs, a millisecond for each statement.
 */
export function wordsQuery(search: string): string {
  const words = foldWords(search).map((word) => `'${word}'`);
  return words.length > 0 ? `${words.join(' & ')}:*` : '';
}
