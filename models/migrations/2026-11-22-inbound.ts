import type { Sequelize } from 'sequelize';

/** The name under which it is recorded. */
export const name = '2026-11-22-inbound';

// The purge of notes and their daily limit look at these few rows alone.
const statements = `
CREATE INDEX inbox_events_unverified ON inbox_events (business_account_id, received_at) WHERE kind = 'unverified';
`;

/** Finds the notes of webhook entries without a valid signature. */
export async function up(sequelize: Sequelize): Promise<void> {
  await sequelize.query(statements);
}
