import type { Worded } from '../../../../core/text/catalogue';
import type { notifications as en } from '../en/notifications';

export const notifications: Worded<typeof en> = {
  title: 'Notificaciones',
  kinds: {
    notify_assigned: 'Se me asigna una conversación',
    notify_message: 'Un cliente escribe en una conversación mía',
    notify_unassigned: 'Un cliente empieza a esperar en una conversación que nadie tiene',
    notify_mention: 'Se me menciona en una nota o un comentario',
    notify_held: 'Se retiene un mensaje mío para más tarde',
  },
  levels: { off: 'No', page: 'En páginas abiertas', push: 'En páginas abiertas, y por push' },
  fields: {
    notify_sound: { label: 'Con sonido' },
    quiet_from: { label: 'Silencio desde', hint: 'En estas horas nada suena ni llega por push.' },
    quiet_until: { label: 'Silencio hasta' },
  },
  save: 'Guardar las notificaciones',
  browsers: {
    title: 'Notificaciones de navegadores',
    unknown: 'Navegador desconocido',
    since: 'recibe push desde {since}, hasta que termine su sesión',
    remove: 'Quitar',
    removed: 'Ese navegador ya no recibe nada.',
    about: 'Este navegador muestra notificaciones propias cuando las activas en él.',
    noPush: 'Llegan mientras hay una página abierta: esta instalación no tiene web push.',
    on: 'Activar en este navegador',
    off: 'Desactivar en este navegador',
  },
};
