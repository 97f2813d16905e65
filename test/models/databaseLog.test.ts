import { readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { unique } from '../factories/unique';
import { commandOf } from '../support/compose';
import { eventually } from '../support/eventually';
import { testSetting } from '../support/handed';

it('the log of the embedded database says what went wrong, and nothing of a person', async () => {
  const client = new pg.Client({ connectionString: testSetting('TEST_DATABASE_URL') });
  await client.connect();
  const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory');
  const log = (): string => readFileSync(path.join(rows[0]?.data_directory ?? '', '..', 'postgres.log'), 'utf8');
  // Names of its own: the log is that of all tests.
  const own = `log_${unique()}`;
  await client.query(`CREATE TEMP TABLE people (email text CONSTRAINT ${own}_once UNIQUE, age int)`);
  await client.query(`ALTER TABLE people ADD CONSTRAINT ${own}_born CHECK (age > 0)`);
  const add = (email: string, age: number) => client.query('INSERT INTO people VALUES ($1, $2)', [email, age]);
  await add('anna@person.test', 1);
  await expect(add('anna@person.test', 1)).rejects.toThrow(`${own}_once`);
  await expect(add('anna@person.test', -1)).rejects.toThrow(`${own}_born`);
  await expect(client.query(`SELECT 'anna@person.test' FROM ${own}_nowhere`)).rejects.toThrow('does not exist');
  await client.end();
  for (const said of [`${own}_once`, `${own}_born`, `relation "${own}_nowhere" does not exist`])
    await eventually(() => expect(log()).toContain(said));
  expect(log()).not.toContain('anna@person.test');
});

it('so does that of docker-compose.yml', () => {
  const passwords = { POSTGRES_PASSWORD: 'a', DATABASE_PASSWORD: 'b', TEMPORAL_DATABASE_PASSWORD: 'c' };
  const { words } = commandOf('postgres', passwords);
  expect(words.filter((word) => word.startsWith('-clog_'))).toEqual([
    '-clog_error_verbosity=terse',
    '-clog_min_error_statement=panic',
  ]);
});
