import type { Worded } from '../../../../core/text/catalogue';
import type { priorities as enPriorities, statuses as enStatuses } from '../en/states';

export const statuses: Worded<typeof enStatuses> = {
  open: 'abierta',
  resolved: 'resuelta',
  pending: 'pendiente',
  snoozed: 'pospuesta',
  spam: 'spam',
  converted: 'convertida',
};
export const priorities: Worded<typeof enPriorities> = {
  low: 'baja',
  normal: 'normal',
  high: 'alta',
  urgent: 'urgente',
};
