import type { Worded } from '../../../../core/text/catalogue';
import type { search as en } from '../en/search';
import { plural } from '../plural';

export const search: Worded<typeof en> = {
  title: 'Suchen',
  label: 'Personen, Nachrichten, Tickets und Seiten durchsuchen',
  placeholder: 'Ein Name, eine Nummer, Wörter einer Nachricht, eine Seite …',
  find: 'Suchen',
  close: 'Suche schließen',
  groups: { people: 'Personen', messages: 'Nachrichten', tickets: 'Tickets', go: 'Gehe zu' },
  more: { people: 'Alle Personen', messages: 'Alle Nachrichten', tickets: 'Alle Tickets' },
  found: (count) => plural(count, { one: 'Treffer', other: 'Treffer' }),
  nothing: {
    title: 'Nichts gefunden',
    text: 'Namen werden an ihrem Anfang gefunden, Nachrichten an ganzen Wörtern ab drei Buchstaben.',
  },
  failed: 'konnten nicht durchsucht werden. Versuchen Sie es noch einmal.',
  lost: 'Der Server ist nicht erreichbar. Tippen Sie weiter, oder drücken Sie Eingabe für einen neuen Versuch.',
  busy: 'Der Server ist ausgelastet. Warten Sie einen Moment, und drücken Sie dann Eingabe.',
  hint: { choose: 'wählen', open: 'öffnen', close: 'schließen' },
  acts: {
    broadcast: 'Neuer Broadcast',
    ticket: 'Neues Ticket',
    contact: 'Neuer Kontakt',
    import: 'Kontakte importieren',
    macro: 'Neues Makro',
    rule: 'Neue Regel',
    reply: 'Neuer Textbaustein',
    member: 'Mitglied einladen',
    key: 'Neuer API-Schlüssel',
    webhook: 'Neuer Webhook',
    later: 'Nachrichten für später',
  },
};
