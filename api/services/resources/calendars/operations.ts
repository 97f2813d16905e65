import { input } from '../../../core/http/fields';
import { operation } from '../../../core/http/operations';
import { wire } from '../../../core/http/shapes';
import { ceilingConflict } from '../../identity/workspaces/objectLimits';
import { namedByRules, pauseRulesField } from '../rules/naming';
import { createCalendarInput, updateCalendarInput } from './schema';
import { calendarShape, serializeCalendar } from './serializer';
import { createCalendar, deleteCalendar, findCalendar, listCalendars, updateCalendar } from './service';

const path = '/api/v1/calendars/';
const common = { tag: 'Teamwork', scope: 'workspace.manage', audience: 'session' } as const;
const one = { ...common, path: `${path}{id}/`, intParams: ['id'] } as const;

const week = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'].flatMap((weekday) => [
  { weekday, opens: '09:00', closes: '12:30' },
  { weekday, opens: '13:30', closes: '18:00' },
]);

/** When a team works (contract 18.6). */
export const calendarOperations = [
  operation({
    ...common,
    id: 'calendars.list',
    method: 'GET',
    path,
    summary: 'List calendars',
    description: 'All calendars of the workspace, as a plain array.',
    status: 200,
    output: wire.list(calendarShape),
    run: async (ctx) => (await listCalendars(ctx)).map(serializeCalendar),
  }),
  operation({
    ...common,
    id: 'calendars.create',
    method: 'POST',
    path,
    summary: 'Make a calendar',
    description: 'The first one is the workspace’s own, unless `is_default` is false.',
    body: createCalendarInput,
    status: 201,
    output: calendarShape,
    conflicts: ceilingConflict('calendars'),
    examples: {
      request: {
        name: 'Support',
        periods: week,
        holidays: [{ date: '2026-12-25', name: 'Christmas Day' }],
        away_text: 'Thank you, {{name}}! We are back at nine.',
      },
    },
    run: async (ctx, given) => serializeCalendar(await createCalendar(ctx, given)),
  }),
  operation({
    ...one,
    id: 'calendars.get',
    method: 'GET',
    summary: 'Read a calendar',
    description: 'One calendar with its periods and holidays.',
    status: 200,
    output: calendarShape,
    run: async (ctx, given) => serializeCalendar(await findCalendar(ctx, given.id)),
  }),
  operation({
    ...one,
    id: 'calendars.update',
    method: 'PATCH',
    summary: 'Change a calendar',
    description: 'Fields that are left out stay as they are, lists are replaced. Running deadlines are not changed.',
    body: updateCalendarInput,
    status: 200,
    output: calendarShape,
    examples: { request: { holidays: [{ date: '2027-01-01', name: 'New Year' }] } },
    locate: (ctx, params) => findCalendar(ctx, params.id),
    run: async (ctx, given) => serializeCalendar(await updateCalendar(ctx, given.id, given)),
  }),
  operation({
    ...one,
    id: 'calendars.delete',
    method: 'DELETE',
    summary: 'Delete a calendar',
    description: 'Its team inboxes have the hours of the workspace, service levels that it counted in count all day.',
    query: input(pauseRulesField),
    locate: (ctx, { id }) => findCalendar(ctx, id),
    conflicts: { ...namedByRules, when: 'Rules go by hours, and `pause_rules` is not true.' },
    status: 204,
    output: null,
    run: async (ctx, given) => deleteCalendar(ctx, given.id, given.pause_rules ?? false),
  }),
];
