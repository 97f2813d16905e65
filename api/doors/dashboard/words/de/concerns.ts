import type { Worded } from '../../../../core/text/catalogue';
import type { concerns as en } from '../en/concerns';

export const concerns: Worded<typeof en> = {
  title: 'Was mich betrifft',
  all: 'Alle',
  unread: 'Ungelesen',
  tabs: 'Was angezeigt wird',
  readAll: 'Alle als gelesen markieren',
  read: 'Als gelesen markieren',
  isUnread: 'ungelesen',
  asks: 'Wartet auf Ihre Entscheidung',
  decide: 'Alle Freigaben',
  kinds: {
    mention: { by: (who) => `${who} hat Sie erwähnt`, alone: 'Sie wurden erwähnt' },
    assigned: { by: (who) => `${who} hat Ihnen das zugewiesen`, alone: 'Das wurde Ihnen zugewiesen' },
    failed: { by: (who) => who, alone: 'Ihre Nachricht konnte nicht zugestellt werden' },
    held: { by: (who) => who, alone: 'Eine Nachricht für später ist zurückgehalten und wartet auf Sie' },
  },
  ticket: (id) => `Ticket #${id}`,
  older: 'Ältere',
  none: {
    title: 'Nichts betrifft Sie gerade',
    text:
      'Hier steht, was Sie erwähnt, was andere Ihnen zuweisen, was auf Ihre Entscheidung wartet, und Ihre Nachrichten, die ' +
      'nicht zugestellt werden konnten.',
  },
  noneUnread: { title: 'Sie haben alles gelesen', text: 'Neues erscheint hier.' },
};
