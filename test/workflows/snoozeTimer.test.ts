import { ApplicationFailure } from '@temporalio/common';
import type { WorkflowHandle } from '@temporalio/client';
import type { SnoozeState, WakeOutcome } from '../../workflows/contract';
import { withFakes } from '../support/fakes';
import { describeSkipping } from '../support/skipping';

const hour = 3_600_000;
const day = 24 * hour;
let conversationId = 1;

describeSkipping('snoozeTimer, time skipped', (env) => {
  interface Setup {
    handle: WorkflowHandle;
    begin: number;
    woken: { version: number; atMs: number }[];
    reopened: number;
    state(untilMs: number, version: number): SnoozeState;
  }

  /** Starts a timer at version 1 over fake rows that answer `done` unless told otherwise. */
  async function snoozed(
    delayMs: number,
    work: (setup: Setup) => Promise<void>,
    answer: (setup: Setup) => Promise<WakeOutcome> | WakeOutcome = () => ({ kind: 'done' }),
  ): Promise<void> {
    const id = (conversationId += 1);
    const setup = {
      woken: [],
      reopened: 0,
      begin: await env().currentTimeMs(),
      state: (untilMs: number, version: number) => ({
        workspaceId: 7,
        conversationId: id,
        dueAt: new Date(untilMs).toISOString(),
        version,
      }),
    } as unknown as Setup;
    const fakes = {
      wakeConversation: async (input: { conversationId: number; version: number }) => {
        setup.woken.push({ version: input.version, atMs: await env().currentTimeMs() });
        return answer(setup);
      },
      reopenConversation: async () => {
        setup.reopened += 1;
      },
    };
    await withFakes(env(), fakes, async (taskQueue) => {
      setup.handle = await env().client.workflow.start('snoozeTimer', {
        taskQueue,
        workflowId: `snooze-timer/7/${id}`,
        args: [setup.state(setup.begin + delayMs, 1)],
      });
      await work(setup);
    });
  }

  it('wakes once when thirty days are over', () =>
    snoozed(30 * day, async (setup) => {
      expect(await setup.handle.result()).toBe('woken');
      expect(setup.woken).toHaveLength(1);
      expect(setup.woken[0]?.atMs).toBeGreaterThanOrEqual(setup.begin + 30 * day);
    }));

  it('says that it woke with others', () =>
    snoozed(
      hour,
      async (setup) => expect(await setup.handle.result()).toBe('woken_with_others'),
      () => ({ kind: 'woken_with_others' }),
    ));

  it('waits for a later time after a re-snooze', () =>
    snoozed(hour, async (setup) => {
      await setup.handle.signal('deadline', setup.state(setup.begin + 5 * hour, 2));
      await env().sleep(4 * hour);
      expect(setup.woken).toEqual([]);
      expect(await setup.handle.query('state')).toEqual(setup.state(setup.begin + 5 * hour, 2));
      expect(await setup.handle.result()).toBe('woken');
      expect(setup.woken).toEqual([{ version: 2, atMs: expect.any(Number) as number }]);
      expect(setup.woken[0]?.atMs).toBeGreaterThanOrEqual(setup.begin + 5 * hour);
    }));

  it('wakes earlier after a re-snooze to an earlier time', () =>
    snoozed(30 * day, async (setup) => {
      await setup.handle.signal('deadline', setup.state(setup.begin + hour, 2));
      expect(await setup.handle.result()).toBe('woken');
      expect(setup.woken.map(({ version }) => version)).toEqual([2]);
      expect(setup.woken[0]?.atMs).toBeLessThan(setup.begin + 30 * day);
    }));

  it('takes only what is newer than it knows', () =>
    snoozed(hour, async (setup) => {
      await setup.handle.signal('deadline', setup.state(setup.begin + 3 * hour, 5));
      await setup.handle.signal('deadline', setup.state(setup.begin + 10 * day, 4));
      await setup.handle.signal('cancel', { version: 4 });
      expect(await setup.handle.query('state')).toEqual(setup.state(setup.begin + 3 * hour, 5));
      expect(await setup.handle.result()).toBe('woken');
      expect(setup.woken.map(({ version }) => version)).toEqual([5]);
    }));

  it('asks the row at once when the same version is named again, although its own time lies ahead', () => {
    let asked = 0;
    return snoozed(
      10 * day,
      async (setup) => {
        await setup.handle.signal('deadline', setup.state(setup.begin + 10 * day, 1));
        await env().sleep(hour);
        expect(asked).toBe(1);
        await setup.handle.signal('deadline', setup.state(setup.begin + 10 * day, 1));
        expect(await setup.handle.result()).toBe('woken');
        expect(setup.woken[1]?.atMs).toBeLessThan(setup.begin + day);
      },
      () => ((asked += 1) === 1 ? { kind: 'not_due', waitMs: 10 * day } : { kind: 'done' }),
    );
  });

  it('ends without waking anybody when it is cancelled', () =>
    snoozed(day, async (setup) => {
      await setup.handle.signal('cancel', { version: 2 });
      expect(await setup.handle.result()).toBe('cancelled');
      expect(setup.woken).toEqual([]);
    }));

  it.each(['wake', 'cancel'])('does what the endpoint does when %s is sent by hand', (signal) =>
    snoozed(day, async (setup) => {
      await setup.handle.signal(signal);
      expect(await setup.handle.result()).toBe('reopened');
      expect(setup.reopened).toBe(1);
      expect(setup.woken).toEqual([]);
    }),
  );

  it('waits again when the row says that it is too early', () => {
    let asked = 0;
    return snoozed(
      hour,
      async (setup) => {
        expect(await setup.handle.result()).toBe('woken');
        expect(setup.woken.map(({ version }) => version)).toEqual([1, 1]);
        expect((setup.woken[1]?.atMs ?? 0) - (setup.woken[0]?.atMs ?? 0)).toBeGreaterThanOrEqual(90_000);
      },
      () => ((asked += 1) === 1 ? { kind: 'not_due', waitMs: 90_000 } : { kind: 'done' }),
    );
  });

  it('ends when something newer has taken its place', () =>
    snoozed(
      hour,
      async (setup) => expect(await setup.handle.result()).toBe('superseded'),
      () => ({ kind: 'superseded' }),
    ));

  it('asks again after a failure that may pass', () => {
    let asked = 0;
    return snoozed(
      hour,
      async (setup) => {
        expect(await setup.handle.result()).toBe('woken');
        expect(setup.woken.map(({ version }) => version)).toEqual([1, 1, 1]);
      },
      () => ((asked += 1) < 3 ? Promise.reject(new Error('the database is away')) : { kind: 'done' }),
    );
  });

  it('ends when the service refuses for good', () =>
    snoozed(
      hour,
      async (setup) => expect(await setup.handle.result()).toBe('refused'),
      () => Promise.reject(ApplicationFailure.nonRetryable('Not found.', 'not_found')),
    ));

  it('fails instead of hanging when its own code throws', () =>
    withFakes(env(), {}, async (taskQueue) => {
      const handle = await env().client.workflow.start('snoozeTimer', {
        taskQueue,
        workflowId: `snooze-timer/7/${(conversationId += 1)}`,
        args: [null],
      });
      await expect(handle.result()).rejects.toMatchObject({ name: 'WorkflowFailedError' });
    }));
});
