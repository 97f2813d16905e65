import type { Worded } from '../../../../core/text/catalogue';
import type { priorities as enPriorities, statuses as enStatuses } from '../en/states';

export const statuses: Worded<typeof enStatuses> = {
  open: 'offen',
  resolved: 'erledigt',
  pending: 'ausstehend',
  snoozed: 'zurückgestellt',
  spam: 'Spam',
  converted: 'umgewandelt',
};
export const priorities: Worded<typeof enPriorities> = {
  low: 'niedrig',
  normal: 'normal',
  high: 'hoch',
  urgent: 'dringend',
};
