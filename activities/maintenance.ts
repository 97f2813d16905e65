import type { Runtime } from '../api/core/runtime';
import { removeExpired } from '../api/services/processes/maintenance/service';
import type { Activities } from '../workflows/contract';

/** Housekeeping of rows that have had their time. */
export function maintenanceActivities(runtime: Runtime): Pick<Activities, 'removeExpiredRows'> {
  return { removeExpiredRows: () => removeExpired(runtime) };
}
