import { listText } from '../lists';

/** Service level policies. */
export const sla = {
  title: 'SLA policies',
  one: 'SLA policy',
  new: 'New policy',
  newTitle: 'New SLA policy',
  empty: {
    title: 'No policies yet',
    text:
      'A policy promises how soon customers get a first answer and a solution. The default one starts a clock on ' +
      'every new ticket and conversation.',
  },
  made: 'The policy is made.',
  saved: 'The policy is saved. Deadlines that run already stay as they were.',
  deleted: 'The policy is deleted.',
  delete: {
    title: 'Delete this policy?',
    named: (name: string) => `Delete “${name}”?`,
    text: 'New tickets and conversations get no deadlines from it. This cannot be undone.',
    button: 'Delete this policy',
  },
  fields: {
    name: { label: 'Name' },
    first_response_minutes: { label: 'First answer within, minutes', hint: 'Empty: no such promise.' },
    resolution_minutes: {
      label: 'Solution within, minutes',
      hint: 'Empty: no such promise. 1440 minutes are a day.',
    },
    calendar_id: { label: 'The minutes are of' },
    applies_to: { label: 'For' },
    is_default: { label: 'Default: starts a clock on everything new' },
  },
  targets: { tickets: 'Tickets', conversations: 'Conversations' },
  allDay: 'All day, every day',
  hoursOf: (name: string) => `Working time of ${name}`,
  promise: (first: string, solution: string, targets: readonly string[]) =>
    `First answer: ${first} · Solution: ${solution} · ${listText(targets)}`,
  inHours: ' · in working time',
  none: 'none',
};
