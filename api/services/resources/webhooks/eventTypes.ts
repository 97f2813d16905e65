/** Types of events. What causes each of them is in the triggers of `events` and `messages`. */
export const webhookEventTypes = [
  'message.received',
  'message.status_changed',
  'conversation.created',
  'conversation.updated',
  'conversation.snoozed',
  'conversation.woken',
  'conversation.reopened',
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
  'approval.requested',
  'approval.decided',
  'template.status_changed',
  'flow.submitted',
] as const;
export type WebhookEventType = (typeof webhookEventTypes)[number];

/** Type of the event that `POST …/test/` sends; no subscription names it. */
export const testEventType = 'webhook.test';

/** Stands for every type. */
export const allEvents = '*';

export const deliveryStates = ['pending', 'delivered', 'failed', 'cancelled'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** Pauses after the first, second, … failed attempt; when they are used up, the delivery has failed. */
export const retryDelaysMs = [10, 60, 5 * 60, 30 * 60, 2 * 3_600, 6 * 3_600, 12 * 3_600, 24 * 3_600, 24 * 3_600].map(
  (seconds) => seconds * 1_000,
);

/** How long a replaced secret goes on signing beside the new one. */
export const secretOverlapMs = 24 * 3_600_000;
