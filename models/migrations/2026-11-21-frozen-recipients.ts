import type { Sequelize } from 'sequelize';

/** Date-ordered name; never changes once released. */
export const name = '2026-11-21-frozen-recipients';

// A list in the move's own row: freezing 2,500 recipients costs the request one row; the workflow makes a row of each.
const statements = `
ALTER TABLE ticket_stage_moves ADD COLUMN recipient_ids integer[] NOT NULL DEFAULT '{}';
`;

/** Lets a stage move freeze its recipients without a row of their own. */
export async function up(sequelize: Sequelize): Promise<void> {
  await sequelize.query(statements);
}
