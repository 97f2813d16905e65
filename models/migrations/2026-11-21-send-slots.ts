import type { Sequelize } from 'sequelize';

export const name = '2026-11-21-send-slots';

// Unlogged: what it holds is worth a second, and a commit that touches nothing else waits for no disk.
const statements = `
CREATE UNLOGGED TABLE send_slots (
  phone_number_id integer PRIMARY KEY REFERENCES phone_numbers(id) ON DELETE CASCADE,
  -- Until when the number's throughput is given away, on the database's clock.
  booked_until timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Share of the throughput that is used since the upstream said "too fast"; it grows back with time.
  share real NOT NULL DEFAULT 1 CHECK (share > 0 AND share <= 1),
  slowed_at timestamptz
);
`;

/** Creates the shared send limiter's table (contract C9, "Rate"). */
export async function up(sequelize: Sequelize): Promise<void> {
  await sequelize.query(statements);
}
