import type { Worded } from '../../../../core/text/catalogue';
import type { account as en } from '../en/account';

export const account: Worded<typeof en> = {
  title: 'Tu cuenta',
  saved: 'Guardado.',
  writing: {
    title: 'Idioma y escritura',
    language: 'Idioma',
    browser: 'El que pide el navegador',
    undo: 'Esperar cinco segundos antes de enviar un texto, para poder recuperarlo',
    next: 'Pasar a la siguiente conversación cuando termine con una',
    takes: 'Asignarme una conversación que no es de nadie cuando la responda',
  },
  sessions: {
    title: 'Sesiones',
    endOthers: 'Cerrar todas las demás',
    othersEnded: 'Se cerraron todas las demás sesiones.',
    unknown: 'Navegador desconocido',
    since: 'desde {since} · último uso {used}',
    current: 'esta',
    end: 'Cerrar',
    endSince: (since) => ` la sesión desde ${since}`,
    ended: 'La sesión se cerró.',
  },
  factors: {
    title: 'Segundo factor',
    about: 'Lo que muestras al iniciar sesión además de la contraseña.',
    demanded: 'Tu espacio de trabajo exige uno.',
    left: (count) => `quedan ${count} · `,
    since: 'desde',
    used: '· último uso',
    remove: 'Quitar',
    ask: { title: '¿Quitar este factor?', text: 'Ya no servirá para entrar.', button: 'Quitar' },
    removed: 'Se quitó el factor.',
    addAuthenticator: 'Agregar una app de autenticación',
    addPasskey: 'Agregar una llave de acceso',
    newCodes: 'Nuevos códigos de recuperación',
  },
  authenticator: {
    title: 'App de autenticación',
    about:
      'Escanea esto con una app en tu teléfono. Desde entonces, cada inicio de sesión te pedirá el código que muestre.',
    type: 'O escribe esto en la app: {secret}',
    fields: { code: 'El código que muestra la app', name: 'Nombre' },
    add: 'Agregar',
    added: 'Se agregó la app de autenticación.',
  },
  passkey: {
    title: 'Llave de acceso',
    about:
      'Tu dispositivo, o una llave que conectas, demuestra que eres tú. Ninguna página que imite a esta puede usarla.',
    impossible:
      'Los navegadores crean llaves de acceso solo para una dirección con nombre por https. Pregunta a quien opera esta ' +
      'instalación, o usa una app de autenticación.',
    name: 'Nombre',
    make: 'Crear una llave de acceso',
    added: 'Se agregó la llave de acceso.',
  },
  codes: {
    title: 'Tus códigos de recuperación',
    head: 'Códigos de recuperación',
    about:
      'Cada uno reemplaza una vez a otro factor. Guárdalos donde los encuentres sin tu teléfono: se muestran solo esta ' +
      'vez.',
    kept: 'Ya los guardé',
  },
  events: {
    title: 'Qué pasó con ella',
    rescue: '¿No fuiste tú?',
    none: 'Nada en los últimos 30 días.',
    by: (name) => ` · por ${name}`,
    operator: 'el operador',
  },
  password: {
    title: 'Contraseña',
    about:
      'Una contraseña nueva cierra tu sesión en todas partes, aquí también. En el próximo inicio de sesión verás qué más ' +
      'sigue activo a tu nombre y podrás terminarlo.',
    differ: 'Las dos contraseñas nuevas no coinciden.',
    fields: {
      current_password: 'Contraseña actual',
      new_password: 'Contraseña nueva',
      again: 'Repetir la contraseña nueva',
      revoke_api_keys: 'Revocar también mis claves de API',
      stop_webhooks: 'Detener los webhooks creados con claves revocadas',
      stop_broadcasts: 'Desprogramar las difusiones creadas con claves revocadas',
      disconnect_agents: 'Desconectar también los agentes que conecté',
    },
    change: 'Cambiar la contraseña',
  },
};
