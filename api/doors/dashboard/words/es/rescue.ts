import type { Worded } from '../../../../core/text/catalogue';
import type { rescue as en } from '../en/rescue';
import { plural } from '../plural';

const calls = { one: 'llamada', other: 'llamadas' };

export const rescue: Worded<typeof en> = {
  title: '¿No fuiste tú?',
  about:
    'Aquí está todo lo que sigue activo a tu nombre: tus otras sesiones y lo que se creó en tu nombre. Lo marcado termina ' +
    'de inmediato, y también lo que se cree antes de que pulses el botón. Después, elige una contraseña nueva.',
  madeIn: 'Creado en',
  days: (days) => (days === 1 ? 'El último día' : `Los últimos ${days} días`),
  nothing: 'No sigue nada más que esta sesión.',
  ends: 'Qué termina',
  end: 'Terminar lo marcado',
  ended: (count) =>
    `${plural(count, { one: 'elemento terminado', other: 'elementos terminados' })}. Elige también una contraseña nueva.`,
  kinds: {
    session: 'Sesión',
    browser: 'Navegador que recibe push',
    link: 'Enlace para una contraseña',
    api_key: 'Clave de API',
    agent: 'Agente',
    oauth_client: 'Aplicación',
    webhook: 'Webhook',
    broadcast: 'Difusión programada',
    message: 'Mensaje para más tarde',
    rule: 'Regla',
  },
  used: {
    session: (uses) => plural(uses, { one: 'acción', other: 'acciones' }),
    browser: () => '',
    link: () => '',
    api_key: (uses) => plural(uses, calls),
    agent: (uses) => plural(uses, calls),
    oauth_client: (uses) => plural(uses, { one: 'conexión', other: 'conexiones' }),
    webhook: (uses) => plural(uses, { one: 'evento entregado', other: 'eventos entregados' }),
    broadcast: () => '',
    message: () => '',
    rule: (uses) => plural(uses, { one: 'ejecución', other: 'ejecuciones' }),
  },
  unnamed: 'sin nombre',
  since: (moment) => `desde ${moment}`,
  lastUsed: (moment) => `último uso ${moment}`,
  from: (places) => `desde ${places}`,
};
