/** Longest single timer: the server counts durations in nanoseconds, which end at 292 years. */
export const maxTimerMs = 365 * 24 * 3_600_000;

/** Keeps an answer of "wait no time" from becoming a spin. */
export const minWaitMs = 200;

/** Returns a time as operators read it; one that no calendar can name is given as its number. */
export function isoTime(ms: number): string {
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : String(ms);
}
