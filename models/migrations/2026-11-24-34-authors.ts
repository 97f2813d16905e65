import { transaction, type Step } from './step';

/** The name under which it is recorded. */
export const name = '2026-11-24-34-authors';

/** Remembers which connected agent wrote a message, and which member approved it. */
export const steps: readonly Step[] = [
  transaction('ALTER TABLE messages ADD COLUMN oauth_grant_id bigint, ADD COLUMN approved_by_member_id bigint'),
];
