import type { Weekday } from '../../../../../models/enums';
import { plural } from '../plural';

const holidays = { one: 'holiday', other: 'holidays' };

/** When the team works, and what customers are told outside of it. */
export const hours = {
  title: 'Hours',
  one: 'Calendar',
  new: 'New calendar',
  about: (zone: string) => `Times are those of the workspace’s time zone, ${zone}.`,
  empty: {
    title: 'No calendars yet',
    text:
      'A calendar says when your team works. Customers who write at another time can get an away reply, and service ' +
      'levels can count working time.',
  },
  own: 'the workspace’s own',
  for: (names: string) => `For ${names}`,
  holidays: (count: number) => plural(count, holidays),
  speaks: 'Customers get an away reply',
  silent: 'No away reply',
  closed: 'closed',
  days: {
    monday: 'Monday',
    tuesday: 'Tuesday',
    wednesday: 'Wednesday',
    thursday: 'Thursday',
    friday: 'Friday',
    saturday: 'Saturday',
    sunday: 'Sunday',
  } satisfies Record<Weekday, string>,
  fields: {
    name: { label: 'Name' },
    holidays: { label: 'Holidays', hint: 'One per line, for example 2026-12-25 Christmas Day.' },
    is_default: { label: 'The workspace’s own: wherever a team inbox has none' },
    team_inbox_ids: {
      label: 'Team inboxes',
      hint: 'Each has one calendar: what is ticked here is taken from another one.',
    },
    away_text: {
      label: 'Text',
      hint: 'Sent outside of these hours, once in the window of a customer; {{name}} becomes theirs.',
    },
    away_template_id: { label: 'Template', hint: 'Sent where there is no text, or where the window has closed.' },
  },
  week: {
    title: 'Hours of a week',
    hint: (zone: string) =>
      'For example 09:00-12:30, 13:30-18:00; a night is two periods, 22:00-24:00 and 00:00-06:00. In the ' +
      `workspace’s time zone, ${zone}.`,
  },
  where: 'Where it applies',
  away: 'Away reply',
  noTemplate: 'None',
  notNow: (id: string) => `${id} (cannot be sent now)`,
  made: 'The calendar is made.',
  saved: 'The calendar is saved. Deadlines that run already stay as they were.',
  deleted: 'The calendar is deleted.',
  delete: {
    title: 'Delete this calendar?',
    named: (name: string) => `Delete “${name}”?`,
    text: 'Its team inboxes have the hours of the workspace then. This cannot be undone.',
    button: 'Delete this calendar',
  },
};
