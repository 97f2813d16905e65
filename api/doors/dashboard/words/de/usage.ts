import type { Worded } from '../../../../core/text/catalogue';
import type { usage as en } from '../en/usage';
import { plural } from '../plural';

export const usage: Worded<typeof en> = {
  title: 'Kosten',
  about:
    'Zugestellte Nachrichten und solche, von denen die Plattform sagt, dass sie sie berechnet. Was das kostet, ergibt ' +
    'sich aus den Tarifen unten; die Rechnung der Plattform hat das letzte Wort.',
  fields: { from: 'Von', to: 'Bis', group_by: 'Summen' },
  groups: {
    day: 'Tag',
    number: 'Telefonnummer',
    category: 'Kategorie',
    broadcast: 'Broadcast',
    member: 'Mitglied',
    country: 'Land',
  },
  by: {
    day: 'Nach Tag',
    number: 'Nach Telefonnummer',
    category: 'Nach Kategorie',
    broadcast: 'Nach Broadcast',
    member: 'Nach Mitglied',
    country: 'Nach Land',
  },
  show: 'Anzeigen',
  empty: { title: 'Keine Nachrichten', text: 'An diesen Tagen wurde keine zugestellt.' },
  columns: { arrived: 'Zugestellt', charged: 'Berechnet', cost: 'Kosten' },
  all: 'Alle',
  none: 'Keine',
  noRate: 'kein Tarif',
  broadcast: (id) => `Broadcast ${id}`,
  rates: {
    title: 'Tarife',
    empty: 'Noch gibt es keine. Entnehmen Sie sie der Preisliste der Plattform.',
    others: 'Alle anderen Länder',
    from: (amount, from) => `${amount}, ab ${from}`,
    fields: {
      csv: {
        label: 'Tarife als CSV',
        hint: 'Spalten: country (zwei Buchstaben, oder * für alle anderen), category, rate, currency.',
      },
      valid_from: { label: 'Gültig ab' },
      replace: { label: 'Alle früheren Tarife ersetzen' },
    },
    store: 'Tarife speichern',
    stored: (count) => `${plural(count, { one: 'Tarif', other: 'Tarife' })} gespeichert.`,
  },
};
