import { transaction, type Step } from './step';

/** The name under which it is recorded. */
export const name = '2026-11-24-58-securityLog';

/** What members and keys did that bears on safety; agents' tool calls stand in `audit_log`. */
export const steps: readonly Step[] = [
  transaction(
    `CREATE TABLE security_log (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      workspace_id bigint NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
      action varchar(64) NOT NULL,
      actor_type varchar(16) NOT NULL,
      member_id bigint REFERENCES members(id) ON DELETE SET NULL,
      api_key_id bigint,
      session_id bigint,
      -- Where the request came from; empty for the admin CLI.
      address varchar(64) NOT NULL DEFAULT '',
      -- What it was done to, by the id in the path or answer; null: the workspace itself.
      subject_id bigint,
      -- What was asked for, without secrets.
      given jsonb NOT NULL DEFAULT '{}',
      request_id varchar(128) NOT NULL DEFAULT '',
      created_at timestamptz(3) NOT NULL DEFAULT now()
    ) WITH (
      autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
      autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_insert_threshold = 5000
    )`,
    'CREATE INDEX security_log_list ON security_log (workspace_id, created_at, id)',
    "CREATE INDEX security_log_age ON security_log USING brin (created_at) WITH (pages_per_range='32')",
  ),
];
