import type { Sequelize } from 'sequelize';

/** Date-ordered name; never changes once released. */
export const name = '2026-11-22-idempotency';

const statements = `
ALTER TABLE idempotency_keys
  ADD COLUMN workspace_id integer REFERENCES workspaces(id) ON DELETE CASCADE,
  -- What the request made, for a repeat whose kept answer was erased.
  ADD COLUMN subject_id bigint,
  -- The request ended without an answer that is kept: the same body may try again at once, another one may not.
  ADD COLUMN released boolean NOT NULL DEFAULT false;
CREATE INDEX idempotency_keys_workspace ON idempotency_keys (workspace_id);
`;

/** Idempotency-Keys know their workspace and what was made under them. */
export async function up(sequelize: Sequelize): Promise<void> {
  await sequelize.query(statements);
}
