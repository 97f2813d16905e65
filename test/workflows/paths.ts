import { ApplicationFailure } from '@temporalio/common';
import type { WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type {
  Activities,
  BroadcastChunk,
  BroadcastEnd,
  BroadcastOpening,
  BroadcastPlan,
  BroadcastState,
  DeliveryOutcome,
  DueOutcome,
  WebhookRound,
  MacroRunOutcome,
  SlaState,
  SnoozeState,
  StageNotifySummary,
  WorkflowInputs,
} from '../../workflows/contract';

/** The histories are recorded on a server that suggests continue-as-new after so many events; a real one does at 4096. */
export const suggestedAfterEvents = 60;

/** One way through a workflow: what its activities answer, and what happens to it from outside. */
export interface Path {
  readonly name: string;
  readonly workflow: keyof WorkflowInputs;
  readonly fakes: () => Partial<Activities>;
  readonly run: (begin: Begin) => Promise<void>;
}

/** Starts the path's workflow; the handle is for signals. */
export type Begin = (input?: unknown) => Promise<WorkflowHandleWithFirstExecutionRunId>;

/** Answers in turn; the last one stays. */
function inTurn<T>(...answers: (() => T | Promise<T>)[]): () => Promise<T> {
  return async () => {
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (!answer) throw new Error('no answer is left');
    return answer();
  };
}

const snooze = (delayMs: number, version = 1): SnoozeState => ({
  workspaceId: 1,
  conversationId: 1,
  untilMs: Date.now() + delayMs,
  version,
});
const due = (...kinds: DueOutcome[]): Partial<Activities> => ({
  wakeConversation: inTurn(...kinds.map((kind) => () => kind)),
});
const refuse = (): never => {
  throw ApplicationFailure.nonRetryable('Not found.', 'not_found');
};
const sent = (messageId: number): DeliveryOutcome => ({ kind: 'progress', messageId, status: 'sent' });
const delivery = { workspaceId: 1, conversationId: 1 };
const sla = (delayMs: number, version = 1): SlaState => ({
  workspaceId: 1,
  subject: 'ticket',
  subjectId: 1,
  dueMs: Date.now() + delayMs,
  version,
});
const slaDue = (...kinds: DueOutcome[]): Partial<Activities> => ({
  breachSla: inTurn(...kinds.map((kind) => () => kind)),
});
const move = { workspaceId: 1, ticketId: 1, moveId: 1 };
const prepared: StageNotifySummary = { sent: 0, skipped: 1, failed: 0, unknown: 0 };
const recipients = (...contactIds: number[]): Partial<Activities> => ({
  prepareStageMove: async () => prepared,
  listStageRecipients: async () => ({ contactIds, lastPlace: contactIds.at(-1) ?? null }),
  notifyStageRecipient: async ({ contactId }) => ({ state: contactId === 2 ? 'unknown' : 'sent' }),
  completeStageMove: async () => undefined,
});
const sweeps: Partial<Activities> = Object.fromEntries(
  [
    'wakeOverdueConversations',
    'settleStaleClaims',
    'rearmLostIntents',
    'settleUnknownDeliveries',
    'removeExpiredRows',
    'syncUpstream',
  ].map((name) => [name, async () => 1]),
);

const confirmed = (delayMs: number | null, version = 1): BroadcastState => ({
  workspaceId: 1,
  broadcastId: 1,
  version,
  atMs: delayMs === null ? null : Date.now() + delayMs,
});
const running: BroadcastOpening = { kind: 'running', audience: 500, skipped: 1 };
const chunk = (more: Partial<BroadcastChunk> = {}): BroadcastChunk => ({
  tally: { sent: 1, failed: 0, skipped: 0, unknown: 0 },
  more: false,
  troubled: false,
  stop: null,
  ...more,
});
const noPlan: BroadcastPlan = { ranges: [], open: 0, waitMs: 200 };
const ended = async (input: { reason: string }): Promise<BroadcastEnd> => ({
  status: input.reason === '' ? 'completed' : 'failed',
  reason: input.reason,
  tally: { sent: 1, failed: 0, skipped: 1, unknown: 0 },
  audience: 500,
});
/** A plan of so many stretches once, then nothing. */
const planned = (count: number, ...later: BroadcastPlan[]): Activities['planBroadcast'] => {
  const plans: BroadcastPlan[] = [
    {
      ranges: Array.from({ length: count }, (_unused, index) => ({ from: index * 250 + 1, to: (index + 1) * 250 })),
      open: 0,
      waitMs: 0,
    },
    noPlan,
    ...later,
  ];
  return async () => plans.shift() ?? noPlan;
};
function broadcastPaths(): readonly Path[] {
  return [
    {
      name: 'broadcast.completed',
      workflow: 'broadcast',
      fakes: () => ({
        openBroadcast: async () => running,
        planBroadcast: planned(3),
        sendBroadcastChunk: inTurn(
          () => chunk({ more: true }),
          () => chunk(),
        ),
        endBroadcast: ended,
      }),
      run: async (begin) => settled(await begin(confirmed(null))),
    },
    {
      name: 'broadcast.scheduled',
      workflow: 'broadcast',
      fakes: () => ({
        openBroadcast: inTurn<BroadcastOpening>(
          () => ({ kind: 'not_due', waitMs: 300 }),
          () => running,
        ),
        planBroadcast: planned(1),
        sendBroadcastChunk: async () => chunk(),
        endBroadcast: ended,
      }),
      run: async (begin) => {
        const handle = await begin(confirmed(3_600_000));
        await handle.signal('unschedule', { version: 0 });
        await handle.signal('confirm', confirmed(400, 3));
        await settled(handle);
      },
    },
    {
      name: 'broadcast.unscheduled',
      workflow: 'broadcast',
      fakes: () => ({}),
      run: async (begin) => {
        const handle = await begin(confirmed(3_600_000));
        await handle.signal('unschedule', { version: 2 });
        await settled(handle);
      },
    },
    {
      name: 'broadcast.unscheduledByHand',
      workflow: 'broadcast',
      fakes: () => ({ unscheduleBroadcast: async () => undefined, confirmBroadcast: async () => undefined }),
      run: async (begin) => {
        const handle = await begin(confirmed(3_600_000));
        await handle.signal('confirm');
        await pause(300);
        await handle.signal('unschedule');
        await pause(300);
        await handle.signal('unschedule', { version: 2 });
        await settled(handle);
      },
    },
    {
      name: 'broadcast.superseded',
      workflow: 'broadcast',
      fakes: () => ({ openBroadcast: async () => ({ kind: 'superseded' }) }),
      run: async (begin) => settled(await begin(confirmed(null))),
    },
    {
      name: 'broadcast.refused',
      workflow: 'broadcast',
      fakes: () => ({ openBroadcast: async () => refuse() }),
      run: async (begin) => settled(await begin(confirmed(null))),
    },
    {
      name: 'broadcast.failedAtOpening',
      workflow: 'broadcast',
      fakes: () => ({ openBroadcast: async () => ({ kind: 'failed', reason: 'No.' }), endBroadcast: ended }),
      run: async (begin) => settled(await begin(confirmed(null))),
    },
    {
      name: 'broadcast.stopped',
      workflow: 'broadcast',
      fakes: () => ({
        openBroadcast: async () => running,
        planBroadcast: planned(6),
        sendBroadcastChunk: inTurn(
          () => chunk(),
          () => chunk({ stop: 'Refused.' }),
        ),
        endBroadcast: ended,
      }),
      run: async (begin) => settled(await begin(confirmed(null))),
    },
    {
      name: 'broadcast.troubledAndRetried',
      workflow: 'broadcast',
      fakes: () => ({
        openBroadcast: async () => running,
        planBroadcast: planned(
          3,
          { ranges: [], open: 5, waitMs: 300 },
          {
            ranges: [
              { from: 1, to: 9 },
              { from: 10, to: 20 },
            ],
            open: 0,
            waitMs: 0,
          },
        ),
        sendBroadcastChunk: inTurn(
          () => chunk({ troubled: true }),
          () => Promise.reject(new Error('away')),
          () => chunk(),
        ),
        endBroadcast: ended,
      }),
      run: async (begin) => settled(await begin(confirmed(null))),
    },
    {
      name: 'broadcast.continued',
      workflow: 'broadcast',
      fakes: () => ({
        openBroadcast: async () => running,
        planBroadcast: planned(40),
        sendBroadcastChunk: async () => chunk(),
        endBroadcast: ended,
      }),
      run: async (begin) => settled(await begin(confirmed(null))),
    },
  ];
}

/** Every path of every workflow; each has a recorded history that later code must still replay. */
export function everyPath(): readonly Path[] {
  return [
    {
      name: 'snoozeTimer.woken',
      workflow: 'snoozeTimer',
      fakes: () => due({ kind: 'done' }),
      run: async (begin) => settled(await begin(snooze(300))),
    },
    {
      name: 'snoozeTimer.rescheduled',
      workflow: 'snoozeTimer',
      fakes: () => due({ kind: 'done' }),
      run: async (begin) => {
        const handle = await begin(snooze(60_000));
        await handle.signal('reschedule', snooze(120_000, 2));
        await handle.signal('reschedule', snooze(60_000, 1));
        await handle.signal('reschedule', snooze(500, 3));
        await settled(handle);
      },
    },
    {
      name: 'snoozeTimer.cancelled',
      workflow: 'snoozeTimer',
      fakes: () => ({}),
      run: async (begin) => {
        const handle = await begin(snooze(60_000));
        await handle.signal('cancel', { version: 2 });
        await settled(handle);
      },
    },
    {
      name: 'snoozeTimer.wokenByHand',
      workflow: 'snoozeTimer',
      fakes: () => ({ reopenConversation: async () => undefined }),
      run: async (begin) => {
        const handle = await begin(snooze(60_000));
        await handle.signal('wake');
        await settled(handle);
      },
    },
    {
      name: 'snoozeTimer.cancelledByHand',
      workflow: 'snoozeTimer',
      fakes: () => ({ reopenConversation: async () => undefined }),
      run: async (begin) => {
        const handle = await begin(snooze(60_000));
        await handle.signal('cancel');
        await settled(handle);
      },
    },
    {
      name: 'snoozeTimer.notDue',
      workflow: 'snoozeTimer',
      fakes: () => due({ kind: 'not_due', waitMs: 400 }, { kind: 'done' }),
      run: async (begin) => settled(await begin(snooze(-1_000))),
    },
    {
      name: 'snoozeTimer.superseded',
      workflow: 'snoozeTimer',
      fakes: () => due({ kind: 'superseded' }),
      run: async (begin) => settled(await begin(snooze(-1_000))),
    },
    {
      name: 'snoozeTimer.refused',
      workflow: 'snoozeTimer',
      fakes: () => ({ wakeConversation: async () => refuse() }),
      run: async (begin) => settled(await begin(snooze(-1_000))),
    },
    {
      name: 'snoozeTimer.retried',
      workflow: 'snoozeTimer',
      fakes: () => ({
        wakeConversation: inTurn<DueOutcome>(
          () => Promise.reject(new Error('away')),
          () => ({ kind: 'done' }),
        ),
      }),
      run: async (begin) => settled(await begin(snooze(-1_000))),
    },
    {
      name: 'snoozeTimer.continued',
      workflow: 'snoozeTimer',
      fakes: () => due({ kind: 'done' }),
      run: async (begin) => {
        const handle = await begin(snooze(60_000));
        for (let version = 2; version <= suggestedAfterEvents / 4; version += 1) {
          await handle.signal('reschedule', snooze(60_000, version));
          // One workflow task per signal, as when people change their minds.
          await handle.query('state');
        }
        await handle.signal('reschedule', snooze(-1_000, suggestedAfterEvents));
        await settled(handle);
      },
    },
    {
      name: 'messageDelivery.delivered',
      workflow: 'messageDelivery',
      fakes: () => ({
        deliverNextMessageLocally: inTurn<DeliveryOutcome>(
          () => sent(1),
          () => ({ kind: 'progress', messageId: 2, status: 'unknown' }),
          () => ({ kind: 'idle' }),
        ),
      }),
      run: async (begin) => settled(await begin(delivery)),
    },
    {
      name: 'messageDelivery.waited',
      workflow: 'messageDelivery',
      fakes: () => ({
        deliverNextMessageLocally: inTurn<DeliveryOutcome>(
          () => ({ kind: 'wait', waitMs: 400 }),
          () => sent(1),
          () => ({ kind: 'idle' }),
        ),
      }),
      run: async (begin) => settled(await begin(delivery)),
    },
    {
      name: 'messageDelivery.signalledWhileWaiting',
      workflow: 'messageDelivery',
      fakes: () => ({
        deliverNextMessageLocally: inTurn<DeliveryOutcome>(
          () => ({ kind: 'wait', waitMs: 60_000 }),
          () => sent(1),
          () => ({ kind: 'idle' }),
        ),
      }),
      run: async (begin) => {
        const handle = await begin(delivery);
        await pause(500);
        await handle.signal('deliver');
        await settled(handle);
      },
    },
    {
      name: 'messageDelivery.failedAttempt',
      workflow: 'messageDelivery',
      fakes: () => ({
        deliverNextMessageLocally: inTurn<DeliveryOutcome>(
          () => Promise.reject(new Error('away')),
          () => sent(1),
          () => ({ kind: 'idle' }),
        ),
      }),
      run: async (begin) => settled(await begin(delivery)),
    },
    {
      name: 'messageDelivery.queued',
      workflow: 'messageDelivery',
      fakes: () => ({
        deliverNextMessageLocally: inTurn<{ kind: 'busy' } | DeliveryOutcome>(
          () => ({ kind: 'busy' }),
          () => ({ kind: 'idle' }),
        ),
        deliverNextMessage: async () => sent(1),
      }),
      run: async (begin) => settled(await begin(delivery)),
    },
    {
      name: 'messageDelivery.held',
      workflow: 'messageDelivery',
      fakes: () => ({
        deliverNextMessageLocally: inTurn<DeliveryOutcome>(
          () => sent(1),
          () => ({ kind: 'held' }),
        ),
      }),
      run: async (begin) => settled(await begin(delivery)),
    },
    {
      name: 'messageDelivery.refused',
      workflow: 'messageDelivery',
      fakes: () => ({ deliverNextMessageLocally: async () => refuse() }),
      run: async (begin) => settled(await begin(delivery)),
    },
    {
      name: 'messageDelivery.continued',
      workflow: 'messageDelivery',
      fakes: () => {
        let messageId = 0;
        // Only tasks of the workflow add up: what runs inside one without a pause is one.
        return {
          deliverNextMessageLocally: async () =>
            (messageId += 1) <= suggestedAfterEvents / 4 ? { kind: 'wait', waitMs: 1 } : { kind: 'idle' },
        };
      },
      run: async (begin) => settled(await begin(delivery)),
    },
    ...approvalPaths(),
    {
      name: 'slaTimer.breached',
      workflow: 'slaTimer',
      fakes: () => slaDue({ kind: 'done' }),
      run: async (begin) => settled(await begin(sla(300))),
    },
    {
      name: 'slaTimer.notDue',
      workflow: 'slaTimer',
      fakes: () => slaDue({ kind: 'not_due', waitMs: 400 }, { kind: 'done' }),
      run: async (begin) => settled(await begin(sla(-1_000))),
    },
    {
      name: 'slaTimer.superseded',
      workflow: 'slaTimer',
      fakes: () => slaDue({ kind: 'superseded' }),
      run: async (begin) => settled(await begin(sla(-1_000))),
    },
    {
      name: 'slaTimer.refused',
      workflow: 'slaTimer',
      fakes: () => ({ breachSla: async () => refuse() }),
      run: async (begin) => settled(await begin(sla(-1_000))),
    },
    {
      name: 'slaTimer.rescheduled',
      workflow: 'slaTimer',
      fakes: () => slaDue({ kind: 'done' }),
      run: async (begin) => {
        const handle = await begin(sla(60_000));
        await handle.signal('reschedule', sla(120_000, 2));
        await handle.signal('reschedule', sla(60_000, 1));
        await handle.signal('reschedule', sla(500, 3));
        await settled(handle);
      },
    },
    {
      name: 'slaTimer.cancelled',
      workflow: 'slaTimer',
      fakes: () => ({}),
      run: async (begin) => {
        const handle = await begin(sla(60_000));
        await handle.signal('cancel', { version: 0 });
        await handle.signal('cancel', { version: 2 });
        await settled(handle);
      },
    },
    {
      name: 'slaTimer.cancelledByHand',
      workflow: 'slaTimer',
      fakes: () => ({}),
      run: async (begin) => {
        const handle = await begin(sla(60_000));
        await handle.signal('cancel');
        await settled(handle);
      },
    },
    {
      name: 'slaTimer.continued',
      workflow: 'slaTimer',
      fakes: () => slaDue({ kind: 'done' }),
      run: async (begin) => {
        const handle = await begin(sla(60_000));
        for (let version = 2; version <= suggestedAfterEvents / 4; version += 1) {
          await handle.signal('reschedule', sla(60_000, version));
          await handle.query('state');
        }
        await handle.signal('reschedule', sla(-1_000, suggestedAfterEvents));
        await settled(handle);
      },
    },
    {
      name: 'stageNotify.notified',
      workflow: 'stageNotify',
      fakes: () => recipients(1, 2, 3),
      run: async (begin) => settled(await begin(move)),
    },
    {
      name: 'stageNotify.nobody',
      workflow: 'stageNotify',
      fakes: () => recipients(),
      run: async (begin) => settled(await begin(move)),
    },
    {
      name: 'stageNotify.laterPage',
      workflow: 'stageNotify',
      fakes: () => recipients(501, 502),
      run: async (begin) => settled(await begin({ ...move, afterPlace: 500, settled: prepared })),
    },
    {
      name: 'stageNotify.refusedRecipient',
      workflow: 'stageNotify',
      fakes: () => ({
        ...recipients(1, 2),
        notifyStageRecipient: async ({ contactId }) => (contactId === 1 ? refuse() : { state: 'gone' }),
      }),
      run: async (begin) => settled(await begin(move)),
    },
    {
      name: 'stageNotify.retried',
      workflow: 'stageNotify',
      fakes: () => ({
        ...recipients(1),
        notifyStageRecipient: inTurn<{ state: 'sent' }>(
          () => Promise.reject(new Error('away')),
          () => ({ state: 'sent' }),
        ),
      }),
      run: async (begin) => settled(await begin(move)),
    },
    ...macroPaths(),
    {
      name: 'reconcile.clean',
      workflow: 'reconcile',
      fakes: () => sweeps,
      run: async (begin) => settled(await begin()),
    },
    {
      name: 'reconcile.failingSweep',
      workflow: 'reconcile',
      fakes: () => ({ ...sweeps, settleStaleClaims: async () => refuse() }),
      run: async (begin) => settled(await begin()),
    },
    ...broadcastPaths(),
    ...webhookPaths(),
  ];
}

/** Everything sent at once, a receiver that is waited for, and a round that failed. */
function webhookPaths(): Path[] {
  const path = (name: string, ...rounds: (() => WebhookRound | Promise<WebhookRound>)[]): Path => ({
    name: `webhookDelivery.${name}`,
    workflow: 'webhookDelivery',
    fakes: () => ({ deliverWebhooks: inTurn(...rounds) }),
    run: async (begin) => settled(await begin({ workspaceId: 1, subscriptionId: 1 })),
  });
  const idle = (): WebhookRound => ({ waitMs: null });
  return [
    path('sent', () => ({ waitMs: 0 }), idle),
    path('waited', () => ({ waitMs: 300 }), idle),
    path('failed', () => Promise.reject(new Error('away')), idle),
  ];
}

/** Nobody decided in time, somebody did, and a clock that was ahead. */
function approvalPaths(): Path[] {
  const path = (
    name: string,
    kinds: readonly DueOutcome[],
    delayMs: number,
    run: (handle: WorkflowHandleWithFirstExecutionRunId) => Promise<void>,
  ): Path => ({
    name: `approvalExpiry.${name}`,
    workflow: 'approvalExpiry',
    fakes: () => ({ expireApproval: inTurn(...kinds.map((kind) => () => kind)) }),
    run: async (begin) => run(await begin({ workspaceId: 1, approvalId: 1, expiresAtMs: Date.now() + delayMs })),
  });
  return [
    path('expired', [{ kind: 'done' }], 300, settled),
    path('notDue', [{ kind: 'not_due', waitMs: 400 }, { kind: 'done' }], -1_000, settled),
    path('decided', [{ kind: 'superseded' }], 60_000, async (handle) => {
      await handle.signal('decided');
      await settled(handle);
    }),
  ];
}

/** Applied, and the two ways in which nothing is, which end the workflow as failed. */
function macroPaths(): Path[] {
  const input = { workspaceId: 1, runId: 1 };
  const applied = (): MacroRunOutcome => ({ kind: 'applied', steps: 2 });
  const path = (
    name: string,
    apply: () => Promise<MacroRunOutcome>,
    run: (handle: WorkflowHandleWithFirstExecutionRunId) => Promise<void>,
  ): Path => ({
    name: `macroRun.${name}`,
    workflow: 'macroRun',
    fakes: () => ({ applyMacroRun: apply }),
    run: async (begin) => run(await begin(input)),
  });
  return [
    path('applied', async () => applied(), settled),
    path(
      'retried',
      inTurn<MacroRunOutcome>(() => Promise.reject(new Error('away')), applied),
      settled,
    ),
    path('refused', async () => ({ kind: 'failed', step: 2, steps: 3, type: 'send_message' }), failed),
    path('abandoned', async () => ({ kind: 'abandoned' }), failed),
  ];
}

async function failed(handle: WorkflowHandleWithFirstExecutionRunId): Promise<void> {
  const end = await handle.result().then(
    () => 'completed',
    () => 'failed',
  );
  if (end !== 'failed') throw new Error('the run was expected to fail');
}

async function settled(handle: WorkflowHandleWithFirstExecutionRunId): Promise<void> {
  await handle.result();
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Takes a path once and gives the id of its first run, whose history is the one to keep. */
export async function walk(
  env: TestWorkflowEnvironment,
  path: Path,
  taskQueue: string,
): Promise<{ workflowId: string; runId: string }> {
  const workflowId = `${path.name}/${taskQueue}`;
  let runId = '';
  await path.run(async (input) => {
    const handle = await env.client.workflow.start(path.workflow, {
      taskQueue,
      workflowId,
      args: input === undefined ? [] : [input],
    });
    runId = handle.firstExecutionRunId;
    return handle;
  });
  return { workflowId, runId };
}
