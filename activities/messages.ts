import type { Runtime } from '../api/core/runtime';
import { deliverNext } from '../api/services/delivery/sends';
import type { Activities } from '../workflows/contract';

/** The activity that sends a message which had to wait. */
export function messageActivities(runtime: Runtime): Pick<Activities, 'deliverNextMessage'> {
  return { deliverNextMessage: (input) => deliverNext(runtime, input) };
}
