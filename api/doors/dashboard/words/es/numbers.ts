import type { Worded } from '../../../../core/text/catalogue';
import type { numbers as en } from '../en/numbers';

export const numbers: Worded<typeof en> = {
  title: 'Números',
  about: 'Los números a los que escriben los clientes, como los tiene la plataforma de mensajería. Se cambian allí.',
  empty: {
    title: 'No hay ningún número conectado',
    text: 'Quien opera esta instalación conecta la cuenta que tiene tus números, en su línea de comandos:',
  },
  account: (id) => `Cuenta ${id}`,
  synced: 'sincronizada',
  notSynced: 'aún sin sincronizar',
  none: 'No tiene números.',
  numbersOf: (name) => `Números de ${name}`,
  columns: { number: 'Número', status: 'Estado', quality: 'Calidad', limit: 'Límite' },
  noName: 'Aún sin nombre',
  unpaid: 'La plataforma no entrega nada que deba pagarse: su pago fue rechazado.',
  stopped: {
    account: (reason, code) => `La plataforma rechaza la cuenta: ${reason} (${code}).`,
    number: (reason, code) => `La plataforma rechaza el número: ${reason} (${code}).`,
  },
  held: 'Quien opera esta instalación retiene los envíos.',
  heldBecause: (reason) => `Retenido por el operador: ${reason}`,
  states: { held: 'retenido', stopped: 'detenido', unknown: 'desconocido' },
  qualities: { GREEN: 'alta', YELLOW: 'media', RED: 'baja' },
  notRated: 'sin calificar',
  limit: (people) => `${people} personas al día`,
  noLimit: 'Sin límite',
  limitUnknown: 'No se sabe',
};
