/**
 * A child process of `npm start`: makes sure of the demo workspace, registers its account at the sandbox, copies what
 * the account has, and fills the workspace once. Options come as JSON in argv[2]; what it prints are lines for people.
 */
import { loadConfig } from '../../api/core/config';
import { createLogger } from '../../api/core/logger';
import { createRuntime } from '../../api/core/runtime';
import { syncWorkspace } from '../../api/services/processes/upstreamSync/service';
import { writePrivate } from '../lib/files';
import { demoAccount } from '../sandbox/demo';
import { subscribeReceiver } from '../sandbox/receiver/subscribe';
import { fillDemo } from './content';
import { ctxOf, demoFile, provision, type Demo } from './provision';

/** What the demo is made with. */
interface DemoOptions {
  readonly dataDir: string;
  /** Where the API is reached on this machine. */
  readonly apiUrl: string;
  readonly webhookUrl: string;
  /** Empty when the upstream is not our sandbox; it is then left alone. */
  readonly sandboxUrl: string;
}

const sandboxLimitMs = 10_000;
const apiLimitMs = 90_000;

/** Registers the demo account at the sandbox; doing it again is harmless. */
async function registerAccount(demo: Demo, { sandboxUrl, webhookUrl }: DemoOptions): Promise<void> {
  const body = demoAccount({
    accessToken: demo.access_token,
    appSecret: demo.app_secret,
    verifyToken: demo.verify_token,
    webhookUrl,
  });
  const answer = await fetch(`${sandboxUrl}/_control/accounts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(sandboxLimitMs),
  });
  if (!answer.ok) throw new Error(`the sandbox refused the demo account (${answer.status}): ${await answer.text()}`);
}

/** Waits until the API serves; it is started beside us. */
async function waitForApi({ apiUrl }: DemoOptions): Promise<void> {
  const deadline = Date.now() + apiLimitMs;
  for (;;) {
    const isUp = await fetch(`${apiUrl}/readyz`, { signal: AbortSignal.timeout(5_000) }).then(
      (answer) => answer.ok,
      () => false,
    );
    if (isUp) return;
    if (Date.now() > deadline) throw new Error(`the API does not answer at ${apiUrl}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Lets the sandbox's receiver have the events of the demo workspace. A start goes on without. */
async function connectReceiver({ dataDir, apiUrl, sandboxUrl }: DemoOptions, demo: Demo): Promise<Demo> {
  try {
    const known = await subscribeReceiver({ baseUrl: apiUrl, apiKey: demo.api_key, sandboxUrl, known: demo });
    const connected = { ...demo, ...known };
    writePrivate(demoFile(dataDir), connected);
    return connected;
  } catch (error) {
    console.log(`The sandbox's receiver gets no events: ${error instanceof Error ? error.message : String(error)}`);
    return demo;
  }
}

async function main(options: DemoOptions): Promise<void> {
  const began = Date.now();
  const logger = createLogger('warn', 'demo', { write: (text) => void process.stderr.write(text) });
  const runtime = createRuntime(loadConfig(), 'admin', { logger });
  let demo: Demo;
  try {
    demo = await provision(runtime, options.dataDir);
    if (options.sandboxUrl) {
      await registerAccount(demo, options);
      await syncWorkspace(ctxOf(runtime, demo.workspace_id), { resume: true, catalogue: true });
    }
  } finally {
    await runtime.close();
  }
  console.log(`The demo workspace is provisioned (${((Date.now() - began) / 1_000).toFixed(1)} s)`);
  if (!options.sandboxUrl) return;
  await waitForApi(options);
  // The webhook comes first: the examples of the documentation know it as number 1.
  const connected = await connectReceiver(options, demo);
  await fillDemo({ ...options, demo: connected, log: console.log });
}

// A start that is stopped by hand ends without an error.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));

main(JSON.parse(process.argv[2] ?? '{}') as DemoOptions).then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    process.exit(1);
  },
);
