/** SQL: what `noteArrivedSql` takes of a message `m`. */
export const arrivedColumns = `m.id, m.workspace_id, m.message_status, m.delivered_at, m.read_at, m.sent_at,
  m.created_at, m.phone_number_id, m.pricing, m.pricing_category, m.broadcast_id, m.sent_by_member_id`;

/**
 * SQL: notes each message of `moved` that has arrived, as what the platform charges is charged on arrival: one row per
 * message, whatever the order and number of its statuses, which stays when the message is erased. `moved` has
 * `arrivedColumns` and the `country` of its customer. The messages are locked, so the last word of them is written.
 */
export const noteArrivedSql = (moved: string): string => `
  INSERT INTO message_usage AS known (message_id, workspace_id, arrived_at, phone_number_id, category, billable,
    country, broadcast_id, member_id)
  SELECT id, workspace_id, coalesce(least(delivered_at, read_at), sent_at, created_at), phone_number_id,
    pricing_category, coalesce(pricing->'billable' = 'true', false), country, broadcast_id, sent_by_member_id
  FROM ${moved} WHERE message_status IN ('delivered', 'read', 'played')
  ON CONFLICT (message_id) DO UPDATE SET
    arrived_at = excluded.arrived_at, category = excluded.category, billable = excluded.billable
  WHERE (known.arrived_at, known.category, known.billable)
    IS DISTINCT FROM (excluded.arrived_at, excluded.category, excluded.billable)`;
