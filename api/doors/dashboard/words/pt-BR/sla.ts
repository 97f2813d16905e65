import type { Worded } from '../../../../core/text/catalogue';
import type { sla as en } from '../en/sla';
import { listText } from '../lists';

export const sla: Worded<typeof en> = {
  title: 'Políticas de SLA',
  one: 'Política de SLA',
  new: 'Nova política',
  newTitle: 'Nova política de SLA',
  empty: {
    title: 'Nenhuma política ainda',
    text:
      'Uma política promete em quanto tempo os clientes recebem uma primeira resposta e uma solução. A padrão inicia um ' +
      'relógio em cada ticket e conversa novos.',
  },
  made: 'A política foi criada.',
  saved: 'A política foi salva. Os prazos que já correm ficam como estavam.',
  deleted: 'A política foi excluída.',
  delete: {
    title: 'Excluir esta política?',
    named: (name) => `Excluir “${name}”?`,
    text: 'Tickets e conversas novos não recebem prazos dela. Isso não pode ser desfeito.',
    button: 'Excluir esta política',
  },
  fields: {
    name: { label: 'Nome' },
    first_response_minutes: { label: 'Primeira resposta em, minutos', hint: 'Vazio: sem essa promessa.' },
    resolution_minutes: { label: 'Solução em, minutos', hint: 'Vazio: sem essa promessa. 1440 minutos são um dia.' },
    calendar_id: { label: 'Os minutos são de' },
    applies_to: { label: 'Para' },
    is_default: { label: 'Padrão: inicia um relógio em tudo o que é novo' },
  },
  targets: { tickets: 'Tickets', conversations: 'Conversas' },
  allDay: 'O dia todo, todos os dias',
  hoursOf: (name) => `Horário de ${name}`,
  promise: (first, solution, targets) => `Primeira resposta: ${first} · Solução: ${solution} · ${listText(targets)}`,
  inHours: ' · em horário de trabalho',
  none: 'nenhuma',
};
