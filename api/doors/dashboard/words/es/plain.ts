import type { Worded } from '../../../../core/text/catalogue';
import type { plain as en } from '../en/plain';

export const plain: Worded<typeof en> = {
  goBack: 'Volver',
  problems: {
    403: 'No puedes hacer esto',
    404: 'Página no encontrada',
    405: 'Esto no se puede hacer aquí',
    429: 'Demasiadas solicitudes',
    503: 'No disponible por ahora',
    refused: 'Esto no funcionó',
    fault: 'Algo salió mal',
  },
  noPage: 'Esa página no existe.',
  fault: (requestId) => `Algo salió mal de nuestro lado. ID de la solicitud: ${requestId}`,
  lacks: (what) =>
    `Tus permisos no permiten esto. Hace falta “${what}”, que un administrador del espacio de trabajo puede darte.`,
  welcome: {
    title: 'Te damos la bienvenida',
    to: (workspace) => `Te damos la bienvenida a ${workspace}`,
    text:
      'Aquí no hay nada que tus permisos te dejen ver. Pide algunos a un administrador del espacio de trabajo y vuelve a ' +
      'cargar esta página.',
  },
  otherOrigin: (origin, home) =>
    `Esto se envió desde ${origin}, pero esta instalación está en ${home}. Ábrela allí; si esa no es su dirección, ` +
    'hay que poner en BASE_URL la que usa la gente.',
};
