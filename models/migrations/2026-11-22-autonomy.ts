import type { Sequelize } from 'sequelize';

/** Date-ordered name; never changes once released. */
export const name = '2026-11-22-autonomy';

const statements = `
-- A parked macro is run with the steps that the member saw; its run is opened by the decision.
ALTER TABLE approvals
  ADD COLUMN macro_name varchar(255),
  ADD COLUMN steps jsonb,
  ADD COLUMN run_id integer REFERENCES macro_runs(id) ON DELETE SET NULL,
  DROP CONSTRAINT approvals_call_kind_check,
  ADD CONSTRAINT approvals_call_kind_check CHECK (call_kind IN ('message','macro','ticket'));
CREATE INDEX approvals_unsettled ON approvals (decided_at) WHERE status = 'approved' AND result IS NULL;
CREATE INDEX approvals_run ON approvals (run_id) WHERE run_id IS NOT NULL;

-- How freely the caller's credential may send; null: without limit.
ALTER TABLE macro_runs ADD COLUMN autonomy varchar(16) CHECK (autonomy IN ('draft','approval','autonomous'));
`;

/** Parked macros keep their steps, tickets can be parked, and runs know how freely they may send. */
export async function up(sequelize: Sequelize): Promise<void> {
  await sequelize.query(statements);
}
