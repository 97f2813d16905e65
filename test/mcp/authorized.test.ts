import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { consentableScopes } from '../../api/core/http/access';
import type { WebhookClient } from '../../api/core/http/webhookClient';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { createMacro } from '../factories/macros';
import { createSession, type TestSession } from '../factories/members';
import { consentTo, registerClient } from '../oauth/support';
import { createAgent } from '../support/agent';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { npxEnvironment } from '../support/npx';
import { freePorts } from '../../dev/lib/ports';
import { describePython } from '../support/python';

// Programs of others that authorize by themselves; like those of clients.test.ts they come from the npm registry.
const npx = ['-y', '-p', 'node@22', '-p'];

let desk: TestApi;
let session: TestSession;
let names: unknown[];
let customer: TestCustomer;
beforeAll(async () => {
  desk = await sharedDesk('worker', { webhooks: servingDocument });
  customer = createCustomer(desk.workspace);
  await customer.writes('Where is my parcel?');
  await createMacro(desk.workspace, [{ type: 'set_priority', params: { priority: 'urgent' } }], 'Urgent');
  session = await createSession(desk.workspace.owner);
  names = (await createAgent(desk.api).tools()).map((tool) => tool['name']);
});
afterAll(() => desk.close());

const documentUrl = 'https://assistant.example/oauth/client.json';
/** Stands in for the host of an application's metadata document, which nothing else is asked of here. */
const servingDocument: WebhookClient = {
  post: () => Promise.reject(new Error('no webhooks here')),
  read: () =>
    Promise.resolve({
      body: JSON.stringify({
        client_id: documentUrl,
        client_name: 'Assistant',
        redirect_uris: ['http://127.0.0.1/callback'],
        token_endpoint_auth_method: 'none',
      }),
    }),
  fetch: () => Promise.reject(new Error('no single sign-on here')),
  close: () => Promise.resolve(),
};

/** Returns an application on a port of this machine, registered with the path that it listens on. */
async function register(callback: string): Promise<{ clientId: string; redirectUri: string; port: number }> {
  const [port = 0] = await freePorts(1);
  const redirectUri = `http://127.0.0.1:${port}${callback}`;
  const { clientId } = await registerClient(desk.workspace, { redirectUris: [redirectUri] });
  return { clientId, redirectUri, port };
}

/**
 * Runs a program that asks its user to open an address, and answers there as the member does. Gives what it printed.
 */
async function runAuthorized(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...npxEnvironment(), ...env } });
  const limit = setTimeout(() => child.kill('SIGKILL'), 240_000);
  let said = '';
  let printed = '';
  let answered: Promise<unknown> | undefined;
  let fault: unknown;
  const listen = (chunk: Buffer): void => {
    said += chunk.toString();
    const asked = /http\S+\/oauth\/mcp\/authorize\?\S+(?=\s)/.exec(said)?.[0];
    if (asked)
      answered ??= consentTo(desk, session, new URL(asked))
        .then((back) => fetch(back))
        .catch((error: unknown) => {
          fault = error;
          child.kill('SIGKILL');
        });
  };
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  for (const stream of [child.stdout, child.stderr]) stream.on('data', listen);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  clearTimeout(limit);
  await answered;
  if (fault) throw fault instanceof Error ? fault : new Error(String(fault));
  if (code !== 0 || !answered)
    throw new Error(`${command} ended with ${code}, ${answered ? 'after' : 'without'} asking:\n${said}`);
  return printed;
}

/** What an assistant does in a day, and what of it has to come back. */
const job = (): [string, Record<string, unknown>][] => {
  const reply = { to: customer.phone, text: 'It comes tomorrow.' };
  return [
    ['search_contacts', { search: customer.handle }],
    ['read_messages', { receiver_id: customer.handle }],
    ['send_message', { ...reply, dry_run: true }],
    ['send_message', reply],
    ['update_conversation', { receiver_id: customer.handle, priority: 'high' }],
    ['run_macro', { receiver_id: customer.handle, macro_id: 'Urgent' }],
  ];
};

