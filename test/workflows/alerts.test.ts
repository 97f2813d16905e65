import { readFileSync } from 'node:fs';
import path from 'node:path';
import { temporal } from '@temporalio/proto';
import { snoozeTimerStart } from '../../workflows/starts';
import { startApi, type TestApi } from '../support/api';
import { eventually } from '../support/eventually';
import { freePorts } from '../../dev/lib/ports';
import { root } from '../support/settings';
import { spawnWorker } from '../support/worker';
import { workflowOf } from '../support/workflows';

const { CommandType } = temporal.api.enums.v1;
const alerts = readFileSync(path.join(root, 'ops', 'alerts.yml'), 'utf8');
const dashboard = JSON.parse(readFileSync(path.join(root, 'ops', 'dashboard.json'), 'utf8')) as {
  panels: { targets?: { expr: string }[] }[];
};
const expressions = [
  ...[...alerts.matchAll(/expr: (.*)/g)].map((match) => match[1] ?? ''),
  ...dashboard.panels.flatMap((panel) => (panel.targets ?? []).map((target) => target.expr)),
];

let desk: TestApi;
beforeAll(async () => {
  // A server that follows no other one: what is told of a replica is there, and reads go to the primary.
  const noReplica = String(process.env['TEST_DATABASE_URL']);
  desk = await startApi({ sandbox: false, env: { DATABASE_REPLICA_URL: noReplica } });
});
afterAll(() => desk.close());

/** Leaves a workflow behind that an earlier version of its code ran, with a first step that today's does not take. */
async function workflowOfOtherCode(): Promise<string> {
  const { temporal, config } = desk.runtime;
  const start = snoozeTimerStart(desk.workspace.id, 4_711);
  const dueAt = new Date(Date.now() + 3_600_000).toISOString();
  const timer = { workspaceId: desk.workspace.id, conversationId: 4_711, dueAt, version: 1 };
  await eventually(() => temporal.start(start, timer));
  const { workflowService, connection, options } = temporal.client();
  const taskQueue = { name: `${config.temporal.prefix}-timers` };
  const { taskToken } = await connection.withDeadline(Date.now() + 60_000, () =>
    workflowService.pollWorkflowTaskQueue({ namespace: options.namespace, taskQueue }),
  );
  await workflowService.respondWorkflowTaskCompleted({
    namespace: options.namespace,
    taskToken,
    commands: [
      {
        commandType: CommandType.COMMAND_TYPE_SCHEDULE_ACTIVITY_TASK,
        scheduleActivityTaskCommandAttributes: {
          activityId: '1',
          activityType: { name: 'removedActivity' },
          taskQueue: { name: 'nowhere' },
          scheduleToCloseTimeout: { seconds: 3_600 as never },
        },
      },
    ],
  });
  return start.id;
}

/** The lines of a page of metrics that tell a figure. */
const samplesOf = (page: string, metric: string): string[] =>
  page.split('\n').filter((line) => line.startsWith(`${metric}{`) || line.startsWith(`${metric} `));

/** Names of metrics in an expression: words that are neither functions, labels nor keywords. */
function metricsIn(expression: string): string[] {
  const words = expression
    .replace(/\{[^}]*\}|"[^"]*"|\[[^\]]*\]/g, '')
    .replace(/\bby \([^)]*\)/g, '')
    .replace(/\b(unless|offset|absent)\b/g, '')
    .matchAll(/[a-z][a-z0-9_]{3,}(?!\w*\()/g);
  return [...words].map((match) => match[0]);
}

/** Names of labels by which an expression chooses or sums; `instance` is Prometheus's own. */
function labelsIn(expression: string): string[] {
  const chosen = [...expression.matchAll(/(\w+)=~?"/g)].map((match) => match[1] ?? '');
  const summed = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap((match) => (match[1] ?? '').split(', '));
  return [...chosen, ...summed].filter((label) => label !== 'instance');
}

describe('alerts and dashboard', () => {
  let worker = '';
  let served = '';
  beforeAll(async () => {
    const [port] = await freePorts(1);
    const stuck = await workflowOfOtherCode();
    // A sweep that fails: its table is gone.
    await desk.runtime.db.rows('ALTER TABLE approvals RENAME TO gone');
    await spawnWorker(desk.test, { HOST: '127.0.0.1', WORKER_PORT: String(port) });
    await workflowOf(desk.runtime, stuck).signal('wake');
    expect((await desk.api.get('/api/v1/conversations/none/')).status).toBe(404);
    // The SDK shows a figure once it has something to count.
    await eventually(
      async () => {
        worker = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
        for (const name of [
          'temporal_workflow_task_execution_failed_total',
          'temporal_activity_schedule_to_start_latency_count',
          'temporal_activity_execution_failed_total',
          'msgdesk_backlog_rows',
        ])
          expect([name, samplesOf(worker, name)]).toEqual([name, expect.arrayContaining([expect.anything()])]);
      },
      { timeoutMs: 90_000 },
    );
    served = `${worker}\n${(await desk.anonymous.get<string>('/metrics')).body}`;
  });

  it.each(expressions)('name only figures that are served, with their labels: %s', (expression) => {
    // Whether a process answers is Prometheus's own figure.
    const metrics = metricsIn(expression.replaceAll('up{job=~"api|worker"}', ''));
    if (expression.includes('up{')) return;
    expect(metrics).not.toEqual([]);
    const lines = metrics.flatMap((metric) => {
      const samples = samplesOf(served, metric);
      // Ours are declared before they count anything.
      const declared = !metric.startsWith('temporal_') && served.includes(`# TYPE ${metric} `);
      expect([metric, samples.length > 0 || declared]).toEqual([metric, true]);
      return samples;
    });
    if (lines.length > 0)
      for (const label of labelsIn(expression))
        expect([label, lines.some((line) => line.includes(`${label}="`))]).toEqual([label, true]);
  });

  it('choose by values that exist: kinds of a backlog, workers, and the reason of a workflow that does not fit', () => {
    for (const [, kinds] of alerts.matchAll(/backlog_rows\{[^}]*kind=~?"([^"]+)"/g))
      for (const kind of (kinds ?? '').split('|')) expect(worker).toContain(`msgdesk_backlog_rows{kind="${kind}"}`);
    for (const [, name] of alerts.matchAll(/worker="([^"]+)"/g))
      expect(worker).toContain(`msgdesk_worker_running{worker="${name}"} 1`);
    const reasons = [...alerts.matchAll(/failure_reason="([^"]+)"/g)].map((match) => match[1]);
    expect(reasons).toEqual(['NonDeterminismError']);
    expect(samplesOf(worker, 'temporal_workflow_task_execution_failed_total')).toEqual([
      expect.stringMatching(/failure_reason="NonDeterminismError".*workflow_type="snoozeTimer"\} [1-9]/),
    ]);
  });

  it('have a paragraph in the runbook for each alert', () => {
    const runbook = readFileSync(path.join(root, 'docs', 'runbook.md'), 'utf8');
    const names = [...alerts.matchAll(/alert: (\w+)/g)].map((match) => match[1] ?? '');
    expect([...runbook.matchAll(/^## (\w+)$/gm)].map((match) => match[1])).toEqual(names);
    expect([...alerts.matchAll(/runbook: docs\/runbook\.md#(\w+)/g)].map((match) => match[1])).toEqual(
      names.map((name) => name.toLowerCase()),
    );
  });
});
