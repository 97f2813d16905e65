/** What concerns a member: mentions, what others gave them, approvals, and what of theirs was not sent. */
export const concerns = {
  title: 'What concerns me',
  all: 'All',
  unread: 'Unread',
  tabs: 'What is shown',
  readAll: 'Mark all as read',
  read: 'Mark as read',
  isUnread: 'unread',
  asks: 'Waiting for your decision',
  decide: 'All approvals',
  /** Who did what, by kind; a ticket's mention stands in a comment. */
  kinds: {
    mention: { by: (who: string) => `${who} mentioned you`, alone: 'You are mentioned' },
    assigned: { by: (who: string) => `${who} assigned this to you`, alone: 'This was assigned to you' },
    failed: { by: (who: string) => who, alone: 'Your message could not be delivered' },
    held: { by: (who: string) => who, alone: 'A message for later is held and waits for you' },
  },
  ticket: (id: number) => `Ticket #${id}`,
  older: 'Older',
  none: {
    title: 'Nothing concerns you now',
    text:
      'Here is what mentions you, what others assign to you, what waits for your decision, and messages of yours ' +
      'that could not be delivered.',
  },
  noneUnread: { title: 'You have read everything', text: 'What is new will be here.' },
};
