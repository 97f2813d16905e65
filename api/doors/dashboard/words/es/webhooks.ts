import type { Worded } from '../../../../core/text/catalogue';
import type { webhooks as en } from '../en/webhooks';

export const webhooks: Worded<typeof en> = {
  names: {
    'message.received': 'Un cliente escribe',
    'message.status_changed': 'Un mensaje se envía, se entrega, se lee o falla',
    'message.edited': 'Un cliente edita un mensaje',
    'message.deleted': 'Un cliente elimina un mensaje',
    'conversation.created': 'Empieza una conversación',
    'conversation.updated': 'Una conversación cambia',
    'conversation.snoozed': 'Una conversación se pospone',
    'conversation.woken': 'Una conversación pospuesta vuelve',
    'conversation.reopened': 'Una conversación resuelta se abre de nuevo',
    'conversation.rated': 'Un cliente da una calificación',
    'contact.created': 'Se crea un contacto',
    'contact.updated': 'Un contacto cambia',
    'contact.deleted': 'Se elimina un contacto',
    'contact.merged': 'Dos contactos pasan a ser uno',
    'contact.opted_out': 'Un cliente no quiere marketing',
    'contact.opted_in': 'Un cliente vuelve a querer marketing',
    'ticket.created': 'Se crea un ticket',
    'ticket.updated': 'Un ticket cambia',
    'ticket.stage_changed': 'Un ticket pasa a otra etapa',
    'ticket.commented': 'Alguien comenta en un ticket',
    'ticket.escalated': 'Un ticket se escala',
    'ticket.sla_breached': 'Un ticket incumple su plazo',
    'ticket.deleted': 'Se elimina un ticket',
    'stage_notification.sent': 'Se avisa a un cliente de una etapa',
    'stage_notification.skipped': 'No se avisa a un cliente de una etapa',
    'stage_notification.failed': 'Falla un mensaje sobre una etapa',
    'broadcast.scheduled': 'Se programa una difusión',
    'broadcast.started': 'Empieza una difusión',
    'broadcast.completed': 'Una difusión termina',
    'broadcast.failed': 'Una difusión falla',
    'macro.ran': 'Se ejecutó una macro',
    'rule.stopped': 'Se detiene una regla',
    'approval.requested': 'Un agente pide aprobación',
    'approval.decided': 'Se decide una llamada de un agente',
    'template.status_changed': 'La plataforma evalúa una plantilla',
    'flow.submitted': 'Un cliente completa un formulario',
    'account.payment_refused': 'Se rechaza un pago en la plataforma',
    'webhook.test': 'Una prueba',
  },
  title: 'Webhooks',
  one: 'Webhook',
  new: 'Nuevo webhook',
  about:
    'Tus propios programas se enteran de lo que pasa aquí: firmado, y cada cosa al menos una vez. {reference} describe ' +
    'cada evento.',
  reference: 'La referencia de la API',
  empty: {
    title: 'Aún no hay webhooks',
    text:
      'Crea uno con la dirección de tu endpoint y los eventos que quiere. Un evento de prueba muestra de inmediato si ' +
      'funciona.',
  },
  allEvents: 'todos los eventos',
  kinds: (count) => `${count} tipos de eventos`,
  failing: '· ninguna entrega ha llegado desde',
  states: { disabled: 'desactivado', inactive: 'inactivo', active: 'activo', failing: 'con fallos' },
  fields: {
    url: { label: 'Dirección', hint: 'A dónde se envían los eventos: https, a una dirección pública.' },
    description: { label: 'Descripción', hint: 'Para qué es, por ejemplo “Almacén”.' },
    events: { label: 'Eventos' },
    scopes: {
      label: 'Qué pueden hacer sus respuestas',
      hint: 'Una respuesta puede traer acciones, como etiquetar una conversación. Déjalo vacío si la tuya no las trae.',
    },
  },
  everything: { label: 'Todos los eventos', detail: 'También los que se agreguen más adelante.' },
  change: 'Cambiar la suscripción',
  subscription: 'La suscripción',
  made: 'La suscripción se creó',
  saved: 'La suscripción se guardó.',
  secret: {
    button: 'Nuevo secreto',
    ask: {
      title: '¿Crear un nuevo secreto?',
      text: 'El anterior firma junto a él durante 24 horas. Da el nuevo a tu endpoint antes de que pasen.',
      button: 'Crear un nuevo secreto',
    },
    made: 'El nuevo secreto',
    copy:
      'Copia el secreto ahora: se muestra solo esta vez. Tu endpoint lo necesita para comprobar que un evento viene de ' +
      'aquí.',
    label: 'Secreto de firma',
    copied: 'Ya lo copié',
  },
  activate: {
    button: 'Activar',
    done: 'Está activa de nuevo. Lo que pasó entretanto se puede repetir abajo.',
  },
  deactivate: {
    button: 'Desactivar',
    ask: {
      title: '¿Desactivar esta suscripción?',
      text: 'Lo que espera su envío se cancela, y no se envía nada hasta que se active de nuevo.',
      button: 'Desactivar',
    },
    done: 'Ya no está activa.',
  },
  delete: {
    button: 'Eliminar',
    ask: {
      title: '¿Eliminar esta suscripción?',
      text: 'Ya no se le envía nada, y su registro también se va. Esto no se puede deshacer.',
      button: 'Eliminar',
    },
    done: 'La suscripción se eliminó.',
  },
  facts: {
    address: 'Dirección',
    state: 'Estado',
    events: 'Eventos',
    answers: 'Sus respuestas pueden',
    made: 'Creada',
    all: 'Todos',
    nothing: 'no hacer nada',
  },
  test: {
    button: 'Enviar un evento de prueba',
    done: 'El evento de prueba va en camino. El registro muestra qué resulta.',
  },
  notes: {
    disabled: 'Desactivada {at}.',
    mend: 'Repara el endpoint, pruébalo con un evento de prueba, activa la suscripción y repite lo que se perdió.',
    inactive: 'No está activa: no se envía nada. Lo que pase entretanto se puede repetir más tarde.',
    failing: 'Ninguna entrega ha llegado desde {at}.',
    tries: 'Cada evento se intenta de nuevo durante unos tres días. El registro dice qué responde el endpoint.',
  },
  log: {
    title: 'Entregas',
    label: 'Registro',
    filters: {
      status: 'Estado',
      event: 'Evento',
      anyState: 'Cualquier estado',
      anyEvent: 'Cualquier evento',
      filter: 'Filtrar',
    },
    none: 'Ninguna coincide.',
    all: 'Mostrar todas',
    empty: 'Aún no se envió nada. Envía un evento de prueba para ver si el endpoint funciona.',
    columns: { when: 'Cuándo', event: 'Evento', state: 'Estado', answer: 'Respuesta' },
    id: 'ID',
    attempts: (count) => (count === 1 ? 'un intento' : `${count} intentos`),
    next: '· siguiente',
    noAnswer: '–',
    actions: 'Sus acciones',
    again: 'Enviar de nuevo',
    ofType: (type, at) => ` ${type} de ${at}`,
    sentAgain: 'El evento sale de nuevo, con el mismo ID.',
  },
  replay: {
    title: 'Repetir',
    about: 'Envía otra vez todo lo que pasó en un tiempo, con los mismos ID, para que un endpoint sepa qué ya vio.',
    activateFirst:
      'Activa primero la suscripción. Después se puede enviar otra vez todo lo que pasó desde que se creó.',
    fields: { from: { label: 'Desde' }, to: { label: 'Hasta', hint: 'Vacío: hasta ahora.' } },
    zone: (zone) => `En ${zone}.`,
    noMoment: 'Escribe una fecha y una hora.',
    noEnd: 'Escribe una fecha y una hora, o déjalo vacío para ahora.',
    done: (count) =>
      count === 0
        ? 'En ese tiempo no pasó nada de lo que pide.'
        : count === 1
          ? 'Un evento sale de nuevo.'
          : `${count} eventos salen de nuevo.`,
  },
};
