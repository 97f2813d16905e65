import type { Worded } from '../../../../core/text/catalogue';
import type { concerns as en } from '../en/concerns';

export const concerns: Worded<typeof en> = {
  title: 'Lo que me toca',
  all: 'Todo',
  unread: 'Sin leer',
  tabs: 'Qué se muestra',
  readAll: 'Marcar todo como leído',
  read: 'Marcar como leído',
  isUnread: 'sin leer',
  asks: 'Espera tu decisión',
  decide: 'Todas las aprobaciones',
  kinds: {
    mention: { by: (who) => `${who} te mencionó`, alone: 'Te mencionaron' },
    assigned: { by: (who) => `${who} te asignó esto`, alone: 'Se te asignó esto' },
    failed: { by: (who) => who, alone: 'Tu mensaje no se pudo entregar' },
    held: { by: (who) => who, alone: 'Un mensaje para más tarde está retenido y te espera' },
  },
  ticket: (id) => `Ticket #${id}`,
  older: 'Más antiguo',
  none: {
    title: 'Nada te toca ahora',
    text:
      'Aquí está lo que te menciona, lo que otros te asignan, lo que espera tu decisión y los mensajes tuyos que no se ' +
      'pudieron entregar.',
  },
  noneUnread: { title: 'Leíste todo', text: 'Lo nuevo aparecerá aquí.' },
};
