import type { Runtime } from '../api/core/runtime';
import { fanOutEvents } from '../api/services/processes/webhookDelivery/fanOut';
import { startLoop, type Loop } from './loop';

const idleMs = 250;

/** Makes deliveries of what happened. Every worker tries; the service's lock lets one do it at a time. */
export function startWebhookFanOut(runtime: Runtime): Loop {
  return startLoop({
    name: 'webhook fan-out',
    logger: runtime.logger,
    idleMs,
    step: async () => (await fanOutEvents(runtime)) > 0,
  });
}
