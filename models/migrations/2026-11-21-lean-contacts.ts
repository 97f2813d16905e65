import type { Sequelize } from 'sequelize';

/** Date-ordered name; never changes once released. */
export const name = '2026-11-21-lean-contacts';

// What names a person comes first: found by it alone, with the workspace as a check (core/db.ts, ofWorkspace), a contact is
// one step away whatever the planner believes of a workspace that was empty a minute ago.
const statements = `
DROP INDEX contacts_receiver;
CREATE UNIQUE INDEX contacts_receiver ON contacts (receiver_id, workspace_id);
DROP INDEX contacts_phone;
CREATE UNIQUE INDEX contacts_phone ON contacts (phone, workspace_id) WHERE phone IS NOT NULL;
DROP INDEX contacts_bsuid;
CREATE UNIQUE INDEX contacts_bsuid ON contacts (bsuid, workspace_id) WHERE bsuid IS NOT NULL;
`;

/** Makes lookups of contacts independent of the planner's statistics. */
export async function up(sequelize: Sequelize): Promise<void> {
  await sequelize.query(statements);
}
