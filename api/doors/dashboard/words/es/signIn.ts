import type { Worded } from '../../../../core/text/catalogue';
import type { signIn as en } from '../en/signIn';

export const signIn: Worded<typeof en> = {
  error: (title) => `Error: ${title}`,
  tooLong: 'Este formulario estuvo abierto demasiado tiempo. Inténtalo de nuevo.',
  goOn: 'Continuar',
  password: {
    title: 'Iniciar sesión',
    named: 'iniciar sesión',
    reason: 'Usa el correo y la contraseña de tu cuenta en el espacio de trabajo.',
    application: 'Una aplicación quiere conectarse a tu espacio de trabajo. Inicia sesión para decidir.',
    email: 'Correo',
    password: 'Contraseña',
    company: 'Iniciar sesión con tu empresa',
    forgot: '¿Olvidaste tu contraseña?',
    tooMany: (minutes) =>
      `Demasiados intentos. Inténtalo de nuevo en ${minutes === 1 ? 'un minuto' : `${minutes} minutos`}.`,
    wrong: 'El correo o la contraseña no son correctos.',
  },
  factor: {
    title: 'Segundo paso',
    named: 'segundo paso',
    more: 'Un paso más',
    show: 'Demuestra ahora que eres tú.',
    setUp: 'Configura un segundo factor',
    scan: 'Tu espacio de trabajo pide uno en cada inicio de sesión. Escanea esto con una app de autenticación en tu teléfono.',
    type: 'O escribe esto en la app: {secret}',
    code: 'Código de tu app de autenticación, o un código de recuperación',
    appCode: 'El código que muestra la app',
    passkey: 'Usar una llave de acceso',
  },
  codes: {
    title: 'Tus códigos de recuperación',
    head: 'Códigos de recuperación',
    about:
      'Cada uno reemplaza una vez a la app. Guárdalos donde los encuentres sin tu teléfono: se muestran solo esta vez.',
    kept: 'Ya los guardé',
  },
  company: {
    title: 'Iniciar sesión con tu empresa',
    named: 'iniciar sesión con tu empresa',
    about: 'Si tu empresa tiene su propio inicio de sesión, tu correo lleva allí.',
    email: 'Correo',
    password: 'Iniciar sesión con una contraseña',
    unknown: 'Ninguna empresa con inicio de sesión propio tiene este correo.',
    over: 'Este inicio de sesión terminó, o empezó en otro navegador. Empieza de nuevo.',
  },
  link: {
    gone: {
      title: 'Este enlace ya no sirve',
      text: 'Se usó, tiene más de una hora, o uno más nuevo ocupó su lugar. Pide otro.',
    },
    title: 'Elige tu contraseña',
    for: (email, rule) => `Para ${email}. ${rule}`,
    password: 'Contraseña nueva',
    again: 'Repetir la contraseña nueva',
    differ: 'Las dos contraseñas no coinciden.',
    save: 'Guardar',
    saved: {
      title: 'Tu contraseña se guardó',
      text: 'Tu sesión se cerró en todas partes. Inicia sesión con ella ahora.',
    },
  },
  forgot: {
    title: '¿Olvidaste tu contraseña?',
    about: 'Te enviamos por correo un enlace con el que eliges una nueva.',
    email: 'Correo',
    mail: 'Enviarme un enlace',
    mailed: {
      title: 'Revisa tu correo',
      text: 'Si un miembro tiene este correo, un enlace va en camino. Sirve durante una hora.',
    },
  },
  verify: {
    title: '¿Eres tú?',
    about:
      'Estás por hacer algo importante. Demuestra una vez más que eres tú; después nada te lo pide durante diez minutos.',
    password: 'Contraseña',
    company: 'Confirmar con tu empresa',
  },
};
