import type { Runtime } from '../api/core/runtime';
import { fanOutEvents } from '../api/services/processes/webhookDelivery/fanOut';
import { startLoop, type Loop } from './loop';

/** Makes deliveries of events. Every worker does; those of one workspace are made by one worker at a time. */
export function startWebhookFanOut(runtime: Runtime): Loop {
  const { looks } = runtime.process.timing;
  return startLoop({
    name: 'webhook fan-out',
    logger: runtime.logger,
    idleMs: looks.eventsMs,
    maxIdleMs: looks.quietEventsMs,
    step: () => fanOutEvents(runtime),
  });
}
