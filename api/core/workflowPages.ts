import type { searchAttributeNames } from '../../workflows/contract';
import type { WorkflowStart } from '../../workflows/starts';
import type { Config } from './config';

/** Returns the address of a workflow in the Temporal Web UI; null where the setting names none. */
export function workflowPage(config: Config, { id }: Pick<WorkflowStart, 'id'>): string | null {
  const { uiUrl, namespace } = config.temporal;
  if (uiUrl === '') return null;
  return `${uiUrl}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(id)}`;
}

/** Returns the address of the workflows of a ticket, conversation or broadcast; null where there is no UI. */
export function workflowListPage(
  config: Config,
  attribute: (typeof searchAttributeNames)[number],
  id: number,
): string | null {
  const { uiUrl, namespace } = config.temporal;
  if (uiUrl === '') return null;
  const query = encodeURIComponent(`${attribute}="${id}"`);
  return `${uiUrl}/namespaces/${encodeURIComponent(namespace)}/workflows?query=${query}`;
}
