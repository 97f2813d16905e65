import { transaction, type Step } from './step';

/** The name under which it is recorded. */
export const name = '2026-11-24-39-approvalDigests';

/** The digest is kept: a list of calls need not read thousands of recipients to tell it. */
export const steps: readonly Step[] = [
  transaction("ALTER TABLE approvals ADD COLUMN digest varchar(64) NOT NULL DEFAULT ''"),
];
