/**
 * What workflows, activities and the API agree on: names, ids, queues and input types. Imports nothing, because every
 * module that workflow code loads is held once per workflow. Names are wire contracts: added, never renamed.
 */

/** Task queues of a deployment. All workflows run on `interactive`; `bulk` only takes activities of mass sends. */
export const queueNames = (prefix: string): { interactive: string; bulk: string } => ({ interactive: `${prefix}-interactive`, bulk: `${prefix}-bulk` });

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

/** What a due-check answers: it acted, it is too early by so much, or something newer has taken its place. */
export type DueOutcome = { kind: 'done' } | { kind: 'not_due'; waitMs: number } | { kind: 'superseded' };

/** What became of the next message of a conversation. */
export type DeliveryOutcome =
  | { kind: 'idle' }
  /** One message reached an end: look for the next at once, unless there was none (`more` false) a moment ago. */
  | { kind: 'progress'; messageId: number; status: 'sent' | 'failed' | 'unknown'; more?: boolean }
  /** The first message may not be sent yet: a retry, the pair rate, or another attempt still holds it. */
  | { kind: 'wait'; waitMs: number };

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
  reconcile: Record<string, never>;
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

/** Every activity by name. Workflows proxy this type; the worker registers an object of it. */
export interface Activities {
  wakeConversation(input: { workspaceId: number; conversationId: number; version: number }): Promise<DueOutcome>;
  reopenConversation(input: { workspaceId: number; conversationId: number }): Promise<void>;
  deliverNextMessage(input: MessageDeliveryInput): Promise<DeliveryOutcome>;
  wakeOverdueConversations(): Promise<number>;
  settleStaleClaims(): Promise<number>;
  settleUnknownDeliveries(): Promise<number>;
  rearmLostIntents(): Promise<number>;
  syncUpstream(): Promise<number>;
  removeExpiredRows(): Promise<number>;
}

/** The backstop of a deployment: both the schedule's id and the stem of its runs' ids. */
export const reconcileId = (taskQueuePrefix: string): string => `reconcile/${taskQueuePrefix}`;
