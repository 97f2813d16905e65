import type { Worded } from '../../../../core/text/catalogue';
import type { composer as en } from '../en/inboxComposer';

export const composer: Worded<typeof en> = {
  what: 'Was gesendet wird',
  means: 'Womit',
  modes: { text: 'Antwort', note: 'Notiz', template: 'Vorlage', choices: 'Schaltflächen und Listen' },
  send: { text: 'Senden', note: 'Senden', template: 'Vorlage senden', choices: 'Senden' },
  hint: 'Senden (Strg+Eingabe)',
  sendAndDone: { label: 'Senden und erledigen', keys: 'Strg Umschalt Eingabe' },
  canned: 'Textbausteine',
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
    hint: 'Notiz hinzufügen (Strg+Eingabe)',
    button: 'Notiz hinzufügen',
  },
  files: {
    label: 'Zu sendende Dateien',
    attach: 'Dateien anhängen',
    how: 'Dateien anhängen, hierher ziehen oder einfügen',
    drop: 'Dateien hierher ziehen, um sie anzuhängen',
    one: (megabytes) => `Eine Datei zum Senden, bis ${megabytes} MB`,
  },
  choices: {
    body: 'Frage',
    lines: 'Antworten, die der Kunde antippt, eine je Zeile',
    hint: (buttons) =>
      `Bis zu ${buttons} sind Schaltflächen von bis zu 20 Zeichen; mehr davon, bis zu 10, eine Liste. In einer Liste ` +
      'erklärt, was hinter | steht, eine Antwort.',
    button: 'Was die Liste öffnet',
    open: 'Wählen',
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
