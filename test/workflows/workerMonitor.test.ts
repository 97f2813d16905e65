import { healthOf } from '../../worker/monitor';
import { workflowPlaces } from '../../workflows/queues';
import { startApi, type TestApi } from '../support/api';
import { eventually } from '../support/eventually';
import { freePorts } from '../../dev/lib/ports';
import { spawnWorker, type SpawnedProcess } from '../support/worker';
import { workflowOf } from '../support/workflows';

type Json = Record<string, unknown>;

let desk: TestApi;
beforeAll(async () => {
  desk = await startApi({ sandbox: false });
});
afterAll(() => desk.close());

/** A worker process with its pages open. */
async function worker(env: Record<string, string> = {}): Promise<{ process: SpawnedProcess; url: string }> {
  const [port] = await freePorts(1);
  const process = await spawnWorker(desk.test, { HOST: '127.0.0.1', WORKER_PORT: String(port), ...env });
  return { process, url: `http://127.0.0.1:${port}` };
}
const health = async (url: string): Promise<Json> => (await (await fetch(`${url}/healthz`)).json()) as Json;
const metricsOf = async (url: string): Promise<string> => (await fetch(`${url}/metrics`)).text();

describe('the pages of a worker', () => {
  it('tell of its queues and loops, and go with it', async () => {
    const { process, url } = await worker();
    expect(await health(url)).toMatchObject({
      status: 'ok',
      roles: ['workflows', 'bulk', 'inbox', 'relay'],
      workers: { interactive: 'RUNNING', timers: 'RUNNING', notify: 'RUNNING', bulk: 'RUNNING' },
      loops: {
        'outbox relay': { failures: 0 },
        'inbox drainer 1': { failures: 0 },
        'requested syncs': { failures: 0 },
      },
    });
    expect((await fetch(`${url}/other`)).status).toBe(404);
    expect((await fetch(`${url}/healthz`, { method: 'POST' })).status).toBe(404);
    expect(await process.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  });

  it("show the process's own figures, and those of the SDK once it polls", async () => {
    const { process, url } = await worker();
    await eventually(async () => {
      const text = await metricsOf(url);
      expect(text).toMatch(/^temporal_worker_task_slots_available\{/m);
      expect(text).toMatch(/^msgdesk_worker_running\{worker="timers"\} 1$/m);
      expect(text).toMatch(/^msgdesk_backlog_rows\{kind="outbox"\} \d+$/m);
      expect(text).toMatch(/^msgdesk_database_pool_connections\{state="waiting"\} 0$/m);
    });
    await process.kill('SIGTERM');
  });

  it('stay up while the database is away, which is no reason to restart', async () => {
    const [port] = await freePorts(1);
    const process = await spawnWorker(
      desk.test,
      { HOST: '127.0.0.1', WORKER_PORT: String(port), DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' },
      { awaitReady: false },
    );
    await process.logged('waiting for PostgreSQL');
    const url = `http://127.0.0.1:${port}`;
    expect(await health(url)).toMatchObject({ status: 'ok', workers: {}, loops: {} });
    const text = await metricsOf(url);
    expect(text).toMatch(/^msgdesk_database_up 0$/m);
    expect(text).not.toMatch(/^msgdesk_backlog_rows\{/m);
    await process.kill('SIGTERM');
  });

  it('name the variable when their port is taken', async () => {
    const taken = new URL(desk.url).port;
    const process = await spawnWorker(desk.test, { HOST: '127.0.0.1', WORKER_PORT: taken }, { awaitReady: false });
    expect((await process.exited).code).toBe(1);
    expect(process.output()).toContain(`Port ${taken} is taken; set WORKER_PORT to another one.`);
  });

  it('are a 503 when a loop hangs or a worker failed', () => {
    const loop = { name: 'outbox relay', failures: 3, steps: 9 };
    const of = (idleMs: number, state: string): unknown =>
      healthOf({ roles: ['relay'], loops: () => [{ ...loop, idleMs }], workers: () => ({ interactive: state }) });
    expect(of(1_000, 'RUNNING')).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(of(1_000, 'DRAINING')).toMatchObject({ status: 200 });
    expect(of(121_000, 'RUNNING')).toMatchObject({ status: 503, body: { hanging: ['outbox relay'], failed: [] } });
    expect(of(1_000, 'FAILED')).toMatchObject({ status: 503, body: { hanging: [], failed: ['interactive'] } });
  });
});

describe('the roles of a worker', () => {
  it.each([
    ['bulk', { bulk: 'RUNNING' }, []],
    ['inbox', {}, ['files', ...[1, 2, 3, 4].map((number) => `inbox drainer ${number}`), 'requested syncs']],
    [
      'relay',
      {},
      ['delivery fence', 'left histories', 'outbox relay', 'overdue timers', 'waiting messages', 'webhook fan-out'],
    ],
    ['workflows', { interactive: 'RUNNING', timers: 'RUNNING', notify: 'RUNNING', webhooks: 'RUNNING' }, []],
  ])('%s does its part and nothing else', async (roles, workers, loops) => {
    const { process, url } = await worker({ WORKER_ROLES: roles });
    const body = await eventually(async () => {
      const answer = await health(url);
      expect(answer['workers']).toEqual(workers);
      return answer;
    });
    expect(body['roles']).toEqual([roles]);
    expect(Object.keys(body['loops'] as object).sort()).toEqual(loops);
    expect(await process.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  it('that do not exist are named', async () => {
    const process = await spawnWorker(desk.test, { WORKER_ROLES: 'workflows,sender' }, { awaitReady: false });
    expect((await process.exited).code).toBe(1);
    expect(process.output()).toContain('WORKER_ROLES must be some of workflows, bulk, inbox, relay');
  });
});

describe('work of different kinds', () => {
  it('is started on its own queue, with its priority and a link, fair between workspaces', async () => {
    const { temporal, config } = desk.runtime;
    const { prefix } = config.temporal;
    const start = (workflow: 'snoozeTimer' | 'macroRun') => ({
      workflow,
      id: `${workflow}/1`,
      summary: 'test',
      page: '/dashboard/tickets/1/',
      attributes: { WorkspaceId: '4711' },
    });
    const dueAt = new Date(Date.now() + 3_600_000).toISOString();
    const timer = { workspaceId: 4711, conversationId: 1, dueAt, version: 1 };
    const run = { workspaceId: 4711, runId: 1 };
    await eventually(() => temporal.start({ ...start('snoozeTimer'), workflow: 'snoozeTimer' }, timer));
    await eventually(() => temporal.start({ ...start('macroRun'), workflow: 'macroRun' }, run));
    for (const workflow of ['snoozeTimer', 'macroRun'] as const) {
      const handle = workflowOf(desk.runtime, `${workflow}/1`);
      const { taskQueue, raw, staticDetails } = await handle.describe();
      await handle.terminate('the test is over');
      expect(await staticDetails()).toBe(`[In the dashboard](${desk.url}/dashboard/tickets/1/)`);
      expect(taskQueue).toBe(`${prefix}-${workflowPlaces[workflow].queue}`);
      expect(raw.workflowExecutionInfo?.priority).toMatchObject({
        priorityKey: workflowPlaces[workflow].priority,
        fairnessKey: `4711/${workflow}`,
      });
    }
    expect(workflowPlaces.macroRun.priority).toBeLessThan(workflowPlaces.messageDelivery.priority);
    expect(workflowPlaces.messageDelivery.priority).toBeLessThan(workflowPlaces.snoozeTimer.priority);
  });
});
