import type { Worded } from '../../../../core/text/catalogue';
import type { workspace as en } from '../en/workspace';
import { plural } from '../plural';

export const workspace: Worded<typeof en> = {
  title: 'Arbeitsbereich',
  plan: {
    title: 'Tarif',
    on: 'Sie haben den Tarif {plan}.',
    ends: 'Der Testzeitraum endet {at}.',
    ended: 'Der Testzeitraum endete {at}.',
    none: 'Kein Tarif ist gewählt.',
    change: 'Tarif ändern',
    choose: 'Tarif wählen',
    over: 'Der Testzeitraum ist vorbei. Mit einem Tarif funktioniert sofort wieder alles.',
    before: 'Wählen Sie einen Tarif, bevor der Testzeitraum endet, und nichts bleibt stehen.',
    chooseThis: 'Diesen Tarif wählen',
    chosen: 'Der Tarif ist gewählt. Alles funktioniert.',
  },
  fields: {
    name: { label: 'Name' },
    timezone: { label: 'Zeitzone', hint: 'Alle Zeiten des Dashboards werden in ihr angezeigt.' },
    language: {
      label: 'Sprache',
      hint: 'Für Mitglieder, die keine gewählt haben, wo ihr Browser keine von diesen verlangt.',
    },
    country: {
      label: 'Land der Telefonnummern',
      hint: 'Für Nummern ohne Landesvorwahl in Formularen und importierten Dateien, wie 0151 5550001.',
    },
    opt_out_words: {
      label: 'Wörter, die abmelden',
      hint: 'Eines pro Zeile. Schreibt ein Kunde eines davon, bekommt er keine Marketingnachrichten mehr.',
    },
    opt_in_words: { label: 'Wörter, die wieder anmelden', hint: 'Eines pro Zeile.' },
    require_factor: { label: 'Alle weisen bei der Anmeldung einen zweiten Faktor vor' },
    show_read: {
      label: 'Kunden zeigen, wann ihre Nachrichten gelesen sind',
      hint: 'Zwei blaue Haken, sobald ein Mitglied die Konversation offen hat.',
    },
    show_typing: {
      label: 'Kunden „schreibt …“ zeigen, während ein Mitglied ihnen schreibt',
      hint: 'Binnen 24 Stunden nach ihrer letzten Nachricht, nie bei Notizen. Die Plattform zeigt ihre Nachrichten damit als gelesen.',
    },
    ask_satisfaction: {
      label: 'Kunden fragen, nachdem eine Konversation erledigt ist',
      hint:
        'Höchstens einmal in der Woche und binnen 24 Stunden nach ihrer letzten Nachricht. Werden viele auf einmal ' +
        'geändert, wird niemand gefragt.',
    },
    satisfaction_question: { label: 'Frage' },
    satisfaction_labels: {
      label: 'Schaltflächen',
      hint:
        'Drei, eine pro Zeile, die beste Antwort zuerst; jeweils höchstens 20 Zeichen. Berichte zählen die erste als ' +
        'zufrieden.',
    },
  },
  noCountry: 'Keines: Jede Nummer hat ihre Landesvorwahl',
  customersSee: 'Was Kunden sehen',
  satisfaction: 'Zufriedenheit',
  saved: 'Die Einstellungen sind gespeichert.',
  ignored: {
    title: 'Von der Plattform gesendet, hier nicht verwendet',
    about: 'Die Plattform sendet Ereignisse, mit denen diese Version nichts tut. Sie werden eine Weile aufbewahrt.',
    count: '{count}, zuletzt {at}',
  },
  kept: {
    title: 'Wie lange etwas aufbewahrt wird',
    about:
      'Konversationen, Kontakte und Tickets bleiben, bis ein Mitglied sie löscht. Alles andere wird nach einer Zeit ' +
      'gelöscht, die der Betreiber dieser Installation festlegt.',
    days: (days) => plural(days, { one: 'Tag', other: 'Tage' }),
    kinds: {
      messages: 'Nachrichten, mit dem, was Kunden darin gesendet haben',
      activity: 'Aktivität von Konversationen, Kontakten und Tickets',
      audit: 'Prüfprotokoll',
      approvals: 'Entschiedene Freigaben',
      macroRuns: 'Ausführungen von Makros',
      webhookEvents: 'Webhook-Ereignisse und ihre Zustellungen',
      parkedEvents: 'Was die Plattform gesendet hat und nicht verarbeitet werden konnte oder nicht verwendet wird',
      broadcastRecipients: 'Empfänger von Broadcasts; die Zahlen bleiben',
      stageMoves: 'Wer von Verschiebungen von Tickets benachrichtigt wurde',
      usage: 'Nutzung, die keinen Kunden nennt',
      aliases: 'Frühere Nummern und IDs von Kontakten',
    },
  },
};
