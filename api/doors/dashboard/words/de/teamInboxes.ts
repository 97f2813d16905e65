import type { Worded } from '../../../../core/text/catalogue';
import type { teamInboxes as en } from '../en/teamInboxes';
import { plural } from '../plural';

export const teamInboxes: Worded<typeof en> = {
  title: 'Team-Posteingänge',
  one: 'Team-Posteingang',
  new: 'Neuer Team-Posteingang',
  newTitle: 'Neuer Team-Posteingang',
  empty: {
    title: 'Noch keine Team-Posteingänge',
    text:
      'Ein Team-Posteingang sammelt die Konversationen einer Gruppe, zum Beispiel der Abrechnung. Der erste ist der ' +
      'Standard.',
  },
  made: 'Der Team-Posteingang ist erstellt.',
  saved: 'Der Team-Posteingang ist gespeichert.',
  deleted: 'Der Team-Posteingang ist gelöscht.',
  delete: {
    title: 'Diesen Team-Posteingang löschen?',
    named: (name) => `„${name}“ löschen?`,
    text: 'Seine Konversationen und Tickets sind dann keinem zugewiesen. Das lässt sich nicht rückgängig machen.',
    button: 'Diesen Team-Posteingang löschen',
  },
  fields: {
    name: { label: 'Name' },
    description: { label: 'Beschreibung' },
    member_ids: { label: 'Mitglieder' },
    is_default: { label: 'Zum Standard machen, anstelle des jetzigen' },
  },
  nobody: 'Niemand sitzt darin',
  assignment: {
    title: 'Zuweisung',
    mode: 'Konversationen finden ein Mitglied',
    modes: { manual: 'Von Hand', round_robin: 'Reihum', balanced: 'Wer die wenigsten offenen hat' },
    waiting: (count) =>
      count === 0
        ? 'Niemand wartet auf ein Mitglied.'
        : plural(count, { one: 'wartet auf ein Mitglied.', other: 'warten auf ein Mitglied.' }),
    capacity: (name) => `Höchstens offene Konversationen von ${name}`,
    about: (open, isAway) => `Hat jetzt ${open}${isAway ? ' und ist abwesend' : ''}. Leer: so viele, wie kommen.`,
    save: 'Zuweisung speichern',
    saved: 'Die Zuweisung ist gespeichert.',
  },
};
