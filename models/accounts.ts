import { literal } from 'sequelize';
import {
  amount,
  bigint,
  boolean,
  bytes,
  date,
  exactTime,
  id,
  integer,
  json,
  key,
  longText,
  now,
  orNull,
  real,
  ref,
  text,
  time,
} from './columns';
import { defineTable, type RowOf } from './table';

/** An upstream business account with its encrypted credentials. */
const businessAccountColumns = {
  id: id(),
  workspace_id: ref('workspaces', 'cascade'),
  account_id: text(64),
  name: text(255, ''),
  access_token: longText(),
  app_secret: longText(),
  verify_token_hash: bytes(),
  stopped_at: orNull(time()),
  stopped_code: orNull(integer()),
  stopped_reason: orNull(longText()),
  synced_at: orNull(time()),
  created_at: now(),
  updated_at: now(),
  resync_at: orNull(time()),
  catalogue_synced_at: orNull(time()),
  read_at: orNull(time()),
  payment_refused_at: orNull(time()),
  resumed_at: orNull(time()),
};

/** Columns of a row of `business_accounts`. */
export type BusinessAccountRow = RowOf<typeof businessAccountColumns>;

/** Binds the table `business_accounts`. */
export const businessAccountTable = defineTable('BusinessAccount', 'business_accounts', businessAccountColumns);

/** A phone number of a business account. */
const phoneNumberColumns = {
  id: id(),
  workspace_id: ref('workspaces', 'cascade'),
  business_account_id: ref('business_accounts', 'cascade'),
  phone_number_id: text(64),
  display_phone_number: text(64, ''),
  verified_name: text(255, ''),
  quality_rating: text(32, ''),
  code_verification_status: text(32, ''),
  messaging_limit_tier: text(32, ''),
  throughput_mps: integer(80),
  business_username: text(64, ''),
  business_username_status: text(32, ''),
  status: text(32, ''),
  stopped_at: orNull(time()),
  stopped_code: orNull(integer()),
  stopped_reason: orNull(longText()),
  created_at: now(),
  updated_at: now(),
  username_at: orNull(time()),
  limit_at: orNull(time()),
  resumed_at: orNull(time()),
};

/** Columns of a row of `phone_numbers`. */
export type PhoneNumberRow = RowOf<typeof phoneNumberColumns>;

/** Binds the table `phone_numbers`. */
export const phoneNumberTable = defineTable('PhoneNumber', 'phone_numbers', phoneNumberColumns);

/** A message template as the upstream knows it. */
const templateColumns = {
  id: id(),
  workspace_id: ref('workspaces', 'cascade'),
  business_account_id: ref('business_accounts', 'cascade'),
  template_id: text(64),
  name: text(512),
  language: text(32),
  status: text(32),
  category: text(32, ''),
  components: json([]),
  parameter_format: text(16, 'POSITIONAL'),
  rejected_reason: text(255, ''),
  quality_score: text(32, ''),
  source_library_template: orNull(integer()),
  status_at: orNull(time()),
  created_at: now(),
  updated_at: now(),
  category_at: orNull(time()),
  quality_at: orNull(time()),
};

/** Columns of a row of `templates`. */
export type TemplateRow = RowOf<typeof templateColumns>;

/** Binds the table `templates`. */
export const templateTable = defineTable('Template', 'templates', templateColumns);

/** The stored copy of a product of an upstream catalogue. */
const catalogueProductColumns = {
  id: id(),
  workspace_id: ref('workspaces', 'cascade'),
  business_account_id: ref('business_accounts', 'cascade'),
  catalog_id: text(64),
  retailer_id: text(200),
  name: text(512, ''),
  description: longText(''),
  price: text(64, ''),
  currency: text(8, ''),
  availability: text(64, ''),
  image_url: text(4096, ''),
  url: text(4096, ''),
  synced_at: time(),
  created_at: now(),
  updated_at: now(),
};

