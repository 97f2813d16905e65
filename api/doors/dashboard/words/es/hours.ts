import type { Worded } from '../../../../core/text/catalogue';
import type { hours as en } from '../en/hours';
import { plural } from '../plural';

export const hours: Worded<typeof en> = {
  title: 'Horarios',
  one: 'Calendario',
  new: 'Nuevo calendario',
  about: (zone) => `Las horas son de la zona horaria del espacio de trabajo, ${zone}.`,
  empty: {
    title: 'Aún no hay calendarios',
    text:
      'Un calendario dice cuándo trabaja tu equipo. Los clientes que escriben a otra hora pueden recibir una respuesta ' +
      'de ausencia, y los niveles de servicio pueden contar el tiempo de trabajo.',
  },
  own: 'el del espacio de trabajo',
  for: (names) => `Para ${names}`,
  holidays: (count) => plural(count, { one: 'feriado', other: 'feriados' }),
  speaks: 'Los clientes reciben una respuesta de ausencia',
  silent: 'Sin respuesta de ausencia',
  closed: 'cerrado',
  days: {
    monday: 'Lunes',
    tuesday: 'Martes',
    wednesday: 'Miércoles',
    thursday: 'Jueves',
    friday: 'Viernes',
    saturday: 'Sábado',
    sunday: 'Domingo',
  },
  fields: {
    name: { label: 'Nombre' },
    holidays: { label: 'Feriados', hint: 'Uno por línea, por ejemplo 2026-12-25 Navidad.' },
    is_default: { label: 'El del espacio de trabajo: donde una bandeja de equipo no tiene ninguno' },
    team_inbox_ids: {
      label: 'Bandejas de equipo',
      hint: 'Cada una tiene un calendario: lo que se marca aquí se quita de otro.',
    },
    away_text: {
      label: 'Texto',
      hint: 'Se envía fuera de este horario, una vez en la ventana de un cliente; {{name}} se reemplaza por su nombre.',
    },
    away_template_id: {
      label: 'Plantilla',
      hint: 'Se envía donde no hay texto, o donde la ventana se cerró.',
    },
  },
  week: {
    title: 'Horario de una semana',
    hint: (zone) =>
      'Por ejemplo 09:00-12:30, 13:30-18:00; una noche son dos períodos, 22:00-24:00 y 00:00-06:00. En la zona horaria ' +
      `del espacio de trabajo, ${zone}.`,
  },
  where: 'Dónde se aplica',
  away: 'Respuesta de ausencia',
  noTemplate: 'Ninguna',
  notNow: (id) => `${id} (no se puede enviar ahora)`,
  made: 'El calendario se creó.',
  saved: 'El calendario se guardó. Los plazos que ya corren quedan como estaban.',
  deleted: 'El calendario se eliminó.',
  delete: {
    title: '¿Eliminar este calendario?',
    named: (name) => `¿Eliminar “${name}”?`,
    text: 'Sus bandejas de equipo tendrán entonces el horario del espacio de trabajo. Esto no se puede deshacer.',
    button: 'Eliminar este calendario',
  },
};
