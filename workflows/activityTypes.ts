import type {
  AssignmentInput,
  AssignmentRound,
  BroadcastChunk,
  BroadcastEnd,
  BroadcastOpening,
  BroadcastPlan,
  BroadcastRange,
  BroadcastTarget,
  DeliveryOutcome,
  DueOutcome,
  MacroRunInput,
  MacroRunOutcome,
  MessageDeliveryInput,
  RecipientOutcome,
  RecipientPage,
  SendLaterOutcome,
  SlaSubject,
  SweepName,
  SweepResult,
  WakeOutcome,
  WebhookDeliveryInput,
  WebhookRound,
} from './contract';

/**
 * Every activity by name. Workflows proxy this type; the worker registers an object of it.
 */
export interface Activities extends Record<SweepName, () => Promise<SweepResult>> {
  wakeConversation(input: { workspaceId: number; conversationId: number; version: number }): Promise<WakeOutcome>;
  /** Judges what is due of the rules that wait on a conversation. */
  judgeRules(input: { workspaceId: number; conversationId: number }): Promise<DueOutcome>;
  reopenConversation(input: { workspaceId: number; conversationId: number }): Promise<void>;
  /** Queues a message whose moment has come, unless something holds it. */
  sendScheduledMessage(input: { workspaceId: number; messageId: number; version: number }): Promise<SendLaterOutcome>;
  /** Does what an operator asked for: sends it now, or holds it; null where it was not waiting any more. */
  decideScheduledMessage(input: {
    workspaceId: number;
    messageId: number;
    what: 'send' | 'hold';
  }): Promise<'queued' | 'held' | 'gone'>;
  breachSla(input: {
    workspaceId: number;
    subject: SlaSubject;
    subjectId: number;
    version: number;
  }): Promise<DueOutcome>;
  /** Prepares the recipients of a move, the first time, and lists those who are to be notified. */
  openStageMove(input: {
    workspaceId: number;
    moveId: number;
    afterPlace: number;
    limit: number;
  }): Promise<RecipientPage>;
  /**
   * Fails while the message has to wait: the failure says why, and after which pause it is tried again. Where sending
   * is stopped it waits only if it may.
   */
  notifyStageRecipient(input: {
    workspaceId: number;
    moveId: number;
    contactId: number;
    mayWaitForStop: boolean;
  }): Promise<RecipientOutcome>;
  completeStageMove(input: { workspaceId: number; moveId: number }): Promise<void>;
  deliverNextMessage(input: MessageDeliveryInput): Promise<DeliveryOutcome>;
  expireApproval(input: { workspaceId: number; approvalId: number }): Promise<DueOutcome>;
  applyMacroRun(input: MacroRunInput): Promise<MacroRunOutcome>;
  openBroadcast(input: BroadcastTarget & { version: number }): Promise<BroadcastOpening>;
  planBroadcast(input: BroadcastTarget & { after: number }): Promise<BroadcastPlan>;
  /** `cautious`: makes one call first, and no other if the upstream still refuses everything. */
  sendBroadcastChunk(input: BroadcastTarget & BroadcastRange & { cautious?: boolean }): Promise<BroadcastChunk>;
  /** Returns the end that the row has: with an empty reason the broadcast is completed. */
  endBroadcast(input: BroadcastTarget & { reason: string }): Promise<BroadcastEnd>;
  /** Does what the endpoint does, for a signal that an operator sent; a conflict changes nothing. */
  unscheduleBroadcast(input: BroadcastTarget): Promise<void>;
  confirmBroadcast(input: BroadcastTarget): Promise<void>;
  deliverWebhooks(input: WebhookDeliveryInput): Promise<WebhookRound>;
  assignConversations(input: AssignmentInput): Promise<AssignmentRound>;
  /** Compares the remembered word with that of the database, and returns the one to remember from now on. */
  witnessDatabase(input: { seen: string | null }): Promise<string>;
}
