import type { Worded } from '../../../../core/text/catalogue';
import type { macros as en } from '../en/macros';

export const macros: Worded<typeof en> = {
  title: 'Macros',
  new: 'Nueva macro',
  the: 'La macro',
  empty: {
    title: 'Aún no hay macros',
    text: 'Una macro hace varias cosas a la vez: responde, pone etiquetas y resuelve, con un clic en una conversación.',
    first: 'Crear la primera',
  },
  more: (count) => ` · y ${count} más`,
  saved: 'La macro se guardó.',
  deleted: 'La macro se eliminó.',
  delete: {
    title: '¿Eliminar esta macro?',
    named: (name) => `¿Eliminar “${name}”?`,
    text: 'No se puede recuperar.',
  },
  name: 'Nombre',
  description: 'Descripción',
  steps: {
    title: 'Pasos',
    none: 'Aún no hay. Se hacen todos los pasos, o ninguno; después se envía lo que haya que enviar.',
    named: (number, label) => `Paso ${number}: ${label}`,
    numbered: (number, label) => `${number}. ${label}`,
    of: (number) => ` el paso ${number}`,
    up: 'Subir',
    down: 'Bajar',
    remove: 'Quitar',
    add: 'Agregar un paso',
    addThis: 'Agregar',
    check: 'Revisar los pasos',
    fine: 'Todos los pasos están bien. Aún no se ha guardado.',
    does: 'Qué hace',
    incomplete: (label) => `${label}: aún incompleto`,
  },
  runs: {
    title: 'Últimas ejecuciones',
    onTicket: (id) => `en el ticket ${id}`,
    inConversation: (id) => `en la conversación ${id}`,
    by: (target, name) => `${target} por ${name}`,
    failed: (step, message) => `Paso ${step}: ${message}`,
    states: { pending: 'pendiente', applied: 'aplicada', failed: 'fallida', abandoned: 'abandonada' },
    temporal: 'En Temporal',
    run: (id) => `: ejecución ${id}`,
  },
};
