import type { Worded } from '../../../../core/text/catalogue';
import type { signIn as en } from '../en/signIn';

export const signIn: Worded<typeof en> = {
  error: (title) => `Fehler: ${title}`,
  tooLong: 'Dieses Formular war zu lange offen. Bitte versuchen Sie es noch einmal.',
  goOn: 'Weiter',
  password: {
    title: 'Anmelden',
    named: 'Anmeldung',
    reason: 'Verwenden Sie E-Mail-Adresse und Passwort Ihrer Mitgliedschaft im Arbeitsbereich.',
    application:
      'Eine Anwendung möchte sich mit Ihrem Arbeitsbereich verbinden. Melden Sie sich an, um zu entscheiden.',
    email: 'E-Mail-Adresse',
    password: 'Passwort',
    company: 'Mit Ihrer Firma anmelden',
    forgot: 'Passwort vergessen?',
    tooMany: (minutes) =>
      `Zu viele Versuche. Versuchen Sie es in ${minutes === 1 ? 'einer Minute' : `${minutes} Minuten`} noch einmal.`,
    wrong: 'E-Mail-Adresse oder Passwort ist falsch.',
  },
  factor: {
    title: 'Zweiter Schritt',
    named: 'zweiter Schritt',
    more: 'Noch ein Schritt',
    show: 'Zeigen Sie jetzt, dass Sie es sind.',
    setUp: 'Zweiten Faktor einrichten',
    scan:
      'Ihr Arbeitsbereich verlangt einen bei jeder Anmeldung. Scannen Sie dies mit einer Authenticator-App auf Ihrem ' +
      'Telefon.',
    type: 'Oder geben Sie dies in die App ein: {secret}',
    code: 'Code Ihrer Authenticator-App oder ein Wiederherstellungscode',
    appCode: 'Der Code, den die App anzeigt',
    passkey: 'Passkey verwenden',
  },
  codes: {
    title: 'Ihre Wiederherstellungscodes',
    head: 'Wiederherstellungscodes',
    about:
      'Jeder ersetzt einmal die App. Bewahren Sie sie dort auf, wo Sie sie ohne Ihr Telefon finden: Sie werden nur ' +
      'dieses eine Mal angezeigt.',
    kept: 'Ich habe sie gesichert',
  },
  company: {
    title: 'Mit Ihrer Firma anmelden',
    named: 'Anmeldung mit Ihrer Firma',
    about: 'Hat Ihre Firma eine eigene Anmeldung, führt Ihre E-Mail-Adresse dorthin.',
    email: 'E-Mail-Adresse',
    password: 'Mit Passwort anmelden',
    unknown: 'Keine Firma mit eigener Anmeldung hat diese E-Mail-Adresse.',
    over: 'Diese Anmeldung ist vorbei oder begann in einem anderen Browser. Beginnen Sie neu.',
  },
  link: {
    gone: {
      title: 'Dieser Link gilt nicht mehr',
      text: 'Er wurde verwendet, ist älter als eine Stunde oder durch einen neueren ersetzt. Fordern Sie einen neuen an.',
    },
    title: 'Passwort festlegen',
    for: (email, rule) => `Für ${email}. ${rule}`,
    password: 'Neues Passwort',
    again: 'Neues Passwort wiederholen',
    differ: 'Die beiden Passwörter stimmen nicht überein.',
    save: 'Speichern',
    saved: {
      title: 'Ihr Passwort ist gespeichert',
      text: 'Sie sind überall abgemeldet. Melden Sie sich jetzt damit an.',
    },
  },
  forgot: {
    title: 'Passwort vergessen?',
    about: 'Wir senden Ihnen einen Link, mit dem Sie ein neues festlegen.',
    email: 'E-Mail-Adresse',
    mail: 'Link senden',
    mailed: {
      title: 'Sehen Sie in Ihre E-Mails',
      text: 'Hat ein Mitglied diese E-Mail-Adresse, ist ein Link unterwegs. Er gilt eine Stunde.',
    },
  },
  verify: {
    title: 'Sind Sie es?',
    about:
      'Sie sind dabei, etwas Wichtiges zu tun. Zeigen Sie noch einmal, dass Sie es sind; dann fragt zehn Minuten lang ' +
      'nichts mehr.',
    password: 'Passwort',
    company: 'Mit Ihrer Firma bestätigen',
  },
};
