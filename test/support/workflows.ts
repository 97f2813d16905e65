import type { WorkflowHandle } from '@temporalio/client';
import type { Runtime } from '../../api/core/runtime';

/** Returns what a workflow of the runtime's installation is called at Temporal. */
export const workflowIdOf = ({ config }: Pick<Runtime, 'config'>, id: string): string =>
  `${config.temporal.prefix}/${id}`;

/** Returns a workflow of the runtime's installation by its id within that. */
export function workflowOf({ temporal, config }: Pick<Runtime, 'temporal' | 'config'>, id: string): WorkflowHandle {
  return temporal.client().workflow.getHandle(workflowIdOf({ config }, id));
}
