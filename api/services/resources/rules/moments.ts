import type { RuleRow } from '../../../../models';
import type { RuleWait } from '../../../../models/ruleParts';
import type { WorkingTime } from '../../../core/workingTime';

const minuteMs = 60_000;

/** What a moment depends on beside the wait. */
interface Around {
  /** The hours of the conversation; null where it has no calendar, which means all day. */
  readonly time: WorkingTime | null;
  /** When the window of the conversation ends; null where none was open. */
  readonly windowEnd: Date | null;
}

/**
 * Returns when a wait that begins `from` is over; null where it never is: there is no window, or the team does not work
 * within a year.
 */
export function momentOf(wait: RuleWait | null, from: Date, { time, windowEnd }: Around): Date | null {
  if (wait === null) return from;
  const later = (at: Date | null, minutes: number): Date | null =>
    at === null ? null : new Date(at.getTime() + minutes * minuteMs);
  if ('until' in wait) return later(time === null ? from : time.nextOpening(from), wait.plus_minutes);
  if ('before' in wait) return windowEnd === null || windowEnd <= from ? null : later(windowEnd, -wait.minutes);
  return wait.by === 'hours' && time !== null ? time.addWorkingMinutes(from, wait.minutes) : later(from, wait.minutes);
}

/**
 * Returns the moment of a wait by the hours and the window as they are now; never before the one that was told. Other
 * waits keep theirs.
 */
export function movedMoment(wait: RuleWait | null, from: Date, told: Date, around: Around): Date {
  const isMoving = waitsByHours(wait) || (wait !== null && 'before' in wait);
  const now = isMoving ? momentOf(wait, from, around) : null;
  return now !== null && now > told ? now : told;
}

/** Returns whether a wait goes by the hours of a calendar. */
export function waitsByHours(wait: RuleRow['wait']): boolean {
  return wait !== null && ('until' in wait || ('by' in wait && wait.by === 'hours'));
}
