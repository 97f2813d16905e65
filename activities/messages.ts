import { maxLocalSends } from '../api/core/sendLimits';
import type { Runtime } from '../api/core/runtime';
import { Places } from '../api/services/delivery/places';
import { deliverNext } from '../api/services/delivery/sends';
import type { Activities } from '../workflows/contract';

/** The way of a message to the upstream. */
export function messageActivities(
  runtime: Runtime,
): Pick<Activities, 'deliverNextMessage' | 'deliverNextMessageLocally'> {
  const places = new Places(maxLocalSends);
  return {
    deliverNextMessage: (input) => deliverNext(runtime, input),
    async deliverNextMessageLocally(input) {
      if (!places.take(input.workspaceId)) return { kind: 'busy' };
      try {
        return await deliverNext(runtime, input);
      } finally {
        places.giveBack(input.workspaceId);
      }
    },
  };
}
