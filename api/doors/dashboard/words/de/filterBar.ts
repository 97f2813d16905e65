import type { Worded } from '../../../../core/text/catalogue';
import type { filterBar as en } from '../en/filterBar';

export const filterBar: Worded<typeof en> = {
  open: 'Filtern',
  label: 'Filter',
  show: 'Anzeigen',
  clear: 'Zurücksetzen',
  remove: (label) => `Entfernen: ${label}`,
};
