import type { Worded } from '../../../../core/text/catalogue';
import type { common as en } from '../en/common';

export const common: Worded<typeof en> = {
  edit: 'Bearbeiten',
  save: 'Speichern',
  create: 'Erstellen',
  cancel: 'Abbrechen',
  delete: 'Löschen',
  optional: 'optional',
  actions: 'Aktionen',
  default: 'Standard',
  pages: 'Seiten',
  previous: 'Zurück',
  next: 'Weiter',
  inAll: (count) => `${count} insgesamt`,
  settings: 'Einstellungen',
  choice: { yes: 'Ja', no: 'Nein', several: 'Halten Sie Strg oder ⌘ gedrückt, um mehrere zu wählen.' },
};
