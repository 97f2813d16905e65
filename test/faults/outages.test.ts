import { createDesk, type Desk } from '../support/desk';
import { eventually } from '../support/eventually';
import { createTestRuntime, type TestRuntime } from '../support/runtime';
import { privateTemporal, type PrivateTemporal } from '../support/temporal';
import { spawnWorker } from '../support/worker';

const back = { timeoutMs: 60_000 };
const soon = (ms: number): Date => new Date(Date.now() + ms);

describe('while Temporal is away', () => {
  let server: PrivateTemporal;
  let test: TestRuntime;
  let desk: Desk;
  beforeEach(async () => {
    server = await privateTemporal({ started: false });
    test = await createTestRuntime({ env: { TEMPORAL_ADDRESS: server.address } });
    test.onClose(() => server.close());
    desk = await createDesk(test);
  });
  afterEach(() => test.close());

  const open = (handle: string): Promise<void> =>
    eventually(async () => expect(await desk.conversation(handle)).toMatchObject({ conv_status: 'open' }), back);

  it('snoozes are accepted, and wake once it has come; the worker was there first', async () => {
    const handle = await desk.customer('15550003001');
    const worker = await spawnWorker(test, {}, { awaitReady: false });
    await worker.logged('waiting for Temporal');
    await desk.snooze(handle, soon(500));
    expect(await desk.conversation(handle)).toMatchObject({ conv_status: 'snoozed', snooze_version: 1 });
    await server.start();
    await open(handle);
    await eventually(async () => expect(await test.runtime.db.rows('SELECT 1 AS ok FROM outbox')).toEqual([]), back);
    expect(await worker.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  it('a worker that has never seen it stops when it is told to', async () => {
    const handle = await desk.customer('15550003005');
    const worker = await spawnWorker(test, {}, { awaitReady: false });
    await worker.logged('waiting for Temporal');
    await desk.snooze(handle, soon(500));
    expect(await worker.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(await test.runtime.db.rows('SELECT 1 AS ok FROM outbox')).toHaveLength(1);
  });

  it.each(['killed', 'frozen'])(
    'and back again (%s), everything goes on: what waited before, and what changed meanwhile',
    async (how) => {
      await server.start();
      const worker = await spawnWorker(test);
      const [before, retimed, during] = [
        await desk.customer('15550003002'),
        await desk.customer('15550003003'),
        await desk.customer('15550003004'),
      ];
      await desk.snooze(before, soon(3_000));
      await desk.snooze(retimed, soon(3_600_000));
      await eventually(async () => expect(await test.runtime.db.rows('SELECT 1 AS ok FROM outbox')).toEqual([]));
      if (how === 'killed') await server.kill();
      else server.freeze();
      await desk.snooze(retimed, soon(500));
      await desk.snooze(during, soon(500));
      expect(await desk.conversation(during)).toMatchObject({ conv_status: 'snoozed' });
      expect(worker.output()).not.toContain('worker stopped');
      if (how === 'killed') await server.start();
      else server.thaw();
      for (const handle of [before, retimed, during]) await open(handle);
      expect(await worker.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    },
  );

  it('and has lost everything: what is overdue wakes without it', async () => {
    const handles: string[] = [];
    for (let index = 0; index < 20; index += 1) handles.push(await desk.customer(`1555000310${index}`));
    for (const handle of handles) await desk.snooze(handle, soon(3_600_000));
    // An hour that none of the tests has: what was planned is overdue, and nobody remembers the intents.
    await test.runtime.db.rows(
      `UPDATE conversations SET snoozed_until = snoozed_until - interval '2 hours' WHERE conv_status = 'snoozed'`,
    );
    await test.runtime.db.rows('DELETE FROM outbox');
    // Temporal stays away: the loop of a worker needs none.
    const worker = await spawnWorker(test, {}, { awaitReady: false });
    for (const handle of handles) await open(handle);
    expect(await worker.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    for (const handle of handles)
      expect(await desk.conversation(handle)).toMatchObject({ conv_status: 'open', snoozed_until: null });
  });
});
