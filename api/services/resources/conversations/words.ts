/** SQL: a search in the words of messages: all of them, the last one as the beginning of a word. */
export const wordsQuerySql = (words: string): string =>
  `to_tsquery('simple', '''' || replace(trim(fold_words(${words})), ' ', ''' & ''') || ''':*')`;
