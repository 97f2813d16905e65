import { fc } from '../support/properties';
import { readTimestamptz } from '../../api/core/db/pgTimes';

const pad = (value: number, digits: number): string => String(value).padStart(digits, '0');

/** A time as PostgreSQL writes it in a zone, with as many digits of the second as it needs. */
function textOf(ms: number, offsetMinutes = 0): string {
  const [day = '', rest = ''] = new Date(ms + offsetMinutes * 60_000).toISOString().split('T');
  const fraction = rest.slice(9, 12).replace(/0+$/, '');
  const clock = `${rest.slice(0, 8)}${fraction === '' ? '' : `.${fraction}`}`;
  const sign = offsetMinutes < 0 ? '-' : '+';
  const [hours, minutes] = [Math.floor(Math.abs(offsetMinutes) / 60), Math.abs(offsetMinutes) % 60];
  return `${day} ${clock}${sign}${pad(hours, 2)}${minutes === 0 ? '' : `:${pad(minutes, 2)}`}`;
}

const fourDigitYears = fc.integer({ min: Date.UTC(1000, 0, 1), max: Date.UTC(9999, 11, 31, 23, 59, 59, 999) });

describe('a time of PostgreSQL', () => {
  it('is read to the millisecond in UTC', () => {
    fc.assert(
      fc.property(fourDigitYears, fc.constantFrom(1, 10, 100, 1_000, 60_000, 86_400_000), (value, grain) => {
        const ms = Math.floor(value / grain) * grain;
        expect([textOf(ms), readTimestamptz(textOf(ms))]).toEqual([textOf(ms), new Date(ms)]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is read with any other offset', () => {
    fc.assert(
      fc.property(fourDigitYears, fc.integer({ min: -12 * 60, max: 14 * 60 }), (value, offset) => {
        const ms = Math.min(Math.max(value, Date.UTC(1001, 0, 1)), Date.UTC(9998, 0, 1));
        expect(readTimestamptz(textOf(ms, offset))).toEqual(new Date(ms));
      }),
    );
  });

  it.each([
    ['2027-01-04 09:00:00.123456+00', Date.UTC(2027, 0, 4, 9, 0, 0, 123)],
    ['0099-03-01 00:00:00+00', new Date('0099-03-01T00:00:00Z').getTime()],
    ['0001-01-01 00:00:00.5+00', new Date('0001-01-01T00:00:00.500Z').getTime()],
    ['12027-01-04 09:00:00+00', Date.UTC(12027, 0, 4, 9)],
    ['0044-03-15 12:00:00+00 BC', new Date('-000043-03-15T12:00:00Z').getTime()],
    ['1969-12-31 23:59:59.999+00', -1],
    ['2024-02-29 23:59:59+00', Date.UTC(2024, 1, 29, 23, 59, 59)],
  ])('%s is read as the driver reads it', (text, ms) => {
    expect(readTimestamptz(text)).toEqual(new Date(ms));
  });

  it.each([
    ['infinity', Infinity],
    ['-infinity', -Infinity],
  ])('%s stays what it is', (text, value) => {
    expect(readTimestamptz(text)).toBe(value);
  });
});
