import type { Worded } from '../../../../core/text/catalogue';
import type { plain as en } from '../en/plain';

export const plain: Worded<typeof en> = {
  goBack: 'Zurück',
  problems: {
    403: 'Das dürfen Sie nicht',
    404: 'Seite nicht gefunden',
    405: 'Das geht hier nicht',
    429: 'Zu viele Anfragen',
    503: 'Derzeit nicht verfügbar',
    refused: 'Das hat nicht geklappt',
    fault: 'Etwas ist schiefgegangen',
  },
  noPage: 'Diese Seite gibt es nicht.',
  fault: (requestId) => `Bei uns ist etwas schiefgegangen. Anfrage-ID: ${requestId}`,
  lacks: (what) =>
    `Ihre Berechtigungen erlauben das nicht. Nötig ist „${what}“; ein Administrator des Arbeitsbereichs kann es Ihnen geben.`,
  welcome: {
    title: 'Willkommen',
    to: (workspace) => `Willkommen bei ${workspace}`,
    text:
      'Mit Ihren Berechtigungen gibt es hier nichts zu sehen. Bitten Sie einen Administrator des Arbeitsbereichs um ' +
      'welche, und laden Sie diese Seite neu.',
  },
  otherOrigin: (origin, home) =>
    `Das kam von ${origin}, aber diese Installation ist unter ${home}. Öffnen Sie sie dort; ist das nicht ihre ` +
    'Adresse, muss BASE_URL auf die gesetzt werden, die alle verwenden.',
};
