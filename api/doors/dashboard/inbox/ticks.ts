import type { IconName } from '../icons';

/** The sign that says how far a message of ours has come. */
export interface Tick {
  readonly style: string;
  readonly icon: IconName;
  readonly words: string;
}

const ticks: Readonly<Record<string, readonly [icon: IconName, words: string]>> = {
  scheduled: ['calendar-clock', 'Sent later'],
  kept: ['calendar-clock', 'Not sent'],
  queued: ['clock', 'Waiting to be sent'],
  held: ['clock', 'Sent, and held by the platform until it has looked at the template'],
  sent: ['check', 'Sent'],
  delivered: ['check-check', 'Delivered'],
  read: ['check-check', 'Read'],
  played: ['check-check', 'Played'],
  failed: ['circle-alert', 'Failed'],
  unknown: ['circle-question-mark', 'Not known'],
};

/** Returns the sign of a message; what the platform has taken and holds back has one of its own. */
export function tickOf(message: { readonly message_status: string; readonly delivery_note: string }): Tick | null {
  const status = message.message_status === 'held' ? 'kept' : message.message_status;
  const word = message.delivery_note === 'held_by_platform' ? 'held' : status;
  const [icon, words] = ticks[word] ?? [];
  return icon && words ? { style: `tick-${word}`, icon, words } : null;
}
