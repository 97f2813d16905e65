import type { Ctx } from '../../../core/context';
import { WorkingTime } from '../../../core/workingTime';
import { getWorkspace } from '../../identity/workspaces/service';
import type { CalendarRecord } from './serializer';
import { findCalendar, listCalendars } from './service';

/** A calendar, and the time that it says is worked. */
interface Hours {
  readonly calendar: CalendarRecord;
  readonly time: WorkingTime;
}

/**
 * Reads which hours apply: those of the calendar that a team inbox has, else those of the workspace's own; null where
 * there is none, which means all day.
 */
export async function readHours(ctx: Ctx): Promise<(teamInboxId: number | null) => Hours | null> {
  const all = await listHours(ctx);
  if (all.length === 0) return () => null;
  const own = all.find(({ calendar }) => calendar.is_default) ?? null;
  const byInbox = new Map(all.flatMap((hours) => hours.calendar.team_inbox_ids.map((id) => [id, hours] as const)));
  return (teamInboxId) => (teamInboxId === null ? own : (byInbox.get(teamInboxId) ?? own));
}

/** Returns all calendars of the workspace with the time that is worked by each. */
export async function listHours(ctx: Ctx): Promise<Hours[]> {
  const calendars = await listCalendars(ctx);
  if (calendars.length === 0) return [];
  const { timezone } = await getWorkspace(ctx);
  return calendars.map((calendar) => ({ calendar, time: timeOf(calendar, timezone) }));
}

/** Returns the time that is worked by one calendar. Throws 404. */
export async function workingTimeOf(ctx: Ctx, calendarId: number): Promise<WorkingTime> {
  const { timezone } = await getWorkspace(ctx);
  return timeOf(await findCalendar(ctx, calendarId), timezone);
}

function timeOf({ periods, holidays }: CalendarRecord, timezone: string): WorkingTime {
  return new WorkingTime({ timezone, periods, holidays: holidays.map(({ date }) => date) });
}

/** SQL: whether a workspace `w` has a calendar that says what customers are answered outside of its hours. */
export const speaksAwaySql = (alias: string): string => `EXISTS (
  SELECT 1 FROM calendars k
  WHERE k.workspace_id = ${alias}.id AND (k.away_text IS NOT NULL OR k.away_template_id IS NOT NULL))`;
