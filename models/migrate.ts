import { Sequelize } from 'sequelize';
import { Umzug } from 'umzug';
import { migrations } from './migrations';

/** Any number; it only has to be the same in every process that migrates. */
const advisoryLockKey = 7_310_001;

/**
 * Brings the schema of `databaseUrl` to head and gives the names that were applied now. Any number of
 * replicas may call it together: an advisory lock lets one work while the others wait and find nothing to do.
 */
export async function migrateDatabase(
  databaseUrl: string,
  log: (line: string) => void = () => undefined,
): Promise<string[]> {
  const options = { dialect: 'postgres' as const, logging: false as const, pool: { max: 1 } };
  const sequelize = new Sequelize(databaseUrl, options);
  const lockHolder = new Sequelize(databaseUrl, options);
  try {
    await lockHolder.query('SELECT pg_advisory_lock(:key)', { replacements: { key: advisoryLockKey } });
    await sequelize.query(
      `CREATE TABLE IF NOT EXISTS schema_migrations (
         name varchar(255) PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())`,
    );
    const umzug = new Umzug({
      context: sequelize,
      logger: undefined,
      migrations: migrations.map((migration) => ({
        name: migration.name,
        up: async ({ context }: { context: Sequelize }) => migration.up(context),
      })),
      storage: {
        async executed({ context }) {
          const [rows] = await context.query('SELECT name FROM schema_migrations ORDER BY name');
          return (rows as { name: string }[]).map((row) => row.name);
        },
        async logMigration({ name, context }) {
          await context.query('INSERT INTO schema_migrations (name) VALUES (:name)', { replacements: { name } });
        },
        async unlogMigration() {
          throw new Error('Migrations are forward only.');
        },
      },
    });
    const applied = await umzug.up();
    for (const migration of applied) log(`migrated ${migration.name}`);
    return applied.map((migration) => migration.name);
  } finally {
    await sequelize.close();
    await lockHolder.close();
  }
}
