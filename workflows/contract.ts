/**
 * The names, ids and input types that workflows, activities and the API share. Imports nothing, because every
 * module that workflow code loads is kept once per workflow. Names are stored in running workflows: they are added,
 * never renamed.
 */

export const searchAttributeNames = Object.freeze([
  'WorkspaceId',
  'ConversationId',
  'TicketId',
  'BroadcastId',
  'RuleId',
  'Waits',
] as const);
export type SearchAttributeName = (typeof searchAttributeNames)[number];

/**
 * What a workflow that sends waits for, as operators list it (`Waits = "platform"`): for the platform to take it, for a
 * limit of its rate, for the end of a hold or stop, for a file; `nothing` while it works.
 */
export type WaitsFor = 'nothing' | 'platform' | 'rate' | 'hold' | 'file';

/** Signals that rows send, and those that operators send, by their names on the wire. */
export const signals = Object.freeze({
  /** The row has a newer deadline; carries the whole state. */
  deadline: 'deadline',
  /** The wait has ended. */
  cancel: 'cancel',
  /** Something may have to be delivered. */
  deliver: 'deliver',
  /** Who waits, who is there or who has room has changed, or may have. */
  assign: 'assign',
  wake: 'wake',
  send: 'send',
  confirm: 'confirm',
  unschedule: 'unschedule',
  sweep: 'sweep',
} as const);

/** A deadline as its row names it: an ISO time, because operators read it; null means now. */
export interface DeadlineState {
  dueAt: string | null;
  /** Counts the changes of the row's deadline. */
  version: number;
}

/** Ends the wait as of this version of the row. */
export interface DeadlineCancel {
  version: number;
}

/** The snooze of a conversation. */
export interface SnoozeState extends DeadlineState {
  workspaceId: number;
  conversationId: number;
}

/** A message that is sent later. */
export interface SendLaterState extends DeadlineState {
  workspaceId: number;
  messageId: number;
  conversationId: number;
}

/** The earliest wait of rules on a conversation, and the first of those that follow: ids and times for operators. */
export interface RuleTimerState extends DeadlineState {
  workspaceId: number;
  conversationId: number;
  waits: { ruleId: number; version: number; at: string }[];
}

export interface MessageDeliveryInput {
  workspaceId: number;
  conversationId: number;
}

export type SlaSubject = 'ticket' | 'conversation';

/** The next deadline of a ticket or conversation. */
export interface SlaState extends DeadlineState {
  workspaceId: number;
  subject: SlaSubject;
  subjectId: number;
}

/** A move into a notifying stage; the rows hold its contacts and what they get. */
export interface StageNotifyInput {
  workspaceId: number;
  ticketId: number;
  moveId: number;
  /** The last place in the list of recipients that earlier runs of the workflow have asked for. */
  afterPlace?: number;
  /** Contacts up to that place whose number is stopped. */
  held?: number[];
}

/** The numbers of recipients by outcome. */
export interface StageNotifySummary {
  sent: number;
  skipped: number;
  failed: number;
  unknown: number;
}

/**
 * The outcome for one recipient. `gone`: the ticket or the contact was deleted meanwhile; `held`: sending is stopped,
 * and it may not wait for that yet.
 */
export interface RecipientOutcome {
  state: keyof StageNotifySummary | 'gone' | 'held';
}

/**
 * A page of a move's recipients without an outcome, the place of the last of them, and how many recipients have one.
 */
export interface RecipientPage {
  contactIds: number[];
  lastPlace: number | null;
  settled: StageNotifySummary;
}

/**
 * The answer of a row to the question whether it is due: it acted, it is too early by `waitMs`, or something newer has
 * replaced it.
 */
export type DueOutcome = { kind: 'done' } | { kind: 'not_due'; waitMs: number } | { kind: 'superseded' };

/**
 * The answer to the timer of a snooze; also that the conversation was already woken together with others that were
 * overdue.
 */
export type WakeOutcome = DueOutcome | { kind: 'woken_with_others' };

/** The answer to the timer of a message that is sent later: it may be held instead, and then waits for a person. */
export type SendLaterOutcome = DueOutcome | { kind: 'ended'; end: 'held' };

/** The result for the next message of a conversation. */
export type DeliveryOutcome =
  | { kind: 'idle' }
  /** A message reached its end state: look for the next at once, unless there was none (`more` false) a moment ago. */
  | { kind: 'progress'; messageId: number; status: 'sent' | 'failed' | 'unknown'; more?: boolean }
  /** The first message may not be sent yet. */
  | ({ kind: 'wait'; waitMs: number } & Partial<DeliveryWait>)
  /** The number or account is stopped: when the stop is lifted, the workers' look starts the delivery again. */
  | { kind: 'held' };

/** The message for which a delivery waits, and why; codes only, no text of a customer. */
export interface DeliveryWait {
  messageId: number;
  /** Attempts that were made. */
  attempts: number;
  /**
   * `refused`: the platform has just refused it for the moment. `retry`: it had refused it earlier. `pair_rate`,
   * `number_rate`: the rate of the customer or the number. `attempt`: another attempt is under way. `room`: the process
   * makes as many calls as it may. `file`: its file is not at the platform yet.
   */
  why: 'refused' | 'retry' | 'pair_rate' | 'number_rate' | 'attempt' | 'room' | 'file';
  /** The platform's answer to the last attempt; without an HTTP status when it could not be reached. */
  answer?: { status: number | null; code: number };
}

/** A parked call of an agent that expires. */
export interface ApprovalExpiryState extends DeadlineState {
  workspaceId: number;
  approvalId: number;
}

/** A confirmed broadcast. */
export interface BroadcastState extends DeadlineState {
  workspaceId: number;
  broadcastId: number;
}

