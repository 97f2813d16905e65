import { Server, ServerCredentials, status, type ServiceError } from '@grpc/grpc-js';
import { loadConfig } from '../../api/core/config';
import { noTracing } from '../../api/core/http/tracing';
import { createLogger } from '../../api/core/logger';
import { connectTemporal, isOfConnection, type Temporal } from '../../api/core/temporal/client';
import { snoozeTimerStart, type WorkflowStart } from '../../workflows/starts';

/** A server that answers each call as it is told; an answer of no bytes is one whose fields are all empty. */
type Answer = { readonly code: number } | { readonly afterMs: number } | 'nothing';
let answers: (call: number) => Answer = () => ({ afterMs: 0 });
let calls = 0;
let server: Server;
let temporal: Temporal;
const lines: string[] = [];

beforeAll(async () => {
  server = new Server();
  const bare = (bytes: Buffer): Buffer => bytes;
  const method = 'StartWorkflowExecution';
  const path = `/temporal.api.workflowservice.v1.WorkflowService/${method}`;
  const definition = { path, requestStream: false, responseStream: false, requestDeserialize: bare } as const;
  server.addService(
    { [method]: { ...definition, requestSerialize: bare, responseSerialize: bare, responseDeserialize: bare } },
    {
      [method]: (_call: unknown, end: (error: Partial<ServiceError> | null, value?: Buffer) => void) => {
        const answer = answers((calls += 1));
        if (answer === 'nothing') return;
        if ('code' in answer) end({ code: answer.code, details: 'in its own words' });
        else setTimeout(() => end(null, Buffer.alloc(0)), answer.afterMs);
      },
    } as never,
  );
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  const config = loadConfig({
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    TEMPORAL_ADDRESS: `127.0.0.1:${port}`,
    SECRETS_KEY: Buffer.alloc(32).toString('base64'),
  });
  const logger = createLogger('info', 'test', { write: (line) => void lines.push(line) });
  const installation = { prefix: () => Promise.resolve('test'), knownPrefix: () => 'test' };
  temporal = connectTemporal(config, logger, noTracing, installation);
});
afterAll(async () => {
  await temporal.close();
  server.forceShutdown();
});
beforeEach(async () => {
  lines.length = 0;
  // Whatever the last test left: an answer ends it.
  answers = () => ({ afterMs: 0 });
  while ((await start().catch(() => false)) === false) await new Promise((resolve) => setTimeout(resolve, 50));
});
afterEach(() => jest.restoreAllMocks());

const start = (of: WorkflowStart = snoozeTimerStart(1, 1)): Promise<void> =>
  temporal.start(of, { workspaceId: 1, conversationId: 1, dueAt: null, version: 1 });
const failed = (work: Promise<void>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

const connectionCodes = ['CANCELLED', 'PERMISSION_DENIED', 'UNAVAILABLE', 'UNAUTHENTICATED'];
const codes = Object.keys(status).filter((name) => !/^\d+$/.test(name) && name !== 'OK');

it.each(codes)('%s is an outage only where every call would get it', async (name) => {
  answers = () => ({ code: status[name as keyof typeof status] });
  for (let times = 0; times < 4 && temporal.available(); times += 1) {
    const error = await failed(start());
    expect(isOfConnection(error)).toBe([...connectionCodes, 'DEADLINE_EXCEEDED', 'RESOURCE_EXHAUSTED'].includes(name));
  }
  const isAway = [...connectionCodes, 'DEADLINE_EXCEEDED'].includes(name);
  expect([temporal.state(), temporal.available()]).toEqual(isAway ? ['down', false] : ['up', true]);
  // Who reads the log learns why.
  if (isAway) expect(lines.join('')).toContain(`${name}: in its own words`);
});

it('what fails before it is asked is no outage: a workflow that this version does not know', async () => {
  const unknown = { ...snoozeTimerStart(1, 1), workflow: 'ofNextYear' } as unknown as WorkflowStart;
  for (let times = 0; times < 4; times += 1) expect(isOfConnection(await failed(start(unknown)))).toBe(false);
  expect([temporal.state(), temporal.available()]).toEqual(['up', true]);
});

it('one that answers some in time is slow, not away; one that answers nobody is away', async () => {
  const slow = calls + 1;
  answers = (call) => (call < slow + 4 ? 'nothing' : { afterMs: 0 });
  const hanging = Array.from({ length: 4 }, () => failed(start()));
  while (calls < slow + 3) await new Promise((resolve) => setTimeout(resolve, 10));
  await start();
  for (const error of await Promise.all(hanging)) expect(isOfConnection(error)).toBe(true);
  expect([temporal.state(), temporal.available()]).toEqual(['up', true]);

  answers = () => 'nothing';
  await Promise.all(Array.from({ length: 4 }, () => failed(start())));
  expect([temporal.state(), temporal.available()]).toEqual(['down', false]);
});

it('a pause of calls ends in time, also when the clock of the machine is set back', async () => {
  answers = () => ({ code: status.UNAVAILABLE });
  for (let times = 0; times < 3; times += 1) await failed(start());
  expect(temporal.available()).toBe(false);
  const now = Date.now();
  jest.spyOn(Date, 'now').mockImplementation(() => now - 3_600_000);
  const begun = performance.now();
  jest.spyOn(performance, 'now').mockImplementation(() => begun + 1_100);
  expect(temporal.available()).toBe(true);
});
