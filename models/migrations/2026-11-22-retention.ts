import type { Sequelize } from 'sequelize';

export const name = '2026-11-22-retention';

// The trail and the audit log grow with the work and are written in order of time: a range index costs them nothing.
const statements = `
CREATE INDEX events_age ON events USING brin (created_at) WITH (pages_per_range = 32);
CREATE INDEX audit_log_age ON audit_log USING brin (created_at) WITH (pages_per_range = 32);
CREATE INDEX approvals_decided ON approvals (decided_at) WHERE status <> 'pending';
CREATE INDEX inbox_events_parked_age ON inbox_events (received_at) WHERE state = 'parked';
CREATE INDEX macro_runs_finished ON macro_runs (finished_at) WHERE state <> 'pending';
`;

/** Finds the rows whose time of retention is over. */
export async function up(sequelize: Sequelize): Promise<void> {
  await sequelize.query(statements);
}
