import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadConfig } from '../../api/core/config';
import { systemCtx, type Ctx } from '../../api/core/context';
import { createLogger } from '../../api/core/logger';
import { createRuntime, type Runtime } from '../../api/core/runtime';
import { createKey } from '../../api/services/identity/apiKeys/service';
import { createMember } from '../../api/services/identity/members/service';
import { createWorkspace } from '../../api/services/processes/workspaceSetup/service';
import { connectToSandbox, drawSecrets } from '../../dev/makers/accounts';
import { demoBusinessAccountId, demoAccount, demoPhoneNumberId } from '../../dev/sandbox/demo';
import { migrateDatabase } from '../../models/migrate';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { freePort, startProcess, type Child } from './processes';

/** What a figure gets. */
export interface Context {
  /** A small version, for a run of about a minute over all figures. */
  readonly quick: boolean;
  /** Says on stderr what is being done. */
  readonly log: (line: string) => void;
  /**
   * Returns an installation of the service with a database, task queues and, where wanted, a sandbox upstream of its
   * own.
   */
  install(options?: { readonly sandbox?: boolean; readonly env?: Record<string, string> }): Promise<Installation>;
}

/**
 * A migrated database with a workspace, a member and an API key of all scopes. Whatever was started is stopped after
 * the figure.
 */
export interface Installation {
  readonly env: Readonly<Record<string, string>>;
  readonly runtime: Runtime;
  readonly ctx: Ctx;
  readonly apiKey: string;
  readonly sandbox: Child | null;
  /** Runs a statement without the service's time limit. */
  sql<T extends object>(text: string, values?: readonly unknown[]): Promise<T[]>;
  startApi(env?: Record<string, string>, script?: string): Promise<Child>;
  startWorker(env?: Record<string, string>): Promise<Child>;
  /** A process of `bench/processes` that prints `ready` and listens on the `PORT` that it gets. */
  startOwn(script: string, env?: Record<string, string>): Promise<Child>;
}

/** Makes a workspace whose owner has a key of all scopes. */
export async function createWorkspaceWithKey(
  runtime: Runtime,
  name: string,
): Promise<{ readonly ctx: Ctx; readonly apiKey: string }> {
  const workspace = await createWorkspace(runtime, { name, plan: 'bench' });
  const ctx = systemCtx(runtime, workspace.id, 'bench');
  const member = await createMember(ctx, { email: `owner${workspace.id}@example.com`, role: 'owner' });
  const { apiKey } = await createKey(ctx, { memberId: member.id, name: 'Bench', scopes: ['all'] });
  return { ctx, apiKey };
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run \`npm run bench\`, which starts what the figures need.`);
  return value;
}

