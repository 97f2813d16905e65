/**
 * What workflows, activities and the API agree on: names, ids, queues and input types. Imports nothing, because every
 * module that workflow code loads is held once per workflow. Names are wire contracts: added, never renamed.
 */

/** Task queues of a deployment, one per kind of work, so that none waits behind another kind's rush. */
interface QueueNames {
  /**
   * Workflows for which people wait, and their activities: replies, macros, the course of broadcasts and stage moves.
   */
  interactive: string;
  /** Workflows that wait for a time: thousands may be due at nine o'clock. */
  timers: string;
  /** Activities only: stage notifications, a recipient in each. */
  notify: string;
  /** Activities only: chunks of broadcasts. */
  bulk: string;
  /** Deliveries of events to customers' own servers, which may be slow: workflows and their activities. */
  webhooks: string;
}

export const queueNames = (prefix: string): QueueNames => ({
  interactive: `${prefix}-interactive`,
  timers: `${prefix}-timers`,
  notify: `${prefix}-notify`,
  bulk: `${prefix}-bulk`,
  webhooks: `${prefix}-webhooks`,
});

/** Returns the queue of another kind of work beside that of the interactive workflows; a test's own queue stays. */
export const queueBeside = (queue: string, kind: keyof QueueNames): string =>
  queue.replace(/-interactive$/, `-${kind}`);

export const searchAttributeNames = ['WorkspaceId', 'ConversationId', 'TicketId', 'BroadcastId'] as const;
export type SearchAttributeName = (typeof searchAttributeNames)[number];

