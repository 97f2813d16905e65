import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { Worker } from '@temporalio/worker';
import { createLogger } from '../../api/core/logger';
import { installRuntime } from '../../worker/sdkRuntime';
import { createCustomer } from '../factories/customers';
import { startServer, type TestApi, type TestServer } from '../support/api';
import { eventually } from '../support/eventually';
import { startHeldUpstream, type HeldUpstream } from '../support/heldUpstream';
import { freePorts } from '../../dev/lib/ports';
import { openDesk } from '../support/sharedDesk';
import { bundlePath, root, tracedBundlePath } from '../support/settings';
import { startTraceReceiver, type ReceivedSpan, type TraceReceiver } from '../support/traceReceiver';
import { spawnApi, spawnWorker } from '../support/worker';
import { workflowOf } from '../support/workflows';

/** The pair (or user) sent too fast: nothing was sent, and a later attempt may succeed. */
const tooFast = 131056;
const words = 'Words that only the customer reads';
const patient = { timeoutMs: 120_000 };
/** Processes start here, which takes its time on a busy machine. */
const limitMs = 240_000;

/** What a span hangs on, up to the one that began in this service. */
function wayUp(spans: readonly ReceivedSpan[], span: ReceivedSpan): string[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  const step = `${span.service} ${span.name}`;
  return parent ? [step, ...wayUp(spans, parent)] : [step];
}

describe('traces', () => {
  let desk: TestApi;
  let receiver: TraceReceiver;
  let upstream: HeldUpstream;
  let env: Record<string, string>;
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    desk = await openDesk(server);
    receiver = await startTraceReceiver();
    desk.test.onClose(() => receiver.close());
    upstream = await startHeldUpstream();
    upstream.release();
    desk.test.onClose(() => upstream.close());
    env = {
      MSGAPP_API_URL: upstream.url,
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_BSP_SCHEDULE_DELAY: '100',
    };
  });
  afterEach(async () => {
    await desk.close();
    // What a test leaves waiting would be taken by the next one's worker.
    await server.runtime.db.rows('DELETE FROM workspaces');
  });

  /** Makes a request of a process of its own, as part of a trace of the caller. */
  async function request(
    more: Record<string, string>,
    [method, path, body, status]: readonly [string, string, object, number],
  ): Promise<{ traceId: string; parent: string }> {
    const [port = 0] = await freePorts(1);
    await spawnApi(desk.test, port, { ...env, ...more });
    const [traceId, parent] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${desk.workspace.token}`,
        'content-type': 'application/json',
        traceparent: `00-${traceId}-${parent}-01`,
      },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(status);
    return { traceId, parent };
  }

  /** Accepts a message. */
  async function post(): Promise<{ traceId: string; parent: string; phone: string }> {
    const person = createCustomer(desk.workspace);
    await person.writes('Hi');
    const body = { to: person.phone, body: words, phone_number_id: desk.workspace.account.phoneNumberId };
    return { ...(await request({}, ['POST', 'messages/', body, 201])), phone: person.handle };
  }
  const spansOf = (traceId: string): ReceivedSpan[] => receiver.spans().filter((span) => span.traceId === traceId);
  /** The calls to the platform of a trace, once there are so many and nothing of their way is missing. */
  const calls = (traceId: string, begins: string, count: number): Promise<string[][]> =>
    eventually(() => {
      const spans = spansOf(traceId);
      const ways = spans.filter(({ name }) => name === 'upstream POST messages').map((span) => wayUp(spans, span));
      expect(ways.map((way) => way.at(-1))).toEqual(Array.from({ length: count }, () => begins));
      return ways.sort((left, right) => left.length - right.length);
    }, patient);
  function expectNothingOfPeople(phone: string): void {
    for (const secret of [words, phone, desk.workspace.token, desk.workspace.account.accessToken])
      expect(receiver.text()).not.toContain(secret);
  }

  it(
    'follow a message that the API sends itself, from the caller to the platform',
    async () => {
      const { traceId, parent, phone } = await post();
      const begins = 'msgdesk-api POST /api/v1/messages/';
      const [way] = await calls(traceId, begins, 1);
      expect(way).toEqual([
        'msgdesk-api upstream POST messages',
        'msgdesk-api direct send',
        'msgdesk-api operation messages.create',
        begins,
      ]);
      const spans = spansOf(traceId);
      const first = spans.find(({ name }) => name === 'POST /api/v1/messages/');
      expect(first).toMatchObject({
        parentSpanId: parent,
        attributes: { 'http.response.status_code': 201, 'msgdesk.workspace_id': desk.workspace.id },
      });
      const call = spans.find(({ name }) => name === 'upstream POST messages');
      expect(upstream.headers.map((headers) => headers['traceparent'])).toEqual([`00-${traceId}-${call?.spanId}-01`]);
      expectNothingOfPeople(phone);
    },
    limitMs,
  );

  it(
    'go on in the workflow and its activity when the first attempt was refused',
    async () => {
      upstream.refuseNext(tooFast);
      // Without a relay: on a slow machine it would find the intent before the API has handed it over.
      await spawnWorker(desk.test, { ...env, OTEL_SERVICE_NAME: 'garden-worker', WORKER_ROLES: 'workflows' });
      const { traceId, phone } = await post();
      const begins = 'msgdesk-api POST /api/v1/messages/';
      const [, second] = await calls(traceId, begins, 2);
      expect(second).toEqual([
        'garden-worker upstream POST messages',
        'garden-worker RunActivity:deliverNextMessage',
        'garden-worker StartActivity:deliverNextMessage',
        'garden-worker RunWorkflow:messageDelivery',
        'msgdesk-api SignalWithStartWorkflow:messageDelivery',
        'msgdesk-api start messageDelivery',
        'msgdesk-api direct send',
        'msgdesk-api operation messages.create',
        begins,
      ]);
      expectNothingOfPeople(phone);

      // A worker whose traces are off can take the workflow over, and the other way round.
      await desk.runtime.temporal.probe();
      const { conversation_id: id } = (await desk.runtime.db.row<{ conversation_id: number }>(
        'SELECT conversation_id FROM messages ORDER BY id DESC LIMIT 1',
      )) ?? { conversation_id: 0 };
      const history = await workflowOf(desk.runtime, `message-delivery/${desk.workspace.id}/${id}`).fetchHistory();
      installRuntime(createLogger('silent', 'test'));
      for (const codePath of [bundlePath, tracedBundlePath])
        await Worker.runReplayHistory({ workflowBundle: { codePath } }, history);
    },
    limitMs,
  );

  it(
    'go on where a relay finds the intent of a process without Temporal',
    async () => {
      const person = createCustomer(desk.workspace);
      await person.writes('Hi');
      const snooze = { conv_status: 'snoozed', snoozed_until: new Date(Date.now() + 3_600_000).toISOString() };
      const { traceId } = await request({ TEMPORAL_ADDRESS: '127.0.0.1:1' }, [
        'PATCH',
        `contacts/${person.handle}/`,
        snooze,
        200,
      ]);
      const [row] = await desk.runtime.db.rows<{ trace: string }>('SELECT trace FROM outbox');
      expect(row?.trace).toContain(traceId);
      await spawnWorker(desk.test, env);
      await eventually(() => {
        const spans = spansOf(traceId);
        const ways = spans.filter(({ name }) => name === 'intent snoozeTimer').map((span) => wayUp(spans, span));
        // The process that could not reach Temporal tried it first.
        const way = ways.find(([last]) => last === 'msgdesk-worker intent snoozeTimer');
        expect(way?.at(-1)).toMatch(/^msgdesk-api PATCH /);
      }, patient);
      expectNothingOfPeople(person.handle);
    },
    limitMs,
  );

  it(
    'of a caller that is unknown or not traced itself begin here; what is no traceparent is ignored',
    async () => {
      const [port = 0] = await freePorts(1);
      await spawnApi(desk.test, port, env);
      const foreign = `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`;
      const callers: [string, Record<string, string>][] = [
        ['contacts', { traceparent: 'nonsense' }],
        ['tickets', { traceparent: foreign, authorization: 'Bearer hd_live_1_wrong' }],
      ];
      for (const [list, headers] of callers) {
        await fetch(`http://127.0.0.1:${port}/api/v1/${list}/`, { headers });
        const span = await eventually(() => {
          const found = receiver.spans().find(({ name }) => name === `GET /api/v1/${list}/`);
          if (!found) throw new Error('the span has not come');
          return found;
        }, patient);
        expect([list, span.parentSpanId]).toEqual([list, '']);
        expect(span.attributes['http.response.status_code']).toBe(401);
      }
    },
    limitMs,
  );
});

