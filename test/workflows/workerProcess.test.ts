import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createLogger } from '../../api/core/logger';
import { faultsOf, ownModulesIn, packagesIn } from '../../worker/bundle';
import { startLoop } from '../../worker/loop';
import { migrateDatabase } from '../../models/migrate';
import { ensureSweeps } from '../../worker/sweeps';
import { reconcileStart, snoozeTimerStart } from '../../workflows/starts';
import { databaseUrl, runSql } from '../support/database';
import { createDesk } from '../support/desk';
import { eventually } from '../support/eventually';
import { testSetting } from '../support/handed';
import { createTestRuntime, type TestRuntime } from '../support/runtime';
import { bundlePath, tracedBundlePath } from '../support/settings';
import { spawnWorker } from '../support/worker';
import { workflowOf } from '../support/workflows';

let test: TestRuntime;
beforeAll(async () => {
  test = await createTestRuntime({ sandbox: true });
});
afterAll(() => test.close());

describe('the worker process', () => {
  it('waits for a database that comes later', async () => {
    const name = `test_${randomBytes(8).toString('hex')}`;
    test.onClose(() => runSql(testSetting('TEST_DATABASE_URL'), `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
    const worker = await spawnWorker(test, { DATABASE_URL: databaseUrl(name) }, { awaitReady: false });
    await worker.logged('waiting for PostgreSQL');
    await runSql(testSetting('TEST_DATABASE_URL'), `CREATE DATABASE ${name}`);
    await worker.logged('waiting for the tables of this version (npm run migrate)');
    await migrateDatabase(databaseUrl(name));
    await worker.logged('worker ready');
    expect(await worker.kill('SIGINT')).toEqual({ code: 0, signal: null });
  });

  it('leaves at once when it is told to while it waits', async () => {
    const worker = await spawnWorker(
      test,
      { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' },
      { awaitReady: false },
    );
    await worker.logged('waiting for PostgreSQL');
    expect(await worker.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  it('says what is wrong with its settings', async () => {
    const worker = await spawnWorker(test, { SECRETS_KEY: 'short' }, { awaitReady: false });
    expect(await worker.exited).toEqual({ code: 1, signal: null });
    expect(worker.output()).toContain('SECRETS_KEY must be 32 bytes in base64');
  });

  it('listens for stored events again after its connection was cut', async () => {
    const listeners = (): Promise<{ pid: number }[]> =>
      test.runtime.db.rows<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'msgdesk-inbox'
          AND query LIKE 'LISTEN%'`,
      );
    const worker = await spawnWorker(test);
    const [first] = await eventually(async () => {
      const found = await listeners();
      expect(found).toHaveLength(1);
      return found;
    });
    await test.runtime.db.rows('SELECT pg_terminate_backend($pid)', { pid: first?.pid });
    await eventually(async () => {
      const found = await listeners();
      expect(found).toHaveLength(1);
      expect(found[0]?.pid).not.toBe(first?.pid);
    });
    await worker.kill();
  });

  it('keeps one workflow of sweeps running, and starts it again where an operator ended it', async () => {
    await ensureSweeps(test.runtime);
    const handle = workflowOf(test.runtime, reconcileStart.id);
    const first = await handle.describe();
    await ensureSweeps(test.runtime);
    expect((await handle.describe()).runId).toBe(first.runId);
    await handle.terminate('by an operator');
    await ensureSweeps(test.runtime);
    const second = await handle.describe();
    expect(second.status.name).toBe('RUNNING');
    expect(second.runId).not.toBe(first.runId);
    await handle.terminate('the test is over');
  });
});

it('a worker that tells its version serves, once that is the current one', async () => {
  const version = { deploymentName: `test-${randomBytes(6).toString('hex')}`, buildId: '1' };
  const env = { WORKER_DEPLOYMENT: version.deploymentName, WORKER_BUILD_ID: version.buildId };
  const desk = await createDesk(test);
  const handle = await desk.customer('15550004001');
  await spawnWorker(test, env);
  await desk.snooze(handle, new Date(Date.now() + 3_600_000));
  const { id } = await desk.conversation(handle);
  const timer = workflowOf(test.runtime, snoozeTimerStart(desk.ctx.workspaceId, id).id);
  await eventually(async () => expect((await timer.describe()).status.name).toBe('RUNNING'));
  const { connection, workflowService } = test.runtime.temporal.client();
  await eventually(
    () =>
      connection.withDeadline(Date.now() + 10_000, () =>
        workflowService.setWorkerDeploymentCurrentVersion({
          namespace: 'default',
          deploymentName: version.deploymentName,
          buildId: version.buildId,
        }),
      ),
    { timeoutMs: 60_000, everyMs: 500 },
  );
  await timer.signal('wake');
  await eventually(async () => expect(await desk.conversation(handle)).toMatchObject({ conv_status: 'open' }), {
    timeoutMs: 60_000,
  });
  await timer.result();
  const { raw } = await timer.describe();
  expect(raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion).toMatchObject(version);
});

describe('a background loop', () => {
  it('goes on at once while there is more, after failures, and until it is stopped', async () => {
    const logger = createLogger('silent', 'test');
    const steps: string[] = [];
    const answers = [true, 'fail', true, false, false];
    const loop = startLoop({
      name: 'test',
      logger,
      idleMs: 3_600_000,
      step: () => {
        const answer = answers.shift();
        steps.push(String(answer));
        return typeof answer === 'boolean' ? Promise.resolve(answer) : Promise.reject(new Error('away'));
      },
    });
    await eventually(() => expect(steps).toEqual(['true', 'fail', 'true', 'false']));
    loop.wake();
    await eventually(() => expect(steps).toEqual(['true', 'fail', 'true', 'false', 'false']));
    await loop.stop();
    expect(answers).toEqual([]);
  });

  it('tells a cause once, by the name of the first loop that met it, however many loops meet it', async () => {
    const lines: string[] = [];
    const logger = createLogger('info', 'test', { write: (line) => void lines.push(line) });
    let failed = 0;
    let isAway = true;
    const loops = ['one', 'two', 'three'].map((name) =>
      startLoop({
        name,
        logger,
        idleMs: 3_600_000,
        step: () => {
          if (!isAway) return Promise.resolve(false);
          failed += 1;
          return Promise.reject(new Error('the database of this test is away'));
        },
      }),
    );
    await eventually(() => expect(failed).toBeGreaterThanOrEqual(6));
    isAway = false;
    await eventually(() => expect(loops.flatMap((loop) => loop.state()).every((s) => s.failures === 0)).toBe(true));
    await Promise.all(loops.map((loop) => loop.stop()));
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
      'the loop "one" failed; it is tried again',
      'the loop "one" works again',
    ]);
  });
});

