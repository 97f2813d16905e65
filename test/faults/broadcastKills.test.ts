import { createBroadcast, insertContacts } from '../factories/broadcasts';
import { startApi, type TestApi } from '../support/api';
import { eventually } from '../support/eventually';
import { freePorts } from '../../dev/lib/ports';
import { privateTemporal, type PrivateTemporal } from '../support/temporal';
import { impatient } from '../support/timing';
import { spawnApi, spawnWorker, type SpawnedProcess } from '../support/worker';

const recipients = 2_000;
const path = '/api/v1/broadcasts/';
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Contract C9: never sent twice, not when a worker is killed at any instant, and everybody's outcome is known. */
describe('a broadcast whose workers are killed', () => {
  let server: PrivateTemporal;
  let desk: TestApi;
  beforeAll(async () => {
    server = await privateTemporal();
    desk = await startApi({ timing: impatient, env: { TEMPORAL_ADDRESS: server.address } });
    desk.test.onClose(() => server.close());
  });
  afterAll(() => desk.close());

  it(`${recipients} recipients, every process killed at random, calls reset: nobody twice, nobody lost`, async () => {
    const { workspace, sandbox, runtime } = desk;
    await runtime.db.rows('UPDATE phone_numbers SET throughput_mps = 150 WHERE workspace_id = $id', {
      id: workspace.id,
    });
    sandbox.state.settings.throughput = false;
    sandbox.state.settings.status_delay_ms = 20;
    sandbox.faults.add({ kind: 'reset', ratio: 0.01 });
    sandbox.faults.add({ kind: 'reset_after_accept', ratio: 0.01 });
    // What the upstream says comes in through a process that is killed too; the upstream tries again until somebody
    // answers.
    const [port = 0] = await freePorts(1);
    let api = await spawnApi(desk.test, port);
    sandbox.account({
      business_account_id: workspace.account.businessAccountId,
      webhook_url: `http://127.0.0.1:${port}/webhooks/msgapp/`,
    });
    await insertContacts(workspace, recipients, 4_918_000_000_000);
    const id = await createBroadcast(workspace);
    const workers: SpawnedProcess[] = [
      await spawnWorker(desk.test, { LOG_LEVEL: 'warn' }, { awaitReady: false }),
      await spawnWorker(desk.test, { LOG_LEVEL: 'warn' }, { awaitReady: false }),
    ];
    expect((await workspace.api.post(`${path}${id}/confirm/`)).status).toBe(200);

    const stats = async (): Promise<Record<string, number>> =>
      (await workspace.api.get<{ stats: Record<string, number> }>(`${path}${id}/`)).body.stats;
    const total = (now: Record<string, number>): number =>
      (now['pending'] ?? 0) + (now['sent'] ?? 0) + (now['failed'] ?? 0) + (now['skipped'] ?? 0) + (now['unknown'] ?? 0);
    // At instants that differ from run to run, while calls are under way.
    for (const progress of [0.02, 0.2, 0.45, 0.7]) {
      await eventually(() => expect(sandbox.state.sent.length).toBeGreaterThan(recipients * progress), {
        timeoutMs: 90_000,
        everyMs: 20,
      });
      await pause(Math.random() * 150);
      await Promise.all([workers.shift()?.kill('SIGKILL'), api.kill('SIGKILL')]);
      const now = await stats();
      expect(total(now)).toBe(now['audience']);
      if (progress === 0.2) {
        await server.kill();
        await server.start();
      }
      workers.push(await spawnWorker(desk.test, { LOG_LEVEL: 'warn' }, { awaitReady: false }));
      // Away for a moment, in which statuses find nobody.
      await pause(Math.random() * 1_000);
      api = await spawnApi(desk.test, port);
    }

    const ended = await eventually(
      async () => {
        const { body } = await workspace.api.get<{ status: string; stats: Record<string, number> }>(`${path}${id}/`);
        expect(body.status).toBe('completed');
        return body;
      },
      { timeoutMs: 180_000, everyMs: 300 },
    );
    expect(ended.stats).toMatchObject({ audience: recipients, pending: 0, skipped: 0 });
    expect(total(ended.stats)).toBe(recipients);
    // Nobody twice, by our id and by the customer.
    const opaque = sandbox.state.sent.map((record) => record.opaque);
    expect(new Set(opaque).size).toBe(opaque.length);
    const customers = sandbox.state.sent.map(({ to }) => to);
    expect(new Set(customers).size).toBe(customers.length);
    // Whoever has it counts as sent once its status is in; the rest was reset, or claimed by a worker that died first.
    await desk.settled();
    await eventually(
      async () =>
        expect(await stats()).toMatchObject({
          sent: customers.length,
          delivered: customers.length,
          read: customers.length,
        }),
      { timeoutMs: 60_000 },
    );
    const last = await stats();
    expect(total(last)).toBe(recipients);
    expect(last['unknown']).toBe(recipients - customers.length);
    expect(customers.length).toBeGreaterThan(recipients * 0.9);
    // Every status came in through the API that was killed four times, and none was lost or counted twice.
    expect(sandbox.webhooks.failedPosts).toBeGreaterThan(0);
    await Promise.all(workers.map((worker) => worker.kill('SIGTERM')));
  }, 420_000);

  it('a worker that dies while it freezes the audience is replaced at once, not at the end of its time', async () => {
    const { workspace, runtime } = desk;
    await insertContacts(workspace, 5, 4_917_000_000_000);
    const id = await createBroadcast(workspace, { audience: { receiver_ids: ['4917000000000', '4917000000001'] } });
    expect((await workspace.api.post(`${path}${id}/confirm/`)).status).toBe(200);
    await runtime.db.transaction(async () => {
      // Whoever opens the broadcast waits for its row.
      await runtime.db.rows('SELECT id FROM broadcasts WHERE id = $id FOR UPDATE', { id });
      const first = await spawnWorker(desk.test, { LOG_LEVEL: 'warn' }, { awaitReady: false });
      const waiting = `SELECT 1 AS waits FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FOR UPDATE OF b%'`;
      await eventually(
        async () => {
          await runtime.db.rows('SELECT pg_stat_clear_snapshot()');
          expect(await runtime.db.rows(waiting)).not.toEqual([]);
        },
        { timeoutMs: 60_000, everyMs: 20 },
      );
      await first.kill('SIGKILL');
    });
    await spawnWorker(desk.test, { LOG_LEVEL: 'warn' }, { awaitReady: false });
    await eventually(
      async () =>
        expect((await workspace.api.get<{ status: string; stats: unknown }>(`${path}${id}/`)).body).toMatchObject({
          status: 'completed',
          stats: { audience: 2, pending: 0 },
        }),
      { timeoutMs: 90_000, everyMs: 200 },
    );
  });
});
