import { slaSubjects } from '../../../../models/enums';
import { policyShape } from '../../../services/resources/sla/serializer';
import { calendarShape } from '../../../services/resources/calendars/serializer';
import { readList } from '../typedCalls';
import { words } from '../words';
import { resourcePages } from './resourcePages';

const { sla, spans } = words;
const dayMinutes = 1_440;
const hourMinutes = 60;

/** Writes a promised time in the largest unit that it is whole in. */
function spanText(minutes: number | null): string {
  if (minutes === null) return sla.none;
  if (minutes % dayMinutes === 0) return `${minutes / dayMinutes} ${spans.day}`;
  return minutes % hourMinutes === 0 ? `${minutes / hourMinutes} ${spans.hour}` : `${minutes} ${spans.minute}`;
}

/** Service level policies. */
export const { routes: slaPages } = resourcePages({
  path: '/dashboard/sla-policies/',
  section: 'sla',
  icon: 'timer',
  operations: 'slaPolicies',
  shape: policyShape,
  view: 'workspace.manage',
  manage: 'workspace.manage',
  words: sla,
  fresh: { applies_to: slaSubjects.map((subject) => `${subject}`) },
  nameOf: ({ name }) => name,
  list: {
    entries:
      () =>
      ({ name, is_default: isDefault, calendar_id: calendar, ...policy }) => {
        const { first_response_minutes: first, resolution_minutes: solution, applies_to: targets } = policy;
        const promise = sla.promise(spanText(first), spanText(solution), targets);
        return { name, isDefault, lines: [calendar === null ? promise : promise + sla.inHours] };
      },
  },
  fields: async (page) => {
    const calendars = await readList(page, calendarShape, 'calendars.list');
    const hours = calendars.map(({ id, name }) => ({ value: id, label: sla.hoursOf(name) }));
    return [
      { name: 'name' },
      { name: 'first_response_minutes' },
      { name: 'resolution_minutes' },
      { name: 'calendar_id', options: [{ value: '', label: sla.allDay }, ...hours] },
      { name: 'applies_to', options: slaSubjects.map((value) => ({ value, label: sla.targets[value] })) },
      { name: 'is_default' },
    ];
  },
});
