import { bigint, bytes, id, json, longText, now, orNull, ref, text, texts, time } from './columns';
import { defineTable, type RowOf } from './table';

/** One step of a macro, as it is stored. */
export interface StoredAction {
  readonly type: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** What is told by its key, with its English text (`Reason`). */
export interface StoredReason {
  readonly key: string;
  readonly english: string;
  readonly given: Readonly<Record<string, string | number | StoredReason>>;
  readonly place: string;
}

/** A saved bundle of actions. */
const macroColumns = {
  id: id(),
  workspace_id: ref('workspaces', 'cascade'),
  name: text(255),
  description: longText(''),
  actions: json<readonly StoredAction[]>(),
  created_by_id: orNull(ref('members', 'set null')),
  created_at: now(),
  updated_at: now(),
};

/** Columns of a row of `macros`. */
export type MacroRow = RowOf<typeof macroColumns>;

/** Binds the table `macros`. */
export const macroTable = defineTable('Macro', 'macros', macroColumns);

/** One run of a macro: `pending` is left exactly once. */
const macroRunColumns = {
  id: id(),
  workspace_id: ref('workspaces', 'cascade'),
  macro_id: orNull(ref('macros', 'set null')),
  /** The actions as they were when the run was asked for. */
  actions: json<readonly StoredAction[]>(),
  conversation_id: orNull(bigint()),
  ticket_id: orNull(bigint()),
  state: text<'pending' | 'applied' | 'failed' | 'abandoned'>(16, 'pending'),
  ran: orNull(json<{ type: string; detail: string }[]>()),
  /** `code` is a word of `errorCodes`, `why` the message by its key; earlier versions did not store them. */
  failed_step: orNull(json<{ index: number; type: string; message: string; code?: string; why?: StoredReason }>()),
  run_key: orNull(bytes()),
  actor_type: text<'member' | 'api_key' | 'agent' | 'system' | 'contact'>(16),
  actor_member_id: orNull(ref('members', 'set null')),
  api_key_id: orNull(bigint()),
  oauth_grant_id: orNull(bigint()),
  approved_by_member_id: orNull(bigint()),
  request_id: orNull(text(128)),
  /** How freely the caller may send; null: without limit. */
  autonomy: orNull(text<'draft' | 'approval' | 'autonomous'>(16)),
  /** What a member has approved that it sends; emptied when it ends. */
  frozen: orNull(json()),
  created_at: now(),
  finished_at: orNull(time()),
};

/** Columns of a row of `macro_runs`. */
export type MacroRunRow = RowOf<typeof macroRunColumns>;

/** Binds the table `macro_runs`. */
export const macroRunTable = defineTable('MacroRun', 'macro_runs', macroRunColumns);

/** A text that members send again and again; of the team, or of one member. */
const cannedReplyColumns = {
  id: id(),
  workspace_id: ref('workspaces', 'cascade'),
  member_id: orNull(ref('members', 'cascade')),
  shortcut: text(64),
  body: longText(),
  media_ids: texts([]),
  created_at: now(),
  updated_at: now(),
};

/** Columns of a row of `canned_replies`. */
export type CannedReplyRow = RowOf<typeof cannedReplyColumns>;

/** Binds the table `canned_replies`. */
export const cannedReplyTable = defineTable('CannedReply', 'canned_replies', cannedReplyColumns);
