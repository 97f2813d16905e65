import { index, transaction, type Step } from './step';

/** The name under which it is recorded. */
export const name = '2026-11-24-50-pauses';

/**
 * Notes when a broadcast sent to somebody last, and since when the platform does not deliver what an account would have
 * to pay for; lets the recipients who are left be read alone.
 */
export const steps: readonly Step[] = [
  transaction(
    'ALTER TABLE broadcasts ADD COLUMN moved_at timestamptz(3)',
    'ALTER TABLE business_accounts ADD COLUMN payment_refused_at timestamptz(3)',
  ),
  // Each last look of a run would else read everybody whom it sent to.
  index({
    index: 'broadcast_recipients_pending',
    on: `broadcast_recipients (broadcast_id, "position") WHERE state = 'pending'`,
  }),
];
