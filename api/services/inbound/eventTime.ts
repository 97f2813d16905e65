/** An upstream time in unix seconds, as text or number; now where there is none, never in the future. */
export function eventTime(raw: unknown, now: Date): Date {
  const seconds = typeof raw === 'number' ? raw : typeof raw === 'string' && /^\d{1,12}$/.test(raw) ? Number(raw) : Number.NaN;
  if (!Number.isFinite(seconds) || seconds <= 0) return now;
  return new Date(Math.min(seconds * 1000, now.getTime()));
}
