import type { Worded } from '../../../../core/text/catalogue';
import type { workspace as en } from '../en/workspace';
import { plural } from '../plural';

export const workspace: Worded<typeof en> = {
  title: 'Espacio de trabajo',
  plan: {
    title: 'Plan',
    on: 'Tienes el plan {plan}.',
    ends: 'La prueba termina {at}.',
    ended: 'La prueba terminó {at}.',
    none: 'No se ha elegido ningún plan.',
    change: 'Cambiar el plan',
    choose: 'Elegir un plan',
    over: 'La prueba terminó. Con un plan todo vuelve a funcionar de inmediato.',
    before: 'Elige un plan antes de que termine la prueba, y nada se detiene.',
    chooseThis: 'Elegir este plan',
    chosen: 'El plan está elegido. Todo funciona.',
  },
  fields: {
    name: { label: 'Nombre' },
    timezone: { label: 'Zona horaria', hint: 'Todas las horas del panel se muestran en ella.' },
    language: {
      label: 'Idioma',
      hint: 'El de los miembros que no eligieron ninguno, cuando su navegador no pide ninguno de estos.',
    },
    country: {
      label: 'País de los números de teléfono',
      hint: 'Para números de formularios y archivos importados sin código de país, como 0151 5550001.',
    },
    opt_out_words: {
      label: 'Palabras para darse de baja',
      hint: 'Una por línea. Un cliente que escribe una de ellas ya no recibe mensajes de marketing.',
    },
    opt_in_words: { label: 'Palabras para volver a recibir', hint: 'Una por línea.' },
    require_factor: { label: 'Todos muestran un segundo factor al iniciar sesión' },
    show_read: {
      label: 'Mostrar a los clientes cuándo se leen sus mensajes',
      hint: 'Dos marcas azules, en cuanto un miembro tiene abierta la conversación.',
    },
    show_typing: {
      label: 'Mostrar a los clientes «escribiendo…» mientras un miembro les escribe',
      hint: 'Dentro de las 24 horas de su último mensaje, nunca con notas. La plataforma muestra con ello sus mensajes como leídos.',
    },
    ask_satisfaction: {
      label: 'Preguntar a los clientes después de resolver una conversación',
      hint:
        'Una vez por semana como máximo, y dentro de las 24 horas de su último mensaje. Los cambios de muchas a la vez no ' +
        'preguntan a nadie.',
    },
    satisfaction_question: { label: 'Pregunta' },
    satisfaction_labels: {
      label: 'Botones',
      hint:
        'Tres, uno por línea, la mejor respuesta primero; como máximo 20 caracteres cada uno. Los informes cuentan el ' +
        'primero como satisfecho.',
    },
  },
  noCountry: 'Ninguno: cada número tiene su código de país',
  customersSee: 'Lo que ven los clientes',
  satisfaction: 'Satisfacción',
  saved: 'La configuración se guardó.',
  ignored: {
    title: 'Enviado por la plataforma, no usado aquí',
    about: 'La plataforma envía eventos con los que esta versión no hace nada. Se conservan por un tiempo.',
    count: '{count}, el último {at}',
  },
  kept: {
    title: 'Cuánto tiempo se conservan las cosas',
    about:
      'Las conversaciones, los contactos y los tickets quedan hasta que un miembro los borra. El resto se elimina después ' +
      'de un tiempo que fija el operador de esta instalación.',
    days: (days) => plural(days, { one: 'día', other: 'días' }),
    kinds: {
      messages: 'Mensajes, con lo que los clientes enviaron en ellos',
      activity: 'Actividad de conversaciones, contactos y tickets',
      audit: 'Registro de auditoría',
      approvals: 'Aprobaciones decididas',
      macroRuns: 'Ejecuciones de macros',
      webhookEvents: 'Eventos de webhooks y sus entregas',
      parkedEvents: 'Lo que la plataforma envió y no se pudo procesar o no se usa',
      broadcastRecipients: 'Destinatarios de difusiones; las cifras quedan',
      stageMoves: 'A quién se avisó de los movimientos de tickets',
      usage: 'Uso, que no nombra a ningún cliente',
      aliases: 'Números e ID anteriores de contactos',
    },
  },
};
