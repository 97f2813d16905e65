import type { WorkflowStart } from '../../workflows/contract';
import type { Config } from './config';

/** Returns the address of a workflow in the Temporal Web UI; null where the setting names none. */
export function workflowPage(config: Config, { id }: Pick<WorkflowStart, 'id'>): string | null {
  const { uiUrl, namespace } = config.temporal;
  if (uiUrl === '') return null;
  return `${uiUrl}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(id)}`;
}
