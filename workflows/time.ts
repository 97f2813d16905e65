/** Longest single timer: a year, far below what the server can count. A longer wait goes on from there. */
export const maxTimerMs = 365 * 24 * 3_600_000;

/** Shortest wait, so that an answer of "wait 0 ms" makes no busy loop. */
export const minWaitMs = 200;

/** Returns a time as operators read it; one that no calendar can name is given as its number. */
export function isoTime(ms: number): string {
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : String(ms);
}
