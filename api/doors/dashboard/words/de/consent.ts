import type { Worded } from '../../../../core/text/catalogue';
import type { consent as en } from '../en/consent';

export const consent: Worded<typeof en> = {
  title: (client) => `${client} verbinden`,
  heading: (client) => `${client} verbinden?`,
  asks: 'Die Anwendung möchte in {workspace} für Sie handeln.',
  signedIn: 'Angemeldet als',
  notYou: 'Nicht Sie?',
  describes: 'Sie beschreibt sich unter',
  back: 'Sie werden zurückgeleitet zu',
  ownDevice: {
    lead: 'Dieses Programm läuft auf Ihrem eigenen Gerät.',
    text: 'Fahren Sie nur fort, wenn Sie es eben gestartet haben, um es zu verbinden.',
  },
  nothing:
    'Sie haben keine der Berechtigungen, um die sie bittet, und können sie daher nicht verbinden. Fragen Sie einen ' +
    'Administrator Ihres Arbeitsbereichs.',
  may: 'Was sie darf',
  lacks: ' · diese Berechtigung haben Sie selbst nicht',
  approved:
    'Jede Nachricht, die sie schreibt, muss von Ihrem Team freigegeben werden, außer ein Administrator erlaubt ihr, ' +
    'selbst zu senden.',
  never:
    'Sie kann nie mehr tun, als Sie selbst dürfen. Sie können sie jederzeit im Dashboard unter Einstellungen → Agenten ' +
    'trennen.',
  cancel: 'Abbrechen',
  allow: 'Erlauben',
  problem: {
    title: 'Die Verbindung kam nicht zustande',
    other: 'Anderes Konto verwenden',
    close: 'Sie können dieses Fenster schließen und zur Anwendung zurückkehren.',
  },
};
