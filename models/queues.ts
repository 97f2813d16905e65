import { literal } from 'sequelize';
import {
  bigint,
  boolean,
  bytes,
  id,
  integer,
  json,
  key,
  longText,
  now,
  orNull,
  ref,
  text,
  time,
  uuid,
} from './columns';
import { defineTable } from './table';

/** A stored upstream webhook item, to be processed once in effect. */
const inboxEventColumns = {
  id: id(),
  workspace_id: bigint(),
  business_account_id: bigint(),
  kind: text(64),
  order_key: text(200, ''),
  place: integer(0),
  payload: json(),
  state: text<'new' | 'ignored' | 'parked'>(8, 'new'),
  attempts: integer(0),
  available_at: now(),
  holds_until: orNull(time()),
  error: orNull(longText()),
  received_at: now(),
};

/** Binds the table `inbox_events`. */
export const inboxEventTable = defineTable('InboxEvent', 'inbox_events', inboxEventColumns);

/** A clock that only advances while webhooks can be received; one row. */
const intakeClockColumns = {
  singleton: key(boolean(true)),
  up_ms: bigint(0),
  seen_at: now(),
};

/** Binds the table `intake_clock`. */
export const intakeClockTable = defineTable('IntakeClock', 'intake_clock', intakeClockColumns);

/** An intent that must still reach Temporal. */
const outboxEntryColumns = {
  id: id(),
  workspace_id: bigint(),
  workflow: text(64),
  workflow_id: text(200),
  signal: orNull(text(64)),
  version: integer(0),
  input: json<Record<string, unknown>>({}),
  attempts: integer(0),
  available_at: time(literal("(now() + '00:00:02'::interval)")),
  refusals: integer(0),
  error: longText(''),
  set_aside_at: orNull(time()),
  /** The trace that it is part of (W3C `traceparent`); null where traces are off. */
  trace: orNull(text(55)),
  created_at: now(),
};

/** Binds the table `outbox`. */
export const outboxEntryTable = defineTable('OutboxEntry', 'outbox', outboxEntryColumns);

/** A claimed Idempotency-Key and the answer to replay. */
const idempotencyKeyColumns = {
  credential: key(text(64)),
  path: key(text(512)),
  key: key(text(255)),
  fingerprint: bytes(),
  claim: uuid(),
  claimed_at: now(),
  status: orNull(integer()),
  /** Null beside a status: the answer was erased. */
  body: orNull(longText()),
  finished_at: orNull(time()),
  workspace_id: orNull(ref('workspaces', 'cascade')),
  /** What the request made. */
  subject_id: orNull(bigint()),
  /** Free for another try of the same body. */
  released: boolean(false),
};

/** Binds the table `idempotency_keys`. */
export const idempotencyKeyTable = defineTable('IdempotencyKey', 'idempotency_keys', idempotencyKeyColumns);

/** Hits of a rate limit window by its key. */
const rateLimitColumns = {
  key: key(text(160)),
  hits: integer(),
  resets_at: time(),
};

/** Binds the table `rate_limits`. */
export const rateLimitTable = defineTable('RateLimit', 'rate_limits', rateLimitColumns);
