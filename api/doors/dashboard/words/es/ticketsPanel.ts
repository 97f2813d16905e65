import type { Worded } from '../../../../core/text/catalogue';
import type { ticketsPanel as en } from '../en/ticketsPanel';

export const ticketsPanel: Worded<typeof en> = {
  title: 'Tickets',
  new: 'Nuevo ticket',
  all: (count) => `Los ${count}`,
  name: 'De qué se trata',
  create: 'Crear ticket',
  allFields: 'Todos los campos',
  created: (id) => `El ticket #${id} se creó.`,
  stage: (stage) => `Etapa: ${stage}`,
  move: 'Mover a',
  comment: 'Comentario para el equipo',
  send: 'Comentar',
  open: 'Abrir el ticket',
  close: 'Cerrar',
};
