import { bigint, bigints, boolean, id, integer, json, longText, now, orNull, ref, text, time } from './columns';
import type {
  RuleAttention,
  RuleConditions,
  RuleRepeat,
  RuleRunState,
  RuleStart,
  RuleStartEvent,
  RuleState,
  RuleUnless,
  RuleWait,
} from './ruleParts';
import { defineTable, type RowOf } from './table';

/** When this happens, if that holds, after so long, unless something comes between: run this macro. */
const ruleColumns = {
  id: id(),
  workspace_id: ref('workspaces', 'cascade'),
  name: text(255),
  description: longText(''),
  state: text<RuleState>(8, 'off'),
  /** `on` of its record, which is a word of SQL. */
  starts: json<RuleStart[]>(),
  conditions: json<RuleConditions>(),
  wait: orNull(json<RuleWait>()),
  unless: json<RuleUnless[]>([]),
  repeat: text<RuleRepeat>(16, 'each'),
  after_rules: boolean(false),
  /** Null: it was deleted, which has paused the rule. */
  macro_id: orNull(ref('macros', 'set null')),
  autonomy: text<'draft' | 'approval' | 'autonomous'>(16, 'autonomous'),
  /** Whose rights it acts with: who last saved more than its name, description or pause. */
  runs_as_id: orNull(ref('members', 'set null')),
  /** Raised by a change that ends its waits. */
  version: integer(1),
  /** Since when it is on or paused; null while off. It looks at nothing that was before. */
  active_since: orNull(time()),
  attention: orNull(json<RuleAttention>()),
  created_by_id: orNull(ref('members', 'set null')),
  created_at: now(),
  updated_at: now(),
};

/** Columns of a row of `rules`. */
export type RuleRow = RowOf<typeof ruleColumns>;

/** Binds the table `rules`. */
export const ruleTable = defineTable('Rule', 'rules', ruleColumns);

/** One start of a rule on a conversation: a wait first, then what became of it. */
const ruleRunColumns = {
  id: id(),
  workspace_id: ref('workspaces', 'cascade'),
  /** Null: the rule was deleted. */
  rule_id: orNull(ref('rules', 'set null')),
  rule_version: integer(),
  conversation_id: ref('conversations', 'cascade'),
  event: text<RuleStartEvent>(32),
  /** Of a message that was written or answered with, or began a conversation; else of the entry of the activity. */
  event_id: bigint(),
  /** The customer's message by which it started, for what conditions ask of it. */
  message_id: orNull(bigint()),
  state: text<RuleRunState>(8, 'waiting'),
  /** Of a skipped run one of `skipReasons`, of an ended one the event, of a failed one a code. */
  reason: orNull(text(64)),
  started_at: now(),
  moment: time(),
  /** When it is judged next; null while nothing but an event can change what would be said. */
  look_at: orNull(time()),
  /** A member has chosen its moment: hours and windows move it no more. */
  by_hand: boolean(false),
  ended_at: orNull(time()),
  macro_run_id: orNull(ref('macro_runs', 'set null')),
  /** The rules whose runs caused this one, the first first. */
  chain: bigints([]),
};

/** Columns of a row of `rule_runs`. */
export type RuleRunRow = RowOf<typeof ruleRunColumns>;

/** Binds the table `rule_runs`. */
export const ruleRunTable = defineTable('RuleRun', 'rule_runs', ruleRunColumns);
