import type { Worded } from '../../../../core/text/catalogue';
import type { teamInboxes as en } from '../en/teamInboxes';
import { plural } from '../plural';

export const teamInboxes: Worded<typeof en> = {
  title: 'Bandejas de equipo',
  one: 'Bandeja de equipo',
  new: 'Nueva bandeja de equipo',
  newTitle: 'Nueva bandeja de equipo',
  empty: {
    title: 'Aún no hay bandejas de equipo',
    text:
      'Una bandeja de equipo reúne las conversaciones de un grupo, por ejemplo Facturación. La primera es la ' +
      'predeterminada.',
  },
  made: 'La bandeja de equipo se creó.',
  saved: 'La bandeja de equipo se guardó.',
  deleted: 'La bandeja de equipo se eliminó.',
  delete: {
    title: '¿Eliminar esta bandeja de equipo?',
    named: (name) => `¿Eliminar “${name}”?`,
    text: 'Sus conversaciones y tickets quedan sin bandeja. Esto no se puede deshacer.',
    button: 'Eliminar esta bandeja de equipo',
  },
  fields: {
    name: { label: 'Nombre' },
    description: { label: 'Descripción' },
    member_ids: { label: 'Miembros' },
    is_default: { label: 'Hacerla la predeterminada en lugar de la actual' },
  },
  nobody: 'No hay nadie en ella',
  assignment: {
    title: 'Asignación',
    mode: 'Las conversaciones encuentran un miembro',
    modes: { manual: 'A mano', round_robin: 'Por turnos', balanced: 'Quien tenga menos abiertas' },
    waiting: (count) =>
      count === 0
        ? 'Nadie espera a un miembro.'
        : plural(count, { one: 'espera a un miembro.', other: 'esperan a un miembro.' }),
    capacity: (name) => `Máximo de conversaciones abiertas de ${name}`,
    about: (open, isAway) => `Tiene ${open} ahora${isAway ? ', y está ausente' : ''}. Vacío: tantas como lleguen.`,
    save: 'Guardar la asignación',
    saved: 'La asignación se guardó.',
  },
};
