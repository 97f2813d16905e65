import type { Worded } from '../../../../core/text/catalogue';
import type { apiKeys as en } from '../en/apiKeys';
import { plural } from '../plural';

export const apiKeys: Worded<typeof en> = {
  title: 'Claves de API',
  new: 'Nueva clave',
  newTitle: 'Nueva clave de API',
  about: 'La clave es tuya: puede como máximo lo que tú puedes, y pierde lo que tú pierdes.',
  empty: {
    title: 'Aún no hay claves',
    text: 'Una clave permite que un programa use la API, o que un agente use {mcp}, con los permisos que elijas. {reference}',
    reference: 'La referencia de la API',
  },
  columns: {
    name: 'Nombre',
    permissions: 'Permisos',
    autonomy: 'Autonomía',
    used: 'Último uso',
    expires: 'Vence',
  },
  member: (id) => `Miembro ${id}`,
  permissions: (count) => `${count} permisos`,
  notes: 'lee notas',
  never: 'nunca',
  revoked: 'revocada',
  expired: 'vencida',
  onlyFrom: (count) => `Solo desde ${plural(count, { one: 'red', other: 'redes' })}`,
  fields: {
    name: { label: 'Nombre', hint: 'Para qué es, por ejemplo “Sistema de la tienda”.' },
    scopes: { label: 'Permisos', hint: 'Elige tan pocos como necesite.' },
    autonomy: {
      label: 'Autonomía',
      hint: 'Por debajo de autónoma, la API rechaza los envíos, y en /mcp esperan una aprobación.',
    },
    expires_at: { label: 'Vence' },
    allowed_addresses: {
      label: 'Solo desde estas direcciones',
      hint: 'Una dirección o red por línea, por ejemplo 203.0.113.0/24 o 2001:db8::/32. Vacío: desde cualquier lugar.',
    },
    notes: {
      label: 'Lee las notas del equipo',
      hint: 'Sin marcar, puede escribir notas con chat.assign y no lee ninguna.',
    },
  },
  zone: (zone) => `En la zona horaria del espacio de trabajo, ${zone}.`,
  noMoment: 'Escribe una fecha y una hora.',
  levels: {
    autonomous: 'Autónoma: envía por sí sola',
    approval: 'Aprobación: cada envío consulta a los miembros',
    draft: 'Borrador: los envíos esperan una revisión',
  },
  create: 'Crear la clave',
  made: {
    title: 'Tu nueva clave',
    copy: 'Cópiala ahora: se muestra solo esta vez.',
    label: 'Clave de API',
    copied: 'Ya la copié',
  },
  revoke: {
    button: 'Revocar',
    title: 'Revocar una clave',
    named: (name) => `¿Revocar “${name}”?`,
    text: 'Se rechaza desde la próxima solicitud a todo programa que la use. Esto no se puede deshacer.',
    done: 'La clave está revocada.',
  },
};
