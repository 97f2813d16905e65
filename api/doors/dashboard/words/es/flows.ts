import type { Worded } from '../../../../core/text/catalogue';
import type { flows as en } from '../en/flows';
import { numberText } from '../numbers';

export const flows: Worded<typeof en> = {
  title: 'Flows',
  search: 'Buscar',
  empty: {
    title: 'No hay Flows',
    text: 'Los Flows se crean en la plataforma de mensajería. Aparecen aquí tras la próxima sincronización.',
    fits: 'Ninguno coincide. ',
    all: 'Mostrar todos',
  },
  alert: 'alerta',
  preview: 'Vista previa',
  errors: (count) =>
    count === 1
      ? 'La plataforma encuentra un error en la definición; se corrige allí.'
      : `La plataforma encuentra ${count} errores en la definición; se corrigen allí.`,
  facts: { id: 'ID', changed: 'Cambiado', synced: 'Leído de la plataforma', endpoint: 'Endpoint' },
  endpoint: {
    title: 'Endpoint, los últimos siete días',
    table: 'Cifras del endpoint',
    figure: 'Cifra',
    none: 'Aún no hay cifras.',
    unknown: 'La plataforma no da cifras por ahora.',
    metrics: {
      endpoint_request_count: 'Solicitudes',
      endpoint_request_error: 'Errores',
      endpoint_request_error_rate: 'Tasa de errores',
      endpoint_request_latency_seconds_ceil: 'Latencia, segundos',
      endpoint_availability: 'Disponibilidad',
    },
    nothing: '–',
    share: (percent) => `${numberText(percent)} %`,
  },
  submissions: {
    title: 'Respuestas recibidas',
    none: 'Ningún cliente lo ha enviado todavía.',
    customer: 'Cliente',
    name: 'Nombre',
    answers: 'Respuestas',
    when: 'Cuándo',
  },
};
