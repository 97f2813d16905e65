import type { WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { Activities } from '../../workflows/activityTypes';
import {
  sweepNames,
  type AssignmentRound,
  type DeliveryOutcome,
  type DueOutcome,
  type WebhookRound,
  type MacroRunOutcome,
  type SendLaterOutcome,
  type SendLaterState,
  type RuleTimerState,
  type SlaState,
  type SnoozeState,
  type SweepResult,
  type WakeOutcome,
} from '../../workflows/contract';
import { eventually } from '../support/eventually';
import { broadcastPaths } from './broadcastPaths';
import { inTurn, isoTime, pause, refuse, settled, type Path } from './path';
import { stagePaths } from './stagePaths';

/**
 * The histories are recorded on a server that suggests continue-as-new after so many events; a real one does at 4096.
 */
export const suggestedAfterEvents = 60;

const snooze = (delayMs: number, version = 1): SnoozeState => ({
  workspaceId: 1,
  conversationId: 1,
  dueAt: isoTime(Date.now() + delayMs),
  version,
});
const due = (...kinds: WakeOutcome[]): Partial<Activities> => ({
  wakeConversation: inTurn(...kinds.map((kind) => () => kind)),
});
const sent = (messageId: number): DeliveryOutcome => ({ kind: 'progress', messageId, status: 'sent' });
const delivery = { workspaceId: 1, conversationId: 1 };
const sla = (delayMs: number, version = 1): SlaState => ({
  workspaceId: 1,
  subject: 'ticket',
  subjectId: 1,
  dueAt: isoTime(Date.now() + delayMs),
  version,
});
const slaDue = (...kinds: DueOutcome[]): Partial<Activities> => ({
  breachSla: inTurn(...kinds.map((kind) => () => kind)),
});
const sweeps: Partial<Activities> = {
  ...Object.fromEntries(sweepNames.map((name) => [name, async () => ({ rows: 1, more: false })])),
  witnessDatabase: async ({ seen }) => `after ${seen ?? 'nothing'}`,
};

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
        await handle.signal('deadline', snooze(120_000, 2));
        await handle.signal('deadline', snooze(60_000, 1));
        await handle.signal('deadline', snooze(500, 3));
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
      name: 'snoozeTimer.wokenByOperator',
      workflow: 'snoozeTimer',
      fakes: () => ({ reopenConversation: async () => undefined }),
      run: async (begin) => {
        const handle = await begin(snooze(60_000));
        await handle.signal('wake');
        await settled(handle);
      },
    },
    {
      name: 'snoozeTimer.cancelledByOperator',
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
      name: 'snoozeTimer.wokenWithOthers',
      workflow: 'snoozeTimer',
      fakes: () => due({ kind: 'woken_with_others' }),
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
        wakeConversation: inTurn<WakeOutcome>(
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
          await handle.signal('deadline', snooze(60_000, version));
          // One workflow task per signal, as when people change their minds.
          await handle.query('state');
        }
        await handle.signal('deadline', snooze(-1_000, suggestedAfterEvents));
        await settled(handle);
      },
    },
    {
      name: 'messageDelivery.delivered',
      workflow: 'messageDelivery',
      fakes: () => ({
        deliverNextMessage: inTurn<DeliveryOutcome>(
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
        deliverNextMessage: inTurn<DeliveryOutcome>(
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
        deliverNextMessage: inTurn<DeliveryOutcome>(
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
        deliverNextMessage: inTurn<DeliveryOutcome>(
          () => Promise.reject(new Error('away')),
          () => sent(1),
          () => ({ kind: 'idle' }),
        ),
      }),
      run: async (begin) => settled(await begin(delivery)),
    },
    {
      name: 'messageDelivery.held',
      workflow: 'messageDelivery',
      fakes: () => ({
        deliverNextMessage: inTurn<DeliveryOutcome>(
          () => sent(1),
          () => ({ kind: 'held' }),
        ),
      }),
      run: async (begin) => settled(await begin(delivery)),
    },
    {
      name: 'messageDelivery.refused',
      workflow: 'messageDelivery',
      fakes: () => ({ deliverNextMessage: async () => refuse() }),
      run: async (begin) => settled(await begin(delivery)),
    },
    {
      name: 'messageDelivery.continued',
      workflow: 'messageDelivery',
      fakes: () => {
        let messageId = 0;
        // Only tasks of the workflow add up: what runs inside one without a pause is one.
        return {
          deliverNextMessage: async () =>
            (messageId += 1) <= suggestedAfterEvents / 4 ? { kind: 'wait', waitMs: 1 } : { kind: 'idle' },
        };
      },
      run: async (begin) => settled(await begin(delivery)),
    },
    ...approvalPaths(),
    ...sendLaterPaths(),
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
        await handle.signal('deadline', sla(120_000, 2));
        await handle.signal('deadline', sla(60_000, 1));
        await handle.signal('deadline', sla(500, 3));
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
      name: 'slaTimer.cancelledByOperator',
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
          await handle.signal('deadline', sla(60_000, version));
          await handle.query('state');
        }
        await handle.signal('deadline', sla(-1_000, suggestedAfterEvents));
        await settled(handle);
      },
    },
    ...stagePaths(),
    ...macroPaths(),
    ...rulePaths(),
    {
      name: 'reconcile.clean',
      workflow: 'reconcile',
      fakes: () => sweeps,
      run: async (begin) => twoRounds(await begin({ last: null })),
    },
    {
      name: 'reconcile.failingSweep',
      workflow: 'reconcile',
      fakes: () => ({ ...sweeps, settleStaleClaims: async () => refuse() }),
      run: async (begin) => twoRounds(await begin({ last: null })),
    },
    {
      name: 'reconcile.witnessAway',
      workflow: 'reconcile',
      fakes: () => ({ ...sweeps, witnessDatabase: async () => refuse() }),
      run: async (begin) => twoRounds(await begin({ last: null, witness: 'before' })),
    },
    {
      name: 'reconcile.more',
      workflow: 'reconcile',
      fakes: () => ({
        ...sweeps,
        settleStaleClaims: inTurn<SweepResult>(
          () => ({ rows: 5_000, more: true }),
          () => ({ rows: 1, more: false }),
        ),
      }),
      run: async (begin) => twoRounds(await begin({ last: null })),
    },
    {
      name: 'reconcile.moreBeside',
      workflow: 'reconcile',
      fakes: () => ({
        ...sweeps,
        removeExpiredRows: inTurn<SweepResult>(
          () => ({ rows: 5_000, more: true }),
          () => ({ rows: 1, more: false }),
        ),
      }),
      run: async (begin) => twoRounds(await begin({ last: null })),
    },
    ...broadcastPaths(),
    ...webhookPaths(),
    ...assignmentPaths(),
  ];
}

