import type { Worded } from '../../../../core/text/catalogue';
import type { priorities as enPriorities, statuses as enStatuses } from '../en/states';

export const statuses: Worded<typeof enStatuses> = {
  open: 'aberta',
  resolved: 'concluída',
  pending: 'pendente',
  snoozed: 'adiada',
  spam: 'spam',
  converted: 'convertida',
};
export const priorities: Worded<typeof enPriorities> = {
  low: 'baixa',
  normal: 'normal',
  high: 'alta',
  urgent: 'urgente',
};
