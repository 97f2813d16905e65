import type { Worded } from '../../../../core/text/catalogue';
import type { customFields as en } from '../en/customFields';

export const customFields: Worded<typeof en> = {
  title: 'Campos personalizados',
  one: 'Campo personalizado',
  new: 'Nuevo campo',
  newTitle: 'Nuevo campo personalizado',
  empty: {
    title: 'Aún no hay campos personalizados',
    text: 'Guarda lo que tu equipo necesita saber de un contacto o un ticket, por ejemplo el plan o el número de pedido.',
  },
  made: 'El campo se creó.',
  saved: 'El campo se guardó.',
  deleted: 'El campo se eliminó con sus valores.',
  delete: {
    title: '¿Eliminar este campo?',
    named: (name) => `¿Eliminar “${name}”?`,
    text: 'Todos sus valores se eliminan con él. Esto no se puede deshacer.',
    button: 'Eliminar este campo',
  },
  fields: {
    label: { label: 'Etiqueta', hint: 'Lo que ven los miembros.' },
    name: {
      label: 'Clave',
      hint: 'Cómo lo llaman la API y las importaciones: minúsculas, dígitos y guiones bajos. No se puede cambiar después.',
    },
    field_type: { label: 'Tipo' },
    options: { label: 'Opciones', hint: 'Una por línea; solo para los dos tipos con opciones.' },
    applies_to: { label: 'Se muestra en' },
  },
  typeFixed: 'No se puede cambiar una vez que existe un valor.',
  types: {
    text: 'Texto',
    number: 'Número',
    boolean: 'Sí o no',
    date: 'Fecha',
    select: 'Una de varias opciones',
    multi_select: 'Cualquier cantidad de varias opciones',
  },
  cell: 'Nombre',
  subjects: { contacts: 'Contactos', conversations: 'Conversaciones', tickets: 'Tickets' },
  more: (count) => ` y ${count} más`,
};