/** Everybody found at once, some who wait for a change, a look that failed, one that was refused, and a long wait. */
function assignmentPaths(): Path[] {
  const round = (more: Partial<AssignmentRound> = {}): AssignmentRound => ({
    assigned: 1,
    waiting: 0,
    first: [],
    why: null,
    more: false,
    ...more,
  });
  const full = (): AssignmentRound => round({ assigned: 0, waiting: 1, first: [7], why: 'all_are_full' });
  const waitsAndHears = async (handle: WorkflowHandleWithFirstExecutionRunId): Promise<void> => {
    await eventually(async () => expectRound((await handle.query<{ waiting: number }>('waiting')).waiting, 1));
    await handle.signal('assign');
  };
  const path = (
    name: string,
    look: () => Activities['assignConversations'],
    run: (handle: WorkflowHandleWithFirstExecutionRunId) => Promise<void> = async () => undefined,
  ): Path => ({
    name: `assignment.${name}`,
    workflow: 'assignment',
    fakes: () => ({ assignConversations: look() }),
    run: async (begin) => {
      const handle = await begin({ workspaceId: 1, inboxId: 1 });
      await run(handle);
      await settled(handle);
    },
  });
  let isFull = true;
  return [
    path('found', () => inTurn<AssignmentRound>(() => round({ more: true }), round)),
    path('waited', () => inTurn<AssignmentRound>(full, round), waitsAndHears),
    path('failed', () => inTurn<AssignmentRound>(() => Promise.reject(new Error('away')), round)),
    path('refused', () => async () => refuse()),
    path(
      'continued',
      () => {
        isFull = true;
        return async () => (isFull ? full() : round());
      },
      async (handle) => {
        for (let change = 0; change < suggestedAfterEvents / 4; change += 1) await waitsAndHears(handle);
        isFull = false;
        // The look after the last signal may have ended it already.
        await handle.signal('assign').catch(() => undefined);
      },
    ),
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
    path('waited', () => ({ waitMs: 300, waiting: { deliveryId: 7, attempts: 2, status: 503 } }), idle),
    path('failed', () => Promise.reject(new Error('away')), idle),
  ];
}

