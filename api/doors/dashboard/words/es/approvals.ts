import type { Worded } from '../../../../core/text/catalogue';
import type { approvals as en } from '../en/approvals';
import { plural } from '../plural';

export const approvals: Worded<typeof en> = {
  title: 'Aprobaciones',
  one: 'Aprobación',
  which: 'Qué aprobaciones',
  tabs: { pending: 'En espera', approved: 'Aprobadas', rejected: 'Rechazadas', expired: 'Vencidas', all: 'Todas' },
  waiting: {
    title: 'Nada te espera',
    text: 'Cuando un agente no puede enviar por sí solo, sus mensajes esperan aquí hasta que un miembro los apruebe. {guide}',
    guide: 'Cómo conectar un agente',
  },
  none: { title: 'Ninguna', text: 'No hay aquí ninguna llamada de un agente.' },
  approve: 'Aprobar',
  approved: 'Aprobado.',
  reject: 'Rechazar',
  rejectBecause: 'Rechazar con un motivo',
  rejected: 'Rechazado. No se envió nada.',
  edit: 'Editar y enviar',
  answered: 'Enviado a tu nombre. Lo que escribió el agente se rechazó.',
  what: (title) => `: ${title}`,
  to: 'Para',
  before: 'Los últimos mensajes',
  you: 'Tú',
  for: (agent, member) => `${agent}, para ${member}`,
  asked: '· solicitado',
  decided: (status, member) => `${status} por ${member}`,
  replaced: (member) => `respondido con otro texto por ${member}`,
  because: 'Motivo:',
  exact: 'La llamada exacta',
  timer: 'Su temporizador en Temporal',
  others: (scopes) => `Deciden sobre esto los miembros con estos permisos: ${scopes}.`,
  draft: 'borrador',
  waits: (time) => `espera ${time} más`,
  words: {
    label: 'Responder o rechazar por tu cuenta',
    text: {
      label: 'Tu texto en su lugar',
      hint: 'Se envía a tu nombre, y lo que escribió el agente se rechaza.',
    },
    send: 'Enviar este texto',
    note: {
      label: 'Motivo',
      hint: 'Se guarda con la decisión, y se informa a los suscriptores de approval.decided.',
    },
  },
  calls: {
    macro: (name) => `Ejecutar la macro “${name}”`,
    macroOnTicket: (name, ticket) => `Ejecutar la macro “${name}” en el ticket ${ticket}`,
    ticket: (id) => `Cambiar el ticket ${id}`,
    move: (stage) => `Mover a ${stage}`,
    change: (field, value) => `${field}: ${value}`,
    message: 'Enviar un mensaje',
    template: 'Enviar una plantilla',
    at: (what, moment) => `${what} ${moment}`,
    reaching: (text, reach) => `${text}. ${reach}`,
    reachesOne: (name) => `Llega a una persona: ${name}.`,
    reaches: (total, names, more) =>
      `Llega a ${plural(total, { one: 'persona', other: 'personas' })}: ${names}` +
      `${more > 0 ? ` y ${more} más` : ''}.${total > 1 ? ' La primera lee:' : ''}`,
  },
};