describe('the workflow bundle', () => {
  it('holds the SDK and our workflows, and nothing else', () => {
    const code = readFileSync(bundlePath, 'utf8').split('//# sourceMappingURL=')[0] ?? '';
    expect(faultsOf(code)).toEqual([]);
    expect(packagesIn(code)).toContain('@temporalio/workflow');
    expect(ownModulesIn(code).map((file) => file.split('/').at(-1))).toEqual(
      expect.arrayContaining(['snoozeTimer.js', 'messageDelivery.js', 'reconcile.js']),
    );
  });

  it('has a second form with what traces it, for workers whose traces are on', () => {
    const code = readFileSync(tracedBundlePath, 'utf8').split('//# sourceMappingURL=')[0] ?? '';
    expect(faultsOf(code, 'traced')).toEqual([]);
    expect(packagesIn(code)).toContain('@temporalio/interceptors-opentelemetry');
    expect(faultsOf(code)).toEqual(expect.arrayContaining([expect.stringContaining('@opentelemetry/api')]));
  });

  it('is refused with anything else in it', () => {
    expect(faultsOf('/***/ "./node_modules/yup/index.js"')).toEqual([expect.stringContaining('yup')]);
    expect(faultsOf('/***/ "./dist/api/core/db/database.js"')).toEqual([
      expect.stringContaining('dist/api/core/db/database.js'),
    ]);
    expect(faultsOf('x'.repeat(1024 * 1024))).toEqual([expect.stringContaining('bytes')]);
  });
});
