import type { Sequelize } from 'sequelize';

/** Date-ordered name; never changes once released. */
export const name = '2026-11-22-delivery';

// A slot of a number's throughput that was booked ahead for a message; its conversation wakes once, at that time.
// What waits is found by its conversation; by its end it is found by the sweep that lets no queued message outlive it.
// An intent that Temporal refuses again and again is set aside, so that it is not tried for ever.
const statements = `
ALTER TABLE messages ADD COLUMN slot_at timestamptz(3);
DROP INDEX messages_retries;
CREATE INDEX messages_expiring ON messages (deliver_by) WHERE delivery_state = 'queued';

DROP INDEX ticket_stage_move_recipients_unknown;
CREATE INDEX ticket_stage_move_recipients_open ON ticket_stage_move_recipients (move_id) WHERE state IN ('pending', 'unknown');

ALTER TABLE outbox ADD COLUMN refusals integer NOT NULL DEFAULT 0, ADD COLUMN error text NOT NULL DEFAULT '', ADD COLUMN set_aside_at timestamptz(3);
DROP INDEX outbox_available;
CREATE INDEX outbox_available ON outbox (available_at, id) WHERE set_aside_at IS NULL;
CREATE INDEX outbox_set_aside ON outbox (set_aside_at) WHERE set_aside_at IS NOT NULL;
`;

/** Prepares messages and intents for a delivery that loses nothing and keeps nothing for ever. */
export async function up(sequelize: Sequelize): Promise<void> {
  await sequelize.query(statements);
}
