const formatters = new Map<string, Intl.DateTimeFormat>();

/** Returns the calendar day of a moment in a time zone, as YYYY-MM-DD. */
export function dayOf(moment: Date, timeZone: string): string {
  const parts = partsOf(moment, timeZone);
  return `${(parts['year'] ?? '').padStart(4, '0')}-${parts['month']}-${parts['day']}`;
}

/** Returns the milliseconds by which clocks of a time zone are ahead of UTC at a moment. */
export function offsetOf(moment: Date, timeZone: string): number {
  const parts = partsOf(moment, timeZone);
  const shown = Date.UTC(
    Number(parts['year']),
    Number(parts['month']) - 1,
    Number(parts['day']),
    Number(parts['hour']),
    Number(parts['minute']),
    Number(parts['second']),
  );
  return shown - Math.floor(moment.getTime() / 1000) * 1000;
}

/** Returns what a calendar and a clock in a time zone show at a moment, each in two digits but the year. */
function partsOf(moment: Date, timeZone: string): Readonly<Record<string, string>> {
  const known = formatters.get(timeZone) ?? new Intl.DateTimeFormat('en-GB', { timeZone, ...shownParts });
  formatters.set(timeZone, known);
  return Object.fromEntries(known.formatToParts(moment).map(({ type, value }) => [type, value]));
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
