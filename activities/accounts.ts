import type { Runtime } from '../api/core/runtime';
import { syncAllDue } from '../api/services/processes/upstreamSync/service';
import type { Activities } from '../workflows/contract';

/** Our copy of what the upstream owns. */
export function accountActivities(runtime: Runtime): Pick<Activities, 'syncUpstream'> {
  return { syncUpstream: () => syncAllDue(runtime) };
}
