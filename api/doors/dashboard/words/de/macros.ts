import type { Worded } from '../../../../core/text/catalogue';
import type { macros as en } from '../en/macros';

export const macros: Worded<typeof en> = {
  title: 'Makros',
  new: 'Neues Makro',
  the: 'Das Makro',
  empty: {
    title: 'Noch keine Makros',
    text: 'Ein Makro tut mehreres auf einmal: Es antwortet, setzt Schlagwörter und erledigt, mit einem Klick in einer Konversation.',
    first: 'Das erste erstellen',
  },
  more: (count) => ` · und ${count} weitere`,
  saved: 'Das Makro ist gespeichert.',
  deleted: 'Das Makro ist gelöscht.',
  delete: {
    title: 'Dieses Makro löschen?',
    named: (name) => `„${name}“ löschen?`,
    text: 'Es kann nicht zurückgeholt werden.',
  },
  name: 'Name',
  description: 'Beschreibung',
  steps: {
    title: 'Schritte',
    none: 'Noch keine. Alle Schritte werden ausgeführt oder keiner; dann geht hinaus, was zu senden ist.',
    named: (number, label) => `Schritt ${number}: ${label}`,
    numbered: (number, label) => `${number}. ${label}`,
    of: (number) => ` – Schritt ${number}`,
    up: 'Nach oben',
    down: 'Nach unten',
    remove: 'Entfernen',
    add: 'Schritt hinzufügen',
    addThis: 'Hinzufügen',
    check: 'Schritte prüfen',
    fine: 'Alle Schritte sind in Ordnung. Es ist noch nicht gespeichert.',
    does: 'Was es tut',
    incomplete: (label) => `${label}: noch unvollständig`,
  },
  runs: {
    title: 'Letzte Ausführungen',
    onTicket: (id) => `auf Ticket ${id}`,
    inConversation: (id) => `in Konversation ${id}`,
    by: (target, name) => `${target} von ${name}`,
    failed: (step, message) => `Schritt ${step}: ${message}`,
    states: { pending: 'wartet', applied: 'angewendet', failed: 'fehlgeschlagen', abandoned: 'aufgegeben' },
    temporal: 'In Temporal',
    run: (id) => `: Ausführung ${id}`,
  },
};
