import { dayOf, momentOfLocal } from '../../../core/zones';
import { daysBefore } from '../../../services/identity/workspaces/localDays';
import { formatMoment } from '../formats';
import { words } from '../words';

const { presets: said } = words.inbox;

/** A time to snooze until, ready to be chosen. */
export interface SnoozePreset {
  readonly label: string;
  readonly detail: string;
  readonly value: string;
}

const hourMs = 3_600_000;

/** Returns the usual times to snooze until, in the time zone of the workspace. */
export function snoozePresets(now: Date, timeZone: string): SnoozePreset[] {
  const { at, inDays, nextMonday } = daysOf(now, timeZone);
  return offered(
    [
      [said.hour, new Date(now.getTime() + hourMs)],
      [said.threeHours, new Date(now.getTime() + 3 * hourMs)],
      [said.evening, at(inDays(0), '18:00')],
      [said.tomorrow, at(inDays(1), '09:00')],
      [said.monday, at(inDays(nextMonday), '09:00')],
      [said.week, at(inDays(7), '09:00')],
    ],
    now,
    timeZone,
  );
}

/** Returns the morning after, as it is said and sent. */
export const tomorrowPreset = (now: Date, timeZone: string): SnoozePreset | undefined =>
  snoozePresets(now, timeZone).find(({ label }) => label === said.tomorrow);

/** Returns the usual times to send a message at; `ends`: the moment, to be compared with the end of the window. */
export function laterPresets(now: Date, timeZone: string): (SnoozePreset & { readonly ends: string })[] {
  const { at, inDays, nextMonday } = daysOf(now, timeZone);
  return offered(
    [
      [said.afternoon, at(inDays(0), '15:00')],
      [said.tomorrow, at(inDays(1), '09:00')],
      [said.monday, at(inDays(nextMonday), '09:00')],
    ],
    now,
    timeZone,
  ).map((preset) => ({ ...preset, ends: preset.value }));
}

/** Returns how days are reckoned from a moment: one on which the clocks change has not 24 hours. */
function daysOf(now: Date, timeZone: string) {
  const inDays = (days: number): string => daysBefore(dayOf(now, timeZone), -days);
  return {
    at: (day: string, clock: string): Date | null => momentOfLocal(`${day}T${clock}`, timeZone),
    inDays,
    nextMonday: [1, 2, 3, 4, 5, 6].find((days) => new Date(`${inDays(days)}T00:00:00Z`).getUTCDay() === 1) ?? 7,
  };
}

/**
 * Returns the moments that lie ahead, ready to be chosen; each once, by its first name: on a Sunday the next Monday is
 * tomorrow, on a Monday it is in a week.
 */
function offered(choices: readonly (readonly [string, Date | null])[], now: Date, timeZone: string): SnoozePreset[] {
  const presets = new Map<string, SnoozePreset>();
  for (const [label, moment] of choices) {
    if (moment === null || moment.getTime() < now.getTime() + 10 * 60_000) continue;
    const value = moment.toISOString();
    if (!presets.has(value)) presets.set(value, { label, detail: formatMoment(moment, timeZone, 'full', now), value });
  }
  return [...presets.values()];
}

/** Reads what the form says: an instant of a preset, or a time of the workspace's clocks. */
export function readSnooze(form: Readonly<Record<string, string>>, timeZone: string): string | undefined {
  if (form['until']) return form['until'];
  const local = form['until_local'];
  if (!local) return undefined;
  return momentOfLocal(local, timeZone)?.toISOString() ?? local;
}
