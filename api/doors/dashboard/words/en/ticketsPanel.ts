/** The tickets of a customer, beside their conversation. */
export const ticketsPanel = {
  title: 'Tickets',
  new: 'New ticket',
  all: (count: number) => `All ${count}`,
  name: 'What it is about',
  create: 'Create ticket',
  allFields: 'All fields',
  created: (id: number) => `Ticket #${id} is created.`,
  stage: (stage: string) => `Stage: ${stage}`,
  move: 'Move to',
  comment: 'Comment for the team',
  send: 'Comment',
  open: 'Open the ticket',
  close: 'Close',
};
