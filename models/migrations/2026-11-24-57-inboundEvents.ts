import { index, transaction, type Step } from './step';

/** The name under which it is recorded. */
export const name = '2026-11-24-57-inboundEvents';

/**
 * A processed event goes at once (contract 16): what it said stands in the rows that it changed. What is kept is what
 * nobody understood, for the page that lists it and for a version that does.
 */
export const steps: readonly Step[] = [
  transaction(
    'ALTER TABLE inbox_events DROP CONSTRAINT inbox_events_state_check',
    "DELETE FROM inbox_events WHERE state = 'done'",
    "ALTER TABLE inbox_events ADD CONSTRAINT inbox_events_state_check CHECK (state IN ('new', 'ignored', 'parked'))",
    'DROP INDEX inbox_events_done',
    'ALTER TABLE inbox_events DROP COLUMN processed_at',
  ),
  index({
    index: 'inbox_events_ignored',
    on: "inbox_events (workspace_id, kind, received_at) WHERE state = 'ignored'",
  }),
  index({ index: 'inbox_events_ignored_age', on: "inbox_events (received_at) WHERE state = 'ignored'" }),
];
