import { plural } from '../plural';

/** The one search: people, words in messages, tickets, pages and acts. */
export const search = {
  title: 'Search',
  label: 'Search people, messages, tickets and pages',
  placeholder: 'A name, a number, words of a message, a page…',
  find: 'Search',
  close: 'Close the search',
  groups: { people: 'People', messages: 'Messages', tickets: 'Tickets', go: 'Go to' },
  more: { people: 'All people', messages: 'All messages', tickets: 'All tickets' },
  found: (count: number) => plural(count, { one: 'hit', other: 'hits' }),
  nothing: {
    title: 'Nothing found',
    text: 'Names are found by their beginning, messages by whole words of three letters or more.',
  },
  /** Where one group could not be asked. */
  failed: 'could not be searched. Try again.',
  lost: 'The server cannot be reached. Type on, or press Enter to try again.',
  busy: 'The server is busy. Wait a moment, then press Enter.',
  hint: { choose: 'choose', open: 'open', close: 'close' },
  acts: {
    broadcast: 'New broadcast',
    ticket: 'New ticket',
    contact: 'New contact',
    import: 'Import contacts',
    macro: 'New macro',
    rule: 'New rule',
    reply: 'New canned reply',
    member: 'Invite a member',
    key: 'New API key',
    webhook: 'New webhook',
    later: 'Messages for later',
  },
};
