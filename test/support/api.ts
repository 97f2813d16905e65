/*
 * The service behind a real socket, for tests of the API from outside, in a server of the file's own. Most files need
 * none and take a workspace in one that they share (`sharedDesk`).
 *
 *   let desk: TestApi;
 *   beforeAll(async () => { desk = await startApi(); });
 *   afterAll(() => desk.close());
 *
 *   // With the full key of the workspace.
 *   const { status, body } = await desk.api.post('/api/v1/contacts/', { phone: '+49 151 5550001' });
 *   const other = await createWorkspace(desk);                       // a second tenant with its own key: other.api
 *   const narrow = await desk.workspace.key(['contact.view']);       // narrow.api, narrow.id, narrow.token
 *   const member = await createMember(desk.workspace, { role: 'agent', permissions: ['chat.view'] });
 *   const page = await createSession(member);                        // page.api speaks by cookie, page.token
 *   const anna = createCustomer(desk.workspace, { name: 'Anna' });   // a person whom the sandbox knows
 *   await anna.writes('Hi');                                         // a signed webhook, processed when it resolves
 *   await signedWebhook(desk.workspace, payload);                    // any payload with the workspace's signature
 *   await desk.settled();                                            // webhooks delivered, events processed
 * Every answer is checked against the OpenAPI document: an unlisted status or another shape fails the test.
 *   await desk.work();                                               // and what workers do with them by now is done
 *
 * Options: `worker: true` adds a worker in this process (deliveries, timers); `sandbox: false` leaves the upstream out;
 * `env`, `clock` and `logger` go to the runtime. Without a worker, stored events are processed by `settled` and
 * `writes`. Limits of requests and of the loop's time are out of the way unless `env` sets them. BASE_URL is `desk.url`
 * unless given.
 */
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { createHttpServer } from '../../api';
import { createApp } from '../../api/app';
import { drainInbox } from '../../api/services/processes/events/service';
import type { Runtime } from '../../api/core/runtime';
import type { Sandbox } from '../../dev/sandbox/server';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import { createAnswerCheck } from './answers';
import { createClient, type ApiClient } from './client';
import { eventually } from './eventually';
import { createTestRuntime, type TestRuntime, type TestRuntimeOptions } from './runtime';
import { awaitWork, doAllWork } from './work';
import { startWorker } from './worker';

export interface StartApiOptions extends TestRuntimeOptions {
  /** Runs a worker in this process. */
  readonly worker?: boolean;
  /** The name in its address; 127.0.0.1 unless told. */
  readonly hostname?: 'localhost';
}

/** A server under test, without a workspace. */
export interface TestServer {
  readonly runtime: Runtime;
  readonly test: TestRuntime;
  /** Origin of the server; also its BASE_URL unless `env` said otherwise. */
  readonly url: string;
  /** Throws when it was started without one. */
  readonly sandbox: Sandbox;
  readonly hasSandbox: boolean;
  /** A client without a credential. */
  readonly anonymous: ApiClient;
  /** Waits until all webhooks are delivered and no stored event is left to process. */
  settled(): Promise<void>;
  /** Does what a worker would do by now, until nothing is left; where a worker runs, waits until it has done that. */
  work(): Promise<void>;
  close(): Promise<void>;
}

/** A server with a first workspace, and a client with its full API key. */
export interface TestApi extends TestServer {
  readonly workspace: TestWorkspace;
  readonly api: ApiClient;
}

/** Starts the service on a free port; see the head of this file. */
export async function startApi(options: StartApiOptions = {}): Promise<TestApi> {
  return withWorkspace(await startServer(options));
}

/** Returns a server with a new workspace. */
export async function withWorkspace(server: TestServer): Promise<TestApi> {
  const workspace = await createWorkspace(server);
  return Object.defineProperties(
    { workspace, api: workspace.api },
    Object.getOwnPropertyDescriptors(server),
  ) as TestApi;
}

/** Starts the service on a free port, without a workspace. */
export async function startServer(options: StartApiOptions = {}): Promise<TestServer> {
  // Listening first: the address is part of the configuration.
  let handler: RequestListener = (_request, response) => void response.destroy();
  const server = createHttpServer((request, response) => handler(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://${options.hostname ?? '127.0.0.1'}:${(server.address() as AddressInfo).port}`;
  const test = await createTestRuntime({
    ...options,
    sandbox: options.sandbox ?? true,
    env: {
      BASE_URL: url,
      RATE_LIMIT_PER_MINUTE: '1000000',
      RATE_LIMIT_ANONYMOUS_PER_MINUTE: '1000000',
      // Workspaces of several tests in one busy process are no crowd that is held up.
      LOOP_SHARE_PERCENT: '100',
      ...options.env,
    },
  });
  const agent = new Agent({ connections: 256, pipelining: 1 });
  const { runtime } = test;
  const app = createApp(runtime);
  handler = (request, response) => void app(request, response);
  test.onClose(async () => {
    await agent.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  if (options.worker) await startWorker(test);

  // Drawn by the first who needs it, else: no test's first contact is to change what no other one does.
  await runtime.markKey.open();
  return {
    runtime,
    test,
    url,
    get sandbox() {
      if (!test.sandbox) throw new Error('this server was started without a sandbox');
      return test.sandbox;
    },
    hasSandbox: test.sandbox !== undefined,
    anonymous: createClient(url, agent, createAnswerCheck()),
    ...workOf(test, { worker: options.worker ?? false, fromWorkspace: 0 }),
    close: () => test.close(),
  };
}

/** Returns how a test gets the work of the workspaces from one on done. */
export function workOf(
  { runtime, sandbox }: Pick<TestRuntime, 'runtime' | 'sandbox'>,
  { worker, fromWorkspace }: { readonly worker: boolean; readonly fromWorkspace: number },
): Pick<TestServer, 'settled' | 'work'> {
  return {
    async settled() {
      await sandbox?.settle();
      await eventually(async () => {
        if (!worker) while ((await drainInbox(runtime, 500)).taken > 0);
        const left = await runtime.db.row(
          `SELECT id FROM inbox_events WHERE state = 'new' AND workspace_id >= $fromWorkspace LIMIT 1`,
          { fromWorkspace },
        );
        if (left) throw new Error('a stored event is still not processed');
      });
    },
    async work() {
      await (worker ? awaitWork : doAllWork)({ runtime, sandbox, fromWorkspace });
    },
  };
}
