import { transaction, type Step } from './step';

/** The name under which it is recorded. */
export const name = '2026-11-22-21-rests';

/** Notes until when all that is left of a broadcast waits for another attempt: the next one of its number may go. */
export const steps: readonly Step[] = [transaction('ALTER TABLE broadcasts ADD COLUMN rests_until timestamptz(3)')];