/** Sent at its moment, held, discarded, moved, and what operators do. */
function sendLaterPaths(): Path[] {
  const state = (delayMs: number, version = 1): SendLaterState => ({
    workspaceId: 1,
    messageId: 1,
    conversationId: 1,
    dueAt: isoTime(Date.now() + delayMs),
    version,
  });
  const path = (
    name: string,
    kinds: readonly SendLaterOutcome[],
    delayMs: number,
    run: (handle: WorkflowHandleWithFirstExecutionRunId) => Promise<void> = settled,
  ): Path => ({
    name: `sendLater.${name}`,
    workflow: 'sendLater',
    fakes: () => ({
      sendScheduledMessage: inTurn(...kinds.map((kind) => () => kind)),
      decideScheduledMessage: async ({ what }) => (what === 'send' ? 'queued' : 'held'),
    }),
    run: async (begin) => run(await begin(state(delayMs))),
  });
  const signalled = (signal: string, argument?: unknown) => async (handle: WorkflowHandleWithFirstExecutionRunId) => {
    await handle.signal(signal, argument);
    await settled(handle);
  };
  return [
    path('queued', [{ kind: 'done' }], 300),
    path('held', [{ kind: 'ended', end: 'held' }], -1_000),
    path('notDue', [{ kind: 'not_due', waitMs: 400 }, { kind: 'done' }], -1_000),
    path('superseded', [{ kind: 'superseded' }], -1_000),
    path('discarded', [], 60_000, signalled('cancel', { version: 2 })),
    path('sentByOperator', [], 60_000, signalled('send')),
    path('heldByOperator', [], 60_000, signalled('cancel')),
    path('moved', [{ kind: 'done' }], 60_000, async (handle) => {
      await handle.signal('deadline', state(120_000, 2));
      await handle.signal('deadline', state(300, 3));
      await settled(handle);
    }),
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
    run: async (begin) => {
      const dueAt = isoTime(Date.now() + delayMs);
      await run(await begin({ workspaceId: 1, approvalId: 1, dueAt, version: 1 }));
    },
  });
  return [
    path('expired', [{ kind: 'done' }], 300, settled),
    path('notDue', [{ kind: 'not_due', waitMs: 400 }, { kind: 'done' }], -1_000, settled),
    path('superseded', [{ kind: 'superseded' }], -1_000, settled),
    path('decided', [], 60_000, async (handle) => {
      await handle.signal('cancel', { version: 2 });
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
    path(
      'refused',
      async () => ({ kind: 'failed', step: 2, steps: 3, type: 'send_message', code: 'window_closed' }),
      failed,
    ),
    path('abandoned', async () => ({ kind: 'abandoned' }), failed),
    path('skipped', async () => ({ kind: 'skipped', reason: 'conditions' }), failed),
  ];
}

/** Waits for the earliest of the rules that wait on a conversation. */
function rulePaths(): Path[] {
  const state = (delayMs: number, version = 1): RuleTimerState => {
    const dueAt = isoTime(Date.now() + delayMs);
    return { workspaceId: 1, conversationId: 1, dueAt, version, waits: [{ ruleId: 7, version: 1, at: dueAt }] };
  };
  const path = (
    name: string,
    kinds: readonly DueOutcome[],
    delayMs: number,
    run: (handle: WorkflowHandleWithFirstExecutionRunId) => Promise<void>,
  ): Path => ({
    name: `ruleTimer.${name}`,
    workflow: 'ruleTimer',
    fakes: () => ({ judgeRules: inTurn(...kinds.map((kind) => () => kind)) }),
    run: async (begin) => run(await begin(state(delayMs))),
  });
  return [
    path('judged', [{ kind: 'done' }], 300, settled),
    path('notDue', [{ kind: 'not_due', waitMs: 400 }, { kind: 'done' }], -1_000, settled),
    path('superseded', [{ kind: 'superseded' }], -1_000, settled),
    path('earlier', [{ kind: 'done' }], 60_000, async (handle) => {
      await handle.signal('deadline', state(500, 2));
      await settled(handle);
    }),
    path('cancelled', [], 60_000, async (handle) => {
      await handle.signal('cancel', { version: 2 });
      await settled(handle);
    }),
  ];
}

async function failed(handle: WorkflowHandleWithFirstExecutionRunId): Promise<void> {
  const end = await handle.result().then(
    () => 'completed',
    () => 'failed',
  );
  if (end !== 'failed') throw new Error('the run was expected to fail');
}

/** Lets it sweep twice, the second time because it was asked to; it would go on for ever. */
async function twoRounds(handle: WorkflowHandleWithFirstExecutionRunId): Promise<void> {
  const lastRound = async (): Promise<unknown> => (await handle.query<{ round: number } | null>('lastRound'))?.round;
  await eventually(async () => expectRound(await lastRound(), 1));
  await handle.signal('sweep');
  await eventually(async () => expectRound(await lastRound(), 2));
  await handle.terminate('recorded');
}

function expectRound(round: unknown, wanted: number): void {
  if (Number(round ?? 0) < wanted) throw new Error(`round ${String(round)} before ${wanted}`);
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
