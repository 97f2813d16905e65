import type { WorkflowInputs } from './contract';

/** Task queues of a deployment, one per kind of work, so that none waits behind another kind's rush. */
export interface QueueNames {
  /**
   * Workflows for which people wait, and their activities: replies, macros, the course of broadcasts and stage moves.
   */
  interactive: string;
  /** Workflows that wait for a time: thousands may be due at nine o'clock. */
  timers: string;
  /** Activities only: stage notifications, a recipient in each. */
  notify: string;
  /** Activities only: chunks of broadcasts. */
  bulk: string;
  /** Deliveries of events to customers' own servers, which may be slow: workflows and their activities. */
  webhooks: string;
}

export const queueNames = (prefix: string): QueueNames => ({
  interactive: `${prefix}-interactive`,
  timers: `${prefix}-timers`,
  notify: `${prefix}-notify`,
  bulk: `${prefix}-bulk`,
  webhooks: `${prefix}-webhooks`,
});

/**
 * The queue and the priority of each workflow: of tasks that wait on one queue, 1 goes before 5. With the same priority
 * the workspaces take turns, and so do the kinds of workflow of each; with different ones they do not, so a workflow
 * that one workspace may have many of must not have a higher priority than one that other workspaces wait for. Running
 * workflows stay on the queue on which they were started: a worker serves all of them.
 */
export const workflowPlaces: Readonly<
  Record<
    keyof WorkflowInputs,
    { readonly queue: 'interactive' | 'timers' | 'webhooks'; readonly priority: 1 | 2 | 3 | 4 | 5 }
  >
> = {
  macroRun: { queue: 'interactive', priority: 1 },
  messageDelivery: { queue: 'interactive', priority: 2 },
  stageNotify: { queue: 'interactive', priority: 2 },
  assignment: { queue: 'interactive', priority: 2 },
  broadcast: { queue: 'interactive', priority: 3 },
  approvalExpiry: { queue: 'timers', priority: 4 },
  slaTimer: { queue: 'timers', priority: 4 },
  ruleTimer: { queue: 'timers', priority: 4 },
  reconcile: { queue: 'timers', priority: 3 },
  snoozeTimer: { queue: 'timers', priority: 5 },
  webhookDelivery: { queue: 'webhooks', priority: 4 },
};

/** Returns the key by which the tasks of workflows take turns on a queue: the workspace and the kind of workflow. */
export const fairnessKeyOf = (workspaceId: string, workflow: keyof WorkflowInputs): string =>
  `${workspaceId}/${workflow}`;