/** Makes the context of one figure; `close` takes back all that it made. */
export function createContext(
  quick: boolean,
  log: (line: string) => void,
): { readonly context: Context; close(): Promise<void> } {
  const cleanups: (() => Promise<void>)[] = [];

  async function install(
    options: { readonly sandbox?: boolean; readonly env?: Record<string, string> } = {},
  ): Promise<Installation> {
    const name = `bench_${randomBytes(6).toString('hex')}`;
    const server = required('DATABASE_URL');
    await withClient(server, (client) => client.query(`CREATE DATABASE ${name}`));
    cleanups.push(() =>
      withClient(server, async (client) => void (await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))),
    );
    const url = new URL(server);
    url.pathname = `/${name}`;
    await migrateDatabase(url.href);

    const sandboxPort = options.sandbox ? await freePort() : 1;
    const env: Record<string, string> = {
      NODE_ENV: 'production',
      LOG_LEVEL: 'info',
      DATABASE_URL: url.href,
      TEMPORAL_ADDRESS: required('TEMPORAL_ADDRESS'),
      TEMPORAL_NAMESPACE: process.env['TEMPORAL_NAMESPACE'] ?? 'default',
      TEMPORAL_PREFIX: name.replace('_', '-'),
      MSGAPP_API_URL: `http://127.0.0.1:${sandboxPort}`,
      FILES_DIR: path.join(process.env['BENCH_TMP'] ?? tmpdir(), `${name}-files`),
      SECRETS_KEY: randomBytes(32).toString('base64'),
      RATE_LIMIT_PER_MINUTE: '1000000',
      RATE_LIMIT_ANONYMOUS_PER_MINUTE: '1000000',
      ...options.env,
    };
    const config = loadConfig(env);
    const runtime = createRuntime(config, 'bench', { logger: createLogger('error', 'bench') });
    cleanups.push(() => runtime.close());
    const { ctx, apiKey } = await createWorkspaceWithKey(runtime, 'Bench');

    const started = async (child: Child): Promise<Child> => {
      cleanups.push(() => child.stop());
      return child;
    };
    const sandbox = options.sandbox
      ? await started(
          await startProcess(
            'dev/sandbox/index.js',
            { SANDBOX_PORT: String(sandboxPort) },
            { url: `http://127.0.0.1:${sandboxPort}/_control/health` },
          ),
        )
      : null;
    return {
      env,
      runtime,
      ctx,
      apiKey,
      sandbox,
      sql: <T extends object>(text: string, values: readonly unknown[] = []) =>
        withClient(url.href, async (client) => (await client.query<T>(text, [...values])).rows),
      async startApi(extra = {}, script = 'api/index.js') {
        const port = await freePort();
        const base = `http://127.0.0.1:${port}`;
        return started(
          await startProcess(
            script,
            { ...env, PORT: String(port), BASE_URL: base, ...extra },
            { url: `${base}/readyz` },
          ),
        );
      },
      async startWorker(extra = {}) {
        return started(await startProcess('worker/index.js', { ...env, ...extra }, { line: 'worker ready' }));
      },
      async startOwn(script, extra = {}) {
        const port = await freePort();
        const child = await startProcess(
          `bench/processes/${script}`,
          { ...env, PORT: String(port), ...extra },
          { line: 'ready' },
        );
        return started({ ...child, url: `http://127.0.0.1:${port}` });
      },
    };
  }

  return {
    context: { quick, log, install },
    async close() {
      for (const cleanup of cleanups.reverse()) await cleanup();
    },
  };
}

/**
 * Connects the workspace to the sandbox's demo account, whose webhooks go to `apiUrl`, and copies its numbers and
 * templates. Returns the account's access token.
 */
export async function connectSandbox(
  installation: Installation,
  apiUrl: string,
  settings: Record<string, unknown> = {},
): Promise<string> {
  const secrets = drawSecrets();
  await control(installation, 'settings', { throughput: false, pair_rate: false, ...settings });
  const body = demoAccount({ ...secrets, webhookUrl: `${apiUrl}/webhooks/msgapp/` });
  await connectToSandbox(installation.ctx, body, (told) => control(installation, 'accounts', told));
  return secrets.accessToken;
}

/** Sets the number's limit on both sides; the sandbox's share of it is what it really lets through. */
export async function allowThroughput(installation: Installation, mps: number): Promise<void> {
  await control(installation, 'accounts', {
    business_account_id: demoBusinessAccountId,
    phone_numbers: [{ id: demoPhoneNumberId, throughput_mps: mps }],
  });
  await installation.sql('UPDATE phone_numbers SET throughput_mps = $1 WHERE phone_number_id = $2', [
    mps,
    demoPhoneNumberId,
  ]);
}

/** Returns a call of the sandbox's control API: POST with a body, else GET. */
export async function control<T = unknown>(installation: Installation, path: string, body?: unknown): Promise<T> {
  const answer = await fetch(
    `${installation.sandbox?.url ?? ''}/_control/${path}`,
    body === undefined
      ? {}
      : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
  );
  if (!answer.ok) throw new Error(`the sandbox answered ${answer.status} to ${path}: ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** Calls the API with the installation's key, and gives its answer; anything but success ends the figure. */
export async function call<T>(
  api: Child,
  installation: Installation,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  const answer = await fetch(`${api.url}/api/v1/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${installation.apiKey}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as T;
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
