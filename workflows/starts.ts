/**
 * The addresses of workflows and the intents of the outbox: ids, summaries and signals, each written once. Types and
 * names come from the contract. At Temporal each id has the installation's prefix.
 */
import { signals, type SearchAttributeName, type SlaSubject, type WorkflowInputs } from './contract';

/** The address of a workflow within its installation, as the outbox stores it. */
export interface WorkflowStart<W extends keyof WorkflowInputs = keyof WorkflowInputs> {
  workflow: W;
  id: string;
  /** One line that operators read; ids only. */
  summary: string;
  /** The path of the dashboard's page of its object, of ids only; absent where it is not about one. */
  page?: string;
  attributes: Partial<Record<SearchAttributeName, string>>;
}

/** An intent that commits with the change it follows from. */
export interface Intent<W extends keyof WorkflowInputs = keyof WorkflowInputs> {
  readonly start: WorkflowStart<W>;
  readonly input: WorkflowInputs[W];
  /** The signal; when absent, the workflow is only started. */
  readonly signal?: string;
  readonly argument?: unknown;
  /** The version of the state; of several intents for a workflow id only the highest is delivered. */
  readonly version?: number;
}

const ticketPage = (id: number): string => `/dashboard/tickets/${id}/`;
const conversationPage = (id: number): string => `/dashboard/conversations/${id}/`;

/** Addresses the snooze timer of a conversation. */
export function snoozeTimerStart(workspaceId: number, conversationId: number): WorkflowStart<'snoozeTimer'> {
  return {
    workflow: 'snoozeTimer',
    id: `snooze-timer/${workspaceId}/${conversationId}`,
    summary: `Snooze of conversation ${conversationId} in workspace ${workspaceId}`,
    page: conversationPage(conversationId),
    attributes: { WorkspaceId: String(workspaceId), ConversationId: String(conversationId) },
  };
}

/** Addresses the delivery of a conversation's messages. */
export function messageDeliveryStart(workspaceId: number, conversationId: number): WorkflowStart<'messageDelivery'> {
  return {
    workflow: 'messageDelivery',
    id: `message-delivery/${workspaceId}/${conversationId}`,
    summary: `Outbound messages of conversation ${conversationId} in workspace ${workspaceId}`,
    page: conversationPage(conversationId),
    attributes: { WorkspaceId: String(workspaceId), ConversationId: String(conversationId), Waits: 'nothing' },
  };
}

/** Addresses the expiry of an agent's parked call. */
export function approvalExpiryStart(workspaceId: number, approvalId: number): WorkflowStart<'approvalExpiry'> {
  return {
    workflow: 'approvalExpiry',
    id: `approval-expiry/${workspaceId}/${approvalId}`,
    summary: `Expiry of approval ${approvalId} in workspace ${workspaceId}`,
    page: `/dashboard/approvals/${approvalId}/`,
    attributes: { WorkspaceId: String(workspaceId) },
  };
}

/** Addresses the deadline timer of a ticket or conversation. */
export function slaTimerStart(workspaceId: number, subject: SlaSubject, subjectId: number): WorkflowStart<'slaTimer'> {
  return {
    workflow: 'slaTimer',
    id: `sla-timer/${workspaceId}/${subject}/${subjectId}`,
    summary: `Service level of ${subject} ${subjectId} in workspace ${workspaceId}`,
    page: subject === 'ticket' ? ticketPage(subjectId) : conversationPage(subjectId),
    attributes: {
      WorkspaceId: String(workspaceId),
      ...(subject === 'ticket' ? { TicketId: String(subjectId) } : { ConversationId: String(subjectId) }),
    },
  };
}

/** Addresses the notification of one move of a ticket into a stage. */
export function stageNotifyStart(workspaceId: number, ticketId: number, moveId: number): WorkflowStart<'stageNotify'> {
  return {
    workflow: 'stageNotify',
    id: `stage-notify/${workspaceId}/${ticketId}/${moveId}`,
    summary: `Stage notification of ticket ${ticketId}, move ${moveId}, in workspace ${workspaceId}`,
    page: ticketPage(ticketId),
    attributes: { WorkspaceId: String(workspaceId), TicketId: String(ticketId), Waits: 'nothing' },
  };
}

