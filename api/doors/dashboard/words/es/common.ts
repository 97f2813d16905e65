import type { Worded } from '../../../../core/text/catalogue';
import type { common as en } from '../en/common';

export const common: Worded<typeof en> = {
  edit: 'Editar',
  save: 'Guardar',
  create: 'Crear',
  cancel: 'Cancelar',
  delete: 'Eliminar',
  optional: 'opcional',
  actions: 'Acciones',
  default: 'predeterminado',
  pages: 'Páginas',
  previous: 'Anterior',
  next: 'Siguiente',
  inAll: (count) => `${count} en total`,
  settings: 'Configuración',
  choice: { yes: 'Sí', no: 'No', several: 'Mantén pulsada Ctrl o ⌘ para elegir varios.' },
};
