import type { Worded } from '../../../../core/text/catalogue';
import type { members as en } from '../en/members';
import { plural } from '../plural';

export const members: Worded<typeof en> = {
  title: 'Miembros',
  one: 'Miembro',
  new: 'Nuevo miembro',
  columns: { name: 'Nombre', role: 'Rol', inboxes: 'Bandejas de equipo', since: 'Desde' },
  you: 'tú',
  inactive: 'inactivo',
  none: '–',
  fields: {
    email: 'Correo',
    name: 'Nombre',
    role: 'Rol',
    usual: 'Marcar lo habitual para',
    copy: 'Copiar los permisos de',
    permissions: 'Permisos',
    is_active: 'Activo: puede iniciar sesión',
    revoke_api_keys: 'Revocar ahora sus claves de API',
    disconnect_agents: 'Desconectar los agentes que conectó',
  },
  roles: {
    owner: 'Propietario: todo',
    admin: 'Administrador: todo menos la facturación, salvo que se marque abajo',
    agent: 'Agente: los permisos de abajo',
  },
  choose: 'Elige…',
  chooseMember: 'Elige un miembro…',
  tickTheirs: 'Marcar los suyos',
  permissionsHint:
    'Los propietarios tienen todos; los administradores, todos menos la facturación, que un propietario puede marcar.',
  linkHint: 'Elige su contraseña por un enlace, que le llega por correo o se te muestra una vez.',
  away: 'Cuando le quitas algo',
  add: 'Agregar el miembro',
  saved: 'El miembro se guardó.',
  link: {
    make: 'Crear un enlace para elegir contraseña',
    added: 'Se agregó el miembro',
    made: 'Un enlace para una contraseña',
    give: 'Dale este enlace: se muestra solo esta vez. Con él elige una contraseña, una sola vez, hasta {until}.',
    mailed: 'Se le envió por correo un enlace para elegir una contraseña. Sirve una vez, hasta {until}.',
    label: 'Enlace',
    done: 'Listo',
  },
  sessions: {
    end: 'Cerrar sus sesiones',
    ask: { title: '¿Cerrar sus sesiones?', text: 'Su sesión se cierra en todas partes.', button: 'Cerrarlas' },
    ended: 'Sus sesiones se cerraron.',
  },
  factors: {
    remove: 'Quitar sus segundos factores',
    ask: { title: '¿Quitar sus segundos factores?', text: 'Su sesión se cierra.', button: 'Quitar' },
    askMore: 'Su sesión se cierra, y la contraseña sola le basta para entrar hasta que configure uno nuevo.',
    removed: 'Se quitaron sus segundos factores.',
  },
  stop: {
    webhooks: (count) =>
      `Detener ${plural(count, { one: 'webhook, que seguiría', other: 'webhooks, que seguirían' })} contando a sus ` +
      'receptores lo que pasa',
    broadcasts: (count) => `Desprogramar ${plural(count, { one: 'difusión', other: 'difusiones' })}`,
  },
  subjects: {
    conversations: 'Conversaciones',
    contacts: 'Contactos',
    tickets: 'Tickets',
    macros: 'Macros y difusiones',
    reading: 'Consultar',
    running: 'Administrar el espacio de trabajo',
  },
  usual: { reader: 'Alguien que solo lee', agent: 'Un agente', lead: 'Un jefe de equipo' },
};
