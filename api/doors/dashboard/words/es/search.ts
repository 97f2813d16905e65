import type { Worded } from '../../../../core/text/catalogue';
import type { search as en } from '../en/search';
import { plural } from '../plural';

export const search: Worded<typeof en> = {
  title: 'Buscar',
  label: 'Buscar personas, mensajes, tickets y páginas',
  placeholder: 'Un nombre, un número, palabras de un mensaje, una página…',
  find: 'Buscar',
  close: 'Cerrar la búsqueda',
  groups: { people: 'Personas', messages: 'Mensajes', tickets: 'Tickets', go: 'Ir a' },
  more: { people: 'Todas las personas', messages: 'Todos los mensajes', tickets: 'Todos los tickets' },
  found: (count) => plural(count, { one: 'resultado', other: 'resultados' }),
  nothing: {
    title: 'No se encontró nada',
    text: 'Los nombres se encuentran por su comienzo, los mensajes por palabras enteras de tres letras o más.',
  },
  failed: 'no se pudieron buscar. Inténtalo de nuevo.',
  lost: 'No se puede contactar con el servidor. Sigue escribiendo, o pulsa Intro para intentarlo de nuevo.',
  busy: 'El servidor está ocupado. Espera un momento y pulsa Intro.',
  hint: { choose: 'elegir', open: 'abrir', close: 'cerrar' },
  acts: {
    broadcast: 'Nueva difusión',
    ticket: 'Nuevo ticket',
    contact: 'Nuevo contacto',
    import: 'Importar contactos',
    macro: 'Nueva macro',
    rule: 'Nueva regla',
    reply: 'Nueva respuesta guardada',
    member: 'Invitar a un miembro',
    key: 'Nueva clave de API',
    webhook: 'Nuevo webhook',
    later: 'Mensajes para más tarde',
  },
};
