import type { Worded } from '../../../../core/text/catalogue';
import type { templates as en } from '../en/templates';

export const templates: Worded<typeof en> = {
  title: 'Plantillas',
  about: 'Mensajes que la plataforma debe aprobar antes de enviarse. Se crean y se cambian allí.',
  filters: {
    status: 'Estado',
    category: 'Categoría',
    anyStatus: 'Cualquier estado',
    anyCategory: 'Cualquier categoría',
  },
  show: 'Mostrar',
  empty: {
    title: 'No hay plantillas',
    text: 'Aparecen aquí tras la próxima sincronización.',
    none: 'Ninguna coincide.',
    all: 'Mostrar todas',
  },
  columns: {
    name: 'Nombre',
    language: 'Idioma',
    category: 'Categoría',
    status: 'Estado',
    id: 'ID',
    account: 'Cuenta',
  },
  refused: (reason) => `La plataforma la rechazó: ${reason}`,
  reads: 'Lo que lee un cliente',
  file: (kind) => `Un archivo: ${kind}`,
  written: 'La plataforma escribe su texto.',
};
