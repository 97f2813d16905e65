import type { Runtime } from '../api/core/runtime';
import { startLoop, type Loop } from './loop';

const batch = 500;

/** Delivers intents whose own process did not: it died, or Temporal was away. */
export function startOutboxRelay(runtime: Runtime): Loop {
  return startLoop({
    name: 'outbox relay',
    logger: runtime.logger,
    idleMs: runtime.process.timing.looks.relayMs,
    // What could not be delivered lies in its own backoff, so no batch is the same one again. While Temporal is away
    // its breaker answers at once and the batch counts as empty.
    step: async () => (await runtime.outbox.relay(batch)) > 0 && runtime.temporal.available(),
  });
}
