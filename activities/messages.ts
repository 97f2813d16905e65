import type { Runtime } from '../api/core/runtime';
import { deliverNext, rearmStranded, settleStaleClaims, settleUnknown } from '../api/services/messages/sends';
import type { Activities } from '../workflows/contract';

/** The way of a message to the upstream, and what picks up where an attempt was cut off. */
export function messageActivities(runtime: Runtime): Pick<Activities, 'deliverNextMessage' | 'settleStaleClaims' | 'settleUnknownDeliveries' | 'rearmLostIntents'> {
  return {
    deliverNextMessage: (input) => deliverNext(runtime, input),
    settleStaleClaims: () => settleStaleClaims(runtime),
    settleUnknownDeliveries: () => settleUnknown(runtime),
    rearmLostIntents: () => rearmStranded(runtime),
  };
}
