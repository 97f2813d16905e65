import type { Worded } from '../../../../core/text/catalogue';
import type { rescue as en } from '../en/rescue';
import { plural } from '../plural';

const calls = { one: 'Aufruf', other: 'Aufrufe' };

export const rescue: Worded<typeof en> = {
  title: 'Waren Sie das nicht?',
  about:
    'Hier steht alles, was für Sie läuft: Ihre anderen Sitzungen und was in Ihrem Namen erstellt wurde. Was angehakt ' +
    'ist, endet sofort; ebenso, was noch erstellt wird, bevor Sie die Schaltfläche drücken. Legen Sie danach ein neues ' +
    'Passwort fest.',
  madeIn: 'Erstellt in',
  days: (days) => (days === 1 ? 'Letzter Tag' : `Letzte ${days} Tage`),
  nothing: 'Außer dieser Sitzung läuft nichts.',
  ends: 'Was endet',
  end: 'Angehaktes beenden',
  ended: (count) =>
    `${plural(count, { one: 'Eintrag', other: 'Einträge' })} beendet. Legen Sie auch ein neues Passwort fest.`,
  kinds: {
    session: 'Sitzung',
    browser: 'Browser, der Push bekommt',
    link: 'Link für ein Passwort',
    api_key: 'API-Schlüssel',
    agent: 'Agent',
    oauth_client: 'Anwendung',
    webhook: 'Webhook',
    broadcast: 'Geplanter Broadcast',
    message: 'Nachricht für später',
    rule: 'Regel',
  },
  used: {
    session: (uses) => plural(uses, { one: 'Aktion', other: 'Aktionen' }),
    browser: () => '',
    link: () => '',
    api_key: (uses) => plural(uses, calls),
    agent: (uses) => plural(uses, calls),
    oauth_client: (uses) => plural(uses, { one: 'Verbindung', other: 'Verbindungen' }),
    webhook: (uses) => `${plural(uses, { one: 'Ereignis', other: 'Ereignisse' })} zugestellt`,
    broadcast: () => '',
    message: () => '',
    rule: (uses) => plural(uses, { one: 'Ausführung', other: 'Ausführungen' }),
  },
  unnamed: 'ohne Namen',
  since: (moment) => `seit ${moment}`,
  lastUsed: (moment) => `zuletzt verwendet ${moment}`,
  from: (places) => `von ${places}`,
};
