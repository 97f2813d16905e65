import type { Worded } from '../../../../core/text/catalogue';
import type { reports as en } from '../en/reports';
import { numberText } from '../numbers';
import { plural } from '../plural';

export const reports: Worded<typeof en> = {
  title: 'Berichte',
  about:
    'Konversationen, die an diesen Tagen begannen, von der Nachricht eines Kunden bis zur Erledigung. Sie werden ' +
    'einmal in der Minute gezählt.',
  export: 'Als CSV exportieren',
  from: 'Von',
  to: 'Bis',
  sums: 'Summen',
  show: 'Anzeigen',
  groups: {
    day: 'Tag',
    hour: 'Stunde',
    member: 'Mitglied',
    inbox: 'Team-Posteingang',
    tag: 'Schlagwort',
    broadcast: 'Broadcast',
  },
  by: (group) => `Nach ${group}`,
  numbered: (group, key) => `${group} ${key}`,
  none: 'Keine',
  of: (group, name) => `${group}: ${name}`,
  figures: {
    started: 'Begonnen',
    answered: 'Beantwortet',
    firstAnswer: 'Erste Antwort nach',
    resolved: 'Erledigt',
    resolution: 'Erledigt nach',
    rated: 'Bewertet',
    satisfied: 'Zufrieden',
    open: 'Am Ende offen',
  },
  nothing: '–',
  share: (percent) => `${numberText(percent)} %`,
  bars: (highest) => `Begonnene Konversationen, höchstens ${highest}`,
  bar: (name, count) => `${name}: ${plural(count, { one: 'Konversation', other: 'Konversationen' })}`,
  change: {
    about: (span) => `Verglichen mit ${span}, ebenso vielen Tagen davor.`,
    before: (value) => `Davor: ${value}`,
    same: 'unverändert',
    better: (by) => `${by}, besser`,
    worse: (by) => `${by}, schlechter`,
    points: (count) => plural(count, { one: 'Punkt', other: 'Punkte' }),
  },
  list: {
    titles: {
      started: 'Begonnene Konversationen',
      answered: 'Beantwortete Konversationen',
      resolved: 'Erledigte Konversationen',
      rated: 'Bewertete Konversationen',
      satisfied: 'Konversationen zufriedener Kunden',
      open: 'Am Ende offene Konversationen',
    },
    behind: 'Seit der Zählung haben sich Konversationen geändert: Der Bericht folgt innerhalb einer Minute.',
    count: (count) => plural(count, { one: 'Konversation', other: 'Konversationen' }),
    customer: 'Kunde',
    outcome: 'Ergebnis',
    outcomes: { goesOn: 'Nicht beendet', merged: 'Zusammengeführt', erased: 'Kontakt gelöscht' },
  },
  empty: { title: 'Keine Konversationen', text: 'An diesen Tagen gibt es keine.' },
};
