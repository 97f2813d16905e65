import { plural } from '../plural';

/** Team inboxes. */
export const teamInboxes = {
  title: 'Team inboxes',
  one: 'Team inbox',
  new: 'New team inbox',
  newTitle: 'New team inbox',
  empty: {
    title: 'No team inboxes yet',
    text: 'A team inbox gathers the conversations of a group, for example Billing. The first one is the default.',
  },
  made: 'The team inbox is made.',
  saved: 'The team inbox is saved.',
  deleted: 'The team inbox is deleted.',
  delete: {
    title: 'Delete this team inbox?',
    named: (name: string) => `Delete “${name}”?`,
    text: 'Its conversations and tickets are assigned to none. This cannot be undone.',
    button: 'Delete this team inbox',
  },
  fields: {
    name: { label: 'Name' },
    description: { label: 'Description' },
    member_ids: { label: 'Members' },
    is_default: { label: 'Make it the default in place of the present one' },
  },
  nobody: 'Nobody sits in it',
  assignment: {
    title: 'Assignment',
    mode: 'Conversations find a member',
    modes: { manual: 'By hand', round_robin: 'In turns', balanced: 'Whoever has the fewest open' },
    waiting: (count: number) =>
      count === 0
        ? 'Nobody waits for a member.'
        : `${plural(count, { one: 'waits for a member.', other: 'wait for a member.' })}`,
    capacity: (name: string) => `Most open conversations of ${name}`,
    about: (open: number, isAway: boolean) =>
      `Has ${open} now${isAway ? ', and is away' : ''}. Empty: as many as come.`,
    save: 'Save the assignment',
    saved: 'The assignment is saved.',
  },
};
