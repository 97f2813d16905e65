import type { Worded } from '../../../../core/text/catalogue';
import type { scripts as en } from '../en/scripts';

export const scripts: Worded<typeof en> = {
  fileLost: 'El archivo no llegó. Inténtalo de nuevo.',
  undo: 'Deshacer',
  open: 'Abrir',
  unreachable: 'No se puede contactar con el servidor. Inténtalo de nuevo.',
  unsure: 'No se puede contactar con el servidor. No pudimos saber si se hizo: mira antes de intentarlo de nuevo.',
  copied: 'Copiado.',
  notCopied: 'El navegador no nos deja copiar. El texto está seleccionado: pulsa Ctrl+C.',
  areYouSure: '¿Seguro?',
  goAhead: 'Continuar',
  uploading: 'Subiendo…',
  uploadingFile: 'Subiendo {name}…',
  fileOnItsWay: 'El archivo todavía va en camino.',
  filesOnTheirWay: 'Los archivos todavía van en camino.',
  filesHere: 'Los archivos ya están aquí. Guarda para conservarlos.',
  leave: {
    title: '¿Salir sin guardar?',
    text: 'Se pierde lo que escribiste aquí y no guardaste.',
    button: 'Salir',
  },
  signedOut: 'Tu sesión se cerró. Lo que ves puede estar desactualizado.',
  signIn: 'Iniciar sesión',
  new: '{count} nuevos',
  andMore: '{what} y {count} más',
  newMessages: { one: '{count} mensaje nuevo ↓', other: '{count} mensajes nuevos ↓' },
  notLoaded: '{what}: no se pudo cargar',
  notices: {
    impossible: 'Este navegador no muestra aquí notificaciones propias: solo las acepta de direcciones con https.',
    denied: 'Este navegador no muestra notificaciones propias: permítelas para este sitio en su configuración.',
    on: 'Este navegador muestra notificaciones propias mientras no miras una página.',
    noPush:
      'Este navegador muestra notificaciones mientras hay una página abierta. No se pudo contactar con su servicio de push.',
  },
  doNotAnswer: 'No responder a este mensaje',
  moving: '¿Mover a {name}?',
  moveTells: { one: '“{template}” se envía a un contacto.', other: '“{template}” se envía a {count} contactos.' },
  moveAndSend: 'Mover y enviar',
  passkeyFailed: 'No funcionó. Intentar de nuevo',
  tooLong: { one: '{count} carácter de más', other: '{count} caracteres de más' },
};
