import type { searchAttributeNames } from '../../../workflows/contract';
import type { WorkflowStart } from '../../../workflows/starts';
import type { Runtime } from '../runtime';

type Place = Pick<Runtime, 'config' | 'installation'>;

/** Returns the address of a workflow in the Temporal Web UI; null where the setting names none. */
export function workflowPage(runtime: Place, { id }: Pick<WorkflowStart, 'id'>): string | null {
  const { uiUrl, namespace } = runtime.config.temporal;
  const prefix = runtime.installation.knownPrefix();
  if (uiUrl === '' || prefix === null) return null;
  return `${uiUrl}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(`${prefix}/${id}`)}`;
}

/** Returns the address of the workflows of a ticket, conversation or broadcast; null where there is no UI. */
export function workflowListPage(
  runtime: Place,
  attribute: (typeof searchAttributeNames)[number],
  id: number,
): string | null {
  const { uiUrl, namespace } = runtime.config.temporal;
  const prefix = runtime.installation.knownPrefix();
  if (uiUrl === '' || prefix === null) return null;
  // Other installations of the namespace have tickets of the same number.
  const query = encodeURIComponent(`${attribute}="${id}" AND WorkflowId STARTS_WITH "${prefix}/"`);
  return `${uiUrl}/namespaces/${encodeURIComponent(namespace)}/workflows?query=${query}`;
}
