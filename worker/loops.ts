import type { Runtime } from '../api/core/runtime';
import { startDeliveries } from './deliveries';
import { startFence } from './fence';
import { startFetches } from './files';
import { startInbox } from './events';
import { startLetters } from './letters';
import type { Loop } from './loop';
import { startOutboxRelay } from './outboxRelay';
import { startPushes } from './pushes';
import { startWakes } from './wakes';
import { startWebhookFanOut } from './webhooks';

/** Starts what a worker does beside Temporal, by its roles. With nothing to do that is some statements a second. */
export function startLoops(runtime: Runtime): Loop[] {
  const { roles } = runtime.config.worker;
  return [
    ...(roles.has('relay') ? [startDeliveries, startOutboxRelay, startWebhookFanOut, startFence, startWakes] : []),
    ...(roles.has('relay') && runtime.mail ? [startLetters] : []),
    ...(roles.has('relay') && runtime.config.vapid ? [startPushes] : []),
    ...(roles.has('inbox') ? [startInbox, startFetches] : []),
  ].map((start) => start(runtime));
}
