import type { Sequelize } from 'sequelize';

/** Date-ordered name; never changes once released. */
export const name = '2026-11-21-update-in-place';

// A row that changes no indexed column is updated within its page, and no index hears of it, if the page has room. A
// sent message is updated about four times and an upstream event is leased once: room for that is cheaper than a new
// entry in each of nine indexes. An index that depends on the status would forbid it.
// Intake looks both owners of an event up before it stores it; locking the same two rows again for each is its dearest part.
const statements = `
ALTER TABLE messages SET (fillfactor = 60);
ALTER TABLE inbox_events SET (fillfactor = 50);
DROP INDEX messages_unknown;
CREATE INDEX messages_unknown ON messages (unknown_intake_ms) WHERE unknown_intake_ms IS NOT NULL AND failed_at IS NULL;
ALTER TABLE inbox_events DROP CONSTRAINT inbox_events_workspace_id_fkey, DROP CONSTRAINT inbox_events_business_account_id_fkey;
`;

/** Makes status updates and leases cheap. */
export async function up(sequelize: Sequelize): Promise<void> {
  await sequelize.query(statements);
}
