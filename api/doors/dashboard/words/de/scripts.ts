import type { Worded } from '../../../../core/text/catalogue';
import type { scripts as en } from '../en/scripts';

export const scripts: Worded<typeof en> = {
  fileLost: 'Die Datei ist nicht angekommen. Versuchen Sie es noch einmal.',
  undo: 'Rückgängig',
  open: 'Öffnen',
  unreachable: 'Der Server ist nicht erreichbar. Versuchen Sie es noch einmal.',
  unsure:
    'Der Server ist nicht erreichbar. Ob es getan wurde, ließ sich nicht feststellen: Sehen Sie nach, bevor Sie es noch ' +
    'einmal versuchen.',
  copied: 'Kopiert.',
  notCopied: 'Der Browser erlaubt das Kopieren nicht. Der Text ist markiert: Drücken Sie Strg+C.',
  areYouSure: 'Sind Sie sicher?',
  goAhead: 'Fortfahren',
  uploading: 'Wird hochgeladen …',
  uploadingFile: '{name} wird hochgeladen …',
  remove: 'Entfernen',
  removeFile: '{name} entfernen',
  fileOnItsWay: 'Die Datei ist noch unterwegs.',
  filesOnTheirWay: 'Die Dateien sind noch unterwegs.',
  filesHere: 'Die Dateien sind da. Speichern Sie, um sie zu behalten.',
  leave: {
    title: 'Ohne Speichern verlassen?',
    text: 'Was Sie hier eingegeben und nicht gespeichert haben, geht verloren.',
    button: 'Verlassen',
  },
  signedOut: 'Sie sind abgemeldet. Was Sie sehen, kann veraltet sein.',
  signIn: 'Anmelden',
  new: '{count} neu',
  andMore: '{what} und {count} weitere',
  newMessages: { one: '{count} neue Nachricht ↓', other: '{count} neue Nachrichten ↓' },
  notLoaded: '{what}: konnte nicht geladen werden',
  notices: {
    impossible:
      'Dieser Browser zeigt hier keine eigenen Benachrichtigungen: Er nimmt sie nur von Adressen mit https an.',
    denied:
      'Dieser Browser zeigt keine eigenen Benachrichtigungen: Erlauben Sie sie für diese Website in seinen Einstellungen.',
    on: 'Dieser Browser zeigt eigene Benachrichtigungen, während Sie keine Seite ansehen.',
    noPush:
      'Dieser Browser zeigt Benachrichtigungen, solange eine Seite offen ist. Sein Push-Dienst war nicht erreichbar.',
  },
  doNotAnswer: 'Nicht auf diese Nachricht antworten',
  moving: 'Nach {name} verschieben?',
  moveTells: {
    one: '„{template}“ wird an einen Kontakt gesendet.',
    other: '„{template}“ wird an {count} Kontakte gesendet.',
  },
  moveAndSend: 'Verschieben und senden',
  passkeyFailed: 'Das hat nicht geklappt. Noch einmal versuchen',
  tooLong: { one: '{count} Zeichen zu viel', other: '{count} Zeichen zu viel' },
};