describe('a service without traces', () => {
  /** Packages of OpenTelemetry that a process has loaded which has built its runtime, its app and its workers' code. */
  function loaded(env: Record<string, string>): string[] {
    const script = `
      const { loadConfig } = require('./dist/api/core/config');
      const { createRuntime } = require('./dist/api/core/runtime');
      const { createApp } = require('./dist/api/app');
      require('./dist/worker/worker');
      createApp(createRuntime(loadConfig(), 'api'));
      const packages = /node_modules.(@opentelemetry.[^/\\\\]+|@temporalio.interceptors[^/\\\\]+)/;
      const names = Object.keys(require.cache).map((file) => packages.exec(file)?.[1]);
      process.stdout.write(JSON.stringify([...new Set(names)].filter(Boolean)));
      process.exit(0);`;
    const base = {
      PATH: process.env['PATH'] ?? '',
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      SECRETS_KEY: randomBytes(32).toString('base64'),
    };
    const options = { cwd: path.resolve(root), env: { ...base, ...env }, encoding: 'utf8' as const };
    return JSON.parse(execFileSync(process.execPath, ['-e', script], options)) as string[];
  }

  it(
    'loads no package of theirs but the interface, which the metrics bring along',
    () => {
      expect(loaded({})).toEqual(['@opentelemetry/api']);
      expect(loaded({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' })).toEqual(
        expect.arrayContaining(['@opentelemetry/exporter-trace-otlp-http', '@temporalio/interceptors-opentelemetry']),
      );
    },
    limitMs,
  );
});
