import type { Worded } from '../../../../core/text/catalogue';
import type { templates as en } from '../en/templates';

export const templates: Worded<typeof en> = {
  title: 'Vorlagen',
  about:
    'Nachrichten, die die Plattform genehmigen muss, bevor sie gesendet werden. Erstellt und geändert werden sie dort.',
  filters: {
    status: 'Status',
    category: 'Kategorie',
    anyStatus: 'Jeder Status',
    anyCategory: 'Jede Kategorie',
  },
  show: 'Anzeigen',
  empty: {
    title: 'Keine Vorlagen',
    text: 'Sie erscheinen hier nach der nächsten Synchronisierung.',
    none: 'Keine passt.',
    all: 'Alle anzeigen',
  },
  columns: {
    name: 'Name',
    language: 'Sprache',
    category: 'Kategorie',
    status: 'Status',
    id: 'ID',
    account: 'Konto',
  },
  refused: (reason) => `Die Plattform hat sie abgelehnt: ${reason}`,
  reads: 'Was ein Kunde liest',
  file: (kind) => `Eine Datei: ${kind}`,
  written: 'Den Text schreibt die Plattform.',
};
