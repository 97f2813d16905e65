const formatters = new Map<string, Intl.DateTimeFormat>();

/** Milliseconds by which clocks of a time zone are ahead of UTC at a moment. */
export function offsetOf(moment: Date, timeZone: string): number {
  const parts = Object.fromEntries(
    formatter(timeZone)
      .formatToParts(moment)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const shown = Date.UTC(
    parts['year'] ?? 0,
    (parts['month'] ?? 1) - 1,
    parts['day'] ?? 1,
    parts['hour'] ?? 0,
    parts['minute'] ?? 0,
    parts['second'] ?? 0,
  );
  return shown - Math.floor(moment.getTime() / 1000) * 1000;
}

function formatter(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone) ?? new Intl.DateTimeFormat('en-GB', { timeZone, ...shownParts });
  formatters.set(timeZone, known);
  return known;
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
