import { index, transaction, type Step } from './step';

/** Sorts after what it builds on; never changes once released. */
export const name = '2026-11-28-25-scheduled-messages';

const statements = `
-- Messages that are to be sent later, or are held. A row becomes one of messages under the same id, in one transaction,
-- at its moment: until then no list, report, count or limit of messages knows it.
CREATE TABLE scheduled_messages (
  -- By name, so that the table of messages can be taken over by a partitioned one.
  id bigint NOT NULL DEFAULT nextval(pg_get_serial_sequence('messages', 'id')) PRIMARY KEY,
  workspace_id bigint NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
  conversation_id bigint NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
  phone_number_id bigint REFERENCES phone_numbers(id) ON DELETE SET NULL,
  state varchar(16) NOT NULL DEFAULT 'scheduled' CHECK (state IN ('scheduled', 'held')),
  send_at timestamptz(3) NOT NULL,
  if_customer_writes varchar(8) NOT NULL CHECK (if_customer_writes IN ('hold', 'send', 'cancel')),
  held_reason varchar(16),
  -- Counts the changes of its moment, for its timer.
  version integer NOT NULL DEFAULT 1,
  -- As in messages: content with nothing left to look up, who wrote it, and its unique key at what asked for it.
  type varchar(32) NOT NULL,
  body jsonb NOT NULL,
  file_id bigint,
  reply_to_wamid varchar(255) NOT NULL DEFAULT '',
  template_pk bigint REFERENCES templates(id) ON DELETE SET NULL,
  sent_by_member_id bigint REFERENCES members(id) ON DELETE SET NULL,
  api_key_id bigint REFERENCES api_keys(id) ON DELETE SET NULL,
  oauth_grant_id bigint,
  approved_by_member_id bigint,
  origin varchar(16) NOT NULL,
  rule_id bigint,
  dedupe_key varchar(160),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CHECK ((state = 'held') = (held_reason IS NOT NULL))
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
CREATE INDEX scheduled_messages_conversation ON scheduled_messages (workspace_id, conversation_id, send_at, id);
CREATE INDEX scheduled_messages_of_conversation ON scheduled_messages (conversation_id);
CREATE INDEX scheduled_messages_due ON scheduled_messages (send_at) WHERE (state = 'scheduled');
CREATE INDEX scheduled_messages_due_of ON scheduled_messages (workspace_id, send_at) WHERE (state = 'scheduled');
CREATE INDEX scheduled_messages_file ON scheduled_messages (file_id) WHERE (file_id IS NOT NULL);
CREATE UNIQUE INDEX scheduled_messages_dedupe ON scheduled_messages (workspace_id, dedupe_key)
  WHERE (dedupe_key IS NOT NULL);

-- Whoever wrote it, and who has the conversation, is told of what is held.
ALTER TABLE members ADD COLUMN notify_held varchar(8) NOT NULL DEFAULT 'push'
  CHECK (notify_held IN ('off', 'page', 'push'));
ALTER TABLE notices DROP CONSTRAINT notices_kind_check;
ALTER TABLE notices ADD CONSTRAINT notices_kind_check
  CHECK (kind IN ('assigned', 'message', 'unassigned', 'mention', 'held', 'security', 'rule')) NOT VALID;
`;

/** Messages that are sent later. */
export const steps: readonly Step[] = [
  transaction(statements),
  // What will reach a customer is looked for in each conversation that is opened.
  index({
    index: 'broadcasts_scheduled',
    table: 'broadcasts',
    on: "(workspace_id, scheduled_at) WHERE (status = 'scheduled')",
  }),
];
