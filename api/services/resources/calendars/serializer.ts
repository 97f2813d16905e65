import type { CalendarRow } from '../../../../models';
import { weekdays } from '../../../../models/enums';
import { shapeOf, wire } from '../../../core/http/shapes';

/** A calendar with the ids of the team inboxes that it applies to. */
export type CalendarRecord = CalendarRow & { readonly team_inbox_ids: readonly number[] };

const period = wire.named('WorkingPeriod', {
  weekday: wire.oneOf(weekdays),
  opens: wire.text(),
  closes: wire.text(),
});

/** A calendar (contract 18.6). */
export const { schema: calendarShape, serialize: serializeCalendar } = shapeOf<CalendarRecord>('Calendar').with({
  id: wire.integer(),
  name: wire.text(),
  is_default: wire.boolean(),
  periods: wire.list(period),
  holidays: wire.list(wire.named('Holiday', { date: wire.text(), name: wire.text() })),
  team_inbox_ids: wire.list(wire.integer()),
  away_text: wire.nullable(wire.text()),
  away_template_id: wire.nullable(wire.text()),
  away_template_variables: wire.map(),
  created_at: wire.datetime(),
  updated_at: wire.datetime(),
});
