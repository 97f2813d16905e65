import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { createLogger } from '../../api/core/logger';
import { installRuntime } from '../../worker/sdkRuntime';
import type { Activities } from '../../workflows/activityTypes';
import type { DeliveryOutcome, DueOutcome, RecipientPage, SnoozeState, WakeOutcome } from '../../workflows/contract';
import { withFakes } from '../support/fakes';
import { eventually } from '../support/eventually';
import { privateTemporal, type PrivateTemporal } from '../support/temporal';

/** Returns a page of the recipients of a move who are not told; each one's place is its id. */
function nextOf(
  everybody: readonly number[],
  told: readonly number[],
  { afterPlace, limit }: { readonly afterPlace: number; readonly limit: number },
): RecipientPage {
  const contactIds = everybody.filter((place) => place > afterPlace && !told.includes(place)).slice(0, limit);
  const settled = { sent: told.length, skipped: 0, failed: 0, unknown: 0 };
  return { settled, contactIds, lastPlace: contactIds.at(-1) ?? null };
}

describe('continue-as-new, suggested early', () => {
  let server: PrivateTemporal;
  let env: TestWorkflowEnvironment;
  beforeAll(async () => {
    installRuntime(createLogger('silent', 'test'));
    server = await privateTemporal({ dynamicConfig: { 'limit.historyCount.suggestContinueAsNew': 30 } });
    env = await TestWorkflowEnvironment.createFromExistingServer({ address: server.address });
  });
  afterAll(async () => {
    await env.teardown();
    await server.close();
  });

  it('a timer keeps its newest state over many runs', async () => {
    const woken: number[] = [];
    const wakeConversation = async (input: { version: number }): Promise<DueOutcome> => {
      woken.push(input.version);
      return { kind: 'done' };
    };
    await withFakes(env, { wakeConversation }, async (taskQueue) => {
      const state = (untilMs: number, version: number): object => ({
        workspaceId: 1,
        conversationId: 1,
        dueAt: new Date(untilMs).toISOString(),
        version,
      });
      const first = await env.client.workflow.start('snoozeTimer', {
        taskQueue,
        workflowId: 'snooze-timer/1/1',
        args: [state(Date.now() + 3_600_000, 1)],
      });
      const latest = env.client.workflow.getHandle('snooze-timer/1/1');
      for (let version = 2; version <= 24; version += 1) {
        await latest.signal('deadline', state(Date.now() + 3_600_000, version));
        // Late and doubled ones come in between.
        await latest.signal('deadline', state(Date.now() - 1_000, version - 1));
      }
      expect(await latest.query('state')).toMatchObject({ version: 24 });
      expect((await latest.describe()).runId).not.toBe(first.firstExecutionRunId);
      await latest.signal('deadline', state(Date.now() - 1, 25));
      expect(await first.result()).toBe('woken');
      expect(woken).toEqual([25]);
    });
  });

  it('an actor loses no signal and passes no message over many runs', async () => {
    const queued = Array.from({ length: 20 }, (_unused, index) => index + 1);
    const delivered: number[] = [];
    let busy = 0;
    let looks = 0;
    const deliverNextMessage = async (): Promise<DeliveryOutcome> => {
      expect((busy += 1)).toBe(1);
      // Only a pause ends a task of the workflow, and tasks make a run long.
      const pauses = (looks += 1) % 5 === 0;
      const next = pauses ? undefined : queued.shift();
      await new Promise((resolve) => setTimeout(resolve, 2));
      busy -= 1;
      if (pauses) return { kind: 'wait', waitMs: 1 };
      if (next === undefined) return { kind: 'idle' };
      delivered.push(next);
      return { kind: 'progress', messageId: next, status: 'sent' };
    };
    await withFakes(env, { deliverNextMessage }, async (taskQueue) => {
      const deliver = (): Promise<unknown> =>
        env.client.workflow.signalWithStart('messageDelivery', {
          taskQueue,
          workflowId: 'message-delivery/1/1',
          args: [{ workspaceId: 1, conversationId: 1 }],
          signal: 'deliver',
          signalArgs: [],
        });
      for (let message = 21; message <= 40; message += 1) {
        // The row first, then the signal: as the outbox does it.
        queued.push(message);
        await deliver();
      }
      await env.client.workflow.getHandle('message-delivery/1/1').result();
      expect(delivered).toEqual(Array.from({ length: 40 }, (_unused, index) => index + 1));
    });
  });

  // Here and not with skipped time: only a real server refuses an ending that did not see a signal.
  it('an actor looks again whatever it was told while a signal came', async () => {
    const endings: (() => DeliveryOutcome)[] = [
      () => ({ kind: 'idle' }),
      () => ({ kind: 'progress', messageId: 1, status: 'sent', more: false }),
      () => {
        throw ApplicationFailure.nonRetryable('Not found.', 'not_found');
      },
      () => ({ kind: 'held' }),
      () => ({ kind: 'wait', waitMs: 3_600_000 }),
    ];
    const looks = new Map<number, number>();
    const handleOf = (conversationId: number): WorkflowHandle =>
      env.client.workflow.getHandle(`message-delivery/2/${conversationId}`);
    const started = new Set<number>();
    const deliverNextMessage = async ({ conversationId }: { conversationId: number }): Promise<DeliveryOutcome> => {
      while (!started.has(conversationId)) await new Promise((resolve) => setTimeout(resolve, 2));
      const look = (looks.get(conversationId) ?? 0) + 1;
      looks.set(conversationId, look);
      if (look > 1) return { kind: 'idle' };
      await handleOf(conversationId).signal('deliver');
      return endings[conversationId % endings.length]?.() ?? { kind: 'idle' };
    };
    await withFakes(env, { deliverNextMessage }, async (taskQueue) => {
      const conversations = Array.from({ length: 30 }, (_unused, index) => index);
      await Promise.all(
        conversations.map(async (conversationId) => {
          await env.client.workflow.signalWithStart('messageDelivery', {
            taskQueue,
            workflowId: `message-delivery/2/${conversationId}`,
            args: [{ workspaceId: 2, conversationId }],
            signal: 'deliver',
            signalArgs: [],
          });
          started.add(conversationId);
          await handleOf(conversationId).result();
        }),
      );
      expect(conversations.filter((conversationId) => (looks.get(conversationId) ?? 0) < 2)).toEqual([]);
    });
  });

  it('a stage move tells all once over its runs; neither who waits nor a stopped number holds others up', async () => {
    const everybody = Array.from({ length: 550 }, (_unused, index) => index + 1);
    const told: number[] = [];
    const runs = new Set<number>();
    let isOver = false;
    const fakes: Partial<Activities> = {
      openStageMove: async (page) => {
        runs.add(page.afterPlace);
        return nextOf(everybody, told, page);
      },
      notifyStageRecipient: async ({ contactId, mayWaitForStop }) => {
        // As many as may be under way are on a stopped number, until all the others are told.
        if (contactId <= 200 && !mayWaitForStop) return { state: 'held' };
        if (contactId === 520 ? !isOver : contactId <= 200 && told.length < 350)
          throw ApplicationFailure.create({ message: 'not yet', nextRetryDelay: 200 });
        told.push(contactId);
        if (contactId === 550) isOver = true;
        return { state: 'sent' };
      },
      completeStageMove: async () => undefined,
    };
    await withFakes(env, fakes, async (taskQueue) => {
      const handle = await env.client.workflow.start('stageNotify', {
        taskQueue,
        workflowId: 'stage-notify/1/1/1',
        args: [{ workspaceId: 1, ticketId: 1, moveId: 1 }],
      });
      expect(await handle.result()).toEqual({ sent: 550, skipped: 0, failed: 0, unknown: 0 });
    });
    expect([...runs]).toEqual([0, 500]);
    expect(told.sort((left, right) => left - right)).toEqual(everybody);
    // For what never ends: a page has five hundred recipients, which took a busy machine two minutes.
  }, 600_000);

  it('a stage move whose stop is lifted in vain again and again begins a new run, and forgets nobody', async () => {
    const everybody = Array.from({ length: 20 }, (_unused, index) => index + 1);
    const told: number[] = [];
    const waiting = new Set<number>();
    let isStopped = true;
    const fakes: Partial<Activities> = {
      openStageMove: async (page) => nextOf(everybody, told, page),
      notifyStageRecipient: async ({ contactId, mayWaitForStop }) => {
        if (isStopped && !mayWaitForStop) return { state: 'held' };
        if (isStopped) {
          waiting.add(contactId);
          throw ApplicationFailure.create({ message: 'stopped', nextRetryDelay: 3_600_000 });
        }
        told.push(contactId);
        return { state: 'sent' };
      },
      completeStageMove: async () => undefined,
    };
    await withFakes(env, fakes, async (taskQueue) => {
      const first = await env.client.workflow.start('stageNotify', {
        taskQueue,
        workflowId: 'stage-notify/1/2/2',
        args: [{ workspaceId: 1, ticketId: 2, moveId: 2 }],
      });
      const latest = env.client.workflow.getHandle('stage-notify/1/2/2');
      for (let lift = 0; lift < 3; lift += 1) {
        await eventually(() => expect(waiting.size).toBe(everybody.length));
        waiting.clear();
        if (lift === 2) isStopped = false;
        await latest.signal('deliver');
      }
      expect(await first.result()).toEqual({ sent: 20, skipped: 0, failed: 0, unknown: 0 });
      expect((await latest.describe()).runId).not.toBe(first.firstExecutionRunId);
    });
    expect(told.sort((left, right) => left - right)).toEqual(everybody);
  });

  it('a timer follows a deadline that moved while the row was asked', async () => {
    const state = (conversationId: number, version: number): SnoozeState => ({
      workspaceId: 3,
      conversationId,
      dueAt: new Date(Date.now() + 200).toISOString(),
      version,
    });
    const handleOf = (conversationId: number): WorkflowHandle =>
      env.client.workflow.getHandle(`snooze-timer/3/${conversationId}`);
    const asked = new Map<number, number[]>();
    const wakeConversation = async (input: { conversationId: number; version: number }): Promise<WakeOutcome> => {
      const { conversationId, version } = input;
      asked.set(conversationId, [...(asked.get(conversationId) ?? []), version]);
      if (version > 1) return { kind: 'done' };
      await handleOf(conversationId).signal('deadline', state(conversationId, 2));
      return { kind: conversationId % 2 === 0 ? 'superseded' : 'woken_with_others' };
    };
    await withFakes(env, { wakeConversation }, async (taskQueue) => {
      const conversations = Array.from({ length: 20 }, (_unused, index) => index);
      await Promise.all(
        conversations.map(async (conversationId) => {
          await env.client.workflow.start('snoozeTimer', {
            taskQueue,
            workflowId: `snooze-timer/3/${conversationId}`,
            args: [state(conversationId, 1)],
          });
          expect(await handleOf(conversationId).result()).toBe('woken');
          expect(asked.get(conversationId)).toEqual([1, 2]);
        }),
      );
    });
  });
});
