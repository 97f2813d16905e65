import { migrateDatabase } from '../../models/migrate';
import { databaseUrl, runSql } from './database';

/** Makes the migrated database that every test's own is a copy of: once per run, whichever project comes first. */
export default async function setup(): Promise<void> {
  const admin = process.env['TEST_DATABASE_URL'];
  if (!admin) {
    // One clear line in place of a stack for every project.
    process.stderr.write('\nThese tests need PostgreSQL and Temporal: run `npm test`.\n');
    process.exit(1);
  }
  if (process.env['TEST_TEMPLATE_DATABASE']) return;
  const name = `test_template_${process.pid}`;
  await runSql(admin, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`, `CREATE DATABASE ${name}`);
  await migrateDatabase(databaseUrl(name));
  process.env['TEST_TEMPLATE_DATABASE'] = name;
}
