import { index, transaction, type Step } from './step';

/** The name under which it is recorded. */
export const name = '2026-11-22-23-listIndexes';

const newest = "(coalesce(last_message_at, 'epoch'::timestamptz)), id";

/** Lets usual filters of conversations be counted by an index alone, and trails be read in their order. */
export const steps: readonly Step[] = [
  // Most conversations are of normal priority: they cost this index nothing.
  index({
    index: 'conversations_priority',
    on: `conversations (workspace_id, priority, ${newest}) INCLUDE (conv_status) WHERE priority <> 'normal'`,
  }),
  index({ index: 'conversations_window', on: 'conversations (workspace_id, active_till)' }),
  // Somebody's open conversations are what is asked for most: the status stands in the index, too.
  index({
    index: 'conversations_assignee',
    on: `conversations (workspace_id, assigned_member_id, ${newest}) INCLUDE (conv_status)`,
  }),
  index({
    index: 'conversations_team',
    on: `conversations (workspace_id, assigned_team_inbox_id, ${newest}) INCLUDE (conv_status)`,
  }),
  // In the order in which a trail is shown: the one before ended with the id, so every page sorted the whole trail.
  index({ index: 'events_trail', on: 'events (workspace_id, subject_type, subject_id, created_at, id)' }),
  transaction('DROP INDEX conversations_member', 'DROP INDEX conversations_inbox', 'DROP INDEX events_subject'),
];
