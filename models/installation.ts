import { literal } from 'sequelize';
import { bigint, boolean, date, exactTime, id, integer, key, longText, now, orNull, ref, text, uuid } from './columns';
import { defineTable, type RowOf } from './table';

/** One row about the installation, which `migrate` creates once. */
const installationColumns = {
  singleton: key(boolean(true)),
  installation_id: text(
    40,
    literal(`('msgdesk-'::text || "left"(replace((gen_random_uuid())::text, '-'::text, ''::text), 8))`),
  ),
  mark_key: orNull(longText()),
};

/** Binds the table `installation`. */
export const installationTable = defineTable('Installation', 'installation', installationColumns);

/**
 * One row: the database in which sending is allowed, and since when its server has run. Sending is held in a database
 * with another identity (a restored copy), and after each start of the server until the database was compared with its
 * witness.
 */
const deliveryFenceColumns = {
  singleton: key(boolean(true)),
  database_identity: text(64),
  running_since: exactTime(),
  witness: orNull(uuid()),
  earlier: orNull(uuid()),
  accepted: boolean(false),
  updated_at: now(),
};

/** Binds the table `delivery_fence`. */
export const deliveryFenceTable = defineTable('DeliveryFence', 'delivery_fence', deliveryFenceColumns);

/**
 * A brake that the operator put on sending: without a workspace on all of it, else on one, or on one of its numbers.
 */
const deliveryHoldColumns = {
  id: id(),
  workspace_id: orNull(ref('workspaces', 'cascade')),
  phone_number_id: orNull(ref('phone_numbers', 'cascade')),
  reason: text(500, ''),
  created_at: now(),
};

/** Columns of a row of `delivery_holds`. */
export type DeliveryHoldRow = RowOf<typeof deliveryHoldColumns>;

/** Binds the table `delivery_holds`. */
export const deliveryHoldTable = defineTable('DeliveryHold', 'delivery_holds', deliveryHoldColumns);

/** For how long API processes worked for a workspace on a day. */
const busyDayColumns = {
  workspace_id: key(ref('workspaces', 'cascade')),
  day: key(date()),
  ms: bigint(),
};

/** Binds the table `busy_days`. */
export const busyDayTable = defineTable('BusyDay', 'busy_days', busyDayColumns);

/** What began, was answered and was resolved of the conversations of a day. */
const reportDayColumns = {
  workspace_id: key(ref('workspaces', 'cascade')),
  // What the day is summed up by, and its value; empty: none.
  kind: key(text(16)),
  day: key(date()),
  key: key(text(255)),
  started: integer(),
  answered: integer(),
  first_response_seconds: bigint(),
  resolved: integer(),
  resolution_seconds: bigint(),
  rated: integer(0),
  satisfied: integer(0),
};

/** Binds the table `report_days`. */
export const reportDayTable = defineTable('ReportDay', 'report_days', reportDayColumns);
