import type { Worded } from '../../../core/text/catalogue';
import type { en } from './en';

export const de: Worded<typeof en> = {
  actions: {
    'signIn.newPlace': 'Eine Anmeldung aus neuem Netz und neuem Browser',
    'signIn.codesGuessed': 'Fünf falsche Codes nach dem richtigen Passwort',
    'signIn.passwordVoid': 'Fünfzig falsche Codes an einem Tag: Das Passwort gilt nicht mehr',
    'password.change': 'Das Passwort wurde geändert',
    'password.chosenByLink': 'Ein Passwort wurde über einen Link festgelegt',
    'factors.addTotp': 'Eine Authenticator-App wurde hinzugefügt',
    'factors.addPasskey': 'Ein Passkey wurde hinzugefügt',
    'factors.remove': 'Ein zweiter Faktor wurde entfernt',
    'factors.renewCodes': 'Neue Wiederherstellungscodes wurden erstellt',
    'apiKeys.create': 'Ein API-Schlüssel wurde erstellt',
    'connectedAgents.connect': 'Ein Agent wurde verbunden',
    'connectedAgents.newNetwork': 'Ein Agent hat aus einem neuen Netz aufgerufen',
    'oauthClients.create': 'Eine Anwendung wurde registriert',
    'webhooks.create': 'Ein Webhook wurde erstellt',
    'webhooks.opened': 'Ein Webhook wurde verlegt, aktiviert oder erweitert',
    'webhooks.rotateSecret': 'Das Geheimnis eines Webhooks wurde erneuert',
    'rules.opened': 'Eine Regel, die sendet, wurde eingeschaltet',
    'contacts.export': 'Kontakte wurden exportiert',
    'reports.export': 'Konversationen wurden exportiert',
    'conversations.export': 'Eine Konversation wurde exportiert',
    'auditLog.export': 'Das Prüfprotokoll wurde exportiert',
    'teamMembers.create': 'Ein Mitglied wurde hinzugefügt',
    'rescue.end': 'Ein Mitglied hat beendet, was in falschen Händen war',
    'sso.update': 'Single Sign-on wurde geändert',
  },
  something: 'Etwas ist geschehen, das die Sicherheit betrifft',
  titles: {
    rule: 'Eine Regel braucht Sie',
    security: 'Waren Sie das?',
    assigned: 'Ihnen zugewiesen',
    message: 'Neue Nachricht',
    unassigned: 'Neue Nachricht, die niemand hat',
    mention: 'Sie wurden erwähnt',
    held: 'Eine Nachricht wurde nicht gesendet',
  },
  attention: {
    owner_gone: 'das Mitglied, in dessen Namen sie handelt, ist nicht mehr da',
    missing_scope: 'das Mitglied, in dessen Namen sie handelt, darf das nicht mehr',
    reference_gone: 'etwas, das sie nennt, gibt es nicht mehr',
    unusual_volume: 'sie würde in einer Stunde mehr als 500 Konversationen erfassen',
    failing: 'sie ist fünfmal hintereinander fehlgeschlagen',
    late: 'was sie gesendet hätte, war zu spät',
  },
  look: 'sie bittet um einen Blick',
  and: (what, others) => `${what} und ${others} weitere`,
  from: (what, address) => `${what}, von ${address}`,
  mails: {
    factorsLost: {
      subject: 'Ihre zweiten Faktoren für Msgdesk wurden entfernt',
      text: 'Ein Inhaber Ihres Arbeitsbereichs oder der Betreiber hat Ihre zweiten Faktoren entfernt.',
    },
    factorAdded: {
      subject: 'Ein zweiter Faktor für Msgdesk wurde eingerichtet',
      text:
        'Ab jetzt fragt jede Ihrer Anmeldungen danach. Ihre Wiederherstellungscodes wurden demjenigen angezeigt, der ihn ' +
        'eingerichtet hat.',
    },
    notAsked: (text, url) =>
      `${text} Unter ${url}. Wenn Sie nicht darum gebeten haben, sagen Sie es einem Inhaber Ihres Arbeitsbereichs.`,
    bell: {
      subject: 'Waren Sie das? Neues in Ihrem Msgdesk-Konto',
      happened: (url) => `Das ist in Msgdesk unter ${url} geschehen:`,
      end: (address) => `Wenn Sie oder Ihr Team das nicht waren: ${address} beendet es mit einem Klick.`,
    },
    link: {
      subject: 'Legen Sie Ihr Passwort für Msgdesk fest',
      hello: (name) => `Guten Tag ${name},`,
      choose: (url) => `mit diesem Link legen Sie ein Passwort für Msgdesk unter ${url} fest:`,
      once:
        'Er gilt einmal, innerhalb einer Stunde, nachdem er angefordert wurde. Wenn Sie ihn nicht erwartet haben, sagen Sie ' +
        'es einem Inhaber Ihres Arbeitsbereichs.',
    },
  },
};
