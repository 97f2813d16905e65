import type { Worded } from '../../../../core/text/catalogue';
import type { consent as en } from '../en/consent';

export const consent: Worded<typeof en> = {
  title: (client) => `Conectar ${client}`,
  heading: (client) => `¿Conectar ${client}?`,
  asks: 'Pide actuar por ti en {workspace}.',
  signedIn: 'Sesión iniciada como',
  notYou: '¿No eres tú?',
  describes: 'Se describe en',
  back: 'Volverás a',
  ownDevice: {
    lead: 'Este programa se ejecuta en tu propio dispositivo.',
    text: 'Continúa solo si acabas de iniciarlo para conectarlo.',
  },
  nothing:
    'No tienes ninguno de los permisos que pide, así que no puedes conectarla. Pregunta a un administrador de tu espacio ' +
    'de trabajo.',
  may: 'Qué puede hacer',
  lacks: ' · tú no tienes este permiso',
  approved:
    'Tu equipo debe aprobar cada mensaje que escriba, salvo que un administrador le permita enviar por su cuenta.',
  never:
    'Nunca puede hacer más de lo que tú puedes. Puedes desconectarla en cualquier momento en el panel, en Configuración → ' +
    'Agentes.',
  cancel: 'Cancelar',
  allow: 'Permitir',
  problem: {
    title: 'La conexión no se hizo',
    other: 'Usar otra cuenta',
    close: 'Puedes cerrar esta ventana y volver a la aplicación.',
  },
};
