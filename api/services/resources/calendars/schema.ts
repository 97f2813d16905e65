import type { WorkingPeriod } from '../../../../models';
import { weekdays } from '../../../../models/enums';
import {
  boolean,
  choice,
  date,
  described,
  Fault,
  field,
  input,
  list,
  nullable,
  object,
  parseWith,
  pk,
  required,
  text,
  within,
} from '../../../core/http/fields';
import { replyText } from '../cannedReplies/schema';
import { templateVariables } from '../templates/variables';
import { reason } from '../reasons';
import type { Reason } from '../../../core/http/reasons';

/** Ten for each day of a week. */
const maxPeriods = 70;
/** One for each day of a year. */
const maxHolidays = 366;
/** As many as a workspace with a team inbox for each member would need. */
const maxTeamInboxes = 1_000;

const timeOfDay = (pattern: RegExp, patternMessage: Reason) =>
  required(text({ max: 5, blank: false, pattern, patternMessage }));
const opens = timeOfDay(/^([01]\d|2[0-3]):[0-5]\d$/, reason('noTime'));
const closes = timeOfDay(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, reason('noTimeTo24'));
const periodList = list(object({ weekday: required(choice(weekdays)), opens, closes }, 'WorkingPeriodInput'), {
  min: 1,
  max: maxPeriods,
});

/** Several periods a day, which do not overlap. */
const periods = described(
  field<WorkingPeriod[]>(periodList.spec.meta?.json ?? {}, (raw) => {
    const read = parseWith(periodList, raw);
    if (read instanceof Fault) return read;
    const faults = read.flatMap(({ weekday, opens: from, closes: to }, index) => {
      if (to <= from) return [within(index, within('closes', reason('closesEarly')))];
      const isOverlapping = read.some(
        (other, place) => place < index && other.weekday === weekday && other.opens < to && from < other.closes,
      );
      return isOverlapping ? [within(index, within('opens', reason('overlaps')))] : [];
    });
    return faults.length > 0 ? new Fault(...faults) : read;
  }),
  'When the team works, by the clock of the workspace’s time zone; several periods a day where there is a break.',
);

const name = text({ max: 255, blank: false });

const fields = {
  is_default: described(boolean(), 'Whether it is the workspace’s own, which applies where a team inbox has none.'),
  holidays: described(
    list(object({ date: required(date()), name: required(text({ max: 255 })) }, 'HolidayInput'), { max: maxHolidays }),
    'Days without work, each with its name, which may be empty.',
  ),
  team_inbox_ids: described(
    list(pk(), { max: maxTeamInboxes }),
    '`id`s of the team inboxes that it applies to; each has one calendar, so it is taken from another one.',
  ),
  away_text: described(
    nullable(replyText),
    'What customers are answered outside of these hours, once per window. It may have the placeholders of a canned ' +
      'reply.',
  ),
  away_template_id: described(
    nullable(text({ max: 64, blank: false })),
    'Id of an APPROVED template, sent instead where there is no text or the window is closed.',
  ),
  away_template_variables: templateVariables(['static', 'field']),
};

/** `POST /calendars/`. */
export const createCalendarInput = input({ name: required(name), periods: required(periods), ...fields });
/** `PATCH /calendars/{id}/`. */
export const updateCalendarInput = input({ name, periods, ...fields });
