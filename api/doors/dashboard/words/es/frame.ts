import type { Worded } from '../../../../core/text/catalogue';
import type { frame as en } from '../en/frame';

export const frame: Worded<typeof en> = {
  skip: 'Ir al contenido',
  main: 'Principal',
  bar: 'Lugares',
  more: 'Más',
  places: {
    inbox: 'Bandeja de entrada',
    tickets: 'Tickets',
    contacts: 'Contactos',
    broadcasts: 'Difusiones',
    approvals: 'Aprobaciones',
    concerns: 'Para mí',
    pipelines: 'Pipelines',
    macros: 'Macros',
    rules: 'Reglas',
    replies: 'Respuestas guardadas',
    reports: 'Informes',
    flows: 'Flows',
    settings: 'Configuración',
  },
  waiting: 'en espera',
  account: 'Tu cuenta:',
  away: 'ausente',
  goAway: 'Estoy ausente',
  goAwayAbout: 'Ninguna bandeja de equipo te da conversaciones hasta que vuelvas',
  comeBack: 'Ya volví',
  reference: 'Referencia de la API',
  connect: 'Cómo conectar un agente',
  signOut: 'Cerrar sesión',
  trial: {
    text:
      'La prueba de este espacio de trabajo venció. Puedes leer todo y no cambiar nada, y se rechazan las claves de API, ' +
      'hasta que se elija un plan.',
    choose: 'Elegir un plan',
    ask: 'Un propietario puede elegir uno.',
  },
  unpaid:
    'La plataforma no entrega lo que debe pagarse: su pago fue rechazado. Las difusiones esperan, y las respuestas que ' +
    'cuestan algo se pierden. Resuélvelo en la plataforma; después, una sincronización del operador deja salir todo.',
  offline: 'Se perdió la conexión. Lo que ves puede estar desactualizado; se pone al día por sí solo.',
  undo: 'Deshacer',
  confirm: { title: '¿Seguro?', go: 'Continuar' },
  keys: {
    title: 'Atajos de teclado',
    search: 'Buscar en todas partes',
    list: 'Esta lista',
    undo: 'Deshacer lo último',
    escape: 'Cerrar un menú, salir de un campo',
    close: 'Cerrar',
  },
};
