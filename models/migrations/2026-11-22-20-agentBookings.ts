import { transaction, type Step } from './step';

/** The name under which it is recorded. */
export const name = '2026-11-22-20-agentBookings';

/** Notes when somebody's own message took a slot last: broadcasts of every process slow down beside people. */
export const steps: readonly Step[] = [transaction('ALTER TABLE send_slots ADD COLUMN agent_at timestamptz')];
