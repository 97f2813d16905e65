import type { Sandbox } from '../../dev/sandbox/server';
import { createDesk, type Desk } from '../support/desk';
import { eventually } from '../support/eventually';
import { startHeldUpstream } from '../support/heldUpstream';
import { createTestRuntime, type TestRuntime } from '../support/runtime';
import { impatient } from '../support/timing';
import { spawnWorker } from '../support/worker';

/** Temporal's own limit of an attempt lasts 20 s; after that another worker looks. */
const afterTheClaim = { timeoutMs: 70_000 };

describe('workers that die', () => {
  let test: TestRuntime & { readonly sandbox: Sandbox };
  let desk: Desk;
  beforeEach(async () => {
    test = await createTestRuntime({ sandbox: true, timing: impatient });
    desk = await createDesk(test);
  });
  afterEach(() => test.close());

  const sentTo = (digits: string): number => test.sandbox.state.sent.filter((record) => record.to === digits).length;
  const settled = (id: number, status: string): Promise<void> =>
    eventually(
      async () => expect(await desk.message(id)).toMatchObject({ message_status: status, delivery_state: 'settled' }),
      afterTheClaim,
    );

  it('killed between claim and send: the outcome is unknown, nothing is sent, the next message goes out', async () => {
    const handle = await desk.customer('15550002001');
    const first = await desk.send(handle, 'first');
    const second = await desk.send(handle, 'second');
    // The platform of this worker answers nothing: it is killed with its claim, and the real one has heard of nothing.
    const silent = await startHeldUpstream();
    const doomed = await spawnWorker(test, { MSGAPP_API_URL: silent.url });
    await eventually(async () => expect(await desk.message(first)).toMatchObject({ delivery_state: 'sending' }));
    await doomed.kill('SIGKILL');
    await silent.close();
    expect(await desk.message(first)).toMatchObject({ delivery_state: 'sending', attempts: 1 });

    await spawnWorker(test);
    await settled(second, 'sent');
    expect(await desk.message(first)).toMatchObject({ message_status: 'unknown', attempts: 1 });
    expect(sentTo('15550002001')).toBe(1);
  });

  it('killed after the upstream took it, before that was recorded: unknown, and never sent again', async () => {
    const handle = await desk.customer('15550002002');
    test.sandbox.faults.add({ kind: 'hang_after_accept', to: '15550002002', times: 1 });
    const doomed = await spawnWorker(test);
    const first = await desk.send(handle, 'first');
    const second = await desk.send(handle, 'second');
    await eventually(() => expect(sentTo('15550002002')).toBe(1));
    await doomed.kill('SIGKILL');

    await spawnWorker(test);
    await settled(second, 'sent');
    expect(await desk.message(first)).toMatchObject({ message_status: 'unknown', attempts: 1 });
    expect(sentTo('15550002002')).toBe(2);
  });

  it('stopped in the middle of a call: the call ends, is recorded, and the process leaves by itself', async () => {
    const handle = await desk.customer('15550002003');
    test.sandbox.faults.add({ kind: 'latency', delay_ms: 2_000, to: '15550002003', times: 1 });
    const worker = await spawnWorker(test);
    const id = await desk.send(handle, 'slow');
    await eventually(async () => expect(await desk.message(id)).toMatchObject({ delivery_state: 'sending' }));
    expect(await worker.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(await desk.message(id)).toMatchObject({ message_status: 'sent', attempts: 1 });
    expect(worker.output()).toContain('worker stopped');
  });

  it('killed during a timer: another one wakes the conversation', async () => {
    const handle = await desk.customer('15550002004');
    const doomed = await spawnWorker(test);
    await desk.snooze(handle, new Date(Date.now() + 2_000));
    await eventually(async () => expect(await test.runtime.db.rows('SELECT 1 AS ok FROM outbox')).toEqual([]));
    await doomed.kill('SIGKILL');
    await eventually(async () =>
      expect((await desk.conversation(handle)).snoozed_until?.getTime()).toBeLessThan(Date.now()),
    );
    expect(await desk.conversation(handle)).toMatchObject({ conv_status: 'snoozed' });
    await spawnWorker(test);
    await eventually(
      async () => expect(await desk.conversation(handle)).toMatchObject({ conv_status: 'open' }),
      afterTheClaim,
    );
  });
});
