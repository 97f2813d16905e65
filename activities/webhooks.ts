import { systemCtx } from '../api/core/context';
import type { Runtime } from '../api/core/runtime';
import { deliverRound } from '../api/services/processes/webhookDelivery/deliver';
import type { Activities } from '../workflows/contract';
import { withHeartbeat } from './heartbeat';

/** Activities that deliver events to subscribers. */
export function webhookActivities(runtime: Runtime): Pick<Activities, 'deliverWebhooks'> {
  return {
    deliverWebhooks: ({ workspaceId, subscriptionId }) =>
      withHeartbeat(({ cancellationSignal }) =>
        deliverRound(
          systemCtx(runtime, workspaceId, `webhook/${subscriptionId}`),
          subscriptionId,
          () => cancellationSignal.aborted,
        ),
      ),
  };
}
