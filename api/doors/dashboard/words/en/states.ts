import type { ConvStatus, Priority } from '../../../../../models/enums';

/** What a conversation may be, as the middle of a sentence says it. */
export const statuses: Readonly<Record<ConvStatus, string>> = {
  open: 'open',
  resolved: 'resolved',
  pending: 'pending',
  snoozed: 'snoozed',
  spam: 'spam',
  converted: 'converted',
};
export const priorities: Readonly<Record<Priority, string>> = {
  low: 'low',
  normal: 'normal',
  high: 'high',
  urgent: 'urgent',
};
