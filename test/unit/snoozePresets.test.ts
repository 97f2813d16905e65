import { formatDayHeading } from '../../api/doors/dashboard/formats';
import { laterPresets, snoozePresets } from '../../api/doors/dashboard/inbox/snooze';

const zone = 'Europe/Berlin';

// The first of these days has 25 hours, that after the other 23.
it.each([
  ['2026-10-25T00:30+02:00', '2026-10-26T09:00+01:00'],
  ['2027-03-27T23:30+01:00', '2027-03-28T09:00+02:00'],
])('at %s tomorrow morning is %s', (now, expected) => {
  const preset = snoozePresets(new Date(now), zone).find(({ label }) => label === 'Tomorrow morning');
  expect(preset?.value).toBe(new Date(expected).toISOString());
});

it('a day of 23 hours was yesterday, half an hour after it', () => {
  expect(formatDayHeading(new Date('2027-03-28T10:00Z'), zone, new Date('2027-03-29T00:30+02:00'))).toBe('Yesterday');
});

it('every hour of a week offers each moment once, all of them ahead, and a tomorrow', () => {
  for (let hour = 0; hour < 7 * 24; hour += 1) {
    const now = new Date(Date.UTC(2026, 10, 23, hour));
    for (const presets of [snoozePresets(now, zone), laterPresets(now, zone)]) {
      const moments = presets.map(({ value }) => value);
      expect(moments).toEqual([...new Set(moments)]);
      expect(moments.every((moment) => moment > now.toISOString())).toBe(true);
      expect(presets.map(({ label }) => label)).toContain('Tomorrow morning');
    }
  }
});
