import type { Worded } from '../../../../core/text/catalogue';
import type { hours as en } from '../en/hours';
import { plural } from '../plural';

export const hours: Worded<typeof en> = {
  title: 'Arbeitszeiten',
  one: 'Kalender',
  new: 'Neuer Kalender',
  about: (zone) => `Die Zeiten gelten in der Zeitzone des Arbeitsbereichs, ${zone}.`,
  empty: {
    title: 'Noch keine Kalender',
    text:
      'Ein Kalender sagt, wann Ihr Team arbeitet. Kunden, die zu anderer Zeit schreiben, können eine ' +
      'Abwesenheitsantwort bekommen, und Service-Levels können Arbeitszeit zählen.',
  },
  own: 'der des Arbeitsbereichs',
  for: (names) => `Für ${names}`,
  holidays: (count) => plural(count, { one: 'Feiertag', other: 'Feiertage' }),
  speaks: 'Kunden bekommen eine Abwesenheitsantwort',
  silent: 'Keine Abwesenheitsantwort',
  closed: 'geschlossen',
  days: {
    monday: 'Montag',
    tuesday: 'Dienstag',
    wednesday: 'Mittwoch',
    thursday: 'Donnerstag',
    friday: 'Freitag',
    saturday: 'Samstag',
    sunday: 'Sonntag',
  },
  fields: {
    name: { label: 'Name' },
    holidays: { label: 'Feiertage', hint: 'Einer pro Zeile, zum Beispiel 2026-12-25 Weihnachten.' },
    is_default: { label: 'Der des Arbeitsbereichs: überall dort, wo ein Team-Posteingang keinen hat' },
    team_inbox_ids: {
      label: 'Team-Posteingänge',
      hint: 'Jeder hat einen Kalender: Was hier angehakt ist, wird einem anderen weggenommen.',
    },
    away_text: {
      label: 'Text',
      hint: 'Wird außerhalb dieser Zeiten gesendet, einmal im Fenster eines Kunden; {{name}} wird durch seinen Namen ersetzt.',
    },
    away_template_id: {
      label: 'Vorlage',
      hint: 'Wird gesendet, wo es keinen Text gibt oder das Fenster geschlossen ist.',
    },
  },
  week: {
    title: 'Zeiten einer Woche',
    hint: (zone) =>
      'Zum Beispiel 09:00-12:30, 13:30-18:00; eine Nacht besteht aus zwei Abschnitten, 22:00-24:00 und 00:00-06:00. In ' +
      `der Zeitzone des Arbeitsbereichs, ${zone}.`,
  },
  where: 'Wo er gilt',
  away: 'Abwesenheitsantwort',
  noTemplate: 'Keine',
  notNow: (id) => `${id} (kann derzeit nicht gesendet werden)`,
  made: 'Der Kalender ist erstellt.',
  saved: 'Der Kalender ist gespeichert. Fristen, die schon laufen, bleiben, wie sie waren.',
  deleted: 'Der Kalender ist gelöscht.',
  delete: {
    title: 'Diesen Kalender löschen?',
    named: (name) => `„${name}“ löschen?`,
    text: 'Seine Team-Posteingänge haben dann die Zeiten des Arbeitsbereichs. Das lässt sich nicht rückgängig machen.',
    button: 'Diesen Kalender löschen',
  },
};
