import type { Worded } from '../../../../core/text/catalogue';
import type { account as en } from '../en/account';

export const account: Worded<typeof en> = {
  title: 'Ihr Konto',
  saved: 'Gespeichert.',
  writing: {
    title: 'Sprache und Schreiben',
    language: 'Sprache',
    browser: 'Wie im Browser eingestellt',
    undo: 'Vor dem Senden eines Textes fünf Sekunden warten, damit ich ihn zurückholen kann',
    next: 'Zur nächsten Konversation wechseln, wenn ich mit einer fertig bin',
    takes: 'Mir eine nicht zugewiesene Konversation zuweisen, wenn ich sie beantworte',
  },
  sessions: {
    title: 'Sitzungen',
    endOthers: 'Alle anderen beenden',
    othersEnded: 'Alle anderen Sitzungen sind beendet.',
    unknown: 'Unbekannter Browser',
    since: 'seit {since} · zuletzt verwendet {used}',
    current: 'diese hier',
    end: 'Beenden',
    endSince: (since) => ` – Sitzung seit ${since}`,
    ended: 'Die Sitzung ist beendet.',
  },
  factors: {
    title: 'Zweiter Faktor',
    about: 'Was Sie bei der Anmeldung zusätzlich zum Passwort vorweisen.',
    demanded: 'Ihr Arbeitsbereich verlangt einen.',
    left: (count) => `${count} übrig · `,
    since: 'seit',
    used: '· zuletzt verwendet',
    remove: 'Entfernen',
    ask: { title: 'Diesen Faktor entfernen?', text: 'Damit ist keine Anmeldung mehr möglich.', button: 'Entfernen' },
    removed: 'Der Faktor ist entfernt.',
    addAuthenticator: 'Authenticator-App hinzufügen',
    addPasskey: 'Passkey hinzufügen',
    newCodes: 'Neue Wiederherstellungscodes',
  },
  authenticator: {
    title: 'Authenticator-App',
    about:
      'Scannen Sie dies mit einer App auf Ihrem Telefon. Danach wird bei jeder Anmeldung nach dem Code gefragt, den ' +
      'sie anzeigt.',
    type: 'Oder geben Sie dies in die App ein: {secret}',
    fields: { code: 'Der Code, den die App anzeigt', name: 'Name' },
    add: 'Hinzufügen',
    added: 'Die Authenticator-App ist hinzugefügt.',
  },
  passkey: {
    title: 'Passkey',
    about:
      'Ihr Gerät oder ein eingesteckter Schlüssel bestätigt, dass Sie es sind. Keine nachgemachte Seite kann das ' +
      'ausnutzen.',
    impossible:
      'Browser erstellen Passkeys nur für eine Adresse mit Namen über https. Fragen Sie den Betreiber dieser ' +
      'Installation oder verwenden Sie eine Authenticator-App.',
    name: 'Name',
    make: 'Passkey erstellen',
    added: 'Der Passkey ist hinzugefügt.',
  },
  codes: {
    title: 'Ihre Wiederherstellungscodes',
    head: 'Wiederherstellungscodes',
    about:
      'Jeder ersetzt einmal einen anderen Faktor. Bewahren Sie sie dort auf, wo Sie sie ohne Ihr Telefon finden: Sie ' +
      'werden nur dieses eine Mal angezeigt.',
    kept: 'Ich habe sie gesichert',
  },
  events: {
    title: 'Was mit dem Konto geschah',
    rescue: 'Waren Sie das nicht?',
    none: 'Nichts in den letzten 30 Tagen.',
    by: (name) => ` · von ${name}`,
    operator: 'dem Betreiber',
  },
  password: {
    title: 'Passwort',
    about:
      'Ein neues Passwort meldet Sie überall ab, auch hier. Bei der nächsten Anmeldung sehen Sie, was sonst noch für ' +
      'Sie läuft, und können es beenden.',
    differ: 'Die beiden neuen Passwörter stimmen nicht überein.',
    fields: {
      current_password: 'Aktuelles Passwort',
      new_password: 'Neues Passwort',
      again: 'Neues Passwort wiederholen',
      revoke_api_keys: 'Auch meine API-Schlüssel widerrufen',
      stop_webhooks: 'Webhooks anhalten, die mit widerrufenen Schlüsseln erstellt wurden',
      stop_broadcasts: 'Planung der Broadcasts aufheben, die mit widerrufenen Schlüsseln erstellt wurden',
      disconnect_agents: 'Auch die von mir verbundenen Agenten trennen',
    },
    change: 'Passwort ändern',
  },
};
