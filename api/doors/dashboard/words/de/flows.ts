import type { Worded } from '../../../../core/text/catalogue';
import type { flows as en } from '../en/flows';
import { numberText } from '../numbers';

export const flows: Worded<typeof en> = {
  title: 'Flows',
  search: 'Suchen',
  empty: {
    title: 'Keine Flows',
    text: 'Flows werden auf der Messaging-Plattform erstellt. Sie erscheinen hier nach der nächsten Synchronisierung.',
    fits: 'Keiner passt. ',
    all: 'Alle anzeigen',
  },
  alert: 'Warnung',
  preview: 'Vorschau',
  errors: (count) =>
    count === 1
      ? 'Die Plattform findet einen Fehler in der Definition; er wird dort behoben.'
      : `Die Plattform findet ${count} Fehler in der Definition; sie werden dort behoben.`,
  facts: { id: 'ID', changed: 'Geändert', synced: 'Von der Plattform gelesen', endpoint: 'Endpunkt' },
  endpoint: {
    title: 'Endpunkt, die letzten sieben Tage',
    table: 'Kennzahlen des Endpunkts',
    figure: 'Kennzahl',
    none: 'Noch keine Kennzahlen.',
    unknown: 'Die Plattform nennt derzeit keine Kennzahlen.',
    metrics: {
      endpoint_request_count: 'Anfragen',
      endpoint_request_error: 'Fehler',
      endpoint_request_error_rate: 'Fehlerquote',
      endpoint_request_latency_seconds_ceil: 'Latenz, Sekunden',
      endpoint_availability: 'Verfügbarkeit',
    },
    nothing: '–',
    share: (percent) => `${numberText(percent)} %`,
  },
  submissions: {
    title: 'Einsendungen',
    none: 'Noch hat ihn kein Kunde abgesendet.',
    customer: 'Kunde',
    name: 'Name',
    answers: 'Antworten',
    when: 'Wann',
  },
};
