import { literal } from 'sequelize';
import {
  bigint,
  bigints,
  boolean,
  id,
  integer,
  json,
  key,
  longText,
  now,
  orNull,
  plainJson,
  ref,
  smallint,
  text,
  texts,
  time,
} from './columns';
import { defineTable, type RowOf } from './table';

/** A receiver of events: its address, its types of events, and the state of its deliveries. */
const webhookSubscriptionColumns = {
  id: id(),
  workspace_id: ref('workspaces', 'cascade'),
  url: text(2048),
  events: texts(),
  /** Scopes of the member or key that created it: `*` means the events that these may see. */
  view_scopes: texts([]),
  description: text(255, ''),
  scopes: texts([]),
  autonomy: text<'draft' | 'approval' | 'autonomous'>(16),
  is_active: boolean(true),
  active_since: time(),
  created_by_id: orNull(ref('members', 'set null')),
  api_key_id: orNull(bigint()),
  sealed_secret: longText(),
  /** The replaced secrets that still sign, the newest first, separated by spaces and encrypted as one. */
  previous_secret: orNull(longText()),
  previous_until: orNull(time()),
  failing_since: orNull(time()),
  consecutive_failures: integer(0),
  paused_until: orNull(time()),
  disabled_at: orNull(time()),
  disabled_reason: text(500, ''),
  created_at: now(),
  updated_at: now(),
};

/** Columns of a row of `webhook_subscriptions`. */
export type WebhookSubscriptionRow = RowOf<typeof webhookSubscriptionColumns>;

/** Binds the table `webhook_subscriptions`. */
export const webhookSubscriptionTable = defineTable(
  'WebhookSubscription',
  'webhook_subscriptions',
  webhookSubscriptionColumns,
);

/** Something that happened and that subscribers are told; its payload is written when it is fanned out. */
const webhookEventColumns = {
  id: id(),
  uid: text(40, literal("('evt_'::text || replace((gen_random_uuid())::text, '-'::text, ''::text))")),
  workspace_id: ref('workspaces', 'cascade'),
  type: text(64),
  subject_type: text(32),
  subject_id: bigint(),
  changes: orNull(json<Record<string, unknown>>()),
  data: json<Record<string, unknown>>({}),
  created_at: now(),
  sequence: orNull(bigint()),
  payload: orNull(plainJson()),
  contact_ids: bigints([]),
  fanned_out_at: orNull(time()),
  /** How often batches that began with it could not be fanned out. */
  fan_out_tries: smallint(0),
  /** Since when it is left to an operator, because it could not be rendered or written. */
  set_aside_at: orNull(time()),
  set_aside_reason: text(500, ''),
};

/** Columns of a row of `webhook_events`. */
export type WebhookEventRow = RowOf<typeof webhookEventColumns>;

/** Binds the table `webhook_events`. */
export const webhookEventTable = defineTable('WebhookEvent', 'webhook_events', webhookEventColumns);

/** One event on its way to one subscription. */
const webhookDeliveryColumns = {
  id: id(),
  workspace_id: ref('workspaces', 'cascade'),
  subscription_id: ref('webhook_subscriptions', 'cascade'),
  event_id: ref('webhook_events', 'cascade'),
  /** Whose turn it is sent in: a hash of the event's subject. */
  turn: bigint(),
  state: text<'pending' | 'delivered' | 'failed' | 'cancelled'>(16, 'pending'),
  attempts: integer(0),
  last_status_code: orNull(integer()),
  last_error: text(500, ''),
  next_attempt_at: orNull(time()),
  actions: orNull(json()),
  created_at: now(),
};

/** Binds the table `webhook_deliveries`. */
export const webhookDeliveryTable = defineTable('WebhookDelivery', 'webhook_deliveries', webhookDeliveryColumns);

/** The last sequence number that was given to a subject. */
const webhookSequenceColumns = {
  workspace_id: key(ref('workspaces', 'cascade')),
  subject_type: key(text(32)),
  subject_id: key(bigint()),
  last_sequence: bigint(),
};

/** Binds the table `webhook_sequences`. */
export const webhookSequenceTable = defineTable('WebhookSequence', 'webhook_sequences', webhookSequenceColumns);
