/**
 * What workflows, activities and the API agree on: names, ids, queues and input types. Imports nothing, because every
 * module that workflow code loads is held once per workflow. Names are wire contracts: added, never renamed.
 */

/** Task queues of a deployment, one per kind of work, so that none waits behind another kind's rush. */
export interface QueueNames {
  /** Workflows that somebody waits for, and what they do: replies, macros, the course of broadcasts and stage moves. */
  interactive: string;
  /** Workflows that wait for a time: thousands may be due at nine o'clock. */
  timers: string;
  /** Activities only: stage notifications, one per recipient. */
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

export const searchAttributeNames = ['WorkspaceId', 'ConversationId', 'TicketId', 'BroadcastId'] as const;
export type SearchAttributeName = (typeof searchAttributeNames)[number];

/** Times cross the wire as epoch milliseconds. */
export interface SnoozeState {
  workspaceId: number;
  conversationId: number;
  untilMs: number;
  version: number;
}

/** A status or snooze change that ended the snooze. */
export interface SnoozeCancel {
  version: number;
}

export interface MessageDeliveryInput {
  workspaceId: number;
  conversationId: number;
}

export type SlaSubject = 'ticket' | 'conversation';

/** The next deadline of a ticket or conversation. */
export interface SlaState {
  workspaceId: number;
  subject: SlaSubject;
  subjectId: number;
  dueMs: number;
  version: number;
}

/** Nothing is waited for any more, as of this version. */
export interface SlaCancel {
  version: number;
}

/** A move into a notifying stage; which contacts and what they get, the rows know. */
export interface StageNotifyInput {
  workspaceId: number;
  ticketId: number;
  moveId: number;
  /** The last place that earlier runs of the workflow are done with. */
  afterPlace?: number;
  /** What earlier runs settled. */
  settled?: StageNotifySummary;
}

/** How many recipients ended how. */
export interface StageNotifySummary {
  sent: number;
  skipped: number;
  failed: number;
  unknown: number;
}

/**
 * What became of one recipient; `gone`: the ticket or the contact was deleted meanwhile; `held`: the upstream refuses
 * the number or account, and a later run takes it up when that was lifted.
 */
export interface RecipientOutcome {
  state: keyof StageNotifySummary | 'gone' | 'held';
}

/** What a due-check answers: it acted, it is too early by so much, or something newer has taken its place. */
export type DueOutcome = { kind: 'done' } | { kind: 'not_due'; waitMs: number } | { kind: 'superseded' };

/** What became of the next message of a conversation. */
export type DeliveryOutcome =
  | { kind: 'idle' }
  /** One message reached an end: look for the next at once, unless there was none (`more` false) a moment ago. */
  | { kind: 'progress'; messageId: number; status: 'sent' | 'failed' | 'unknown'; more?: boolean }
  /** The first message may not be sent yet: a retry, the pair rate, or another attempt still holds it. */
  | { kind: 'wait'; waitMs: number }
  /** The upstream refuses the whole number or account: whoever lifts that starts the delivery again. */
  | { kind: 'held' };

/** A parked call of an agent that expires. */
export interface ApprovalExpiryInput {
  workspaceId: number;
  approvalId: number;
  expiresAtMs: number;
}

/** A confirmed broadcast; `atMs` null means now. */
export interface BroadcastState {
  workspaceId: number;
  broadcastId: number;
  version: number;
  atMs: number | null;
}

/** An unschedule that changed the row. */
export interface BroadcastUnschedule {
  version: number;
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

/** Whether the send may begin: `running` with the frozen audience, or why not. */
export type BroadcastOpening =
  | { kind: 'running'; audience: number; skipped: number }
  | { kind: 'not_due'; waitMs: number }
  | { kind: 'superseded' }
  | { kind: 'failed'; reason: string };

/** What is to be sent next: stretches with due recipients after a position; with none, how many wait and for how long. */
export interface BroadcastPlan {
  ranges: BroadcastRange[];
  open: number;
  waitMs: number;
}

/** What a chunk did. */
export interface BroadcastChunk {
  tally: BroadcastTally;
  /** Due recipients of the stretch are left: its time was over. */
  more: boolean;
  /** The upstream refuses everything for the moment. */
  troubled: boolean;
  /** The operator holds sending: the run waits until that is lifted. */
  held?: boolean;
  /** The whole run must end; nobody else is sent to. */
  stop: string | null;
}

export type BroadcastEnd = { status: 'completed' | 'failed'; reason: string; tally: BroadcastTally; audience: number };

export interface MacroRunInput {
  workspaceId: number;
  runId: number;
}

/** What became of a macro run: everything, or nothing; `step` of `steps` is the one that was refused. */
export type MacroRunOutcome =
  | { kind: 'applied'; steps: number }
  | { kind: 'failed'; step: number; steps: number; type: string }
  | { kind: 'abandoned' };

/** A subscription whose deliveries are due. */
export interface WebhookDeliveryInput {
  workspaceId: number;
  subscriptionId: number;
}

/** When to look again: at once (0), after so long, or (null) when something new is there. */
export interface WebhookRound {
  waitMs: number | null;
}

/** How a workflow is addressed; the outbox carries these. */
export interface WorkflowStart {
  workflow: keyof WorkflowInputs;
  id: string;
  /** One line that operators read; ids only. */
  summary: string;
  attributes: Partial<Record<SearchAttributeName, string>>;
}

export interface WorkflowInputs {
  snoozeTimer: SnoozeState;
  messageDelivery: MessageDeliveryInput;
  approvalExpiry: ApprovalExpiryInput;
  slaTimer: SlaState;
  stageNotify: StageNotifyInput;
  macroRun: MacroRunInput;
  reconcile: Record<string, never>;
  broadcast: BroadcastState;
  webhookDelivery: WebhookDeliveryInput;
}

/** The snooze timer of a conversation. */
export function snoozeTimerStart(workspaceId: number, conversationId: number): WorkflowStart {
  return {
    workflow: 'snoozeTimer',
    id: `snooze-timer/${workspaceId}/${conversationId}`,
    summary: `Snooze of conversation ${conversationId} in workspace ${workspaceId}`,
    attributes: { WorkspaceId: String(workspaceId), ConversationId: String(conversationId) },
  };
}

/** The outbound actor of a conversation. */
export function messageDeliveryStart(workspaceId: number, conversationId: number): WorkflowStart {
  return {
    workflow: 'messageDelivery',
    id: `message-delivery/${workspaceId}/${conversationId}`,
    summary: `Outbound messages of conversation ${conversationId} in workspace ${workspaceId}`,
    attributes: { WorkspaceId: String(workspaceId), ConversationId: String(conversationId) },
  };
}

/** The expiry of an agent's parked call. */
export function approvalExpiryStart(workspaceId: number, approvalId: number): WorkflowStart {
  return {
    workflow: 'approvalExpiry',
    id: `approval-expiry/${workspaceId}/${approvalId}`,
    summary: `Expiry of approval ${approvalId} in workspace ${workspaceId}`,
    attributes: { WorkspaceId: String(workspaceId) },
  };
}

/** The deadline timer of a ticket or conversation. */
export function slaTimerStart(workspaceId: number, subject: SlaSubject, subjectId: number): WorkflowStart {
  return {
    workflow: 'slaTimer',
    id: `sla-timer/${workspaceId}/${subject}/${subjectId}`,
    summary: `Service level of ${subject} ${subjectId} in workspace ${workspaceId}`,
    attributes: {
      WorkspaceId: String(workspaceId),
      ...(subject === 'ticket' ? { TicketId: String(subjectId) } : { ConversationId: String(subjectId) }),
    },
  };
}

/** The notification of one move of a ticket into a stage. */
export function stageNotifyStart(workspaceId: number, ticketId: number, moveId: number): WorkflowStart {
  return {
    workflow: 'stageNotify',
    id: `stage-notify/${workspaceId}/${ticketId}/${moveId}`,
    summary: `Stage notification of ticket ${ticketId}, move ${moveId}, in workspace ${workspaceId}`,
    attributes: { WorkspaceId: String(workspaceId), TicketId: String(ticketId) },
  };
}

/** A broadcast, from its confirmation to its end. */
export function broadcastStart(workspaceId: number, broadcastId: number): WorkflowStart {
  return {
    workflow: 'broadcast',
    id: `broadcast/${workspaceId}/${broadcastId}`,
    summary: `Broadcast ${broadcastId} of workspace ${workspaceId}`,
    attributes: { WorkspaceId: String(workspaceId), BroadcastId: String(broadcastId) },
  };
}

/** The delivery actor of a webhook subscription. */
export function webhookDeliveryStart(workspaceId: number, subscriptionId: number): WorkflowStart {
  return {
    workflow: 'webhookDelivery',
    id: `webhook-delivery/${workspaceId}/${subscriptionId}`,
    summary: `Events for webhook subscription ${subscriptionId} of workspace ${workspaceId}`,
    attributes: { WorkspaceId: String(workspaceId) },
  };
}

/** One run of a macro on a conversation or a ticket. */
export function macroRunStart(
  workspaceId: number,
  runId: number,
  on: { macroId: number; conversationId: number | null; ticketId: number | null },
): WorkflowStart {
  const target = on.ticketId === null ? `conversation ${on.conversationId}` : `ticket ${on.ticketId}`;
  return {
    workflow: 'macroRun',
    id: `macro-run/${workspaceId}/${runId}`,
    summary: `Macro ${on.macroId} on ${target} in workspace ${workspaceId}`,
    attributes: {
      WorkspaceId: String(workspaceId),
      ...(on.conversationId === null ? {} : { ConversationId: String(on.conversationId) }),
      ...(on.ticketId === null ? {} : { TicketId: String(on.ticketId) }),
    },
  };
}

/** How long a macro run may be under way before the engine ends it; the caller has left long before. */
export const macroRunTimeoutMs = 30_000;

/** Every activity by name. Workflows proxy this type; the worker registers an object of it. */
export interface Activities {
  wakeConversation(input: { workspaceId: number; conversationId: number; version: number }): Promise<DueOutcome>;
  reopenConversation(input: { workspaceId: number; conversationId: number }): Promise<void>;
  breachSla(input: {
    workspaceId: number;
    subject: SlaSubject;
    subjectId: number;
    version: number;
  }): Promise<DueOutcome>;
  prepareStageMove(input: { workspaceId: number; moveId: number }): Promise<StageNotifySummary>;
  listStageRecipients(input: {
    workspaceId: number;
    moveId: number;
    afterPlace: number;
    limit: number;
  }): Promise<{ contactIds: number[]; lastPlace: number | null }>;
  notifyStageRecipient(input: { workspaceId: number; moveId: number; contactId: number }): Promise<RecipientOutcome>;
  completeStageMove(input: { workspaceId: number; moveId: number }): Promise<void>;
  deliverNextMessage(input: MessageDeliveryInput): Promise<DeliveryOutcome>;
  /** The same inside the workflow task; `busy` when so many are under way there that this one has to queue. */
  deliverNextMessageLocally(input: MessageDeliveryInput): Promise<DeliveryOutcome | { kind: 'busy' }>;
  expireApproval(input: { workspaceId: number; approvalId: number }): Promise<DueOutcome>;
  applyMacroRun(input: MacroRunInput): Promise<MacroRunOutcome>;
  wakeOverdueConversations(): Promise<number>;
  settleStaleClaims(): Promise<number>;
  settleUnknownDeliveries(): Promise<number>;
  rearmLostIntents(): Promise<number>;
  syncUpstream(): Promise<number>;
  removeExpiredRows(): Promise<number>;
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
}

/**
 * Where each workflow runs, and who goes first where tasks wait on one queue (1 before 5). Running workflows stay on the
 * queue on which they were started: a worker serves all of them.
 */
export const workflowPlaces: Readonly<
  Record<
    keyof WorkflowInputs,
    { readonly queue: 'interactive' | 'timers' | 'webhooks'; readonly priority: 1 | 2 | 3 | 4 | 5 }
  >
> = {
  macroRun: { queue: 'interactive', priority: 1 },
  messageDelivery: { queue: 'interactive', priority: 2 },
  stageNotify: { queue: 'interactive', priority: 3 },
  broadcast: { queue: 'interactive', priority: 4 },
  approvalExpiry: { queue: 'timers', priority: 5 },
  slaTimer: { queue: 'timers', priority: 5 },
  reconcile: { queue: 'timers', priority: 3 },
  snoozeTimer: { queue: 'timers', priority: 4 },
  webhookDelivery: { queue: 'webhooks', priority: 4 },
};

/** The backstop of a deployment: both the schedule's id and the stem of its runs' ids. */
export const reconcileId = (taskQueuePrefix: string): string => `reconcile/${taskQueuePrefix}`;
