import { transaction, type Step } from './step';

/** The name under which it is recorded. */
export const name = '2026-11-24-37-approvalTimers';

/** A decision that is taken back gives its timer a newer word than the one that stopped it. */
export const steps: readonly Step[] = [
  transaction('ALTER TABLE approvals ADD COLUMN timer_version integer NOT NULL DEFAULT 1'),
];
