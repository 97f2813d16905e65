import { plural } from '../plural';

/** Reports. */
export const reports = {
  title: 'Reports',
  about:
    "Conversations that began on these days, from a customer's message until they were resolved. They are counted " +
    'once a minute.',
  export: 'Export as CSV',
  from: 'From',
  to: 'To',
  sums: 'Sums',
  show: 'Show',
  groups: { day: 'Day', hour: 'Hour', member: 'Member', inbox: 'Team inbox', tag: 'Tag', broadcast: 'Broadcast' },
  by: (group: string) => `By ${group.toLowerCase()}`,
  /** One of a group that has no name, or none that the member may see. */
  numbered: (group: string, key: string) => `${group} ${key}`,
  none: 'None',
  /** A row of a group, and what is said of it. */
  of: (group: string, name: string) => `${group}: ${name}`,
  figures: {
    started: 'Began',
    answered: 'Answered',
    firstAnswer: 'First answer after',
    resolved: 'Resolved',
    resolution: 'Resolved after',
    rated: 'Rated',
    satisfied: 'Satisfied',
    open: 'Open at the end',
  },
  nothing: '–',
  share: (percent: number) => `${percent} %`,
  bars: (highest: string) => `Conversations that began, at most ${highest}`,
  bar: (name: string, count: number) => `${name}: ${plural(count, { one: 'conversation', other: 'conversations' })}`,
  change: {
    about: (span: string) => `Compared with ${span}, as many days before.`,
    before: (value: string) => `Before: ${value}`,
    same: 'unchanged',
    better: (by: string) => `${by}, better`,
    worse: (by: string) => `${by}, worse`,
    /** Of percentages. */
    points: (count: number) => plural(count, { one: 'point', other: 'points' }),
  },
  list: {
    titles: {
      started: 'Conversations that began',
      answered: 'Conversations that were answered',
      resolved: 'Conversations that were resolved',
      rated: 'Conversations that were rated',
      satisfied: 'Conversations of satisfied customers',
      open: 'Conversations that were open at the end',
    },
    behind: 'Conversations have changed since they were counted: the report follows within a minute.',
    count: (count: number) => plural(count, { one: 'conversation', other: 'conversations' }),
    customer: 'Customer',
    outcome: 'Outcome',
    outcomes: { goesOn: 'Not ended', merged: 'Merged', erased: 'Contact erased' },
  },
  empty: { title: 'No conversations', text: 'There is none on these days.' },
};
