import type { Runtime } from '../api/core/runtime';
import { sequenceEvents } from '../api/core/eventSequence';
import { startLoop, type Loop } from './loop';

const idleMs = 250;

/** Gives committed events their sequence numbers. Every worker tries; the service's lock lets one do it at a time. */
export function startSequencer(runtime: Runtime): Loop {
  return startLoop({
    name: 'event sequencer',
    logger: runtime.logger,
    idleMs,
    step: async () => (await sequenceEvents(runtime)) > 0,
  });
}
