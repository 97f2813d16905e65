import type { Worded } from '../../../../core/text/catalogue';
import type { details as en } from '../en/inboxDetails';

export const details: Worded<typeof en> = {
  label: (title) => `Acerca de ${title}`,
  optedOut: 'Se dio de baja de marketing',
  tags: {
    title: 'Etiquetas',
    unknown: 'Las etiquetas tienen una forma que solo conoce la API.',
    label: 'Etiquetas, separadas por comas',
    placeholder: 'Agregar etiquetas, con comas',
  },
  person: { title: 'Persona', name: 'Nombre', email: 'Correo', company: 'Empresa', notes: 'Notas' },
  fields: { title: 'Campos', several: 'Separados por punto y coma' },
  upcoming: 'Qué va a pasar',
  facts: {
    title: 'Datos',
    first: 'Primer mensaje',
    answer: 'Responder antes de',
    snoozed: 'Pospuesta hasta',
    timer: 'El temporizador en Temporal',
    ad: 'Llegó por el anuncio',
  },
  activity: 'Actividad',
  showActivity: 'Mostrar qué pasó',
  saved: 'Guardado.',
  noActivity: 'Aún no ha pasado nada.',
  back: 'Volver',
};
