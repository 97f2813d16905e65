import { literal } from 'sequelize';
import { bigint, bytes, id, integer, json, key, now, orNull, ref, text } from './columns';
import { defineTable, type RowOf } from './table';

/** What happened: activity trails, the dashboard's news and outgoing webhooks come from it. */
const activityEventColumns = {
  id: id(),
  workspace_id: key(ref('workspaces', 'cascade')),
  subject_type: text(32),
  subject_id: bigint(),
  kind: text(64),
  actor_type: text<'member' | 'api_key' | 'agent' | 'system' | 'contact'>(16),
  actor_member_id: orNull(ref('members', 'set null')),
  api_key_id: orNull(bigint()),
  changes: json<Record<string, unknown>>({}),
  data: json<Record<string, unknown>>({}),
  request_id: orNull(text(128)),
  created_at: now(),
  webhook_type: orNull(text(64)),
  transaction_id: bigint(literal('((pg_current_xact_id())::text)::bigint')),
};

/** Columns of a row of `events`. */
export type ActivityEventRow = RowOf<typeof activityEventColumns>;

/** Binds the table `events`. */
export const activityEventTable = defineTable('ActivityEvent', 'events', activityEventColumns);

/** One call of an agent tool: who, which tool, what became of it. */
const auditEntryColumns = {
  id: id(),
  workspace_id: ref('workspaces', 'cascade'),
  connection_kind: text(8),
  connection_id: bigint(),
  connection_name: text(255, ''),
  member_id: orNull(ref('members', 'set null')),
  tool: text(64),
  arguments_digest: bytes(),
  outcome: text(24),
  detail: text(500, ''),
  duration_ms: integer(),
  request_id: text(128),
  /** From where it was called, and by which program. */
  address: text(64, ''),
  program: text(255, ''),
  created_at: now(),
};

/** Columns of a row of `audit_log`. */
export type AuditEntryRow = RowOf<typeof auditEntryColumns>;

/** The model `AuditEntry` of the table `audit_log`. */
export const auditEntryTable = defineTable('AuditEntry', 'audit_log', auditEntryColumns);
