import { proxyActivities, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from './contract';

type Reads = 'syncUpstream';
type Wakes = 'wakeConversation' | 'reopenConversation' | 'expireApproval' | 'breachSla';
type Stages = 'prepareStageMove' | 'listStageRecipients' | 'completeStageMove';
type Recipients = 'notifyStageRecipient';
type Immediate = 'applyMacroRun';
type Irreversible = 'deliverNextMessage';
type IrreversibleHere = 'deliverNextMessageLocally';
type Steadfast = 'openBroadcast' | 'planBroadcast' | 'endBroadcast' | 'unscheduleBroadcast' | 'confirmBroadcast';
type Bulk = 'sendBroadcastChunk';
type Webhooks = 'deliverWebhooks';
type Idempotent = Exclude<
  keyof Activities,
  Reads | Wakes | Immediate | Irreversible | IrreversibleHere | Stages | Recipients | Steadfast | Bulk | Webhooks
>;

/** Activities that only read the outer world and refresh our copy of it. They may take long, and the next sweep comes anyway. */
export const readOnly = proxyActivities<Pick<Activities, Reads>>({
  startToCloseTimeout: '2 minutes',
  retry: { initialInterval: '2 seconds', maximumInterval: '30 seconds', maximumAttempts: 2 },
});

/** Activities that may run twice without harm. */
export const idempotent = proxyActivities<Pick<Activities, Idempotent>>({
  startToCloseTimeout: '60 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '15 seconds', maximumAttempts: 3 },
});

/**
 * Short idempotent statements that a person waits for: run inside the workflow task, which saves two round trips to the
 * server. Never given up: after ten seconds of failures the pauses become timers, so an away database holds no task.
 */
export const idempotentLocal = proxyLocalActivities<Pick<Activities, Wakes>>({
  startToCloseTimeout: '10 seconds',
  localRetryThreshold: '10 seconds',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '30 seconds' },
});

/** What a caller waits ten seconds for: tried again quickly, and given up when nobody can be waiting any more. */
export const awaitedLocal = proxyLocalActivities<Pick<Activities, Immediate>>({
  startToCloseTimeout: '10 seconds',
  scheduleToCloseTimeout: '25 seconds',
  retry: { initialInterval: '100 milliseconds', backoffCoefficient: 2, maximumInterval: '1 second' },
});

/**
 * What cannot be taken back: one attempt per schedule. The upstream's timeout (10 s) lies below the limit here, and
 * that below a worker's forced shutdown (25 s): an attempt ends by itself before anybody else ends it.
 */
export const irreversible = proxyActivities<Pick<Activities, Irreversible>>({
  startToCloseTimeout: '20 seconds',
  retry: { maximumAttempts: 1 },
});

/**
 * The usual send, inside the workflow task: half the round trips to the server. A task that is lost meanwhile runs it
 * again, which sends nothing twice: the row's claim stands.
 */
export const irreversibleLocal = proxyLocalActivities<Pick<Activities, IrreversibleHere>>({
  startToCloseTimeout: '20 seconds',
  retry: { maximumAttempts: 1 },
});

/** Idempotent steps of work that must come to its end however long the database is away. */
export const persistent = proxyActivities<Pick<Activities, Stages>>({
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
});

/**
 * The notification of one recipient, on a queue of its own: it must wait for no broadcast. It claims its message before the call, so trying it
 * again sends nothing twice; it is tried until the message has an end, which the service forces after 24 hours.
 */
export function recipientActivity(contactId: number): Pick<Activities, Recipients> {
  return proxyActivities<Pick<Activities, Recipients>>({
    taskQueue: queueBeside('notify'),
    startToCloseTimeout: '30 seconds',
    retry: { initialInterval: '1 second', maximumInterval: '2 minutes' },
    summary: `Contact ${contactId}`,
  });
}

/** A queue of the same deployment that only takes activities of one kind. */
function queueBeside(kind: 'notify' | 'bulk'): string {
  return workflowInfo().taskQueue.replace(/-interactive$/, `-${kind}`);
}

/**
 * Rounds of webhook deliveries. A round takes deliveries for 8 s, a call ends within 15 s, and running one again sends with
 * the same ids, which receivers know.
 */
export const webhookRounds = proxyActivities<Pick<Activities, Webhooks>>({
  startToCloseTimeout: '60 seconds',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '15 seconds' },
});

/** Steps of a long run that may run twice and are never given up: a run must not end because the database was away. */
export const steadfast = proxyActivities<Pick<Activities, Steadfast>>({
  startToCloseTimeout: '3 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '15 seconds' },
});

/**
 * A chunk of a mass send. Running it again is safe, because each row is claimed before its own call: what a dead worker
 * had claimed becomes unknown, the rest is still to do. It takes rows for 8 s, a call ends within 10 s, writing may take 4 s.
 */
export function sendChunk(input: Parameters<Activities[Bulk]>[0]): ReturnType<Activities[Bulk]> {
  return proxyActivities<Pick<Activities, Bulk>>({
    taskQueue: queueBeside('bulk'),
    startToCloseTimeout: '30 seconds',
    heartbeatTimeout: '10 seconds',
    retry: { initialInterval: '500 milliseconds', maximumInterval: '10 seconds' },
    summary: `Recipients ${input.from} to ${input.to}`,
  }).sendBroadcastChunk(input);
}
