import type { Worded } from '../../../../core/text/catalogue';
import type { filterBar as en } from '../en/filterBar';

export const filterBar: Worded<typeof en> = {
  open: 'Filtrar',
  label: 'Filtros',
  show: 'Mostrar',
  clear: 'Limpar',
  remove: (label) => `Remover: ${label}`,
};