/** Columns of a row of `catalogue_products`. */
export type CatalogueProductRow = RowOf<typeof catalogueProductColumns>;

/** Binds the table `catalogue_products`. */
export const catalogueProductTable = defineTable('CatalogueProduct', 'catalogue_products', catalogueProductColumns);

/** The stored copy of a flow of the upstream. */
const flowColumns = {
  id: id(),
  workspace_id: ref('workspaces', 'cascade'),
  business_account_id: ref('business_accounts', 'cascade'),
  flow_id: text(64),
  name: text(255, ''),
  status: text(16),
  categories: json([]),
  validation_errors: json([]),
  json_version: text(16, ''),
  data_api_version: text(16, ''),
  endpoint_uri: text(2048, ''),
  preview_url: text(512, ''),
  preview_expires_at: orNull(time()),
  flow_json: orNull(json()),
  changed_at: orNull(time()),
  json_changed_at: orNull(time()),
  alerts: json<Record<string, unknown>>({}),
  status_at: orNull(time()),
  synced_at: time(),
  gone_at: orNull(time()),
  created_at: now(),
  updated_at: now(),
};

/** Columns of a row of `flows`. */
export type FlowRow = RowOf<typeof flowColumns>;

/** Binds the table `flows`. */
export const flowTable = defineTable('Flow', 'flows', flowColumns);

/** The latest question to the upstream about a flow, also about one that is not there. */
const flowReadColumns = {
  workspace_id: key(ref('workspaces', 'cascade')),
  flow_id: key(text(64)),
  read_at: time(),
  outcome: text<'reading' | 'fresh' | 'away' | 'gone'>(16),
};

/** Columns of a row of `flow_reads`. */
export type FlowReadRow = RowOf<typeof flowReadColumns>;

/** Binds the table `flow_reads`. */
export const flowReadTable = defineTable('FlowRead', 'flow_reads', flowReadColumns);

/** What a customer answered in a flow. */
const flowSubmissionColumns = {
  id: id(),
  workspace_id: ref('workspaces', 'cascade'),
  contact_id: ref('contacts', 'cascade'),
  flow_id: orNull(text(64)),
  wamid: text(255),
  response: json<Record<string, unknown>>(),
  submitted_at: time(),
  created_at: now(),
};

/** Columns of a row of `flow_submissions`. */
export type FlowSubmissionRow = RowOf<typeof flowSubmissionColumns>;

/** Binds the table `flow_submissions`. */
export const flowSubmissionTable = defineTable('FlowSubmission', 'flow_submissions', flowSubmissionColumns);

/** How far a phone number's throughput is given away. */
const sendSlotColumns = {
  phone_number_id: key(ref('phone_numbers', 'cascade')),
  booked_until: exactTime(literal('clock_timestamp()')),
  share: real(1),
  slowed_at: orNull(exactTime()),
};

/** Binds the table `send_slots`. */
export const sendSlotTable = defineTable('SendSlot', 'send_slots', sendSlotColumns);

/** What the platform charges for a message of a category to a country, from a day on. */
const messageRateColumns = {
  workspace_id: key(ref('workspaces', 'cascade')),
  country: key(text(2)),
  category: key(text(64)),
  valid_from: key(date()),
  amount: amount(),
  currency: text(3),
};

/** Binds the table `message_rates`. */
export const messageRateTable = defineTable('MessageRate', 'message_rates', messageRateColumns);

/** A message that has arrived, as the platform charges it; it stays when the message is erased. */
const messageUsageColumns = {
  message_id: key(bigint()),
  workspace_id: ref('workspaces', 'cascade'),
  arrived_at: time(),
  phone_number_id: orNull(bigint()),
  category: text(64),
  billable: boolean(),
  country: text(2),
  broadcast_id: orNull(bigint()),
  member_id: orNull(bigint()),
};

/** Binds the table `message_usage`. */
export const messageUsageTable = defineTable('MessageUsage', 'message_usage', messageUsageColumns);
