/** The types of events for subscribers. New messages and their statuses come from the triggers of `messages`. */
export const webhookEventTypes = [
  'message.received',
  'message.status_changed',
  'message.edited',
  'message.deleted',
  'conversation.created',
  'conversation.updated',
  'conversation.snoozed',
  'conversation.woken',
  'conversation.reopened',
  'conversation.rated',
  'contact.created',
  'contact.updated',
  'contact.deleted',
  'contact.merged',
  'contact.opted_out',
  'contact.opted_in',
  'ticket.created',
  'ticket.updated',
  'ticket.stage_changed',
  'ticket.commented',
  'ticket.escalated',
  'ticket.sla_breached',
  'ticket.deleted',
  'stage_notification.sent',
  'stage_notification.skipped',
  'stage_notification.failed',
  'broadcast.scheduled',
  'broadcast.started',
  'broadcast.completed',
  'broadcast.failed',
  'macro.ran',
  'rule.stopped',
  'approval.requested',
  'approval.decided',
  'template.status_changed',
  'flow.submitted',
  'account.payment_refused',
] as const;
export type WebhookEventType = (typeof webhookEventTypes)[number];

/** Old and new values of what changed, by field. */
export type RecordedChanges = Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;

/** The type under which an event is sent to subscribers; null when it is not sent. */
type Told = WebhookEventType | null | ((changes: RecordedChanges) => WebhookEventType);

const contactUpdated = ({ marketing_opt_out: optOut }: RecordedChanges): WebhookEventType =>
  optOut === undefined ? 'contact.updated' : optOut.to === true ? 'contact.opted_out' : 'contact.opted_in';

function statusChanged({ conv_status: status }: RecordedChanges): WebhookEventType {
  if (status?.to === 'snoozed') return 'conversation.snoozed';
  if (status?.to === 'open' && status.from === 'snoozed') return 'conversation.woken';
  if (status?.to === 'open' && status.from === 'resolved') return 'conversation.reopened';
  return 'conversation.updated';
}

/** Every kind of event, by the subject that it happens to, with the type under which subscribers are told. */
export const eventKinds = {
  contact: {
    contact_created: 'contact.created',
    contact_updated: contactUpdated,
    contact_deleted: 'contact.deleted',
    contacts_merged: 'contact.merged',
    opted_out: 'contact.opted_out',
    opted_in: 'contact.opted_in',
    identity_changed: 'contact.updated',
    phone_reassigned: 'contact.updated',
    // A contact that the phone's app already knew.
    contact_synced: null,
  },
  conversation: {
    status_changed: statusChanged,
    snooze_changed: 'conversation.snoozed',
    woken: 'conversation.woken',
    reopened: 'conversation.reopened',
    assignment_changed: 'conversation.updated',
    priority_changed: 'conversation.updated',
    conversation_updated: 'conversation.updated',
    sla_breached: 'conversation.updated',
    macro_applied: 'macro.ran',
    rule_applied: 'macro.ran',
    rule_failed: null,
    flow_submitted: 'flow.submitted',
    thread_control_changed: 'conversation.updated',
    call_missed: 'conversation.updated',
    call_ended: 'conversation.updated',
    away_replied: null,
    away_reply_refused: null,
    satisfaction_asked: null,
    rated: 'conversation.rated',
    message_edited: 'message.edited',
    message_deleted: 'message.deleted',
  },
  ticket: {
    ticket_created: 'ticket.created',
    ticket_updated: 'ticket.updated',
    ticket_deleted: 'ticket.deleted',
    stage_changed: 'ticket.stage_changed',
    assignment_changed: 'ticket.updated',
    priority_changed: 'ticket.updated',
    watchers_changed: 'ticket.updated',
    affected_contacts_changed: 'ticket.updated',
    comment_added: 'ticket.commented',
    escalated: 'ticket.escalated',
    sla_breached: 'ticket.sla_breached',
    stage_notification_sent: 'stage_notification.sent',
    stage_notification_skipped: 'stage_notification.skipped',
    stage_notification_failed: 'stage_notification.failed',
    macro_applied: 'macro.ran',
  },
  broadcast: {
    broadcast_scheduled: 'broadcast.scheduled',
    broadcast_unscheduled: null,
    broadcast_started: 'broadcast.started',
    broadcast_completed: 'broadcast.completed',
    broadcast_failed: 'broadcast.failed',
  },
  macro: { macro_created: null, macro_updated: null, macro_deleted: null },
  rule: { rule_created: null, rule_updated: null, rule_deleted: null, rule_stopped: 'rule.stopped' },
  template: {
    template_status_changed: 'template.status_changed',
    template_category_changed: null,
    template_quality_changed: null,
  },
  flow: { flow_status_changed: null },
  workspace: {
    approval_requested: 'approval.requested',
    // A draft: nobody is asked.
    approval_drafted: null,
    approval_approved: 'approval.decided',
    approval_rejected: 'approval.decided',
    approval_expired: 'approval.decided',
    approval_returned: null,
    webhook_disabled: null,
    rules_braked: null,
    rules_released: null,
    pipeline_created: null,
    pipeline_updated: null,
    pipeline_deleted: null,
    stage_created: null,
    stage_updated: null,
    stage_deleted: null,
    sla_policy_created: null,
    sla_policy_updated: null,
    sla_policy_deleted: null,
    calendar_created: null,
    calendar_updated: null,
    calendar_deleted: null,
    // A change of a whole account, reported by the platform.
    account_update: null,
    account_alerts: null,
    account_review_update: null,
    security: null,
    upstream_errors: null,
    payment_refused: 'account.payment_refused',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Told>>>>;

type Kinds = typeof eventKinds;
export type EventSubject = keyof Kinds;
/** The kinds of events of a kind of subject. */
export type EventKind<Subject extends EventSubject> = keyof Kinds[Subject] & string;
/** The same without kinds whose type depends on the changes: those that a set-based statement may record. */
export type PlainEventKind<Subject extends EventSubject> = {
  [Kind in EventKind<Subject>]: Kinds[Subject][Kind] extends WebhookEventType | null ? Kind : never;
}[EventKind<Subject>];

/** A kind of subject with a kind of event of it. */
export type Happening = {
  [Subject in EventSubject]: { readonly subjectType: Subject; readonly kind: EventKind<Subject> };
}[EventSubject];

/** Returns the type under which an event is sent to subscribers; null when it is not sent. */
export function webhookTypeOf(
  { subjectType, kind }: Happening,
  changes: RecordedChanges = {},
): WebhookEventType | null {
  const kinds: Readonly<Record<string, Told>> = eventKinds[subjectType];
  const told = kinds[kind] ?? null;
  return typeof told === 'function' ? told(changes) : told;
}
