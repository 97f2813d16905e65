import { index, transaction, type Step } from './step';

/** The name under which it is recorded. */
export const name = '2026-11-24-43-webhookFanOut';

/** Lets an event that cannot be fanned out be set aside for an operator, and what waits behind it go on. */
export const steps: readonly Step[] = [
  transaction(`ALTER TABLE webhook_events ADD COLUMN fan_out_tries smallint NOT NULL DEFAULT 0,
    ADD COLUMN set_aside_at timestamptz(3), ADD COLUMN set_aside_reason varchar(500) NOT NULL DEFAULT ''`),
  index({
    index: 'webhook_events_waiting',
    on: 'webhook_events (workspace_id, id) WHERE fanned_out_at IS NULL AND set_aside_at IS NULL',
  }),
  index({
    index: 'webhook_events_set_aside',
    on: 'webhook_events (workspace_id, id) WHERE set_aside_at IS NOT NULL',
  }),
  transaction('DROP INDEX webhook_events_new'),
];
