import { fc } from '../support/properties';
import type { WorkingPeriod } from '../../models';
import { weekdays } from '../../models/enums';
import { WorkingTime, type WorkingHours } from '../../api/core/workingTime';

const minuteMs = 60_000;
const windowMinutes = 4 * 1_440;

/** What a clock on the wall shows at each minute from a moment on: the slow way, which nobody has to believe. */
interface Wall {
  readonly timezone: string;
  readonly startMs: number;
  readonly minutes: readonly { readonly day: string; readonly weekday: string; readonly clock: string }[];
}

function wallOf(timezone: string, start: string): Wall {
  const shown = new Intl.DateTimeFormat('sv', {
    timeZone: timezone,
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  });
  const named = new Intl.DateTimeFormat('en', { timeZone: timezone, weekday: 'long' });
  const startMs = Date.parse(start);
  const minutes = Array.from({ length: windowMinutes }, (_, index) => {
    const at = new Date(startMs + index * minuteMs);
    const [day = '', clock = ''] = shown.format(at).split(' ');
    return { day, clock, weekday: named.format(at).toLowerCase() };
  });
  return { timezone, startMs, minutes };
}

/** Both changes of the clocks, days that are left out or half as long, a leap day, the turn of a year. */
const walls = [
  wallOf('Europe/Berlin', '2026-03-27T00:00Z'),
  wallOf('Europe/Berlin', '2026-10-23T13:17Z'),
  wallOf('America/New_York', '2026-03-07T00:00Z'),
  wallOf('America/New_York', '2026-10-31T05:00Z'),
  wallOf('Asia/Kolkata', '2028-02-27T18:30Z'),
  wallOf('Australia/Lord_Howe', '2026-04-03T00:00Z'),
  wallOf('Australia/Lord_Howe', '2026-10-02T09:31Z'),
  wallOf('Pacific/Apia', '2011-12-28T12:00Z'),
  wallOf('Pacific/Chatham', '2026-09-25T00:00Z'),
  wallOf('America/Sao_Paulo', '2018-11-02T00:00Z'),
  wallOf('Africa/Casablanca', '2026-02-14T00:00Z'),
  wallOf('UTC', '2026-12-30T00:00Z'),
];

const clockOf = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;

/** Periods of a day that do not overlap, often about the hours at which clocks change. */
const dayPeriods = fc
  .uniqueArray(fc.oneof(fc.integer({ min: 0, max: 1_440 }), fc.integer({ min: 0, max: 200 })), { maxLength: 6 })
  .map((cuts) => cuts.sort((left, right) => left - right))
  .map((cuts) =>
    Array.from({ length: Math.floor(cuts.length / 2) }, (_, index) => ({
      opens: clockOf(cuts[2 * index] ?? 0),
      closes: clockOf(cuts[2 * index + 1] ?? 0),
    })),
  );

const trial = fc.constantFrom(...walls).chain((wall) =>
  fc.record({
    wall: fc.constant(wall),
    periods: fc
      .tuple(...weekdays.map(() => dayPeriods))
      .map((days) =>
        days.flatMap((periods, day) =>
          periods.map((period): WorkingPeriod => ({ weekday: weekdays[day] ?? 'monday', ...period })),
        ),
      ),
    holidays: fc.subarray([...new Set(wall.minutes.map(({ day }) => day))], { maxLength: 2 }),
    from: fc.integer({ min: 0, max: windowMinutes - 1 }),
    to: fc.integer({ min: 0, max: windowMinutes - 1 }),
    target: fc.integer({ min: 1, max: 2_000 }),
  }),
);

/** Whether each minute of a wall is worked, read off the wall. */
function workedMinutes({ minutes }: Wall, { periods, holidays }: Omit<WorkingHours, 'timezone'>): boolean[] {
  return minutes.map(
    ({ day, weekday, clock }) =>
      !holidays.includes(day) &&
      periods.some((period) => period.weekday === weekday && period.opens <= clock && clock < period.closes),
  );
}

const week: WorkingPeriod[] = weekdays.slice(0, 5).flatMap((weekday) => [
  { weekday, opens: '09:00', closes: '12:00' },
  { weekday, opens: '13:00', closes: '17:00' },
]);

describe('working time (contract 18.6)', () => {
  it('agrees with a clock on the wall, minute by minute', () => {
    fc.assert(
      fc.property(trial, ({ wall, periods, holidays, from, to, target }) => {
        const worked = workedMinutes(wall, { periods, holidays });
        const hours = new WorkingTime({ timezone: wall.timezone, periods, holidays });
        const at = (minute: number): Date => new Date(wall.startMs + minute * minuteMs);

        expect(hours.isOpenAt(at(from))).toBe(worked[from]);
        const between = worked.slice(from, to).filter(Boolean).length;
        expect(hours.workingMinutesBetween(at(from), at(to))).toBe(between);

        const next = worked.indexOf(true, from);
        if (next >= 0) expect(hours.nextOpening(at(from))).toEqual(at(next));
        let left = target;
        const last = worked.findIndex((isWorked, minute) => minute >= from && isWorked && --left === 0);
        if (last >= 0) expect(hours.addWorkingMinutes(at(from), target)).toEqual(at(last + 1));
        // What lies beyond the wall is at least beyond it.
        else expect(+(hours.addWorkingMinutes(at(from), target) ?? Infinity)).toBeGreaterThan(+at(windowMinutes) - 1);
      }),
      { numRuns: 600 },
    );
  });

  it('counts an hour twice that the clocks repeat, and one not that they leave out', () => {
    const nights = new WorkingTime({
      timezone: 'Europe/Berlin',
      periods: [{ weekday: 'sunday', opens: '02:00', closes: '03:00' }],
      holidays: [],
    });
    const worked = (day: string): number =>
      nights.workingMinutesBetween(new Date(`${day}T00:00:00Z`), new Date(`${day}T12:00:00Z`));
    expect([worked('2026-03-29'), worked('2026-10-25'), worked('2026-11-01')]).toEqual([0, 120, 60]);
  });

  it('is open until before it closes, and opens again after a weekend with a holiday', () => {
    const hours = new WorkingTime({ timezone: 'Asia/Kolkata', periods: week, holidays: ['2026-11-30'] });
    const friday = new Date('2026-11-27T17:00:00+05:30');
    expect(hours.isOpenAt(new Date(friday.getTime() - 1))).toBe(true);
    expect(hours.isOpenAt(friday)).toBe(false);
    expect(hours.nextOpening(friday)).toEqual(new Date('2026-12-01T09:00:00+05:30'));
    expect(hours.addWorkingMinutes(new Date('2026-11-27T16:59:30+05:30'), 1)).toEqual(
      new Date('2026-12-01T09:00:30+05:30'),
    );
    // What is worked off as it closes is due then, not at the next opening.
    expect(hours.addWorkingMinutes(new Date('2026-11-27T16:00:00+05:30'), 60)).toEqual(friday);
  });

  it('says null where a year has no such time', () => {
    const none = new WorkingTime({ timezone: 'UTC', periods: [], holidays: [] });
    const rare = new WorkingTime({
      timezone: 'UTC',
      periods: [{ weekday: 'monday', opens: '09:00', closes: '09:01' }],
      holidays: [],
    });
    const now = new Date('2026-11-24T00:00:00Z');
    expect(none.nextOpening(now)).toBeNull();
    expect([rare.addWorkingMinutes(now, 52), rare.addWorkingMinutes(now, 5_256_000)]).toEqual([
      new Date('2027-11-22T09:01:00Z'),
      null,
    ]);
  });
});
