import { transaction, type Step } from './step';

/** The name under which it is recorded. */
export const name = '2026-11-24-38-frozenSends';

/** What an agent's call sends is kept as it was when it was parked, and so are the values that a move takes. */
export const steps: readonly Step[] = [
  transaction(
    "ALTER TABLE approvals ADD COLUMN frozen jsonb NOT NULL DEFAULT '[]'",
    'ALTER TABLE macro_runs ADD COLUMN frozen jsonb',
    "ALTER TABLE ticket_stage_moves ADD COLUMN recipient_values jsonb NOT NULL DEFAULT '{}'",
  ),
];
