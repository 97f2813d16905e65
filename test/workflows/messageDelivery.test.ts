import { ApplicationFailure } from '@temporalio/common';
import type { WorkflowHandle } from '@temporalio/client';
import type { DeliveryOutcome } from '../../workflows/contract';
import { withFakes } from '../support/fakes';
import { describeSkipping } from '../support/skipping';

let conversationId = 1;

describeSkipping('messageDelivery, time skipped', (env) => {
  interface Looks {
    handle: WorkflowHandle;
    /** When the rows were asked. */
    atMs: number[];
  }

  /** Runs the actor over rows that give these answers in turn, then `idle`. */
  async function delivering(
    answers: ((looks: Looks) => DeliveryOutcome | Promise<DeliveryOutcome>)[],
    work: (looks: Looks) => Promise<void>,
  ): Promise<void> {
    const looks = { atMs: [] } as unknown as Looks;
    let started: () => void = () => undefined;
    const ready = new Promise<void>((resolve) => (started = resolve));
    const deliverNextMessage = async (): Promise<DeliveryOutcome> => {
      await ready;
      looks.atMs.push(await env().currentTimeMs());
      return (await answers.shift()?.(looks)) ?? { kind: 'idle' };
    };
    const input = { workspaceId: 7, conversationId: (conversationId += 1) };
    await withFakes(env(), { deliverNextMessageLocally: deliverNextMessage }, async (taskQueue) => {
      looks.handle = await env().client.workflow.signalWithStart('messageDelivery', {
        taskQueue,
        workflowId: `message-delivery/7/${input.conversationId}`,
        args: [input],
        signal: 'deliver',
        signalArgs: [],
      });
      started();
      await work(looks);
    });
  }
  const sent = (messageId: number) => (): DeliveryOutcome => ({ kind: 'progress', messageId, status: 'sent' });

  it('asks for the next message until none is left', () =>
    delivering(
      [
        sent(1),
        () => ({ kind: 'progress', messageId: 2, status: 'unknown' }),
        () => ({ kind: 'progress', messageId: 3, status: 'failed' }),
      ],
      async (looks) => {
        expect(await looks.handle.result()).toEqual({ settled: 3 });
        expect(looks.atMs).toHaveLength(4);
      },
    ));

  it('queues like any activity when the worker has no room for a send inside the task', async () => {
    const calls: string[] = [];
    const fakes = {
      deliverNextMessageLocally: async (): Promise<{ kind: 'busy' } | DeliveryOutcome> => {
        calls.push('local');
        return calls.length === 1 ? { kind: 'busy' } : { kind: 'idle' };
      },
      deliverNextMessage: async (): Promise<DeliveryOutcome> => {
        calls.push('queued');
        return { kind: 'progress', messageId: 1, status: 'sent' };
      },
    };
    await withFakes(env(), fakes, async (taskQueue) => {
      const summary: unknown = await env().client.workflow.execute('messageDelivery', {
        taskQueue,
        workflowId: `message-delivery/busy/${taskQueue}`,
        args: [{ workspaceId: 7, conversationId: 1 }],
      });
      expect(calls).toEqual(['local', 'queued', 'local']);
      expect(summary).toEqual({ settled: 1 });
    });
  });

  it('waits as long as the first message has to', () =>
    delivering([() => ({ kind: 'wait', waitMs: 600_000 }), sent(1)], async (looks) => {
      expect(await looks.handle.result()).toEqual({ settled: 1 });
      expect((looks.atMs[1] ?? 0) - (looks.atMs[0] ?? 0)).toBeGreaterThanOrEqual(600_000);
    }));

  it('ends while the number is stopped, and looks again where a signal came with it', () =>
    delivering(
      [
        async (looks) => {
          await looks.handle.signal('deliver');
          return { kind: 'held' };
        },
        () => ({ kind: 'held' }),
        sent(1),
      ],
      async (looks) => {
        expect(await looks.handle.result()).toEqual({ settled: 0 });
        expect(looks.atMs).toHaveLength(2);
      },
    ));

  it('lets a signal only look again: the rows hold a first message back', () => {
    const wait = (): DeliveryOutcome => ({ kind: 'wait', waitMs: 3_600_000 });
    return delivering(
      [
        async (looks) => {
          await looks.handle.signal('deliver');
          return wait();
        },
        wait,
        sent(1),
      ],
      async (looks) => {
        expect(await looks.handle.result()).toEqual({ settled: 1 });
        expect(looks.atMs).toHaveLength(4);
        expect((looks.atMs[2] ?? 0) - (looks.atMs[1] ?? 0)).toBeGreaterThanOrEqual(3_600_000);
      },
    );
  });

  it('never gives up on failures, with growing pauses', () => {
    const failing = (): Promise<never> => Promise.reject(new Error('the worker is gone'));
    return delivering([...Array.from({ length: 12 }, () => failing), sent(1)], async (looks) => {
      expect(await looks.handle.result()).toEqual({ settled: 1 });
      const pauses = looks.atMs.slice(1, 13).map((at, index) => at - (looks.atMs[index] ?? 0));
      expect(pauses[0]).toBeGreaterThanOrEqual(1_000);
      expect(pauses[4]).toBeGreaterThanOrEqual(16_000);
      expect(pauses[11]).toBeGreaterThanOrEqual(30_000);
      expect(pauses[11]).toBeLessThan(60_000);
    });
  });

  it('ends when the service refuses for good', () =>
    delivering([() => Promise.reject(ApplicationFailure.nonRetryable('Not found.', 'not_found'))], async (looks) => {
      expect(await looks.handle.result()).toEqual({ settled: 0 });
    }));
});

describeSkipping('reconcile, time skipped', (env) => {
  it('runs every sweep, also after one that fails', () => {
    const order: string[] = [];
    const count = (name: string, rows: number) => async (): Promise<number> => {
      order.push(name);
      return rows;
    };
    const fakes = {
      wakeOverdueConversations: count('wake', 3),
      settleStaleClaims: () => Promise.reject(ApplicationFailure.nonRetryable('broken')),
      rearmLostIntents: count('rearm', 0),
      settleUnknownDeliveries: count('unknown', 1),
      removeExpiredRows: count('expired', 9),
      syncUpstream: () => Promise.reject(new Error('upstream is away')),
    };
    return withFakes(env(), fakes, async (taskQueue) => {
      const summary: unknown = await env().client.workflow.execute('reconcile', {
        taskQueue,
        workflowId: `reconcile/${taskQueue}`,
      });
      expect(order).toEqual(['wake', 'rearm', 'unknown', 'expired']);
      expect(summary).toEqual({
        wakeOverdueConversations: 3,
        settleStaleClaims: null,
        rearmLostIntents: 0,
        settleUnknownDeliveries: 1,
        removeExpiredRows: 9,
        syncUpstream: null,
      });
    });
  });
});
