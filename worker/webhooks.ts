import type { Runtime } from '../api/core/runtime';
import { fanOutEvents } from '../api/services/processes/webhookDelivery/fanOut';
import { startLoop, type Loop } from './loop';

/** Makes deliveries of what happened. Every worker does; a workspace's are made by one of them at a time. */
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
