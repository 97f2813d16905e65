import { localesNow } from '../../core/text/language';
import { dayOf } from '../../core/zones';
import { daysBefore } from '../../services/identity/workspaces/localDays';
import { words } from './words';

export { moneyText, numberText } from './words/numbers';

const minute = 60_000;
const formatters = new Map<string, Intl.DateTimeFormat>();
const { spans } = words;

/** How a moment is written: time of day, day, both, or the shortest that tells it from now. */
export type MomentStyle = 'clock' | 'day' | 'full' | 'short';

function formatter(timeZone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const { dates } = localesNow();
  const key = `${dates} ${timeZone} ${JSON.stringify(options)}`;
  const known = formatters.get(key) ?? new Intl.DateTimeFormat(dates, { timeZone, ...options });
  formatters.set(key, known);
  return known;
}

/** Writes a moment in a time zone. */
export function formatMoment(moment: Date, timeZone: string, style: MomentStyle, now: Date): string {
  const clock = (): string =>
    formatter(timeZone, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(moment);
  if (style === 'clock') return clock();
  const [itsDay, today] = [dayOf(moment, timeZone), dayOf(now, timeZone)];
  if (style === 'short' && itsDay === today) return clock();
  const sameYear = itsDay.slice(0, 4) === today.slice(0, 4);
  const day = formatter(timeZone, {
    ...(style === 'short' ? {} : { weekday: 'short' }),
    day: 'numeric',
    month: 'short',
    ...(sameYear ? {} : { year: 'numeric' }),
  }).format(moment);
  return style === 'full' ? `${day}, ${clock()}` : day;
}

/** Writes a day that is given as YYYY-MM-DD. */
export function formatDay(day: string, now: Date): string {
  return formatMoment(new Date(day), 'UTC', 'day', now);
}

/** Writes the days from one to another, or the only one. */
export function formatDays(from: string, to: string, now: Date): string {
  return [...new Set([from, to])].map((day) => formatDay(day, now)).join(' – ');
}

/** Writes a day as a heading of a list: Today, Yesterday, or its date. */
export function formatDayHeading(moment: Date, timeZone: string, now: Date): string {
  const day = dayOf(moment, timeZone);
  const today = dayOf(now, timeZone);
  if (day === today) return relativeDay(0);
  if (day === daysBefore(today, 1)) return relativeDay(-1);
  return formatMoment(moment, timeZone, 'day', now);
}

/** Names a day by its distance from today, as a heading. */
function relativeDay(days: number): string {
  const text = new Intl.RelativeTimeFormat(localesNow().dates, { numeric: 'auto' }).format(days, 'day');
  return text.charAt(0).toLocaleUpperCase(localesNow().dates) + text.slice(1);
}

/** Writes a length of time in the two largest units: 2 d 3 h, 4 h 5 min, 12 min, < 1 min. */
export function formatDuration(milliseconds: number): string {
  const minutes = Math.max(0, Math.floor(milliseconds / minute));
  const [days, hours, rest] = [Math.floor(minutes / 1440), Math.floor((minutes % 1440) / 60), minutes % 60];
  const [day, hour, min] = [`${days} ${spans.day}`, `${hours} ${spans.hour}`, `${rest} ${spans.minute}`];
  if (days > 0) return hours > 0 ? `${day} ${hour}` : day;
  if (hours > 0) return rest > 0 ? `${hour} ${min}` : hour;
  return minutes > 0 ? min : `< 1 ${spans.minute}`;
}

/** Returns a path with a query; values that are empty are left out. */
export function linkTo(path: string, query: Readonly<Record<string, string | number | null | undefined>> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const search = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return search === '' ? path : `${path}?${search}`;
}

/** Reads a moment; null where there is none. */
export function momentOf(value: Date | string | null | undefined): Date | null {
  if (value === null || value === undefined || value === '') return null;
  const moment = value instanceof Date ? value : new Date(value);
  return Number.isNaN(moment.getTime()) ? null : moment;
}
