/** Shapes shared by the sandbox upstream. Snake case where they are visible on the wire or in the control API. */

export type JsonObject = Record<string, unknown>;

export interface PhoneNumber {
  id: string;
  business_account_id: string;
  display_phone_number: string;
  verified_name: string;
  quality_rating: string;
  code_verification_status: string;
  status: string;
  name_status: string;
  platform_type: string;
  account_mode: string;
  messaging_limit: string;
  /** Messages per second over inbound and outbound; 0 means unlimited. */
  throughput_mps: number;
  username?: string;
  username_status?: string;
}

export interface Template {
  id: string;
  name: string;
  language: string;
  category: string;
  status: string;
  parameter_format: 'POSITIONAL' | 'NAMED';
  components: JsonObject[];
  rejected_reason: string;
  quality_score: string;
  previous_category?: string;
  correct_category?: string;
}

export interface Flow {
  id: string;
  name: string;
  status: string;
  categories: string[];
  validation_errors: JsonObject[];
  json_version: string;
  data_api_version?: string;
  endpoint_uri?: string;
  updated_at: number;
  preview_token: number;
  flow_json: JsonObject;
  /** Instants of the last hour's sends, for the limit of a throttled flow. */
  sends: number[];
}

export interface Product {
  id: string;
  retailer_id: string;
  name: string;
  description: string;
  price: string;
  currency: string;
  availability: string;
  image_url: string;
  url: string;
}

export interface Account {
  business_account_id: string;
  name: string;
  access_token: string;
  app_secret: string;
  verify_token: string;
  webhook_url: string;
  subscribed: boolean;
  catalog_id: string;
  catalog_name: string;
  phone_numbers: PhoneNumber[];
  templates: Template[];
  flows: Flow[];
  products: Product[];
}

/** One person as one business account knows them (identities are scoped to the business). */
export interface User {
  key: string;
  business_account_id: string;
  phone?: string;
  user_id: string;
  parent_user_id?: string;
  username?: string;
  name: string;
  hidden: boolean;
  opted_out: boolean;
  blocked: boolean;
  /** The platform's own agent has the thread. */
  agent?: boolean;
  last_at: number;
  /** Phone number id → instant of the last inbound message (opens 24 hours). */
  windows: Record<string, number>;
  /** Phone number id → instant of the last click-to-chat ad (72 hours of free messages). */
  referrals?: Record<string, number>;
}

interface StatusEntry {
  status: string;
  at: number;
  code?: number;
}

export interface SentRecord {
  direction: 'out';
  seq: number;
  wamid: string;
  business_account_id: string;
  phone_number_id: string;
  to: string;
  via: 'phone' | 'user_id' | 'both' | 'group';
  user_key: string;
  user_id: string;
  type: string;
  body: JsonObject | null;
  opaque: string | null;
  accepted_at: number;
  /** How the request ended on the wire although the message was accepted. */
  answered: string;
  category: string;
  /** What it costs, decided once, as its statuses say it; null before the first of them. */
  price: JsonObject | null;
  statuses: StatusEntry[];
  /** True once the customer's phone has it. */
  arrived: boolean;
  /** True when nothing will ever arrive (failed, blocked). */
  lost: boolean;
}

export interface InboundRecord {
  direction: 'in';
  seq: number;
  wamid: string;
  business_account_id: string;
  phone_number_id: string;
  user_key: string;
  type: string;
  message: JsonObject;
  at: number;
  read_at?: number;
  /** When the business was last said to be typing an answer to it. */
  typing_at?: number;
}

export type ChatRecord = SentRecord | InboundRecord;

export interface MediaFile {
  id: string;
  business_account_id: string;
  /** The phone number that it was uploaded on; null for a customer's file. */
  uploaded_on: string | null;
  mime_type: string;
  filename: string;
  sha256: string;
  data: Buffer;
  created_at: number;
}

export interface Settings {
  /** Delay before each status step; step n comes n times this after acceptance. */
  status_delay_ms: number;
  statuses: string[];
  /** Share of webhook updates delivered twice. */
  duplicate: number;
  /** Statuses of one message, and updates of one POST, come in a seeded random order. */
  reorder: boolean;
  /** Most updates in one webhook POST. */
  batch: number;
  /** Share of status updates that are never delivered. */
  drop: number;
  pair_rate: boolean;
  throughput: boolean;
  latency_ms: number;
  keep_bodies: boolean;
  /** The first status webhook is answered before the response of the send is written. */
  status_before_response: boolean;
  retry_schedule_ms: number[];
  webhook_timeout_ms: number;
  webhook_concurrency: number;
  /** Service messages of a number that cost nothing, each month. */
  free_service_messages: number;
  /** The account is not paid for: messages that cost something are accepted, and not delivered. */
  unpaid: boolean;
  template_review: 'manual' | 'approve' | 'reject';
}

export interface CallRecord {
  at: number;
  method: string;
  path: string;
  status: number;
  outcome: string;
  code?: number;
  to?: string;
  wamid?: string;
  ms: number;
}

/** What a handler wants written on the socket. */
export interface Reply {
  status: number;
  body?: unknown;
  raw?: string | Buffer;
  contentType?: string;
  headers?: Record<string, string>;
  /** `reset` destroys the connection, `hang` never answers. */
  wire?: 'reset' | 'hang';
  delayMs?: number;
  before?: Promise<void>;
  outcome?: string;
  code?: number;
  to?: string;
  wamid?: string;
}
