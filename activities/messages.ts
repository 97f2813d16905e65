import type { Runtime } from '../api/core/runtime';
import { expireOverdue, settleRuns } from '../api/services/approvals/service';
import { rearmBroadcasts } from '../api/services/broadcasts/run';
import { breachOverdue } from '../api/services/sla/breaches';
import { rearmSilentMoves, settleUnknownRecipients } from '../api/services/stageMoves/service';
import { deliverNext, rearmStranded, settleStaleClaims, settleUnknown } from '../api/services/messages/sends';
import type { Activities } from '../workflows/contract';

/**
 * Sends that may hold a workflow task of this process at once. A platform that answers slowly must leave tasks to timers
 * and macros: the worker has twice as many (worker/worker.ts).
 */
const mostLocalSends = 60;

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
      if (localSends >= mostLocalSends) return { kind: 'busy' };
      localSends += 1;
      try {
        return await deliverNext(runtime, input);
      } finally {
        localSends -= 1;
      }
    },
    settleStaleClaims: () => settleStaleClaims(runtime),
    settleUnknownDeliveries: async () => (await settleUnknown(runtime)) + (await settleUnknownRecipients(runtime)),
    // What lost timers and intents should have done, whichever subject they are of.
    rearmLostIntents: async () =>
      (await rearmStranded(runtime)) +
      (await rearmSilentMoves(runtime)) +
      (await rearmBroadcasts(runtime)) +
      (await breachOverdue(runtime)) +
      (await settleRuns(runtime)) +
      (await expireOverdue(runtime)),
  };
}
