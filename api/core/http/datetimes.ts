const datetimePattern =
  /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?(Z|z|[+-]\d{2}(?::?\d{2})?)?$/;

/** Returns an instant from ISO 8601 text, or null when it is not one (2026-02-31, 25:00, no such offset). */
export function parseDatetime(raw: unknown): Date | null {
  if (raw instanceof Date) return Number.isNaN(raw.getTime()) ? null : raw;
  if (typeof raw !== 'string') return null;
  const match = datetimePattern.exec(raw.trim());
  if (!match) return null;
  const [year, month, day, hour, minute, second] = [1, 2, 3, 4, 5, 6].map((index) => Number(match[index] ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const millis = Number((match[7] ?? '0').slice(0, 3).padEnd(3, '0'));
  const zone = (match[8] ?? 'Z').toUpperCase();
  const sign = zone.startsWith('-') ? -1 : 1;
  const digits = zone === 'Z' ? '0000' : zone.slice(1).replace(':', '').padEnd(4, '0');
  const [offsetHours, offsetMinutes] = [Number(digits.slice(0, 2)), Number(digits.slice(2, 4))];
  if (
    year < 1 ||
    month < 1 ||
    month > 12 ||
    hour > 23 ||
    minute > 59 ||
    second > 59 ||
    offsetHours > 14 ||
    offsetMinutes > 59
  )
    return null;
  const local = new Date(0);
  local.setUTCFullYear(year, month - 1, day);
  local.setUTCHours(hour, minute, second, millis);
  if (local.getUTCDate() !== day || local.getUTCMonth() !== month - 1 || day < 1) return null;
  const instant = new Date(local.getTime() - sign * (offsetHours * 60 + offsetMinutes) * 60_000);
  // Year 1 and 9999 at the edge of an offset leave the range that every client can read.
  return instant.getUTCFullYear() < 1 || instant.getUTCFullYear() > 9999 ? null : instant;
}

/** Returns whether the text is a day that exists, as YYYY-MM-DD. */
export function isCalendarDay(raw: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(raw) && parseDatetime(`${raw}T00:00:00Z`) !== null;
}
