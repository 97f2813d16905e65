import type { Runtime } from '../api/core/runtime';
import { deliverRound } from '../api/services/processes/webhookDelivery/deliver';
import type { Activities } from '../workflows/contract';
import { beating } from './heartbeat';

/** Deliveries of events to subscribers. */
export function webhookActivities(runtime: Runtime): Pick<Activities, 'deliverWebhooks'> {
  return {
    deliverWebhooks: (input) =>
      beating(({ cancellationSignal }) => deliverRound(runtime, input, () => cancellationSignal.aborted)),
  };
}
