import type { Worded } from '../../../core/text/catalogue';
import type { en } from './en';

export const es: Worded<typeof en> = {
  actions: {
    'signIn.newPlace': 'Un inicio de sesión desde una red y un navegador nuevos',
    'signIn.codesGuessed': 'Cinco códigos incorrectos tras la contraseña correcta',
    'signIn.passwordVoid': 'Cincuenta códigos incorrectos en un día: la contraseña ya no sirve',
    'password.change': 'Se cambió la contraseña',
    'password.chosenByLink': 'Se eligió una contraseña por un enlace',
    'factors.addTotp': 'Se agregó una app de autenticación',
    'factors.addPasskey': 'Se agregó una llave de acceso',
    'factors.remove': 'Se quitó un segundo factor',
    'factors.renewCodes': 'Se crearon nuevos códigos de recuperación',
    'apiKeys.create': 'Se creó una clave de API',
    'connectedAgents.connect': 'Se conectó un agente',
    'connectedAgents.newNetwork': 'Un agente llamó desde una red nueva',
    'oauthClients.create': 'Se registró una aplicación',
    'webhooks.create': 'Se creó un webhook',
    'webhooks.opened': 'Se movió, activó o amplió un webhook',
    'webhooks.rotateSecret': 'Se renovó el secreto de un webhook',
    'rules.opened': 'Se activó una regla que envía',
    'contacts.export': 'Se exportaron contactos',
    'reports.export': 'Se exportaron conversaciones',
    'conversations.export': 'Se exportó una conversación',
    'auditLog.export': 'Se exportó el registro de auditoría',
    'teamMembers.create': 'Se agregó un miembro',
    'rescue.end': 'Un miembro terminó lo que estaba en malas manos',
    'sso.update': 'Se cambió el inicio de sesión único',
  },
  something: 'Pasó algo que afecta a la seguridad',
  titles: {
    rule: 'Una regla te necesita',
    security: '¿Fuiste tú?',
    assigned: 'Asignada a ti',
    message: 'Mensaje nuevo',
    unassigned: 'Mensaje nuevo que nadie tiene',
    mention: 'Te mencionaron',
    held: 'Un mensaje no se envió',
  },
  attention: {
    owner_gone: 'el miembro en cuyo nombre actúa ya no está',
    missing_scope: 'el miembro en cuyo nombre actúa ya no puede hacer esto',
    reference_gone: 'algo que nombra ya no existe',
    unusual_volume: 'actuaría sobre más de 500 conversaciones en una hora',
    failing: 'falló cinco veces seguidas',
    late: 'lo que habría enviado llegaba demasiado tarde',
  },
  look: 'pide que la revises',
  and: (what, others) => `${what} y ${others} más`,
  from: (what, address) => `${what}, desde ${address}`,
  mails: {
    factorsLost: {
      subject: 'Se quitaron tus segundos factores de Msgdesk',
      text: 'Un propietario de tu espacio de trabajo, o el operador, quitó tus segundos factores.',
    },
    factorAdded: {
      subject: 'Se configuró un segundo factor para Msgdesk',
      text:
        'Desde ahora cada uno de tus inicios de sesión lo pide. Tus códigos de recuperación se mostraron a quien lo ' +
        'configuró.',
    },
    notAsked: (text, url) => `${text} En ${url}. Si no lo pediste, avisa a un propietario de tu espacio de trabajo.`,
    bell: {
      subject: '¿Fuiste tú? Novedades en tu cuenta de Msgdesk',
      happened: (url) => `Esto pasó en Msgdesk, en ${url}:`,
      end: (address) => `Si no fuiste tú, ni tu equipo: ${address} lo termina con un clic.`,
    },
    link: {
      subject: 'Elige tu contraseña de Msgdesk',
      hello: (name) => `Hola, ${name}:`,
      choose: (url) => `con este enlace eliges una contraseña para Msgdesk, en ${url}:`,
      once:
        'Sirve una vez, dentro de la hora en que se pidió. Si no lo esperabas, avisa a un propietario de tu espacio de ' +
        'trabajo.',
    },
  },
};
