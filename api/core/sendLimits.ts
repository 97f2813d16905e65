/**
 * Sends of agents that may hold a workflow task of a process at once. A platform that answers slowly must leave tasks
 * to timers and macros: the worker has twice as many.
 */
export const maxLocalSends = 60;

/**
 * Sends that a process makes at once after the commit, without a workflow. A platform that answers slowly fills them,
 * and from then on what is accepted goes by workflow.
 */
export const maxDirectSends = 60;

/**
 * The same of what a relay found: a backlog, such as the messages that a renewed token lets go. Few are enough where
 * the platform answers, and leave connections and processor to what people wait for.
 */
export const maxRelayedSends = 20;

/**
 * How much of these places one workspace may hold while others send: where the platform answers it slowly, or its
 * number is slow, they still find room.
 */
export const mostOfOneWorkspace = 2 / 3;

/** Queued activities of a process at once; a send that found no room in a task is one. */
export const maxQueuedActivities = 60;

/**
 * Calls on the bulk connections that a process makes at once: stage notifications that are sent together, those that
 * are tried again alone, and broadcasts. None of them waits for another kind's slow calls.
 */
export const maxNotificationCalls = 20;
export const maxNotificationSends = 20;
export const maxBroadcastCalls = 56;

/**
 * Connections to the upstream that a process opens for its sends, as many as there may be sends: whoever sends holds a
 * permit for one, so no send waits inside the HTTP client.
 */
export const sendConnections = {
  agent: maxLocalSends + maxQueuedActivities + maxDirectSends + maxRelayedSends,
  bulk: maxNotificationCalls + maxNotificationSends + maxBroadcastCalls,
} as const;
