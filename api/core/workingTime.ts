import type { WorkingPeriod } from '../../models';
import { weekdays } from '../../models/enums';
import { offsetOf } from './zones';

/** When a team works. */
export interface WorkingHours {
  /** IANA name: what is meant by a time of day. */
  readonly timezone: string;
  readonly periods: readonly WorkingPeriod[];
  /** Days without work, as YYYY-MM-DD. */
  readonly holidays: readonly string[];
}

/** A time from one moment until before another one, in milliseconds since 1970. */
interface Span {
  readonly from: number;
  readonly to: number;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** How far ahead is looked: every day of a year has its weekday and its holiday within it. */
const maxAheadMs = 366 * dayMs;

/**
 * Reckons in working time. A team works at a moment if its clock on the wall then shows a time of a period: an hour
 * that the clocks repeat counts twice, one that they leave out does not count.
 */
export class WorkingTime {
  private readonly zone: string;
  private readonly holidays: ReadonlySet<string>;
  /** Periods by their weekday, in milliseconds since midnight. */
  private readonly periods: ReadonlyMap<string, readonly Span[]>;
  /** When it is open, by days since 1970 of UTC: each is reckoned once. */
  private readonly known = new Map<number, readonly Span[]>();

  constructor({ timezone, periods, holidays }: WorkingHours) {
    this.zone = timezone;
    this.holidays = new Set(holidays);
    this.periods = new Map(
      weekdays.map((weekday) => [
        weekday,
        periods
          .filter((period) => period.weekday === weekday)
          .map(({ opens, closes }) => ({ from: msOfClock(opens), to: msOfClock(closes) }))
          .sort((left, right) => left.from - right.from),
      ]),
    );
  }

  /** Returns whether the team works at a moment. */
  isOpenAt(at: Date): boolean {
    return this.spans(at.getTime(), at.getTime() + 1).next().done !== true;
  }

  /** Returns when the team works next: the moment itself while it works; null if it does not within a year. */
  nextOpening(at: Date): Date | null {
    const { value } = this.spans(at.getTime(), at.getTime() + maxAheadMs).next();
    return value ? new Date(value.from) : null;
  }

  /** Returns the first moment by which so many minutes were worked; null if they are not within a year. */
  addWorkingMinutes(from: Date, minutes: number): Date | null {
    let leftMs = minutes * minuteMs;
    if (leftMs <= 0) return from;
    for (const span of this.spans(from.getTime(), from.getTime() + maxAheadMs)) {
      if (span.to - span.from >= leftMs) return new Date(span.from + leftMs);
      leftMs -= span.to - span.from;
    }
    return null;
  }

  /** Returns how many minutes were worked between two moments, with their fraction. */
  workingMinutesBetween(from: Date, to: Date): number {
    let workedMs = 0;
    for (const span of this.spans(from.getTime(), to.getTime())) workedMs += span.to - span.from;
    return workedMs / minuteMs;
  }

  /** Gives when it is open between two moments, in order. */
  private *spans(from: number, to: number): Generator<Span, undefined> {
    for (let day = Math.floor(from / dayMs); day * dayMs < to; day += 1) {
      for (const span of this.openOn(day)) {
        const part = { from: Math.max(span.from, from), to: Math.min(span.to, to) };
        if (part.from < part.to) yield part;
      }
    }
  }

  private openOn(day: number): readonly Span[] {
    const known = this.known.get(day) ?? this.reckon({ from: day * dayMs, to: (day + 1) * dayMs });
    this.known.set(day, known);
    return known;
  }

  /** Returns when it is open within a day of UTC: the parts before and after a change of the clocks are told apart. */
  private reckon(day: Span): readonly Span[] {
    const before = this.offsetAt(day.from);
    const after = this.offsetAt(day.to);
    if (before === after) return this.openByWall(day, before);
    const change = this.changeWithin(day, before);
    return [
      ...this.openByWall({ from: day.from, to: change }, before),
      ...this.openByWall({ from: change, to: day.to }, after),
    ];
  }

  /** Returns when it is open within a time in which clocks are ahead of UTC by the same all along. */
  private openByWall({ from, to }: Span, offset: number): Span[] {
    const open: Span[] = [];
    // What clocks on the wall show, reckoned as though it were UTC.
    const wall = { from: from + offset, to: to + offset };
    for (let midnight = Math.floor(wall.from / dayMs) * dayMs; midnight < wall.to; midnight += dayMs) {
      if (this.holidays.has(new Date(midnight).toISOString().slice(0, 10))) continue;
      for (const period of this.periods.get(weekdayOf(midnight)) ?? []) {
        const start = Math.max(midnight + period.from, wall.from);
        const end = Math.min(midnight + period.to, wall.to);
        if (start < end) open.push({ from: start - offset, to: end - offset });
      }
    }
    return open;
  }

  /** Returns when in a day clocks begin to be ahead of UTC by another time than at its beginning. */
  private changeWithin({ from, to }: Span, before: number): number {
    let [same, other] = [from, to];
    while (other - same > 1) {
      const middle = Math.floor((same + other) / 2);
      if (this.offsetAt(middle) === before) same = middle;
      else other = middle;
    }
    return other;
  }

  private offsetAt(ms: number): number {
    return offsetOf(new Date(ms), this.zone);
  }
}

/** Returns the milliseconds since midnight of a clock's `HH:MM`. */
function msOfClock(clock: string): number {
  const [hours, minutes] = clock.split(':').map(Number);
  return ((hours ?? 0) * 60 + (minutes ?? 0)) * minuteMs;
}

/** Returns the weekday of a midnight of UTC; 1 January 1970 was a Thursday. */
function weekdayOf(midnight: number): string {
  return weekdays[(((midnight / dayMs + 3) % 7) + 7) % 7] ?? '';
}
