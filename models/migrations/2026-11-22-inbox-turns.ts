import type { Sequelize } from 'sequelize';

/** The name under which it is recorded. */
export const name = '2026-11-22-inbox-turns';

// Events are taken by class and workspace. Each is in one of the two, so that storing one costs what it did.
const statements = `
DROP INDEX inbox_events_new;
CREATE INDEX inbox_events_new ON inbox_events (workspace_id, id) WHERE state = 'new' AND kind <> 'status';
CREATE INDEX inbox_events_new_statuses ON inbox_events (workspace_id, id) WHERE state = 'new' AND kind = 'status';
`;

/** Lets events be taken in turns. */
export async function up(sequelize: Sequelize): Promise<void> {
  await sequelize.query(statements);
}
