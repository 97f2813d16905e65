import type { Worded } from '../../../../core/text/catalogue';
import type { ticketsPanel as en } from '../en/ticketsPanel';

export const ticketsPanel: Worded<typeof en> = {
  title: 'Tickets',
  new: 'Neues Ticket',
  all: (count) => `Alle ${count}`,
  name: 'Worum es geht',
  create: 'Ticket erstellen',
  allFields: 'Alle Felder',
  created: (id) => `Ticket #${id} ist erstellt.`,
  stage: (stage) => `Phase: ${stage}`,
  move: 'Verschieben nach',
  comment: 'Kommentar für das Team',
  send: 'Kommentieren',
  open: 'Ticket öffnen',
  close: 'Schließen',
};
