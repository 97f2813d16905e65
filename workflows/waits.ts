import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { WaitsFor } from './contract';

/**
 * Shows operators what this workflow waits for. Says nothing where it was started without the attribute, because an
 * earlier version did or the namespace does not know it: a server refuses every task that names an unknown one.
 */
export function tellWaits(what: WaitsFor): void {
  const told = workflowInfo().searchAttributes['Waits']?.[0];
  if (told !== undefined && told !== what) upsertSearchAttributes({ Waits: [what] });
}
