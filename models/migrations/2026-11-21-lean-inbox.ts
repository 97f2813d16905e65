import type { Sequelize } from 'sequelize';

/** Date-ordered name; never changes once released. */
export const name = '2026-11-21-lean-inbox';

// Events are taken in order of arrival and sorted by key in the drainer: nothing reads this index, every event pays for it.
const statements = `
DROP INDEX inbox_events_key;
`;

/** Makes storing and marking upstream events cheaper. */
export async function up(sequelize: Sequelize): Promise<void> {
  await sequelize.query(statements);
}
