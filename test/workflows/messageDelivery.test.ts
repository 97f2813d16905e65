import { ApplicationFailure } from '@temporalio/common';
import type { WorkflowHandle } from '@temporalio/client';
import {
  sweepNames,
  type DeliveryOutcome,
  type SweepResult,
  type SweepRound,
  type WebhookRound,
} from '../../workflows/contract';
import { eventually } from '../support/eventually';
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
    answers: (() => DeliveryOutcome | Promise<DeliveryOutcome>)[],
    work: (looks: Looks) => Promise<void>,
  ): Promise<void> {
    const looks = { atMs: [] } as unknown as Looks;
    let started: () => void = () => undefined;
    const ready = new Promise<void>((resolve) => (started = resolve));
    const deliverNextMessage = async (): Promise<DeliveryOutcome> => {
      await ready;
      looks.atMs.push(await env().currentTimeMs());
      return (await answers.shift()?.()) ?? { kind: 'idle' };
    };
    const input = { workspaceId: 7, conversationId: (conversationId += 1) };
    await withFakes(env(), { deliverNextMessage }, async (taskQueue) => {
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

  it('waits as long as the first message has to', () =>
    delivering([() => ({ kind: 'wait', waitMs: 600_000 }), sent(1)], async (looks) => {
      expect(await looks.handle.result()).toEqual({ settled: 1 });
      expect((looks.atMs[1] ?? 0) - (looks.atMs[0] ?? 0)).toBeGreaterThanOrEqual(600_000);
    }));

  it('says which message waits, why, after which attempt and until when', () =>
    delivering(
      [
        () => ({
          kind: 'wait',
          waitMs: 600_000,
          messageId: 825,
          attempts: 5,
          why: 'refused',
          answer: { status: 503, code: 131000 },
        }),
        // A look that a signal caused: the rows do not keep what the platform answered.
        () => ({ kind: 'wait', waitMs: 300_000, messageId: 825, attempts: 5, why: 'retry' }),
        () => ({ kind: 'wait', waitMs: 300_000, messageId: 826, attempts: 0, why: 'pair_rate' }),
      ],
      async ({ handle, atMs }) => {
        await env().sleep(60_000);
        const refused = { messageId: 825, attempts: 5, answer: { status: 503, code: 131000 } };
        const until = new Date((atMs[0] ?? 0) + 600_000).toISOString().slice(0, 16);
        expect(await handle.query('state')).toMatchObject({
          settled: 0,
          waiting: { ...refused, why: 'refused', until: expect.stringContaining(until) as string },
        });
        await handle.signal('deliver');
        await eventually(async () =>
          expect(await handle.query('state')).toMatchObject({ waiting: { ...refused, why: 'retry' } }),
        );
        await env().sleep(400_000);
        expect(await handle.query('state')).toMatchObject({
          waiting: { messageId: 826, attempts: 0, why: 'pair_rate' },
        });
        expect((await handle.query<{ waiting: object }>('state')).waiting).not.toHaveProperty('answer');
        const summaries = await timersOf(handle);
        expect(summaries[0]).toMatch(
          /^Message 825: the platform answered 503 \(code 131000\), after attempt 5; next attempt \d{4}-\S+Z\.$/,
        );
        expect(summaries[2]).toMatch(/^Message 826: waits for the customer's rate limit; next attempt/);
        await handle.terminate('the test is over');
      },
    ));

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

/** The lines that operators read beside the timers of a workflow. */
async function timersOf(handle: WorkflowHandle): Promise<string[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).flatMap(({ timerStartedEventAttributes, userMetadata }) =>
    timerStartedEventAttributes && userMetadata?.summary?.data
      ? [JSON.parse(Buffer.from(userMetadata.summary.data).toString('utf8')) as string]
      : [],
  );
}

describeSkipping('webhookDelivery, time skipped', (env) => {
  it('says which delivery waits, why, after which attempt and until when', () => {
    const rounds: WebhookRound[] = [
      { waitMs: 60_000, waiting: { deliveryId: 7, attempts: 2, status: 503 } },
      { waitMs: 60_000, waiting: { deliveryId: 7, attempts: 3, status: null } },
      { waitMs: 60_000, waiting: { deliveryId: 8, attempts: 0, status: null } },
    ];
    const deliverWebhooks = async (): Promise<WebhookRound> => rounds.shift() ?? { waitMs: null };
    return withFakes(env(), { deliverWebhooks }, async (taskQueue) => {
      const handle = await env().client.workflow.start('webhookDelivery', {
        taskQueue,
        workflowId: `webhook-delivery/${taskQueue}`,
        args: [{ workspaceId: 7, subscriptionId: 1 }],
      });
      expect(await handle.result()).toEqual({ rounds: 4 });
      const shown = (await timersOf(handle)).map((text) => text.replace(/\d{4}-\S+Z/, 'TIME'));
      expect(shown).toEqual([
        'Delivery 7: the receiver answered 503, after attempt 2; next attempt TIME.',
        'Delivery 7: the receiver gave no answer, after attempt 3; next attempt TIME.',
        'Delivery 8: waits for the receiver to recover; next attempt TIME.',
      ]);
    });
  });
});

describeSkipping('reconcile, time skipped', (env) => {
  it('runs every sweep each minute, also after one that fails, and says what the last round did', () => {
    const order: string[] = [];
    const fakes = Object.fromEntries(
      sweepNames.map((name) => [
        name,
        async (): Promise<SweepResult> => {
          order.push(name);
          if (name === 'settleStaleClaims') throw ApplicationFailure.nonRetryable('broken');
          return { rows: name === 'failUnknownMessages' ? 3 : 0, more: false };
        },
      ]),
    );
    return withFakes(env(), fakes, async (taskQueue) => {
      const handle = await env().client.workflow.start('reconcile', {
        taskQueue,
        workflowId: `reconcile/${taskQueue}`,
        args: [{ last: { round: 41, rows: {} } }],
      });
      await env().sleep(90_000);
      // Two begin with each round and are not waited for.
      const isWaitedFor = (name: string): boolean => name !== 'syncUpstream' && name !== 'removeExpiredRows';
      const waitedFor = sweepNames.filter(isWaitedFor);
      expect(order.filter(isWaitedFor)).toEqual([...waitedFor, ...waitedFor]);
      expect(order.filter((name) => name === 'syncUpstream')).toHaveLength(2);
      expect(await handle.query('lastRound')).toMatchObject({
        round: 43,
        rows: { failUnknownMessages: 3, settleStaleClaims: null, failExpiredMessages: 0 },
      });
      await handle.signal('sweep');
      await eventually(() => expect(order).toHaveLength(3 * sweepNames.length));
      await handle.terminate('the test is over');
    });
  });

  it('does not let a slow platform hold up the other sweeps', () => {
    let answer = (_: SweepResult): void => undefined;
    let reads = 0;
    const fakes = {
      ...Object.fromEntries(sweepNames.map((name) => [name, async () => ({ rows: 1, more: false })])),
      syncUpstream: (): Promise<SweepResult> => {
        reads += 1;
        return new Promise((resolve) => (answer = resolve));
      },
    };
    return withFakes(env(), fakes, async (taskQueue) => {
      const handle = await env().client.workflow.start('reconcile', {
        taskQueue,
        workflowId: `reconcile/${taskQueue}`,
        args: [{ last: null }],
      });
      const round = async (of: number): Promise<SweepRound['rows']> => {
        await eventually(async () => expect(await handle.query('lastRound')).toMatchObject({ round: of }));
        return ((await handle.query('lastRound')) as SweepRound).rows;
      };
      expect(await round(1)).toMatchObject({ failExpiredMessages: 1 });
      await handle.signal('sweep');
      expect(await round(2)).not.toHaveProperty('syncUpstream');
      expect(reads).toBe(1);
      answer({ rows: 5, more: false });
      // The round that begins after it ended shows it, and reads again.
      await eventually(async () => {
        await handle.signal('sweep');
        expect(await handle.query('lastRound')).toMatchObject({ rows: { syncUpstream: 5 } });
      });
      await eventually(() => expect(reads).toBe(2));
      answer({ rows: 0, more: false });
      await handle.terminate('the test is over');
    });
  });
});
