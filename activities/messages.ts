import { maxLocalSends } from '../api/core/sendLimits';
import type { Runtime } from '../api/core/runtime';
import { deliverNext } from '../api/services/delivery/sends';
import type { Activities } from '../workflows/contract';

/** The way of a message to the upstream. */
export function messageActivities(
  runtime: Runtime,
): Pick<Activities, 'deliverNextMessage' | 'deliverNextMessageLocally'> {
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
  };
}