/** The numbers of recipients by outcome so far. */
export interface BroadcastTally {
  sent: number;
  failed: number;
  skipped: number;
  unknown: number;
}

/** Carried over continue-as-new once the audience is frozen. */
export interface BroadcastRun {
  audience: number;
  lanes?: number;
  tally: BroadcastTally;
}

export interface BroadcastTarget {
  workspaceId: number;
  broadcastId: number;
}

/** A range of recipients by position, both ends included. */
export interface BroadcastRange {
  from: number;
  to: number;
}

/**
 * Whether sending may begin: `running` with the size of the frozen audience and the number of parallel chunks, or why
 * not; `behind` is the broadcast of the same number that has to end first.
 */
export type BroadcastOpening =
  | { kind: 'running'; audience: number; skipped: number; lanes?: number }
  | { kind: 'not_due'; waitMs: number; behind?: number }
  | { kind: 'superseded' }
  | { kind: 'failed'; reason: string };

/**
 * What is to be sent next: ranges with due recipients after a position; if there are none, how many recipients wait and
 * for how long.
 */
export interface BroadcastPlan {
  ranges: BroadcastRange[];
  open: number;
  waitMs: number;
  /** Why nothing may be sent at present; `waitMs` is the longest wait. */
  paused?: string;
  /** The whole run must end; no more messages are sent. */
  stop?: string;
}

/** The result of a chunk. */
export interface BroadcastChunk {
  tally: BroadcastTally;
  /** The number of failed recipients by the platform's code; -1 when it could not be reached. */
  failed?: Record<string, number>;
  /** Whether due recipients of the range are left, because the chunk's time was over. */
  more: boolean;
  /** Whether the upstream refuses everything for the moment. */
  troubled: boolean;
  /** The platform stops the number or account, or the operator holds it: the run waits until that is lifted. */
  held?: boolean;
  /** The code of the platform's last temporary refusal, if it could be read. */
  code?: number;
  /** No throughput was free: the workflow waits this long, so that the chunk occupies no worker meanwhile. */
  waitMs?: number;
  /** The whole run must end; no more messages are sent. */
  stop: string | null;
}

export type BroadcastEnd = { status: 'completed' | 'failed'; reason: string; tally: BroadcastTally; audience: number };

export interface MacroRunInput {
  workspaceId: number;
  runId: number;
  /** The run of a rule that it is applied for: it is judged once more, by the transaction that applies it. */
  ruleRunId?: number;
}

/** The beginnings of the failure of a run that applied nothing, as its caller was told. */
export const macroNotApplied = { refused: 'Refused', abandoned: 'Abandoned', skipped: 'Skipped' } as const;

/**
 * The outcome of a macro run: all steps were applied, or none; `step` of `steps` was refused, for the reason `code`.
 */
export type MacroRunOutcome =
  | { kind: 'applied'; steps: number }
  | { kind: 'failed'; step: number; steps: number; type: string; code: string }
  | { kind: 'abandoned' }
  /** What a rule would have done holds no more; `reason` is a word of the run of that rule. */
  | { kind: 'skipped'; reason: string };

/** A subscription whose deliveries are due. */
export interface WebhookDeliveryInput {
  workspaceId: number;
  subscriptionId: number;
}

/** When to look again: at once (0), after this time, or (null) at the next signal. */
export interface WebhookRound {
  waitMs: number | null;
  /** The delivery that is next: its attempts so far, and the status of the last answer (null: there was none). */
  waiting?: { deliveryId: number; attempts: number; status: number | null };
}

/** A team inbox that gives its conversations to members by itself. */
export type AssignmentInput = { workspaceId: number; inboxId: number };

/** How many wait after a look, the `first` in their order, why no member was chosen, and whether to look again. */
export interface AssignmentRound {
  assigned: number;
  waiting: number;
  first: number[];
  why: 'nobody_sits_there' | 'all_are_away' | 'all_are_full' | null;
  more: boolean;
}

/** The result of a sweep: the number of changed rows, and whether it ended before all were done. */
export interface SweepResult {
  rows: number;
  more: boolean;
}

/** What the sweeps did. */
export interface SweepRound {
  /** Counts from 1, over all runs of the workflow. */
  round: number;
  /** Rows that each sweep touched; null where it failed, none while the first one that runs beside is under way. */
  rows: Partial<Record<SweepName, number | null>>;
}

/** The state that a run of `reconcile` takes over from the one before. */
export interface ReconcileInput {
  last: SweepRound | null;
  /** The word that identifies the state of the database; none before the first round. */
  witness?: string | null;
}

/** The input of each workflow by its name. */
export interface WorkflowInputs {
  snoozeTimer: SnoozeState;
  ruleTimer: RuleTimerState;
  messageDelivery: MessageDeliveryInput;
  sendLater: SendLaterState;
  approvalExpiry: ApprovalExpiryState;
  slaTimer: SlaState;
  stageNotify: StageNotifyInput;
  macroRun: MacroRunInput;
  reconcile: ReconcileInput;
  broadcast: BroadcastState;
  webhookDelivery: WebhookDeliveryInput;
  assignment: AssignmentInput;
}

/** How long a macro run may take before Temporal ends it; its caller has given up long before. */
export const macroRunTimeoutMs = 30_000;

/** The sweeps of `reconcile`. */
export const sweepNames = Object.freeze([
  'settleStaleClaims',
  'restartSilentStageMoves',
  'restartBroadcasts',
  'restartWebhookDeliveries',
  'restartAssignments',
  'breachOverdueDeadlines',
  'settleApprovedMacroRuns',
  'expireOverdueApprovals',
  'failUnknownMessages',
  'failExpiredMessages',
  'reflectOverlookedOutcomes',
  'removeExpiredRows',
  'syncUpstream',
] as const);
export type SweepName = (typeof sweepNames)[number];
