import type { Worded } from '../../../../core/text/catalogue';
import type { agents as en } from '../en/agents';

export const agents: Worded<typeof en> = {
  title: 'Agenten',
  connected: 'Verbundene Agenten',
  none: {
    lead: 'Kein Agent ist verbunden.',
    text:
      'Geben Sie die Adresse {address} einem Agenten, der MCP spricht; er führt ein Mitglied hierher, damit es sich ' +
      'anmeldet und zustimmt. {guide}',
    guide: 'So verbinden Sie einen Agenten',
  },
  for: (member) => `Für ${member} · verbunden`,
  lastCall: 'letzter Aufruf',
  noCall: 'noch kein Aufruf',
  autonomy: 'Autonomie',
  levelSaved: 'Die Stufe ist gespeichert. Sie gilt ab dem nächsten Aufruf.',
  disconnect: {
    button: 'Trennen',
    ask: {
      title: 'Diesen Agenten trennen?',
      text: 'Er wird ab dem nächsten Aufruf abgewiesen. Um zurückzukommen, muss er neu verbunden werden.',
      button: 'Trennen',
    },
    named: (name) => `„${name}“ trennen?`,
    done: 'Der Agent ist getrennt.',
  },
  clients: {
    title: 'OAuth-Clients',
    about: 'Programme, die Mitglieder um eine Verbindung bitten dürfen.',
    none: 'Noch ist keiner registriert. Die Dokumentation eines Agenten nennt die Weiterleitungs-URI, die er verwendet.',
    columns: { name: 'Name', id: 'Client-ID', uris: 'Weiterleitungs-URIs' },
    disabled: 'deaktiviert',
    types: {
      public: 'Öffentlich: eine App auf Computer oder Telefon, ohne Geheimnis',
      confidential: 'Vertraulich: ein Server, der ein Geheimnis wahren kann',
    },
  },
  readAgain: {
    button: 'Neu einlesen',
    named: (name) => `Das Dokument von „${name}“ neu einlesen?`,
    text: 'Name und Weiterleitungs-URIs werden so, wie das Dokument sie jetzt nennt.',
  },
  disable: {
    button: 'Deaktivieren',
    ask: {
      title: 'Diesen Client deaktivieren?',
      text:
        'Jeder Agent, der sich darüber verbunden hat, wird ab dem nächsten Aufruf abgewiesen. Das lässt sich nicht ' +
        'rückgängig machen.',
      button: 'Deaktivieren',
    },
    named: (name) => `„${name}“ deaktivieren?`,
    done: 'Der Client ist deaktiviert.',
  },
  register: {
    title: 'Client registrieren',
    button: 'Registrieren',
    document: {
      title: 'Über sein Dokument',
      about:
        'Eine Anwendung, die ein Dokument über sich veröffentlicht, braucht sonst nichts: Es wird jetzt gelesen und ' +
        'noch einmal, wenn Sie sie erneut registrieren.',
      named: (name) => `${name} registrieren`,
      port: (port) => `· muss auf Port ${port} hören`,
      fields: {
        metadata_url: {
          label: 'Adresse des Dokuments',
          hint: 'So, wie die Anwendung sie sendet, zum Beispiel https://…/client.json.',
        },
        callback_port: {
          label: 'Port',
          hint: 'Nur für Programme auf einem Computer, deren Dokument keinen Port nennt.',
        },
      },
      button: 'Einlesen und registrieren',
    },
    hand: {
      title: 'Von Hand',
      fields: {
        name: { label: 'Name', hint: 'Mitglieder sehen ihn, wenn sie um Zustimmung gebeten werden.' },
        redirect_uris: { label: 'Weiterleitungs-URIs', hint: 'Eine pro Zeile, genau so, wie das Programm sie sendet.' },
        client_type: { label: 'Typ' },
      },
    },
    done: {
      title: 'Der Client ist registriert',
      copy: 'Kopieren Sie das Geheimnis jetzt: Es wird nur dieses eine Mal angezeigt.',
      secret: 'Client-Geheimnis',
      button: 'Fertig',
    },
  },
};
