import { migrateDatabase } from '../../models/migrate';
import { unpackChromium } from './browser';
import { databaseUrl, runSql } from './database';

/** Projects whose tests open pages. */
const withPages = ['dashboard', 'mcp'];

/**
 * Makes what all tests of a run share, once, whichever project comes first: the migrated database that every test's own
 * is a copy of, and the browser.
 */
export default async function setup(
  _options: unknown,
  project: { readonly displayName?: { readonly name: string } },
): Promise<void> {
  const admin = process.env['TEST_DATABASE_URL'];
  if (!admin) {
    // One clear line in place of a stack for every project.
    process.stderr.write('\nThese tests need PostgreSQL and Temporal: run `npm test`.\n');
    process.exit(1);
  }
  if (withPages.includes(project.displayName?.name ?? '')) await unpackChromium();
  if (process.env['TEST_TEMPLATE_DATABASE']) return;
  const name = `test_template_${process.pid}`;
  await runSql(admin, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`, `CREATE DATABASE ${name}`);
  await migrateDatabase(databaseUrl(name));
  process.env['TEST_TEMPLATE_DATABASE'] = name;
}
