import { bigint, boolean, id, integer, json, key, longText, now, orNull, ref, text, time } from './columns';
import type { BroadcastStatus, RecipientState } from './enums';
import { defineTable, type RowOf } from './table';

/** A bulk send of a template. */
const broadcastColumns = {
  id: id(),
  workspace_id: ref('workspaces', 'cascade'),
  name: text(255),
  template_pk: orNull(ref('templates', 'set null')),
  phone_number_id: orNull(ref('phone_numbers', 'set null')),
  audience: json<Record<string, unknown>>(),
  header_media_id: orNull(text(36)),
  template_variables: json<Record<string, unknown>>({}),
  status: text<BroadcastStatus>(16, 'draft'),
  failure_reason: longText(''),
  scheduled_at: orNull(time()),
  confirmed_at: orNull(time()),
  started_at: orNull(time()),
  resolved_at: orNull(time()),
  completed_at: orNull(time()),
  version: integer(0),
  created_by_member_id: orNull(ref('members', 'set null')),
  api_key_id: orNull(ref('api_keys', 'set null')),
  created_at: now(),
  updated_at: now(),
  rests_until: orNull(time()),
  moved_at: orNull(time()),
  refused_code: orNull(integer()),
  refused_title: text(255, ''),
  refused_in_row: integer(0),
  refused_only: boolean(true),
  paused_at: orNull(time()),
  paused_tries: integer(0),
  retry_at: orNull(time()),
  template_takes: orNull(json<Record<string, string> | null>()),
};

/** Columns of a row of `broadcasts`. */
export type BroadcastRow = RowOf<typeof broadcastColumns>;

/** Binds the table `broadcasts`. */
export const broadcastTable = defineTable('Broadcast', 'broadcasts', broadcastColumns);

/**
 * An entry of the ledger of a broadcast's numbers: how many recipients came to a state, or left it. Written by
 * triggers.
 */
const broadcastNumberColumns = {
  broadcast_id: key(bigint()),
  id: id(),
  workspace_id: bigint(),
  state: text(8),
  message_status: text(16),
  reason: text(32),
  error_code: orNull(integer()),
  count: bigint(),
};

/** Binds the table `broadcast_numbers`. */
export const broadcastNumberTable = defineTable('BroadcastNumber', 'broadcast_numbers', broadcastNumberColumns);

/** One recipient of a broadcast and what became of it. A claimed one is `pending` here and `sending` in its message. */
const broadcastRecipientColumns = {
  broadcast_id: key(bigint()),
  position: key(integer()),
  workspace_id: key(bigint()),
  contact_id: bigint(),
  state: text<RecipientState>(8),
  reason: text(32, ''),
  error_code: orNull(integer()),
  message_status: text(16, ''),
  message_id: orNull(bigint()),
  updated_at: now(),
};

/** Binds the table `broadcast_recipients`. */
export const broadcastRecipientTable = defineTable(
  'BroadcastRecipient',
  'broadcast_recipients',
  broadcastRecipientColumns,
);
