import { index, type Step } from './step';

/** The name under which it is recorded. */
export const name = '2026-11-22-19-turns';

/** Finds what is sent, or waits to be sent, from a phone number: one broadcast at a time is. */
export const steps: readonly Step[] = [
  index({
    index: 'broadcasts_number',
    on: "broadcasts (phone_number_id) WHERE status IN ('scheduled', 'running')",
  }),
];
