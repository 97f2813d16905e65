import type { Worded } from '../../../../core/text/catalogue';
import type { customFields as en } from '../en/customFields';

export const customFields: Worded<typeof en> = {
  title: 'Eigene Felder',
  one: 'Eigenes Feld',
  new: 'Neues Feld',
  newTitle: 'Neues eigenes Feld',
  empty: {
    title: 'Noch keine eigenen Felder',
    text:
      'Halten Sie fest, was Ihr Team über einen Kontakt oder ein Ticket wissen muss, zum Beispiel den Tarif oder die ' +
      'Bestellnummer.',
  },
  made: 'Das Feld ist erstellt.',
  saved: 'Das Feld ist gespeichert.',
  deleted: 'Das Feld ist mit seinen Werten gelöscht.',
  delete: {
    title: 'Dieses Feld löschen?',
    named: (name) => `„${name}“ löschen?`,
    text: 'Alle seine Werte werden mitgelöscht. Das lässt sich nicht rückgängig machen.',
    button: 'Dieses Feld löschen',
  },
  fields: {
    label: { label: 'Bezeichnung', hint: 'Was Mitglieder sehen.' },
    name: {
      label: 'Schlüssel',
      hint: 'Wie API und Importe es nennen: Kleinbuchstaben, Ziffern und Unterstriche. Er kann später nicht geändert werden.',
    },
    field_type: { label: 'Typ' },
    options: { label: 'Auswahl', hint: 'Eine pro Zeile; nur für die beiden Typen mit Auswahl.' },
    applies_to: { label: 'Angezeigt bei' },
  },
  typeFixed: 'Kann nicht mehr geändert werden, sobald es einen Wert gibt.',
  types: {
    text: 'Text',
    number: 'Zahl',
    boolean: 'Ja oder nein',
    date: 'Datum',
    select: 'Eine von mehreren',
    multi_select: 'Beliebig viele von mehreren',
  },
  cell: 'Name',
  subjects: { contacts: 'Kontakte', conversations: 'Konversationen', tickets: 'Tickets' },
  more: (count) => ` und ${count} weitere`,
};