/** Signals that rows send, and those that operators send, by their names on the wire. */
export const signals = Object.freeze({
  /** The row has a newer deadline; carries the whole state. */
  deadline: 'deadline',
  /** Nothing is waited for any more. */
  cancel: 'cancel',
  /** Something is to be delivered, or may be. */
  deliver: 'deliver',
  wake: 'wake',
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

/** Nothing is waited for as of this version of the row. */
export interface DeadlineCancel {
  version: number;
}

/** The snooze of a conversation. */
export interface SnoozeState extends DeadlineState {
  workspaceId: number;
  conversationId: number;
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

/** A move into a notifying stage; which contacts and what they get, the rows know. */
export interface StageNotifyInput {
  workspaceId: number;
  ticketId: number;
  moveId: number;
  /** The last place that earlier runs of the workflow are done with. */
  afterPlace?: number;
}

/** How many recipients ended how. */
export interface StageNotifySummary {
  sent: number;
  skipped: number;
  failed: number;
  unknown: number;
}

/** What became of one recipient; `gone`: the ticket or the contact was deleted meanwhile. */
export interface RecipientOutcome {
  state: keyof StageNotifySummary | 'gone';
}

/** A stretch of a move's recipients without an outcome, the place of the last one, and how many have one. */
export interface RecipientPage {
  contactIds: number[];
  lastPlace: number | null;
  settled: StageNotifySummary;
}

/** What a due-check answers: it acted, it is too early by so much, or something newer has taken its place. */
export type DueOutcome = { kind: 'done' } | { kind: 'not_due'; waitMs: number } | { kind: 'superseded' };

/** What a snooze's timer is answered: also that the conversation woke before, with all that were overdue. */
export type WakeOutcome = DueOutcome | { kind: 'woken_with_others' };

/** What became of the next message of a conversation. */
export type DeliveryOutcome =
  | { kind: 'idle' }
  /** One message reached an end: look for the next at once, unless there was none (`more` false) a moment ago. */
  | { kind: 'progress'; messageId: number; status: 'sent' | 'failed' | 'unknown'; more?: boolean }
  /** The first message may not be sent yet. */
  | ({ kind: 'wait'; waitMs: number } & Partial<DeliveryWait>)
  /** The number or account is stopped: once that is lifted a look starts the delivery again. */
  | { kind: 'held' };

/** Which message a delivery waits with, and why; codes only, nothing that a customer wrote. */
export interface DeliveryWait {
  messageId: number;
  /** Attempts that were made. */
  attempts: number;
  /**
   * `refused`: the platform refused for the moment. `retry`: so it did before. `pair_rate`, `number_rate`: the rate of
   * the customer or the number. `attempt`: another attempt holds it. `room`: as many calls as may be are under way.
   * `file`: its file is not at the platform yet.
   */
  why: 'refused' | 'retry' | 'pair_rate' | 'number_rate' | 'attempt' | 'room' | 'file';
  /** What the platform answered to the last attempt; no HTTP status where it could not be reached. */
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

/** What became of recipients so far. */
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

/** A stretch of recipients by position, both ends included. */
export interface BroadcastRange {
  from: number;
  to: number;
}

/**
 * Whether the send may begin: `running` with the frozen audience and the chunks that may be under way at a time, or why
 * not; `behind` is the broadcast of the same number that has to end first.
 */
export type BroadcastOpening =
  | { kind: 'running'; audience: number; skipped: number; lanes?: number }
  | { kind: 'not_due'; waitMs: number; behind?: number }
  | { kind: 'superseded' }
  | { kind: 'failed'; reason: string };

/**
 * What is to be sent next: stretches with due recipients after a position; with none, how many wait and for how long.
 */
export interface BroadcastPlan {
  ranges: BroadcastRange[];
  open: number;
  waitMs: number;
  /** Why nothing may be sent until that is lifted, `waitMs` at most. */
  paused?: string;
  /** The whole run must end; no more messages are sent. */
  stop?: string;
}

/** What a chunk did. */
export interface BroadcastChunk {
  tally: BroadcastTally;
  /** Of those that failed, how many by the platform's code; -1 where it could not be reached. */
  failed?: Record<string, number>;
  /** Due recipients of the stretch are left: its time was over. */
  more: boolean;
  /** The upstream refuses everything for the moment. */
  troubled: boolean;
  /** The platform stops the number or account, or the operator holds it: the run waits until that is lifted. */
  held?: boolean;
  /** What the platform answered to the last of those who were refused for the moment, where that could be read. */
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
}

/** How the failure of a run begins that applied nothing, and was told so to its caller. */
export const macroNotApplied = { refused: 'Refused', abandoned: 'Abandoned' } as const;

/** What became of a macro run: everything, or nothing; `step` of `steps` is the one that was refused, `code` why. */
export type MacroRunOutcome =
  | { kind: 'applied'; steps: number }
  | { kind: 'failed'; step: number; steps: number; type: string; code: string }
  | { kind: 'abandoned' };

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

/** What a sweep did: rows touched, and whether it ended before nothing was left. */
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

/** Where a run of `reconcile` takes over. */
export interface ReconcileInput {
  last: SweepRound | null;
  /** The word by which the database is known again; none before the first round. */
  witness?: string | null;
}

/** The input of each workflow by its name. */
export interface WorkflowInputs {
  snoozeTimer: SnoozeState;
  messageDelivery: MessageDeliveryInput;
  approvalExpiry: ApprovalExpiryState;
  slaTimer: SlaState;
  stageNotify: StageNotifyInput;
  macroRun: MacroRunInput;
  reconcile: ReconcileInput;
  broadcast: BroadcastState;
  webhookDelivery: WebhookDeliveryInput;
}

/** How long a macro run may be under way before Temporal ends it; the caller has left long before. */
export const macroRunTimeoutMs = 30_000;

/** The sweeps of `reconcile`. */
export const sweepNames = Object.freeze([
  'settleStaleClaims',
  'restartSilentStageMoves',
  'restartBroadcasts',
  'restartWebhookDeliveries',
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

/**
 * Every activity by name. Workflows proxy this type; the worker registers an object of it.
 */
export interface Activities extends Record<SweepName, () => Promise<SweepResult>> {
  wakeConversation(input: { workspaceId: number; conversationId: number; version: number }): Promise<WakeOutcome>;
  reopenConversation(input: { workspaceId: number; conversationId: number }): Promise<void>;
  breachSla(input: {
    workspaceId: number;
    subject: SlaSubject;
    subjectId: number;
    version: number;
  }): Promise<DueOutcome>;
  /** Judges the recipients of a move, the first time, and lists those who are to be notified. */
  openStageMove(input: {
    workspaceId: number;
    moveId: number;
    afterPlace: number;
    limit: number;
  }): Promise<RecipientPage>;
  /** Fails while the message has to wait: the failure says why, and after which pause it is tried again. */
  notifyStageRecipient(input: { workspaceId: number; moveId: number; contactId: number }): Promise<RecipientOutcome>;
  completeStageMove(input: { workspaceId: number; moveId: number }): Promise<void>;
  deliverNextMessage(input: MessageDeliveryInput): Promise<DeliveryOutcome>;
  expireApproval(input: { workspaceId: number; approvalId: number }): Promise<DueOutcome>;
  applyMacroRun(input: MacroRunInput): Promise<MacroRunOutcome>;
  openBroadcast(input: BroadcastTarget & { version: number }): Promise<BroadcastOpening>;
  planBroadcast(input: BroadcastTarget & { after: number }): Promise<BroadcastPlan>;
  /** `cautious`: one call first, and nothing after it when the upstream still is in trouble. */
  sendBroadcastChunk(input: BroadcastTarget & BroadcastRange & { cautious?: boolean }): Promise<BroadcastChunk>;
  /** Gives the end as the row has it: with an empty reason it is completed. */
  endBroadcast(input: BroadcastTarget & { reason: string }): Promise<BroadcastEnd>;
  /** What the endpoint does, for a signal sent by hand; a conflict changes nothing. */
  unscheduleBroadcast(input: BroadcastTarget): Promise<void>;
  confirmBroadcast(input: BroadcastTarget): Promise<void>;
  deliverWebhooks(input: WebhookDeliveryInput): Promise<WebhookRound>;
  /** Compares the word that is remembered with that of the database, and returns the one to remember from now on. */
  witnessDatabase(input: { seen: string | null }): Promise<string>;
}

/**
 * Where each workflow runs, and who goes first where tasks wait on one queue (1 before 5). On the same step workspaces
 * take turns, and so do the kinds of each; on different ones they do not: what a single workspace has many of must not
 * stand above what others wait for. Running workflows stay on the queue on which they were started: a worker serves all
 * of them.
 */
export const workflowPlaces: Readonly<
  Record<
    keyof WorkflowInputs,
    { readonly queue: 'interactive' | 'timers' | 'webhooks'; readonly priority: 1 | 2 | 3 | 4 | 5 }
  >
> = {
  macroRun: { queue: 'interactive', priority: 1 },
  messageDelivery: { queue: 'interactive', priority: 2 },
  stageNotify: { queue: 'interactive', priority: 2 },
  broadcast: { queue: 'interactive', priority: 3 },
  approvalExpiry: { queue: 'timers', priority: 4 },
  slaTimer: { queue: 'timers', priority: 4 },
  reconcile: { queue: 'timers', priority: 3 },
  snoozeTimer: { queue: 'timers', priority: 5 },
  webhookDelivery: { queue: 'webhooks', priority: 4 },
};

/** Returns the key by which the tasks of workflows take turns on a queue: the workspace and the kind of workflow. */
export const fairnessKeyOf = (workspaceId: string, workflow: keyof WorkflowInputs): string =>
  `${workspaceId}/${workflow}`;
