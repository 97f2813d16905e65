import type { Faults } from './play/faults';
import type { Receiver } from './receiver/receiver';
import type { Scheduler } from './play/scheduler';
import type { State } from './state';
import type { CallRecord } from './types';
import type { Random, Ring } from './util';
import type { Webhooks } from './wire/webhooks';

/** Holds what every handler works with; made once per sandbox. */
export interface Context {
  state: State;
  webhooks: Webhooks;
  scheduler: Scheduler;
  faults: Faults;
  calls: Ring<CallRecord>;
  receiver: Receiver;
  clock: () => number;
  random: Random;
  /** Distinguishes the message ids of this run from those of an earlier one. */
  runId: string;
  /** Tells the page and the snapshot that something happened. */
  changed: () => void;
}
