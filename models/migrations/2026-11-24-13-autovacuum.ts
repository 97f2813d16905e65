import { transaction, type Step } from './step';

/** Sorts after what it builds on; never changes once released. */
export const name = '2026-11-24-13-autovacuum';

/**
 * Tables that grow without end: by default they would be vacuumed after a fifth of them has changed, which on a large
 * one means hardly ever, and the counts of lists stay index-only by vacuum alone. Insert-only ones are vacuumed for
 * that, too.
 */
const growing = [
  'contacts',
  'conversations',
  'conversation_windows',
  'messages',
  'conversation_notes',
  'conversation_episodes',
  'report_days',
  'files',
  'events',
  'tickets',
  'ticket_comments',
  'ticket_stage_move_recipients',
  'broadcast_recipients',
  'macro_runs',
  'approvals',
  'audit_log',
  'flow_submissions',
];

/** Tables that stay small and are rewritten all the time: each dead row is read by whoever looks for a live one. */
const churning = [
  'inbox_events',
  'outbox',
  'idempotency_keys',
  'rate_limits',
  'busy_days',
  'send_slots',
  'sessions',
  'parked_statuses',
  'oauth_access_tokens',
  'broadcast_numbers',
  'flow_reads',
  'presence',
  'removed_files',
  'mails',
  'factor_challenges',
  'unread_marks',
];

const statements = [
  ...growing.map(
    (table) => `ALTER TABLE ${table} SET (
      autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
      autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_insert_threshold = 5000,
      autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 500)`,
  ),
  ...churning.map(
    (table) => `ALTER TABLE ${table} SET (
      autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500,
      autovacuum_analyze_scale_factor = 0.1, autovacuum_analyze_threshold = 500, autovacuum_vacuum_cost_delay = 0)`,
  ),
];

/** Tells autovacuum what each table needs. */
export const steps: readonly Step[] = [transaction(statements.join(';\n'))];