/** How an official client in a mode speaks with us in the end. */
const revisions: readonly (readonly [mode: string, revision: string])[] = [
  ['v1', '2025-11-25'],
  ['legacy', '2025-11-25'],
  ['auto', '2026-07-28'],
];

/** Lets a program connect in a mode, with all that it asks for, and do the job. */
async function doesItsJob(
  program: string,
  script: string,
  mode: string,
  revision: string,
  { env, app }: { readonly env?: NodeJS.ProcessEnv; readonly app?: Awaited<ReturnType<typeof register>> } = {},
): Promise<void> {
  const { clientId, redirectUri } = app ?? (await register('/callback'));
  const calls = JSON.stringify(job());
  const given = [join(__dirname, 'clients', script), `${desk.url}/mcp`, clientId, redirectUri, mode, calls];
  const printed = await runAuthorized(program, given, env);
  const { version, scope, tools, texts } = JSON.parse(printed) as Record<'version' | 'scope', string> &
    Record<'tools' | 'texts', string[]>;
  expect([version, scope.split(' ').sort(), tools]).toEqual([revision, [...consentableScopes].sort(), names]);
  const [found, read, rehearsed, parked, updated, ran] = texts;
  expect(found).toContain(customer.handle);
  expect(read).toContain('Where is my parcel?');
  expect(rehearsed).toContain('"status":"would_queue"');
  expect(parked).toContain('"status":"queued_for_approval"');
  expect(updated).toContain('"priority":"high"');
  expect(ran).toContain('"type":"set_priority"');
}

test.each(revisions)('the official client (%s) authorizes by itself and does its job by %s', (mode, revision) =>
  doesItsJob(process.execPath, 'oauth.mjs', mode, revision),
);

test('given our URL alone, the official client connects by its document', async () => {
  const [port = 0] = await freePorts(1);
  const client = { metadata_url: documentUrl, callback_port: port };
  expect((await session.api.post('/api/v1/oauth-clients/', client)).status).toBe(201);
  const app = { clientId: documentUrl, redirectUri: `http://127.0.0.1:${port}/callback`, port };
  await doesItsJob(process.execPath, 'oauth.mjs', 'auto', '2026-07-28', { app });
});

describePython(['mcp==2.3.0'], 'in Python', ({ program, env }) => {
  test.each(revisions.slice(1))(
    'the official client (%s) authorizes by itself and does its job by %s',
    (mode, revision) => doesItsJob(program, 'oauth.py', mode, revision, { env }),
  );
});

test('the Inspector CLI authorizes as docs/connect-an-agent.md says, and lists the tools', async () => {
  const { clientId, redirectUri } = await register('/oauth/callback');
  const inspector = [
    ...npx,
    '@modelcontextprotocol/inspector@2.12.0',
    'mcp-inspector',
    '--cli',
    `${desk.url}/mcp`,
    '--transport',
    'http',
  ];
  const printed = await runAuthorized(
    'npx',
    [
      ...inspector,
      '--client-id',
      clientId,
      '--callback-url',
      redirectUri,
      '--method',
      'tools/list',
      '--format',
      'json',
      '--strict',
      '-q',
    ],
    {
      // Without a terminal it asks nobody unless it may open a browser.
      MCP_AUTO_OPEN_ENABLED: 'true',
      BROWSER: 'true',
    },
  );
  for (const name of names) expect(printed).toContain(`"${String(name)}"`);
});

test('the official conformance suite’s scenarios for authorization servers pass: metadata, code grant', async () => {
  const { clientId, port } = await register('/callback');
  const suite = [...npx, '@modelcontextprotocol/conformance@0.2.0-alpha.12', 'conformance', 'authorization'];
  const printed = await runAuthorized('npx', [
    ...suite,
    '--url',
    desk.url,
    '--client-id',
    clientId,
    '--resource',
    `${desk.url}/mcp`,
    '--port',
    String(port),
  ]);
  for (const scenario of ['authorization-server-metadata-endpoint', 'authorization-code-grant'])
    expect(printed).toMatch(new RegExp(`✓ ${scenario}: [1-9]\\d* passed, 0 failed`));
  expect(printed).toContain('Total: 3 passed, 0 failed');
});
