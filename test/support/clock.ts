import type { Clock } from '../../api/core/clock';

/** Returns a clock that a test moves, and the database's time for what is due with it. */
export function movedClock(now: () => Date): Clock {
  return { now, dueOffsetMs: () => now().getTime() - Date.now() };
}
