import { transaction, type Step } from './step';

/** Sorts after what it builds on; never changes once released. */
export const name = '2026-11-27-20-resumed-senders';

const statements = `
-- When the operator last let it send again: what a late status tells of before is over.
ALTER TABLE business_accounts ADD COLUMN resumed_at timestamptz(3);
ALTER TABLE phone_numbers ADD COLUMN resumed_at timestamptz(3);
`;

/** Since when accounts and numbers may send again: a status may come long after the refusal that it tells. */
export const steps: readonly Step[] = [transaction(statements)];
