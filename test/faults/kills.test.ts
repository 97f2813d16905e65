import pg from 'pg';
import type { Sandbox } from '../../dev/sandbox/server';
import { createDesk, type Desk } from '../support/desk';
import { eventually } from '../support/eventually';
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
    // The sender counts the pair on the conversation's row after its claim: there it is held.
    const holder = new pg.Client({ connectionString: test.env['DATABASE_URL'] });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query(
      'SELECT v.id FROM conversations v JOIN contacts c ON c.id = v.contact_id WHERE c.phone = $1 FOR UPDATE OF v',
      ['15550002001'],
    );
    // A sender that waits for the row for seconds gives its claim back: one is killed while it has it.
    let claims = 0;
    await eventually(async () => {
      const doomed = await spawnWorker(test);
      await eventually(async () => expect(await desk.message(first)).toMatchObject({ delivery_state: 'sending' }));
      await doomed.kill('SIGKILL');
      const { delivery_state, attempts } = await desk.message(first);
      expect(delivery_state).toBe('sending');
      claims = attempts;
    }, afterTheClaim);
    await holder.query('ROLLBACK');
    await holder.end();

    await spawnWorker(test);
    await settled(second, 'sent');
    expect(await desk.message(first)).toMatchObject({ message_status: 'unknown', attempts: claims });
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
