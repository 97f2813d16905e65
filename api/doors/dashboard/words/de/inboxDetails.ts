import type { Worded } from '../../../../core/text/catalogue';
import type { details as en } from '../en/inboxDetails';

export const details: Worded<typeof en> = {
  label: (title) => `Über ${title}`,
  optedOut: 'Von Marketing abgemeldet',
  tags: {
    title: 'Schlagwörter',
    unknown: 'Die Schlagwörter haben eine Form, die nur die API kennt.',
    label: 'Schlagwörter, durch Kommas getrennt',
    placeholder: 'Schlagwörter, mit Kommas',
  },
  person: { title: 'Person', name: 'Name', email: 'E-Mail', company: 'Firma', notes: 'Notizen' },
  fields: { title: 'Felder', several: 'Durch Semikolons getrennt' },
  upcoming: 'Was geschehen wird',
  facts: {
    title: 'Fakten',
    first: 'Erste Nachricht',
    answer: 'Antworten bis',
    snoozed: 'Zurückgestellt bis',
    timer: 'Der Timer in Temporal',
    ad: 'Kam über die Anzeige',
  },
  activity: 'Aktivität',
  showActivity: 'Anzeigen, was geschah',
  saved: 'Gespeichert.',
  noActivity: 'Noch ist nichts geschehen.',
  back: 'Zurück',
};
