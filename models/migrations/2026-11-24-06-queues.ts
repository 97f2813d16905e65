import { transaction, type Step } from './step';

/** Sorts after what it builds on; never changes once released. */
export const name = '2026-11-24-06-queues';

const statements = `
-- Stored upstream events, one row per item of a webhook; drained by the workers. A processed one goes at once: what it
-- said stands in the rows that it changed. Those that were not understood are kept, for the page that lists them and
-- for a version that understands them.
CREATE TABLE inbox_events (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  workspace_id bigint NOT NULL,
  business_account_id bigint NOT NULL,
  kind varchar(64) NOT NULL,
  -- Events with the same key, of one customer, are processed one after the other, in order of arrival.
  order_key varchar(200) NOT NULL DEFAULT '',
  -- How many of its customer stood before it when it came: who has written much stands behind who has not.
  place integer NOT NULL DEFAULT 0,
  payload jsonb NOT NULL,
  state varchar(8) NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'ignored', 'parked')),
  attempts integer NOT NULL DEFAULT 0,
  available_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Until when one that has to be tried again keeps its place before its customer's others; null: as long as needed.
  holds_until timestamptz(3),
  error text,
  received_at timestamptz(3) NOT NULL DEFAULT now()
) WITH (
  fillfactor = 50
);
CREATE INDEX inbox_events_parked ON inbox_events (workspace_id, id) WHERE (state = 'parked');
CREATE INDEX inbox_events_unverified ON inbox_events (business_account_id, received_at) WHERE (kind = 'unverified');
CREATE INDEX inbox_events_parked_age ON inbox_events (received_at) WHERE (state = 'parked');
CREATE INDEX inbox_events_new ON inbox_events (workspace_id, place, id)
  WHERE (state = 'new') AND (kind <> 'status');
CREATE INDEX inbox_events_line ON inbox_events (workspace_id, order_key, id)
  WHERE (state = 'new') AND (kind <> 'status') AND (order_key <> '');
CREATE INDEX inbox_events_new_statuses ON inbox_events (workspace_id, place, id)
  WHERE (state = 'new') AND (kind = 'status');
CREATE INDEX inbox_events_ignored ON inbox_events (workspace_id, kind, received_at) WHERE (state = 'ignored');
CREATE INDEX inbox_events_ignored_age ON inbox_events (received_at) WHERE (state = 'ignored');

-- A clock that only advances while webhooks can be received: 15 minutes of it settle an unknown outcome.
CREATE TABLE intake_clock (
  singleton boolean DEFAULT true PRIMARY KEY,
  up_ms bigint NOT NULL DEFAULT 0,
  seen_at timestamptz(3) NOT NULL DEFAULT now(),
  CHECK (singleton)
);
INSERT INTO intake_clock DEFAULT VALUES;

CREATE TABLE events (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  workspace_id bigint NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
  subject_type varchar(32) NOT NULL,
  subject_id bigint NOT NULL,
  kind varchar(64) NOT NULL,
  actor_type varchar(16) NOT NULL CHECK (actor_type IN ('member', 'api_key', 'agent', 'system', 'contact')),
  actor_member_id bigint REFERENCES members(id) ON DELETE SET NULL,
  api_key_id bigint,
  changes jsonb NOT NULL DEFAULT '{}',
  data jsonb NOT NULL DEFAULT '{}',
  request_id varchar(128),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  -- The type under which subscribers are told (core/queue/eventKinds.ts); null: they are not.
  webhook_type varchar(64),
  -- Who follows the trail remembers a snapshot, which says of each transaction whether it was seen, however late it
  -- committed.
  transaction_id bigint NOT NULL DEFAULT (pg_current_xact_id()::text::bigint),
  PRIMARY KEY (id, workspace_id)
);
-- In the order in which a trail is shown.
CREATE INDEX events_trail ON events (workspace_id, subject_type, subject_id, created_at, id);
CREATE INDEX events_live ON events (workspace_id, transaction_id);
CREATE INDEX events_age ON events USING brin (created_at) WITH (pages_per_range='32');

CREATE TABLE outbox (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  workspace_id bigint NOT NULL,
  workflow varchar(64) NOT NULL,
  workflow_id varchar(200) NOT NULL,
  signal varchar(64),
  version integer NOT NULL DEFAULT 0,
  input jsonb NOT NULL DEFAULT '{}',
  attempts integer NOT NULL DEFAULT 0,
  -- Leaves the committing process two seconds to dispatch it itself before a relay takes it.
  available_at timestamptz(3) NOT NULL DEFAULT (now() + interval '00:00:02'),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  refusals integer NOT NULL DEFAULT 0,
  error text NOT NULL DEFAULT '',
  set_aside_at timestamptz(3),
  -- The trace that the intent is part of, which its delivery continues.
  trace varchar(55)
);
CREATE INDEX outbox_workflow ON outbox (workflow_id, version);
CREATE INDEX outbox_available ON outbox (workspace_id, available_at, id) WHERE (set_aside_at IS NULL);
CREATE INDEX outbox_set_aside ON outbox (set_aside_at) WHERE (set_aside_at IS NOT NULL);

CREATE TABLE idempotency_keys (
  credential varchar(64) NOT NULL,
  path varchar(512) NOT NULL,
  key varchar(255) NOT NULL,
  fingerprint bytea NOT NULL,
  claim uuid NOT NULL,
  claimed_at timestamptz(3) NOT NULL DEFAULT now(),
  status integer,
  body text,
  finished_at timestamptz(3),
  workspace_id bigint REFERENCES workspaces(id) ON DELETE CASCADE,
  -- What the request made, for a repeat whose kept answer was erased.
  subject_id bigint,
  -- The request ended without an answer that is kept: the same body may try again at once, another one may not.
  released boolean NOT NULL DEFAULT false,
  PRIMARY KEY (credential, path, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (claimed_at);
CREATE INDEX idempotency_keys_workspace ON idempotency_keys (workspace_id);

CREATE UNLOGGED TABLE rate_limits (
  key varchar(160) PRIMARY KEY,
  hits integer NOT NULL,
  resets_at timestamptz(3) NOT NULL
);
CREATE INDEX rate_limits_resets ON rate_limits (resets_at);
`;

/** Events in and out, and what requests leave behind. */
export const steps: readonly Step[] = [transaction(statements)];
