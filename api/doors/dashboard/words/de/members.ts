import type { Worded } from '../../../../core/text/catalogue';
import type { members as en } from '../en/members';
import { plural } from '../plural';

export const members: Worded<typeof en> = {
  title: 'Mitglieder',
  one: 'Mitglied',
  new: 'Neues Mitglied',
  columns: { name: 'Name', role: 'Rolle', inboxes: 'Team-Posteingänge', since: 'Seit' },
  you: 'Sie',
  inactive: 'inaktiv',
  none: '–',
  fields: {
    email: 'E-Mail',
    name: 'Name',
    role: 'Rolle',
    usual: 'Anhaken, was üblich ist für',
    copy: 'Berechtigungen übernehmen von',
    permissions: 'Berechtigungen',
    is_active: 'Aktiv: darf sich anmelden',
    revoke_api_keys: 'Die API-Schlüssel jetzt widerrufen',
    disconnect_agents: 'Die verbundenen Agenten trennen',
  },
  roles: {
    owner: 'Inhaber: alles',
    admin: 'Administrator: alles außer Abrechnung, wenn unten nicht angehakt',
    agent: 'Agent: die Berechtigungen unten',
  },
  choose: 'Bitte wählen …',
  chooseMember: 'Mitglied wählen …',
  tickTheirs: 'Diese anhaken',
  permissionsHint: 'Inhaber haben alle, Administratoren alle außer Abrechnung, die ein Inhaber anhaken kann.',
  linkHint: 'Das Passwort wird über einen Link festgelegt, der per E-Mail kommt oder Ihnen einmal angezeigt wird.',
  away: 'Wenn Sie etwas wegnehmen',
  add: 'Mitglied hinzufügen',
  saved: 'Das Mitglied ist gespeichert.',
  link: {
    make: 'Link zum Festlegen eines Passworts erstellen',
    added: 'Das Mitglied ist hinzugefügt',
    made: 'Ein Link für ein Passwort',
    give:
      'Geben Sie diesen Link weiter: Er wird nur dieses eine Mal angezeigt. Damit lässt sich einmal ein Passwort ' +
      'festlegen, bis {until}.',
    mailed: 'Ein Link zum Festlegen eines Passworts ist per E-Mail unterwegs. Er gilt einmal, bis {until}.',
    label: 'Link',
    done: 'Fertig',
  },
  sessions: {
    end: 'Sitzungen beenden',
    ask: { title: 'Die Sitzungen beenden?', text: 'Das Mitglied wird überall abgemeldet.', button: 'Beenden' },
    ended: 'Die Sitzungen sind beendet.',
  },
  factors: {
    remove: 'Zweite Faktoren entfernen',
    ask: { title: 'Die zweiten Faktoren entfernen?', text: 'Das Mitglied wird abgemeldet.', button: 'Entfernen' },
    askMore:
      'Das Mitglied wird abgemeldet, und das Passwort allein genügt, bis ein neuer zweiter Faktor eingerichtet ist.',
    removed: 'Die zweiten Faktoren sind entfernt.',
  },
  stop: {
    webhooks: (count) =>
      `${plural(count, { one: 'Webhook', other: 'Webhooks' })} anhalten, die sonst weiter melden, was geschieht`,
    broadcasts: (count) => `Planung von ${plural(count, { one: 'Broadcast', other: 'Broadcasts' })} aufheben`,
  },
  subjects: {
    conversations: 'Konversationen',
    contacts: 'Kontakte',
    tickets: 'Tickets',
    macros: 'Makros und Broadcasts',
    reading: 'Nachschlagen',
    running: 'Arbeitsbereich verwalten',
  },
  usual: { reader: 'Wer mitliest', agent: 'Einen Agenten', lead: 'Eine Teamleitung' },
};
