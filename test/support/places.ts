import type { TestApi } from './api';

/** Returns every column of every table that holds a text or JSON with the words, by the database's own catalogue. */
export async function placesOf({ runtime: { db } }: TestApi, words: string): Promise<string[]> {
  const columns = await db.rows<{ table: string; column: string }>(
    `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
     JOIN information_schema.tables USING (table_schema, table_name)
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND data_type NOT IN ('integer', 'bigint', 'boolean')
     ORDER BY 1, 2`,
  );
  const found: string[] = [];
  for (const { table, column } of columns)
    if (await db.row(`SELECT 1 AS found FROM "${table}" WHERE position($words IN "${column}"::text) > 0`, { words }))
      found.push(`${table}.${column}`);
  return found;
}
