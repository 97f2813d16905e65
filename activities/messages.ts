import type { Runtime } from '../api/core/runtime';
import { expireOverdueAnywhere, settleRunsAnywhere } from '../api/services/processes/approvals/service';
import { rearmBroadcasts } from '../api/services/processes/broadcastRuns/run';
import { breachOverdue } from '../api/services/resources/sla/breaches';
import { reflectOverlooked } from '../api/services/processes/stageMoves/outcomes';
import { rearmSilentMoves } from '../api/services/processes/stageMoves/service';
import { maxLocalSends } from '../api/core/sendLimits';
import { deliverNext } from '../api/services/delivery/sends';
import {
  expireQueued,
  rearmStranded,
  settleStaleClaims,
  settleUnknown,
} from '../api/services/resources/messages/rows/settlement';
import { rearmWebhooks } from '../api/services/processes/webhookDelivery/deliver';
import type { Activities } from '../workflows/contract';

/** The way of a message to the upstream, and what picks up where an attempt was cut off. */
export function messageActivities(
  runtime: Runtime,
): Pick<
  Activities,
  | 'deliverNextMessage'
  | 'deliverNextMessageLocally'
  | 'settleStaleClaims'
  | 'settleUnknownDeliveries'
  | 'rearmLostIntents'
> {
  let localSends = 0;
  return {
    deliverNextMessage: (input) => deliverNext(runtime, input),
    async deliverNextMessageLocally(input) {
      if (localSends >= maxLocalSends) return { kind: 'busy' };
      localSends += 1;
      try {
        return await deliverNext(runtime, input);
      } finally {
        localSends -= 1;
      }
    },
    settleStaleClaims: () => settleStaleClaims(runtime),
    settleUnknownDeliveries: async () =>
      (await settleUnknown(runtime)) + (await expireQueued(runtime)) + (await reflectOverlooked(runtime)),
    // What lost timers and intents should have done, whichever subject they are of.
    rearmLostIntents: async () =>
      (await rearmStranded(runtime)) +
      (await rearmSilentMoves(runtime)) +
      (await rearmBroadcasts(runtime)) +
      (await breachOverdue(runtime)) +
      (await settleRunsAnywhere(runtime)) +
      (await expireOverdueAnywhere(runtime)) +
      (await rearmWebhooks(runtime)),
  };
}
