import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createSession, type TestSession } from '../factories/members';
import { consentTo, registerClient } from '../oauth/support';
import { createAgent } from '../support/agent';
import { startApi, type TestApi } from '../support/api';
import { npxEnvironment } from '../support/npx';
import { freePorts } from '../support/ports';

// Programs of others that authorize by themselves; like those of clients.test.ts they come from the npm registry.
const npx = ['-y', '-p', 'node@22', '-p'];

let desk: TestApi;
let session: TestSession;
let names: unknown[];
beforeAll(async () => {
  desk = await startApi({ sandbox: false });
  session = await createSession(desk.workspace.owner);
  names = (await createAgent(desk.api).tools()).map((tool) => tool['name']);
});
afterAll(() => desk.close());

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

test.each(['legacy', 'auto'])(
  'the 2.x client in %s mode authorizes by itself, checks issuer and iss, lists and calls',
  async (mode) => {
    const { clientId, redirectUri } = await register('/callback');
    const printed = await runAuthorized(process.execPath, [
      join(__dirname, 'clients', 'oauth.mjs'),
      `${desk.url}/mcp`,
      clientId,
      redirectUri,
      mode,
    ]);
    expect(JSON.parse(printed)).toEqual({
      scope: 'chat.view contact.view template.view',
      tools: names,
      text: '{"results":[],"total":0}',
    });
  },
);

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
}, 300_000);

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
  expect(printed).toContain('Total: 2 passed, 0 failed');
}, 300_000);
