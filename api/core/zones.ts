const formatters = new Map<string, Intl.DateTimeFormat>();

/** Returns the calendar day of a moment in a time zone, as YYYY-MM-DD. */
export function dayOf(moment: Date, timeZone: string): string {
  const [day, month, year = ''] = partsOf(moment, timeZone);
  return `${year.padStart(4, '0')}-${month}-${day}`;
}

/** Returns the milliseconds by which clocks of a time zone are ahead of UTC at a moment. */
export function offsetOf(moment: Date, timeZone: string): number {
  const [day, month, year, hour, minute, second] = partsOf(moment, timeZone).map(Number);
  const shown = Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second);
  return shown - Math.floor(moment.getTime() / 1000) * 1000;
}

/** Returns the moment that a clock in the time zone shows as `YYYY-MM-DDTHH:MM`; null when the text is none. */
export function momentOfLocal(local: string, timeZone: string): Date | null {
  const match = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::\d{2})?$/.exec(local);
  if (!match) return null;
  const [year, month, day, hour, minutes] = match.slice(1).map(Number) as [number, number, number, number, number];
  const wanted = Date.UTC(year, month - 1, day, hour, minutes);
  if (new Date(wanted).getUTCDate() !== day || hour > 23 || minutes > 59) return null;
  // The offset at the guess is nearly always the right one; after a change of the clocks it is asked for once more.
  let guess = wanted - offsetOf(new Date(wanted), timeZone);
  guess = wanted - offsetOf(new Date(guess), timeZone);
  return new Date(guess);
}

/** Returns what a clock in the time zone shows, as `YYYY-MM-DDTHH:MM`: the value of a `datetime-local` field. */
export function localOf(moment: Date, timeZone: string): string {
  return new Date(moment.getTime() + offsetOf(moment, timeZone)).toISOString().slice(0, 16);
}

/**
 * Returns what a calendar and a clock in a time zone show at a moment: day, month, year, hour, minute, second, each in
 * two digits but the year. A page asks a hundred times: the text is read, since its parts cost three times as much.
 */
function partsOf(moment: Date, timeZone: string): readonly string[] {
  const known = formatters.get(timeZone) ?? new Intl.DateTimeFormat('en-GB', { timeZone, ...shownParts });
  formatters.set(timeZone, known);
  return known.format(moment).match(/\d+/g) ?? [];
}

const shownParts = {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
} as const;
