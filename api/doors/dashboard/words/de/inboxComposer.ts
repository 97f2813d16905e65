import type { Worded } from '../../../../core/text/catalogue';
import type { composer as en } from '../en/inboxComposer';

export const composer: Worded<typeof en> = {
  what: 'Was gesendet wird',
  modes: { text: 'Antwort', template: 'Vorlage', attachment: 'Datei', note: 'Notiz' },
  send: { text: 'Senden', template: 'Vorlage senden', attachment: 'Datei senden', note: 'Senden' },
  sends: 'sendet',
  sendAndDone: { label: 'Senden und erledigen', hint: 'Senden und erledigen (Strg+Umschalt+Eingabe)' },
  expired: 'Der Testzeitraum ist abgelaufen: Es kann nichts gesendet werden, bis ein Tarif gewählt ist.',
  readOnly: 'Sie dürfen diese Konversation lesen. Zum Antworten brauchen Sie die Berechtigung chat.send_message.',
  answering: (text) => `Antwort auf: ${text}`,
  doNotAnswer: 'Nicht auf diese Nachricht antworten',
  from: 'Von',
  reply: {
    label: 'Antwort',
    placeholder: 'Antworten …',
    closed: 'Das Fenster ist geschlossen. Wählen Sie eine Vorlage.',
  },
  note: {
    label: 'Notiz',
    placeholder: 'Das sieht nur das Team. @Name benachrichtigt ein Mitglied.',
    saves: 'speichert',
    button: 'Notiz hinzufügen',
  },
  files: {
    label: 'Zu sendende Dateien',
    attach: 'Dateien anhängen',
    how: 'Dateien anhängen, hierher ziehen oder einfügen',
  },
  file: {
    kind: 'Art',
    kinds: { image: 'Bild', document: 'Dokument', video: 'Video', audio: 'Ton' },
    link: 'Öffentliche Adresse der Datei',
    caption: 'Bildunterschrift',
  },
  template: {
    label: 'Vorlage',
    choose: 'Vorlage wählen …',
    button: 'Wählen',
    preview: 'Vorschau',
    none:
      'Es gibt keine genehmigte Vorlage. Vorlagen werden im Manager der Plattform erstellt und erscheinen hier, sobald ' +
      'sie genehmigt sind.',
    header: (name) => `Kopfzeile {{${name}}}`,
    media: (kind) => `Adresse der Datei (${kind})`,
    buttonUrl: (number) => `Ende der Adresse von Schaltfläche ${number}`,
    buttonCode: (number) => `Code von Schaltfläche ${number}`,
  },
  answered: {
    ask: 'Trotzdem senden?',
    anyway: 'Trotzdem senden',
    answered: (author, when, text) => `${author} hat ${when} geantwortet: „${text}“`,
    justNow: 'gerade eben',
    ago: (time) => `vor ${time}`,
  },
};
