import type { Worded } from '../../../../core/text/catalogue';
import type { composer as en } from '../en/inboxComposer';

export const composer: Worded<typeof en> = {
  what: 'Qué enviar',
  means: 'Con qué',
  modes: { text: 'Respuesta', note: 'Nota', template: 'Plantilla', choices: 'Botones y listas' },
  send: { text: 'Enviar', note: 'Enviar', template: 'Enviar plantilla', choices: 'Enviar' },
  hint: 'Enviar (Ctrl+Intro)',
  sendAndDone: { label: 'Enviar y resolver', keys: 'Ctrl Mayús Intro' },
  canned: 'Respuestas guardadas',
  expired: 'El período de prueba venció: no se puede enviar nada hasta que se elija un plan.',
  readOnly: 'Puedes leer esta conversación. Para responder, necesitas el permiso chat.send_message.',
  answering: (text) => `En respuesta a: ${text}`,
  doNotAnswer: 'No responder a este mensaje',
  from: 'De',
  reply: { label: 'Respuesta', placeholder: 'Responder…', closed: 'La ventana está cerrada. Elige una plantilla.' },
  note: {
    label: 'Nota',
    placeholder: 'Solo la ve el equipo. @nombre avisa a un miembro.',
    hint: 'Agregar la nota (Ctrl+Intro)',
    button: 'Agregar nota',
  },
  files: {
    label: 'Archivos que enviar',
    attach: 'Adjuntar archivos',
    how: 'Adjunta archivos, suéltalos aquí o pégalos',
    drop: 'Suelta archivos para adjuntarlos',
    one: (megabytes) => `Un archivo que enviar, de hasta ${megabytes} MB`,
  },
  choices: {
    body: 'Pregunta',
    lines: 'Respuestas que el cliente toca, una por línea',
    hint: (buttons) =>
      `Hasta ${buttons} son botones de hasta 20 caracteres; si son más, hasta 10, una lista. En una lista, lo que va ` +
      'después de | explica una respuesta.',
    button: 'Lo que abre la lista',
    open: 'Elegir',
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
