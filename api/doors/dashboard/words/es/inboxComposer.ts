import type { Worded } from '../../../../core/text/catalogue';
import type { composer as en } from '../en/inboxComposer';

export const composer: Worded<typeof en> = {
  what: 'Qué enviar',
  modes: { text: 'Respuesta', template: 'Plantilla', attachment: 'Archivo', note: 'Nota' },
  send: { text: 'Enviar', template: 'Enviar plantilla', attachment: 'Enviar archivo', note: 'Enviar' },
  sends: 'envía',
  sendAndDone: { label: 'Enviar y resolver', hint: 'Enviar y resolver (Ctrl+Mayús+Intro)' },
  expired: 'El período de prueba venció: no se puede enviar nada hasta que se elija un plan.',
  readOnly: 'Puedes leer esta conversación. Para responder, necesitas el permiso chat.send_message.',
  answering: (text) => `En respuesta a: ${text}`,
  doNotAnswer: 'No responder a este mensaje',
  from: 'De',
  reply: { label: 'Respuesta', placeholder: 'Responder…', closed: 'La ventana está cerrada. Elige una plantilla.' },
  note: {
    label: 'Nota',
    placeholder: 'Solo la ve el equipo. @nombre avisa a un miembro.',
    saves: 'guarda',
    button: 'Agregar nota',
  },
  files: {
    label: 'Archivos que enviar',
    attach: 'Adjuntar archivos',
    how: 'Adjunta archivos, suéltalos aquí o pégalos',
  },
  file: {
    kind: 'Tipo',
    kinds: { image: 'Imagen', document: 'Documento', video: 'Video', audio: 'Sonido' },
    link: 'Dirección pública del archivo',
    caption: 'Pie',
  },
  template: {
    label: 'Plantilla',
    choose: 'Elige una plantilla…',
    button: 'Elegir',
    preview: 'Vista previa',
    none:
      'No hay ninguna plantilla aprobada. Las plantillas se crean en el administrador de la plataforma y aparecen aquí ' +
      'cuando se aprueban.',
    header: (name) => `Encabezado {{${name}}}`,
    media: (kind) => `Dirección del archivo (${kind})`,
    buttonUrl: (number) => `Final de la dirección del botón ${number}`,
    buttonCode: (number) => `Código del botón ${number}`,
  },
  answered: {
    ask: '¿Enviar de todos modos?',
    anyway: 'Enviar de todos modos',
    answered: (author, when, text) => `${author} respondió ${when}: “${text}”`,
    justNow: 'hace un momento',
    ago: (time) => `hace ${time}`,
  },
};
