import { runSql } from './database';

/** Removes the run's template database. */
export default async function teardown(): Promise<void> {
  const name = process.env['TEST_TEMPLATE_DATABASE'];
  const admin = process.env['TEST_DATABASE_URL'];
  if (!name || !admin) return;
  delete process.env['TEST_TEMPLATE_DATABASE'];
  await runSql(admin, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}
