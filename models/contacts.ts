import { bigint, boolean, bytes, id, integer, json, key, longText, now, orNull, ref, text, time } from './columns';
import { defineTable, type RowOf } from './table';

/** A customer of a workspace. */
const contactColumns = {
  id: id(),
  workspace_id: ref('workspaces', 'cascade'),
  receiver_id: text(160),
  phone: orNull(text(32)),
  bsuid: orNull(text(160)),
  name: text(255, ''),
  email: text(254, ''),
  company: text(255, ''),
  notes: longText(''),
  username: orNull(text(64)),
  profile_picture: text(2048, ''),
  tags: json([]),
  custom_fields: json<Record<string, unknown>>({}),
  attributes: json<Record<string, unknown>>({}),
  ctwa_clid: text(1024, ''),
  ctwa_source_id: text(255, ''),
  ctwa_source_url: text(2048, ''),
  ctwa_headline: text(1024, ''),
  ctwa_referral_at: orNull(time()),
  first_message_at: orNull(time()),
  marketing_opt_out: boolean(false),
  marketing_opt_out_at: orNull(time()),
  marketing_opt_out_source: orNull(text<'keyword' | 'platform' | 'api' | 'member'>(16)),
  marketing_preference_at: orNull(time()),
  created_at: now(),
  updated_at: now(),
  identity_at: orNull(time()),
  profile_name_at: orNull(time()),
  username_at: orNull(time()),
};

/** Columns of a row of `contacts`. */
export type ContactRow = RowOf<typeof contactColumns>;

/** Binds the table `contacts`. */
export const contactTable = defineTable('Contact', 'contacts', contactColumns);

/** Former handles of a contact that must keep answering. */
const contactAliasColumns = {
  workspace_id: key(ref('workspaces', 'cascade')),
  kind: key(text<'receiver_id' | 'id' | 'conversation_id' | 'bsuid' | 'phone'>(16)),
  value: key(text(160)),
  contact_id: ref('contacts', 'cascade'),
  created_at: now(),
  /** Null: for ever. */
  valid_until: orNull(time()),
  /** Of a second number of the person, and of its user id: that user id, where it is known. */
  bsuid: orNull(text(160)),
};

/** Binds the table `contact_aliases`. */
export const contactAliasTable = defineTable('ContactAlias', 'contact_aliases', contactAliasColumns);

/**
 * A change of a customer's phone or user id that was announced before the contact was known; it is applied once it is.
 */
const identityMoveColumns = {
  id: id(),
  workspace_id: ref('workspaces', 'cascade'),
  old_phone: orNull(text(32)),
  old_bsuid: orNull(text(160)),
  new_phone: orNull(text(32)),
  new_bsuid: orNull(text(160)),
  moved_at: time(),
  created_at: now(),
};

/** Columns of a row of `identity_moves`. */
export type IdentityMoveRow = RowOf<typeof identityMoveColumns>;

/** Binds the table `identity_moves`. */
export const identityMoveTable = defineTable('IdentityMove', 'identity_moves', identityMoveColumns);

/** What is left of an erased contact who had opted out. */
const optOutMarkColumns = {
  workspace_id: key(ref('workspaces', 'cascade')),
  identity_hash: key(bytes()),
  opted_out_at: time(),
  source: text(16),
};

/** Binds the table `opt_out_marks`. */
export const optOutMarkTable = defineTable('OptOutMark', 'opt_out_marks', optOutMarkColumns);

/** Conversations that are gone, while messages and activity that carry their ids are moved or removed. */
const leftHistoryColumns = {
  workspace_id: key(ref('workspaces', 'cascade')),
  conversation_id: key(bigint()),
  /** Whose the history is now; null: it was erased. */
  kept_id: orNull(ref('conversations', 'set null')),
  /** Behind how many places of the other one its messages are put. */
  places: integer(0),
  created_at: now(),
};

/** Binds the table `left_histories`. */
export const leftHistoryTable = defineTable('LeftHistory', 'left_histories', leftHistoryColumns);