/** Addresses a broadcast, from its confirmation to its end. */
export function broadcastStart(workspaceId: number, broadcastId: number): WorkflowStart<'broadcast'> {
  return {
    workflow: 'broadcast',
    id: `broadcast/${workspaceId}/${broadcastId}`,
    summary: `Broadcast ${broadcastId} of workspace ${workspaceId}`,
    page: `/dashboard/broadcasts/${broadcastId}/`,
    attributes: { WorkspaceId: String(workspaceId), BroadcastId: String(broadcastId), Waits: 'nothing' },
  };
}

/** Addresses the deliveries of a webhook subscription. */
function webhookDeliveryStart(workspaceId: number, subscriptionId: number): WorkflowStart<'webhookDelivery'> {
  return {
    workflow: 'webhookDelivery',
    id: `webhook-delivery/${workspaceId}/${subscriptionId}`,
    summary: `Events for webhook subscription ${subscriptionId} of workspace ${workspaceId}`,
    page: `/dashboard/webhooks/${subscriptionId}/`,
    attributes: { WorkspaceId: String(workspaceId) },
  };
}

/** Addresses the assignment of a team inbox; triggers say the same (`migrations/2026-11-24-14-assignment.ts`). */
export function assignmentStart(workspaceId: number, inboxId: number): WorkflowStart<'assignment'> {
  return {
    workflow: 'assignment',
    id: `assignment/${workspaceId}/${inboxId}`,
    summary: `Assignment in team inbox ${inboxId} of workspace ${workspaceId}`,
    page: `/dashboard/team-inboxes/${inboxId}/`,
    attributes: { WorkspaceId: String(workspaceId) },
  };
}

/** Addresses one run of a macro, or of a webhook answer's actions, on a conversation or a ticket. */
export function macroRunStart(
  workspaceId: number,
  runId: number,
  on: { macroId: number | null; conversationId: number | null; ticketId: number | null; ruleId?: number },
): WorkflowStart<'macroRun'> {
  const macro = on.macroId === null ? "A webhook answer's actions" : `Macro ${on.macroId}`;
  const what = on.ruleId === undefined ? macro : `Rule ${on.ruleId}: macro ${on.macroId}`;
  const target = on.ticketId === null ? `conversation ${on.conversationId}` : `ticket ${on.ticketId}`;
  return {
    workflow: 'macroRun',
    id: `macro-run/${workspaceId}/${runId}`,
    summary: `${what} on ${target} in workspace ${workspaceId}`,
    page: on.ticketId === null ? conversationPage(on.conversationId ?? 0) : ticketPage(on.ticketId),
    attributes: {
      WorkspaceId: String(workspaceId),
      ...(on.conversationId === null ? {} : { ConversationId: String(on.conversationId) }),
      ...(on.ticketId === null ? {} : { TicketId: String(on.ticketId) }),
      ...(on.ruleId === undefined ? {} : { RuleId: String(on.ruleId) }),
    },
  };
}

/** Applies a rule's macro to a conversation. */
export function ruleMacroIntent(
  workspaceId: number,
  run: { readonly id: number; readonly macroId: number; readonly conversationId: number },
  rule: { readonly id: number; readonly runId: number },
): Intent<'macroRun'> {
  const { macroId, conversationId } = run;
  return {
    start: macroRunStart(workspaceId, run.id, { macroId, conversationId, ticketId: null, ruleId: rule.id }),
    input: { workspaceId, runId: run.id, ruleRunId: rule.runId },
  };
}

/** Addresses the sweeps of an installation. */
export const reconcileStart: WorkflowStart<'reconcile'> = Object.freeze({
  workflow: 'reconcile',
  id: 'reconcile',
  summary: 'Sweeps over overdue rows, each minute',
  attributes: {},
});

