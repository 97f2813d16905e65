import type { Sequelize } from 'sequelize';

export const name = '2026-11-22-session-use';

/** Lets members recognise their sessions, and lets a session end that nobody uses. */
export async function up(sequelize: Sequelize): Promise<void> {
  await sequelize.query(`
ALTER TABLE sessions
  ADD COLUMN user_agent varchar(255) NOT NULL DEFAULT '',
  ADD COLUMN address varchar(64) NOT NULL DEFAULT '',
  ADD COLUMN last_used_at timestamptz(3) NOT NULL DEFAULT now();
`);
}
