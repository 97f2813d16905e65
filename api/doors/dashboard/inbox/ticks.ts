import type { IconName } from '../icons';
import { words } from '../words';

const { ticks: said } = words.thread;

/** The sign that says how far a message of ours has come. */
export interface Tick {
  readonly style: string;
  readonly icon: IconName;
  readonly words: string;
}

const icons: Readonly<Record<keyof typeof said, IconName>> = {
  scheduled: 'calendar-clock',
  kept: 'calendar-clock',
  queued: 'clock',
  held: 'clock',
  sent: 'check',
  delivered: 'check-check',
  read: 'check-check',
  played: 'check-check',
  failed: 'circle-alert',
  unknown: 'circle-question-mark',
};

/** Returns the sign of a message; what the platform has taken and holds back has one of its own. */
export function tickOf(message: { readonly message_status: string; readonly delivery_note: string }): Tick | null {
  const status = message.message_status === 'held' ? 'kept' : message.message_status;
  const word = message.delivery_note === 'held_by_platform' ? 'held' : status;
  if (!Object.hasOwn(icons, word)) return null;
  const known = word as keyof typeof icons;
  return { style: `tick-${known}`, icon: icons[known], words: said[known] };
}
