import type { Worded } from '../../../../core/text/catalogue';
import type { frame as en } from '../en/frame';

export const frame: Worded<typeof en> = {
  skip: 'Zum Inhalt springen',
  main: 'Hauptnavigation',
  bar: 'Bereiche',
  more: 'Mehr',
  places: {
    inbox: 'Posteingang',
    tickets: 'Tickets',
    contacts: 'Kontakte',
    broadcasts: 'Broadcasts',
    approvals: 'Freigaben',
    concerns: 'Für mich',
    pipelines: 'Pipelines',
    macros: 'Makros',
    rules: 'Regeln',
    replies: 'Textbausteine',
    reports: 'Berichte',
    flows: 'Flows',
    settings: 'Einstellungen',
  },
  waiting: 'wartend',
  account: 'Ihr Konto:',
  away: 'abwesend',
  goAway: 'Ich bin abwesend',
  goAwayAbout: 'Kein Team-Posteingang gibt Ihnen Konversationen, bis Sie zurück sind',
  comeBack: 'Ich bin zurück',
  reference: 'API-Referenz',
  connect: 'So verbinden Sie einen Agenten',
  signOut: 'Abmelden',
  trial: {
    text:
      'Der Testzeitraum dieses Arbeitsbereichs ist abgelaufen. Sie können alles lesen und nichts ändern, und API-Schlüssel ' +
      'werden abgewiesen, bis ein Tarif gewählt ist.',
    choose: 'Tarif wählen',
    ask: 'Ein Inhaber kann einen wählen.',
  },
  unpaid:
    'Die Plattform stellt nichts zu, was bezahlt werden muss: Ihre Zahlung wurde abgelehnt. Broadcasts warten, und ' +
    'Antworten, die etwas kosten, gehen verloren. Klären Sie es bei der Plattform; dann lässt eine Synchronisierung durch ' +
    'den Betreiber alles hinausgehen.',
  offline: 'Die Verbindung ist unterbrochen. Was Sie sehen, kann veraltet sein; es holt von selbst auf.',
  undo: 'Rückgängig',
  confirm: { title: 'Sind Sie sicher?', go: 'Fortfahren' },
  keys: {
    title: 'Tastenkürzel',
    search: 'Überall suchen',
    list: 'Diese Liste',
    undo: 'Letzte Aktion rückgängig machen',
    escape: 'Menü schließen, Feld verlassen',
    close: 'Schließen',
  },
};
