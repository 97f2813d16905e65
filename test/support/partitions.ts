/*
 * Makes a table of a database in use a partitioned one, as an installation of a thousand workspaces has it: the rows,
 * what writes them and what they must keep stay; the tables' names and statements, too.
 */
import pg from 'pg';

/** Tables that grow without end, whose keys contain the workspace (SCALING.md). */
export const growingTables = ['messages', 'events', 'broadcast_recipients'] as const;

/** Parts each of the growing tables by the hash of the workspace. */
export async function partitionGrowing(databaseUrl: string, parts: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (const table of growingTables) {
      await client.query('BEGIN');
      await partition(client, table, parts);
      await client.query('COMMIT');
    }
  } finally {
    await client.end();
  }
}

async function partition(client: pg.Client, table: string, parts: number): Promise<void> {
  const whole = `${table}_whole`;
  const texts = async (sql: string): Promise<string[]> =>
    (await client.query<{ text: string }>(sql, [table])).rows.map(({ text }) => text);
  const references = await texts(
    `SELECT pg_get_constraintdef(oid) AS text FROM pg_constraint WHERE conrelid = to_regclass($1) AND contype = 'f'`,
  );
  const triggers = await texts(
    `SELECT pg_get_triggerdef(oid) AS text FROM pg_trigger WHERE tgrelid = to_regclass($1) AND NOT tgisinternal`,
  );
  const columns = await texts(
    `SELECT quote_ident(attname) AS text FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0
       AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`,
  );
  const [options = ''] = await texts(
    `SELECT array_to_string(reloptions, ', ') AS text FROM pg_class WHERE oid = to_regclass($1)
       AND reloptions IS NOT NULL`,
  );
  const [sequence] = await texts(`SELECT pg_get_serial_sequence($1, attname) AS text FROM pg_attribute
    WHERE attrelid = to_regclass($1) AND attidentity <> ''`);
  const [next] = sequence ? (await client.query<{ value: string }>(`SELECT nextval('${sequence}') AS value`)).rows : [];

  await client.query(`ALTER TABLE ${table} RENAME TO ${whole}`);
  await client.query(`CREATE TABLE ${table} (LIKE ${whole} INCLUDING ALL) PARTITION BY HASH (workspace_id)`);
  for (let part = 0; part < parts; part += 1)
    await client.query(
      `CREATE TABLE ${table}_${part} PARTITION OF ${table} FOR VALUES WITH (MODULUS ${parts}, REMAINDER ${part})
        ${options === '' ? '' : `WITH (${options})`}`,
    );
  const list = columns.join(', ');
  await client.query(`INSERT INTO ${table} (${list}) OVERRIDING SYSTEM VALUE SELECT ${list} FROM ${whole}`);
  if (next) await client.query(`ALTER TABLE ${table} ALTER COLUMN id RESTART WITH ${next.value}`);
  await client.query(`DROP TABLE ${whole}`);
  for (const reference of references) await client.query(`ALTER TABLE ${table} ADD ${reference}`);
  for (const trigger of triggers) await client.query(trigger);
}
