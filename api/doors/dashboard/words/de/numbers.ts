import type { Worded } from '../../../../core/text/catalogue';
import type { numbers as en } from '../en/numbers';

export const numbers: Worded<typeof en> = {
  title: 'Nummern',
  about: 'Die Nummern, an die Kunden schreiben, wie die Messaging-Plattform sie führt. Geändert werden sie dort.',
  empty: {
    title: 'Keine Nummer ist verbunden',
    text: 'Der Betreiber dieser Installation verbindet das Konto mit Ihren Nummern auf der Kommandozeile:',
  },
  account: (id) => `Konto ${id}`,
  synced: 'synchronisiert',
  notSynced: 'noch nicht synchronisiert',
  none: 'Es hat keine Nummern.',
  numbersOf: (name) => `Nummern von ${name}`,
  columns: { number: 'Nummer', status: 'Status', quality: 'Qualität', limit: 'Limit' },
  noName: 'Noch kein Name',
  unpaid: 'Die Plattform stellt nichts zu, was bezahlt werden muss: Ihre Zahlung wurde abgelehnt.',
  stopped: {
    account: (reason, code) => `Die Plattform weist das Konto ab: ${reason} (${code}).`,
    number: (reason, code) => `Die Plattform weist die Nummer ab: ${reason} (${code}).`,
  },
  held: 'Das Senden ist vom Betreiber dieser Installation angehalten.',
  heldBecause: (reason) => `Vom Betreiber angehalten: ${reason}`,
  states: { held: 'angehalten', stopped: 'gestoppt', unknown: 'unbekannt' },
  qualities: { GREEN: 'hoch', YELLOW: 'mittel', RED: 'niedrig' },
  notRated: 'nicht bewertet',
  limit: (people) => `${people} Personen am Tag`,
  noLimit: 'Kein Limit',
  limitUnknown: 'Nicht bekannt',
};
