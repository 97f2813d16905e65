import { migrateDatabase } from '../../models/migrate';
import { databaseUrl, runSql } from './database';
import { unpackChromium } from './unpackBrowser';

/**
 * Makes what the tests share, once per run, whichever project comes first: the migrated database that every test's own
 * is a copy of, and the browser. What `npm test` found that these files do not need is not there.
 */
export default async function setup(): Promise<void> {
  if (process.env['TEST_BROWSER']) await unpackChromium();
  const admin = process.env['TEST_DATABASE_URL'];
  if (!admin) return;
  if (process.env['TEST_TEMPLATE_DATABASE']) return;
  const name = `test_template_${process.pid}`;
  await runSql(admin, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`, `CREATE DATABASE ${name}`);
  await migrateDatabase(databaseUrl(name));
  process.env['TEST_TEMPLATE_DATABASE'] = name;
}