/** The payload of a deadline's signal: the new time, or null to stop waiting. */
function deadlineIntent<W extends 'snoozeTimer' | 'slaTimer' | 'approvalExpiry' | 'broadcast'>(
  start: WorkflowStart<W>,
  input: WorkflowInputs[W],
  isCancelled: boolean,
): Intent<W> {
  const { version } = input;
  return isCancelled
    ? { start, input, version, signal: signals.cancel, argument: { version } }
    : { start, input, version, signal: signals.deadline, argument: input };
}

/** Makes the conversation's timer wait until `until`, or stop waiting when that is null. */
export function snoozeIntent(
  workspaceId: number,
  conversationId: number,
  until: Date | null,
  version: number,
): Intent<'snoozeTimer'> {
  const state = { workspaceId, conversationId, dueAt: until?.toISOString() ?? null, version };
  return deadlineIntent(snoozeTimerStart(workspaceId, conversationId), state, until === null);
}

/** Makes the subject's timer wait for its next deadline, or stop waiting when that is null. */
export function slaIntent(
  workspaceId: number,
  subject: SlaSubject,
  subjectId: number,
  due: Date | null,
  version: number,
): Intent<'slaTimer'> {
  const state = { workspaceId, subject, subjectId, dueAt: due?.toISOString() ?? null, version };
  return deadlineIntent(slaTimerStart(workspaceId, subject, subjectId), state, due === null);
}

/** Sets the time at which a parked call expires; null when a member has decided. */
export function approvalIntent(
  workspaceId: number,
  approvalId: number,
  expiresAt: Date | null,
  version: number,
): Intent<'approvalExpiry'> {
  const state = { workspaceId, approvalId, dueAt: expiresAt?.toISOString() ?? null, version };
  return deadlineIntent(approvalExpiryStart(workspaceId, approvalId), state, expiresAt === null);
}

/** Confirms a broadcast for a time, or for now when that is null. */
export function broadcastIntent(
  workspaceId: number,
  broadcastId: number,
  at: Date | null,
  version: number,
): Intent<'broadcast'> {
  const state = { workspaceId, broadcastId, dueAt: at?.toISOString() ?? null, version };
  return deadlineIntent(broadcastStart(workspaceId, broadcastId), state, false);
}

/** Makes a scheduled broadcast a draft again. */
export function unscheduledIntent(workspaceId: number, broadcastId: number, version: number): Intent<'broadcast'> {
  const state = { workspaceId, broadcastId, dueAt: null, version };
  return deadlineIntent(broadcastStart(workspaceId, broadcastId), state, true);
}

/** Makes the conversation's workflow deliver queued messages. */
export function deliveryIntent(workspaceId: number, conversationId: number): Intent<'messageDelivery'> {
  return {
    start: messageDeliveryStart(workspaceId, conversationId),
    input: { workspaceId, conversationId },
    signal: signals.deliver,
  };
}

/** Makes the subscription's workflow deliver its events. */
export function webhookIntent(workspaceId: number, subscriptionId: number): Intent<'webhookDelivery'> {
  return {
    start: webhookDeliveryStart(workspaceId, subscriptionId),
    input: { workspaceId, subscriptionId },
    signal: signals.deliver,
  };
}

/** Asks a team inbox to find members for those who wait. */
export function assignmentIntent(workspaceId: number, inboxId: number): Intent<'assignment'> {
  return {
    start: assignmentStart(workspaceId, inboxId),
    input: { workspaceId, inboxId },
    signal: signals.assign,
  };
}

/** Notifies the contacts of a ticket that it has moved. */
export function stageNotifyIntent(workspaceId: number, ticketId: number, moveId: number): Intent<'stageNotify'> {
  return {
    start: stageNotifyStart(workspaceId, ticketId, moveId),
    input: { workspaceId, ticketId, moveId },
  };
}

/** The same after a stop or hold was lifted: a running workflow tries waiting recipients at once. */
export function stageNotifyAgainIntent(workspaceId: number, ticketId: number, moveId: number): Intent<'stageNotify'> {
  return { ...stageNotifyIntent(workspaceId, ticketId, moveId), signal: signals.deliver };
}
