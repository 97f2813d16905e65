/**
 * What a rule is made of (contract 21): its words and the forms of its parts, written once for inputs, judging and
 * rehearsal.
 */

/** What starts a rule. */
export const ruleStarts = [
  'message.received',
  'conversation.answered',
  'conversation.created',
  'conversation.reopened',
  'conversation.woken',
  'conversation.rated',
  'conversation.updated',
  'call.missed',
  'flow.submitted',
] as const;
export type RuleStartEvent = (typeof ruleStarts)[number];

/** What ends a wait. */
export const ruleEnds = ['message.received', 'conversation.answered', 'conversation.updated'] as const;
export type RuleEndEvent = (typeof ruleEnds)[number];

/** What may change of a conversation, as `changed` names it. */
export const changedFields = ['conv_status', 'priority', 'assigned_member', 'assigned_team_inbox', 'tags'] as const;
/** A field of the conversation, or a custom field by its name. */
export type ChangedField = (typeof changedFields)[number] | `custom_fields.${string}`;

/** A start; of `conversation.updated` with the field that changed, and perhaps with the value that it then has. */
export interface RuleStart {
  readonly event: RuleStartEvent;
  readonly changed?: ChangedField;
  readonly to?: RuleValue;
}

/** What ends a wait; of `conversation.updated` with the field that changed. */
export interface RuleUnless {
  readonly event: RuleEndEvent;
  readonly changed?: ChangedField;
}

/** A value that a condition compares with, or that a start names. */
export type RuleValue = string | number | boolean | null | readonly (string | number)[];

/** Fields of a conversation that conditions may ask for. Custom fields come to them as `custom_field.<name>`. */
export const conversationFields = [
  'conv_status',
  'priority',
  'assigned_member',
  'assigned_team_inbox',
  'tags',
  'phone_number_id',
  'waiting',
  'window_open',
  'opted_out',
  'inbound_count',
  'hours',
] as const;

/** Fields of the message that starts a rule; judged at the start only. */
export const messageFields = ['text', 'type', 'button_id'] as const;

type RuleField = (typeof conversationFields)[number] | (typeof messageFields)[number] | `custom_field.${string}`;

/** What a field is compared by; which fit it, `ruleSettings/fields.ts` says. */
export const ruleOperators = [
  'is',
  'is_not',
  'any_of',
  'none_of',
  'has_any',
  'has_all',
  'has_none',
  'above',
  'below',
  'before',
  'after',
  'equals',
  'contains',
  'words',
  'set',
  'not_set',
] as const;
export type RuleOperator = (typeof ruleOperators)[number];

/** One condition; `set` and `not_set` have no value. */
export interface RuleCondition {
  readonly field: RuleField;
  readonly op: RuleOperator;
  readonly value?: RuleValue;
}

/** All of the first, and any of the second where there are some. */
export interface RuleConditions {
  readonly all: readonly RuleCondition[];
  readonly any: readonly RuleCondition[];
}

/** How long a rule waits: so long by the clock or in hours of work, until the team opens, or before the window ends. */
export type RuleWait =
  | { readonly minutes: number; readonly by: 'clock' | 'hours' }
  | { readonly until: 'opening'; readonly plus_minutes: number }
  | { readonly minutes: number; readonly before: 'window_end' };

export const ruleStates = ['off', 'on', 'paused'] as const;
export type RuleState = (typeof ruleStates)[number];

export const ruleRepeats = ['each', 'per_episode', 'once'] as const;
export type RuleRepeat = (typeof ruleRepeats)[number];

/** Where a run is; it leaves `waiting` once, and `parked` by a member's decision. */
export const ruleRunStates = ['waiting', 'applied', 'parked', 'ended', 'failed', 'skipped'] as const;
export type RuleRunState = (typeof ruleRunStates)[number];

/** Why a run was skipped. */
const skipReasons = [
  'conditions',
  'opted_out',
  'late',
  'too_often',
  'rule_off',
  'rule_changed',
  'paused_owner',
  'gone',
] as const;
export type SkipReason = (typeof skipReasons)[number];

/** Why a rule asks for a member: it has paused itself, but for what is late, which is only told. */
export const attentionReasons = [
  'owner_gone',
  'missing_scope',
  'reference_gone',
  'unusual_volume',
  'failing',
  'late',
] as const;

/** What members should look at. `detail`: the scope, the count or the code that it is about. */
export interface RuleAttention {
  readonly reason: (typeof attentionReasons)[number];
  /** An ISO time. */
  readonly since: string;
  readonly detail?: string | number;
}

/** The brake of a workspace: while there is one, no rule starts or acts. */
export interface RuleBrake {
  readonly since: string;
  readonly reason: string;
  readonly member_id: number | null;
}

/** Most rules of a workspace, most that start by one event, and the longest wait in minutes. */
export const maxRules = 100;
export const maxRulesOfStart = 20;
export const maxWaitMinutes = 129_600;
export const maxConditions = 20;
/** Most messages that all rules send to one customer within 24 hours. */
export const maxHeardInDay = 5;
/** So long after a run of a rule that sent, another one of it says nothing to the customer. */
export const restMs = 10 * 60_000;
/** Most conversations that a rule is applied to within an hour, before it asks. */
export const maxInHour = 500;
export const maxStarts = 5;
