import type { Worded } from '../../../../core/text/catalogue';
import type { webhooks as en } from '../en/webhooks';

export const webhooks: Worded<typeof en> = {
  names: {
    'message.received': 'Ein Kunde schreibt',
    'message.status_changed': 'Eine Nachricht wird gesendet, zugestellt, gelesen oder scheitert',
    'message.edited': 'Ein Kunde bearbeitet eine Nachricht',
    'message.deleted': 'Ein Kunde löscht eine Nachricht',
    'conversation.created': 'Eine Konversation beginnt',
    'conversation.updated': 'Eine Konversation ändert sich',
    'conversation.snoozed': 'Eine Konversation wird zurückgestellt',
    'conversation.woken': 'Eine zurückgestellte Konversation ist zurück',
    'conversation.reopened': 'Eine erledigte Konversation wird wieder geöffnet',
    'conversation.rated': 'Ein Kunde gibt eine Bewertung',
    'contact.created': 'Ein Kontakt wird erstellt',
    'contact.updated': 'Ein Kontakt ändert sich',
    'contact.deleted': 'Ein Kontakt wird gelöscht',
    'contact.merged': 'Zwei Kontakte werden einer',
    'contact.opted_out': 'Ein Kunde will kein Marketing',
    'contact.opted_in': 'Ein Kunde will wieder Marketing',
    'ticket.created': 'Ein Ticket wird erstellt',
    'ticket.updated': 'Ein Ticket ändert sich',
    'ticket.stage_changed': 'Ein Ticket kommt in eine andere Phase',
    'ticket.commented': 'Jemand kommentiert ein Ticket',
    'ticket.escalated': 'Ein Ticket wird eskaliert',
    'ticket.sla_breached': 'Ein Ticket versäumt seine Frist',
    'ticket.deleted': 'Ein Ticket wird gelöscht',
    'stage_notification.sent': 'Ein Kunde wird über eine Phase benachrichtigt',
    'stage_notification.skipped': 'Ein Kunde wird über eine Phase nicht benachrichtigt',
    'stage_notification.failed': 'Eine Nachricht über eine Phase scheitert',
    'broadcast.scheduled': 'Ein Broadcast wird geplant',
    'broadcast.started': 'Ein Broadcast beginnt',
    'broadcast.completed': 'Ein Broadcast ist fertig',
    'broadcast.failed': 'Ein Broadcast scheitert',
    'macro.ran': 'Ein Makro wurde ausgeführt',
    'rule.stopped': 'Eine Regel wird angehalten',
    'approval.requested': 'Ein Agent bittet um Freigabe',
    'approval.decided': 'Über einen Aufruf eines Agenten wird entschieden',
    'template.status_changed': 'Die Plattform beurteilt eine Vorlage',
    'flow.submitted': 'Ein Kunde füllt ein Formular aus',
    'account.payment_refused': 'Eine Zahlung bei der Plattform wird abgelehnt',
    'webhook.test': 'Ein Test',
  },
  title: 'Webhooks',
  one: 'Webhook',
  new: 'Neuer Webhook',
  about:
    'Ihre eigenen Programme erfahren, was hier geschieht: signiert und jedes mindestens einmal. {reference} beschreibt ' +
    'jedes Ereignis.',
  reference: 'Die API-Referenz',
  empty: {
    title: 'Noch keine Webhooks',
    text:
      'Erstellen Sie einen mit der Adresse Ihres Endpunkts und den Ereignissen, die er will. Ein Testereignis zeigt ' +
      'sofort, ob es klappt.',
  },
  allEvents: 'alle Ereignisse',
  kinds: (count) => `${count} Arten von Ereignissen`,
  failing: '· keine Zustellung angekommen seit',
  states: { disabled: 'deaktiviert', inactive: 'inaktiv', active: 'aktiv', failing: 'gestört' },
  fields: {
    url: { label: 'Adresse', hint: 'Wohin Ereignisse gesendet werden: https, an eine öffentliche Adresse.' },
    description: { label: 'Beschreibung', hint: 'Wofür er ist, zum Beispiel „Lager“.' },
    events: { label: 'Ereignisse' },
    scopes: {
      label: 'Was seine Antworten dürfen',
      hint:
        'Eine Antwort kann Aktionen enthalten, etwa eine Konversation mit einem Schlagwort zu versehen. Lassen Sie dies ' +
        'leer, wenn Ihre das nicht tut.',
    },
  },
  everything: { label: 'Alle Ereignisse', detail: 'Auch solche, die später hinzukommen.' },
  change: 'Abonnement ändern',
  subscription: 'Das Abonnement',
  made: 'Das Abonnement ist erstellt',
  saved: 'Das Abonnement ist gespeichert.',
  secret: {
    button: 'Neues Geheimnis',
    ask: {
      title: 'Neues Geheimnis erstellen?',
      text: 'Das alte signiert noch 24 Stunden mit. Geben Sie Ihrem Endpunkt vorher das neue.',
      button: 'Neues Geheimnis erstellen',
    },
    made: 'Das neue Geheimnis',
    copy:
      'Kopieren Sie das Geheimnis jetzt: Es wird nur dieses eine Mal angezeigt. Ihr Endpunkt prüft damit, ob ein ' +
      'Ereignis von hier stammt.',
    label: 'Signaturgeheimnis',
    copied: 'Ich habe es kopiert',
  },
  activate: {
    button: 'Aktivieren',
    done: 'Es ist wieder aktiv. Was inzwischen geschah, lässt sich unten wiederholen.',
  },
  deactivate: {
    button: 'Deaktivieren',
    ask: {
      title: 'Dieses Abonnement deaktivieren?',
      text: 'Was auf das Senden wartet, wird verworfen, und nichts wird gesendet, bis es wieder aktiviert ist.',
      button: 'Deaktivieren',
    },
    done: 'Es ist nicht mehr aktiv.',
  },
  delete: {
    button: 'Löschen',
    ask: {
      title: 'Dieses Abonnement löschen?',
      text: 'Nichts wird mehr dorthin gesendet, und sein Protokoll geht mit. Das lässt sich nicht rückgängig machen.',
      button: 'Löschen',
    },
    done: 'Das Abonnement ist gelöscht.',
  },
  facts: {
    address: 'Adresse',
    state: 'Zustand',
    events: 'Ereignisse',
    answers: 'Seine Antworten dürfen',
    made: 'Erstellt',
    all: 'Alle',
    nothing: 'nichts tun',
  },
  test: {
    button: 'Testereignis senden',
    done: 'Das Testereignis ist unterwegs. Das Protokoll zeigt, was daraus wird.',
  },
  notes: {
    disabled: 'Deaktiviert {at}.',
    mend:
      'Reparieren Sie den Endpunkt, prüfen Sie ihn mit einem Testereignis, aktivieren Sie das Abonnement und wiederholen ' +
      'Sie, was er verpasst hat.',
    inactive: 'Es ist nicht aktiv: Nichts wird gesendet. Was inzwischen geschieht, lässt sich später wiederholen.',
    failing: 'Keine Zustellung angekommen seit {at}.',
    tries: 'Jedes Ereignis wird etwa drei Tage lang erneut versucht. Das Protokoll zeigt, was der Endpunkt antwortet.',
  },
  log: {
    title: 'Zustellungen',
    label: 'Protokoll',
    filters: {
      status: 'Zustand',
      event: 'Ereignis',
      anyState: 'Jeder Zustand',
      anyEvent: 'Jedes Ereignis',
      filter: 'Filtern',
    },
    none: 'Keine passt.',
    all: 'Alle anzeigen',
    empty: 'Noch wurde nichts gesendet. Senden Sie ein Testereignis, um zu sehen, ob der Endpunkt funktioniert.',
    columns: { when: 'Wann', event: 'Ereignis', state: 'Zustand', answer: 'Antwort' },
    id: 'ID',
    attempts: (count) => (count === 1 ? 'ein Versuch' : `${count} Versuche`),
    next: '· nächster',
    noAnswer: '–',
    actions: 'Seine Aktionen',
    again: 'Erneut senden',
    ofType: (type, at) => ` ${type} von ${at}`,
    sentAgain: 'Das Ereignis geht noch einmal hinaus, mit derselben ID.',
  },
  replay: {
    title: 'Wiederholen',
    about:
      'Sendet alles noch einmal, was in einer Zeit geschah, mit denselben IDs, damit ein Endpunkt erkennt, was er schon ' +
      'gesehen hat.',
    activateFirst:
      'Aktivieren Sie zuerst das Abonnement. Dann lässt sich alles noch einmal senden, was seit seiner Erstellung geschah.',
    fields: { from: { label: 'Von' }, to: { label: 'Bis', hint: 'Leer: bis jetzt.' } },
    zone: (zone) => `In ${zone}.`,
    noMoment: 'Geben Sie Datum und Uhrzeit ein.',
    noEnd: 'Geben Sie Datum und Uhrzeit ein, oder lassen Sie es leer für jetzt.',
    done: (count) =>
      count === 0
        ? 'In dieser Zeit geschah nichts, was es abonniert hat.'
        : count === 1
          ? 'Ein Ereignis geht noch einmal hinaus.'
          : `${count} Ereignisse gehen noch einmal hinaus.`,
  },
};
