import type { Worded } from '../../../../core/text/catalogue';
import type { sla as en } from '../en/sla';
import { listText } from '../lists';

export const sla: Worded<typeof en> = {
  title: 'Políticas de SLA',
  one: 'Política de SLA',
  new: 'Nueva política',
  newTitle: 'Nueva política de SLA',
  empty: {
    title: 'Aún no hay políticas',
    text:
      'Una política promete qué tan pronto los clientes reciben una primera respuesta y una solución. La predeterminada ' +
      'pone en marcha un reloj en cada ticket y conversación nuevos.',
  },
  made: 'La política se creó.',
  saved: 'La política se guardó. Los plazos que ya corren quedan como estaban.',
  deleted: 'La política se eliminó.',
  delete: {
    title: '¿Eliminar esta política?',
    named: (name) => `¿Eliminar “${name}”?`,
    text: 'Los tickets y conversaciones nuevos ya no reciben plazos de ella. Esto no se puede deshacer.',
    button: 'Eliminar esta política',
  },
  fields: {
    name: { label: 'Nombre' },
    first_response_minutes: { label: 'Primera respuesta en, minutos', hint: 'Vacío: sin tal promesa.' },
    resolution_minutes: { label: 'Solución en, minutos', hint: 'Vacío: sin tal promesa. 1440 minutos son un día.' },
    calendar_id: { label: 'Los minutos son de' },
    applies_to: { label: 'Para' },
    is_default: { label: 'Predeterminada: pone en marcha un reloj en todo lo nuevo' },
  },
  targets: { tickets: 'Tickets', conversations: 'Conversaciones' },
  allDay: 'Todo el día, todos los días',
  hoursOf: (name) => `Horario de ${name}`,
  promise: (first, solution, targets) => `Primera respuesta: ${first} · Solución: ${solution} · ${listText(targets)}`,
  inHours: ' · en horario de trabajo',
  none: 'ninguna',
};
