import type { Runtime } from '../api/core/runtime';
import { expireOverdue } from '../api/services/approvals/service';
import { rearmBroadcasts } from '../api/services/broadcasts/run';
import { breachOverdue } from '../api/services/sla/breaches';
import { rearmSilentMoves, settleUnknownRecipients } from '../api/services/stageMoves/service';
import { deliverNext, rearmStranded, settleStaleClaims, settleUnknown } from '../api/services/messages/sends';
import type { Activities } from '../workflows/contract';

/** The way of a message to the upstream, and what picks up where an attempt was cut off. */
export function messageActivities(runtime: Runtime): Pick<Activities, 'deliverNextMessage' | 'settleStaleClaims' | 'settleUnknownDeliveries' | 'rearmLostIntents'> {
  return {
    deliverNextMessage: (input) => deliverNext(runtime, input),
    settleStaleClaims: () => settleStaleClaims(runtime),
    settleUnknownDeliveries: async () => (await settleUnknown(runtime)) + (await settleUnknownRecipients(runtime)),
    // What lost timers and intents should have done, whichever subject they are of.
    rearmLostIntents: async () => (await rearmStranded(runtime)) + (await rearmSilentMoves(runtime)) + (await rearmBroadcasts(runtime)) + (await breachOverdue(runtime)) + (await expireOverdue(runtime)),
  };
}
