import type { NonAttribute } from 'sequelize';
import type { TemplateRow } from './accounts';
import { bigint, bigints, boolean, id, integer, json, key, longText, now, orNull, ref, text, time } from './columns';
import type { Priority, RecipientState, Severity, TicketOutcome, TicketSource, TicketType } from './enums';
import { defineTable, including, type ModelOf, type RowOf } from './table';

/** A way that tickets take. */
const ticketPipelineColumns = {
  id: id(),
  workspace_id: ref('workspaces', 'cascade'),
  name: text(255),
  description: longText(''),
  position: integer(),
  is_default: boolean(false),
  created_at: now(),
  updated_at: now(),
};

/** Columns of a row of `ticket_pipelines`. */
export type TicketPipelineRow = RowOf<typeof ticketPipelineColumns>;

/** What it may be read with. */
interface IncludedByTicketPipeline {
  stages?: NonAttribute<TicketStageModel[]>;
}

/** Binds the table `ticket_pipelines`. */
export const ticketPipelineTable = defineTable(
  'TicketPipeline',
  'ticket_pipelines',
  ticketPipelineColumns,
  including<IncludedByTicketPipeline>(),
);

/** A step of a pipeline. */
const ticketStageColumns = {
  id: id(),
  workspace_id: bigint(),
  pipeline_id: bigint(),
  name: text(255),
  position: integer(),
  color: text(7, '#64748B'),
  is_terminal: boolean(false),
  pauses_sla: boolean(false),
  notify_template_pk: orNull(ref('templates', 'set null')),
  notify_template_media_id: orNull(text(36)),
  notify_template_variables: json<Record<string, unknown>>({}),
  created_at: now(),
  updated_at: now(),
};

/** Columns of a row of `ticket_stages`. */
export type TicketStageRow = RowOf<typeof ticketStageColumns>;

/** What it may be read with. */
interface IncludedByTicketStage {
  notify_template?: NonAttribute<Pick<TemplateRow, 'template_id' | 'name'> | null>;
}

/** A row of it. */
export type TicketStageModel = ModelOf<typeof ticketStageColumns, IncludedByTicketStage>;

/** Binds the table `ticket_stages`. */
export const ticketStageTable = defineTable(
  'TicketStage',
  'ticket_stages',
  ticketStageColumns,
  including<IncludedByTicketStage>(),
);

/** Support work that outlives a chat. */
const ticketColumns = {
  id: id(),
  workspace_id: ref('workspaces', 'cascade'),
  title: text(255),
  description: longText(''),
  pipeline_id: bigint(),
  stage_id: bigint(),
  receiver_id: orNull(ref('contacts', 'set null')),
  assigned_to_id: orNull(ref('members', 'set null')),
  assigned_inbox_id: orNull(ref('team_inboxes', 'set null')),
  parent_ticket_id: orNull(ref('tickets', 'set null')),
  duplicate_of_id: orNull(ref('tickets', 'set null')),
  reopened_count: integer(0),
  last_customer_at: orNull(time()),
  escalated_at: orNull(time()),
  escalated_to_id: orNull(ref('members', 'set null')),
  created_by_id: orNull(ref('members', 'set null')),
  due_at: orNull(time()),
  type: text<TicketType>(16, 'other'),
  severity: text<Severity>(8, 'sev3'),
  priority: text<Priority>(8, 'normal'),
  source: text<TicketSource>(8, 'api'),
  outcome: orNull(text<TicketOutcome>(24)),
  sla_policy_id: orNull(ref('sla_policies', 'set null')),
  first_response_at: orNull(time()),
  first_response_sla: orNull(time()),
  resolution_sla: orNull(time()),
  sla_paused_at: orNull(time()),
  sla_paused_ms: bigint(0),
  sla_breached: boolean(false),
  sla_version: integer(0),
  closed_at: orNull(time()),
  tags: json([]),
  custom_fields: json<Record<string, unknown>>({}),
  created_at: now(),
  updated_at: now(),
};

/** Columns of a row of `tickets`. */
export type TicketRow = RowOf<typeof ticketColumns>;

/** Binds the table `tickets`. */
export const ticketTable = defineTable('Ticket', 'tickets', ticketColumns);

/** A note on a ticket. */
const ticketCommentColumns = {
  id: id(),
  workspace_id: bigint(),
  ticket_id: bigint(),
  body: longText(),
  is_internal: boolean(true),
  author_id: orNull(ref('members', 'set null')),
  created_at: now(),
};

/** Binds the table `ticket_comments`. */
export const ticketCommentTable = defineTable('TicketComment', 'ticket_comments', ticketCommentColumns);

/** A contact that a ticket affects. */
const ticketContactColumns = {
  ticket_id: key(ref('tickets', 'cascade')),
  contact_id: key(ref('contacts', 'cascade')),
  position: integer(),
};

/** Binds the table `ticket_contacts`. */
export const ticketContactTable = defineTable('TicketContact', 'ticket_contacts', ticketContactColumns);

/** A member who follows a ticket. */
const ticketWatcherColumns = {
  ticket_id: key(ref('tickets', 'cascade')),
  member_id: key(ref('members', 'cascade')),
};

/** Binds the table `ticket_watchers`. */
export const ticketWatcherTable = defineTable('TicketWatcher', 'ticket_watchers', ticketWatcherColumns);

/** A move into a notifying stage, frozen as it was. */
const ticketStageMoveColumns = {
  id: id(),
  workspace_id: bigint(),
  ticket_id: bigint(),
  stage_id: bigint(),
  stage_name: text(255),
  template_pk: orNull(ref('templates', 'set null')),
  template: json<Record<string, unknown>>(),
  template_media_id: orNull(text(36)),
  variables: json<Readonly<Record<string, unknown>>>(),
  ticket_values: json<Readonly<Record<string, unknown>>>(),
  actor_member_id: orNull(ref('members', 'set null')),
  api_key_id: orNull(ref('api_keys', 'set null')),
  prepared_at: orNull(time()),
  completed_at: orNull(time()),
  touched_at: now(),
  created_at: now(),
  recipient_ids: bigints([]),
  /** What the mapping takes from each contact, by its id. */
  recipient_values: json<Record<string, unknown>>({}),
};

/** Binds the table `ticket_stage_moves`. */
export const ticketStageMoveTable = defineTable('TicketStageMove', 'ticket_stage_moves', ticketStageMoveColumns);

/** One recipient of a move and what became of it. */
const ticketStageMoveRecipientColumns = {
  move_id: key(ref('ticket_stage_moves', 'cascade')),
  contact_id: key(ref('contacts', 'cascade')),
  place: integer(),
  state: text<RecipientState>(8, 'pending'),
  reason: text(255, ''),
  message_id: orNull(bigint()),
  settled_at: orNull(time()),
  /** What the mapping takes from the contact, as it was when the ticket moved. */
  frozen_values: json<Record<string, unknown>>({}),
};

/** Binds the table `ticket_stage_move_recipients`. */
export const ticketStageMoveRecipientTable = defineTable(
  'TicketStageMoveRecipient',
  'ticket_stage_move_recipients',
  ticketStageMoveRecipientColumns,
);
