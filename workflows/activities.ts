import {
  proxyActivities,
  proxyLocalActivities,
  workflowInfo,
  type ActivityOptions,
  type LocalActivityOptions,
} from '@temporalio/workflow';
import type { Activities } from './activityTypes';
import type { SweepName } from './contract';
import type { QueueNames } from './queues';

/** How an activity is tried: inside the workflow's task (`local`), or from a queue, its own or the workflow's. */
type Policy =
  { readonly local: LocalActivityOptions } | { readonly queued: ActivityOptions; readonly queue?: 'notify' | 'bulk' };

type Duration = NonNullable<ActivityOptions['startToCloseTimeout']>;
type Retry = NonNullable<ActivityOptions['retry']>;

/** Retries without end, with pauses that grow from the first to the longest. */
const forever = (initialInterval: Duration, maximumInterval: Duration): Retry => ({ initialInterval, maximumInterval });

/**
 * Short idempotent statements that a person waits for: inside the workflow task, which saves two round trips to the
 * server. After ten seconds of failures the pauses become timers, so a database that is away holds no task.
 */
const shortStatement = Object.freeze<Policy>({
  local: {
    startToCloseTimeout: '10 seconds',
    localRetryThreshold: '10 seconds',
    retry: forever('500 milliseconds', '30 seconds'),
  },
});

const broadcastStep = Object.freeze<Policy>({
  queued: {
    startToCloseTimeout: '3 minutes',
    heartbeatTimeout: '10 seconds',
    retry: forever('500 milliseconds', '15 seconds'),
  },
});

/**
 * A sweep: given up soon, because the next minute brings another one. It ends by itself after 8 s and the statement
 * under way; a dead worker is noticed by its heartbeat.
 */
const sweep = Object.freeze<Policy>({
  queued: {
    startToCloseTimeout: '60 seconds',
    heartbeatTimeout: '10 seconds',
    retry: { initialInterval: '1 second', maximumInterval: '15 seconds', maximumAttempts: 3 },
  },
});

const sweepPolicies = Object.freeze<Record<SweepName, Policy>>({
  settleStaleClaims: sweep,
  restartSilentStageMoves: sweep,
  restartBroadcasts: sweep,
  restartWebhookDeliveries: sweep,
  restartAssignments: sweep,
  breachOverdueDeadlines: sweep,
  settleApprovedMacroRuns: sweep,
  expireOverdueApprovals: sweep,
  failUnknownMessages: sweep,
  failExpiredMessages: sweep,
  reflectOverlookedOutcomes: sweep,
  removeExpiredRows: sweep,
  // It reads from the platform, which may take long.
  syncUpstream: {
    queued: {
      startToCloseTimeout: '2 minutes',
      heartbeatTimeout: '10 seconds',
      retry: { initialInterval: '2 seconds', maximumInterval: '30 seconds', maximumAttempts: 2 },
    },
  },
});

/** How each activity is tried: one without a policy does not compile. */
const policies = Object.freeze<Record<keyof Activities, Policy>>({
  ...sweepPolicies,
  witnessDatabase: sweep,
  wakeConversation: shortStatement,
  reopenConversation: shortStatement,
  judgeRules: shortStatement,
  expireApproval: shortStatement,
  breachSla: shortStatement,
  sendScheduledMessage: shortStatement,
  decideScheduledMessage: shortStatement,
  assignConversations: shortStatement,

  // The caller waits ten seconds for it: it is tried again quickly, and given up once the caller has given up.
  applyMacroRun: {
    local: {
      startToCloseTimeout: '10 seconds',
      scheduleToCloseTimeout: '25 seconds',
      retry: { initialInterval: '100 milliseconds', maximumInterval: '1 second' },
    },
  },

  // Trying it again sends nothing twice: a message is claimed before its call, and what a dead worker had claimed
  // becomes unknown. The upstream's timeout (10 s) lies below the limit here, and that below a worker's forced shutdown
  // (25 s): an attempt ends by itself before one of these limits ends it.
  deliverNextMessage: { queued: { startToCloseTimeout: '20 seconds', retry: forever('1 second', '30 seconds') } },

  openStageMove: shortStatement,
  completeStageMove: shortStatement,
  // On a queue of its own, so that it waits for no broadcast. Its message is claimed before the call, so a retry sends
  // nothing twice. It waits up to 4 s for its turn, a call ends within 10 s, writing may take 4 s. Retried until the
  // message is settled, at the latest after 24 hours.
  notifyStageRecipient: {
    queue: 'notify',
    queued: { startToCloseTimeout: '30 seconds', retry: forever('1 second', '2 minutes') },
  },

  openBroadcast: broadcastStep,
  planBroadcast: broadcastStep,
  endBroadcast: broadcastStep,
  unscheduleBroadcast: broadcastStep,
  confirmBroadcast: broadcastStep,
  // A retry is safe, because each row is claimed before its own call: what a dead worker had claimed becomes unknown,
  // and the rest is sent. It takes rows for 8 s, a call ends within 10 s, writing may take 4 s.
  sendBroadcastChunk: {
    queue: 'bulk',
    queued: {
      startToCloseTimeout: '30 seconds',
      heartbeatTimeout: '10 seconds',
      retry: forever('500 milliseconds', '10 seconds'),
    },
  },

  // A round begins calls for 8 s, a call ends within 15 s, its actions within 10 s, and writing may take some more: an
  // attempt ends within its limit. A dead worker is noticed by its heartbeat. Only where Temporal does not hear a
  // living one for ten seconds may two attempts call a receiver at the same time.
  deliverWebhooks: {
    queued: {
      startToCloseTimeout: '2 minutes',
      heartbeatTimeout: '10 seconds',
      retry: forever('500 milliseconds', '15 seconds'),
    },
  },
});

/** Every activity, each under its policy. */
export const activities = Object.freeze(
  Object.fromEntries(Object.keys(policies).map((name) => [name, withSummary(name as keyof Activities)])),
) as unknown as Activities;

/** Returns an activity under its policy; operators read the summary beside the call. */
export function withSummary<Name extends keyof Activities>(name: Name, summary?: string): Activities[Name] {
  return ((...args: never[]) => run(name, summary, args)) as unknown as Activities[Name];
}

/** Returns the queue of another kind of work beside that of the interactive workflows; a test's own queue stays. */
function queueBeside(queue: string, kind: keyof QueueNames): string {
  return queue.replace(/-interactive$/, `-${kind}`);
}

function run(name: keyof Activities, summary: string | undefined, args: never[]): Promise<unknown> {
  const policy = policies[name];
  const proxy =
    'local' in policy
      ? proxyLocalActivities(policy.local)
      : proxyActivities({
          ...policy.queued,
          ...(policy.queue === undefined ? {} : { taskQueue: queueBeside(workflowInfo().taskQueue, policy.queue) }),
          ...(summary === undefined ? {} : { summary }),
        });
  return (proxy[name] as (...input: never[]) => Promise<unknown>)(...args);
}
