import type { Runtime } from '../api/core/runtime';
import { deliverNext } from '../api/services/delivery/sends';
import type { Activities } from '../workflows/contract';

/** The way of a message to the platform that has to wait. */
export function messageActivities(runtime: Runtime): Pick<Activities, 'deliverNextMessage'> {
  return { deliverNextMessage: (input) => deliverNext(runtime, input) };
}
