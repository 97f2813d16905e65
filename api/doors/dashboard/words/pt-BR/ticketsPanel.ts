import type { Worded } from '../../../../core/text/catalogue';
import type { ticketsPanel as en } from '../en/ticketsPanel';

export const ticketsPanel: Worded<typeof en> = {
  title: 'Tickets',
  new: 'Novo ticket',
  all: (count) => `Todos os ${count}`,
  name: 'Do que se trata',
  create: 'Criar ticket',
  allFields: 'Todos os campos',
  created: (id) => `O ticket #${id} foi criado.`,
  stage: (stage) => `Etapa: ${stage}`,
  move: 'Mover para',
  comment: 'Comentário para a equipe',
  send: 'Comentar',
  open: 'Abrir o ticket',
  close: 'Fechar',
};
