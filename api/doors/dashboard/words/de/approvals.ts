import type { Worded } from '../../../../core/text/catalogue';
import type { approvals as en } from '../en/approvals';
import { plural } from '../plural';

export const approvals: Worded<typeof en> = {
  title: 'Freigaben',
  one: 'Freigabe',
  which: 'Welche Freigaben',
  tabs: { pending: 'Wartend', approved: 'Freigegeben', rejected: 'Abgelehnt', expired: 'Abgelaufen', all: 'Alle' },
  waiting: {
    title: 'Nichts wartet auf Sie',
    text: 'Darf ein Agent nicht selbst senden, warten seine Nachrichten hier, bis ein Mitglied sie freigibt. {guide}',
    guide: 'So verbinden Sie einen Agenten',
  },
  none: { title: 'Keine', text: 'Hier ist kein Aufruf eines Agenten.' },
  approve: 'Freigeben',
  approved: 'Freigegeben.',
  reject: 'Ablehnen',
  rejectBecause: 'Mit Begründung ablehnen',
  rejected: 'Abgelehnt. Es wurde nichts gesendet.',
  edit: 'Bearbeiten und senden',
  answered: 'In Ihrem Namen gesendet. Der Text des Agenten ist abgelehnt.',
  what: (title) => `: ${title}`,
  to: 'An',
  before: 'Die letzten Nachrichten',
  you: 'Sie',
  for: (agent, member) => `${agent}, für ${member}`,
  asked: '· angefragt',
  decided: (status, member) => `${status} von ${member}`,
  replaced: (member) => `mit anderem Text beantwortet von ${member}`,
  because: 'Begründung:',
  exact: 'Der genaue Aufruf',
  timer: 'Der Timer in Temporal',
  others: (scopes) => `Darüber entscheiden Mitglieder mit diesen Berechtigungen: ${scopes}.`,
  draft: 'Entwurf',
  waits: (time) => `wartet noch ${time}`,
  words: {
    label: 'Selbst antworten oder ablehnen',
    text: {
      label: 'Stattdessen Ihr Text',
      hint: 'Er wird in Ihrem Namen gesendet, und der Text des Agenten ist abgelehnt.',
    },
    send: 'Diesen Text senden',
    note: {
      label: 'Begründung',
      hint: 'Sie wird mit der Entscheidung gespeichert; Abonnenten von approval.decided erfahren sie.',
    },
  },
  calls: {
    macro: (name) => `Makro „${name}“ ausführen`,
    macroOnTicket: (name, ticket) => `Makro „${name}“ auf Ticket ${ticket} ausführen`,
    ticket: (id) => `Ticket ${id} ändern`,
    move: (stage) => `Nach ${stage} verschieben`,
    change: (field, value) => `${field}: ${value}`,
    message: 'Nachricht senden',
    template: 'Vorlage senden',
    at: (what, moment) => `${what} ${moment}`,
    reaching: (text, reach) => `${text}. ${reach}`,
    reachesOne: (name) => `Erreicht eine Person: ${name}.`,
    reaches: (total, names, more) =>
      `Erreicht ${plural(total, { one: 'Person', other: 'Personen' })}: ${names}` +
      `${more > 0 ? ` und ${more} weitere` : ''}.${total > 1 ? ' Die erste liest:' : ''}`,
  },
};
