import type { Worded } from '../../../../core/text/catalogue';
import type { replies as en } from '../en/replies';

export const replies: Worded<typeof en> = {
  title: 'Respuestas guardadas',
  new: 'Nueva respuesta',
  newTitle: 'Nueva respuesta guardada',
  empty: {
    title: 'Aún no hay respuestas guardadas',
    before: 'Un texto que envías a menudo: escribe ',
    after: ' y su atajo en una conversación, y cámbialo antes de que salga.',
  },
  team: 'del equipo',
  own: 'tuya',
  fields: {
    shortcut: { label: 'Atajo', hint: 'Lo que escribes detrás de /' },
    body: {
      label: 'Texto',
      hint: '{{name}}, {{first_name}}, {{phone}}, {{email}} y {{company}} representan al contacto.',
    },
    is_shared: { label: 'Para todo el equipo' },
  },
  files: {
    title: 'Archivos',
    hint: 'Se envían con el texto, cada uno como un mensaje propio.',
    add: 'Agregar archivos',
  },
  made: (shortcut) => `La respuesta se guardó. Escribe /${shortcut} en una conversación.`,
  saved: 'La respuesta se guardó.',
  deleted: 'La respuesta se eliminó.',
  delete: {
    title: '¿Eliminar esta respuesta?',
    named: (name) => `¿Eliminar “${name}”?`,
    text: 'No se puede recuperar.',
    button: 'Eliminar esta respuesta',
  },
};
