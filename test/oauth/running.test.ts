import { readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { auth, UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Page } from 'playwright-core';
import { openChromium } from '../support/browser';
import { eventually } from '../support/eventually';
import { startInstallation, type Installation } from '../support/installation';
import { root } from '../support/settings';
import { callTool, Platform } from './platform';

const fifteen = [
  'read_conversations',
  'read_messages',
  'send_message',
  'send_template',
  'update_conversation',
  'search_contacts',
  'update_contact',
  'get_templates',
  'run_macro',
  'list_tickets',
  'get_ticket',
  'create_ticket',
  'update_ticket',
  'comment_on_ticket',
  'list_ticket_pipelines',
];
const question = 'Where is my parcel?';
const answer = 'It comes tomorrow.';

const cleanups: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
}, 120_000);

/** Returns the application's own page, where the browser comes back to. */
async function startCallback(): Promise<string> {
  const server = http.createServer(
    (_request, response) =>
      void response.setHeader('content-type', 'text/html').end('<title>Connected</title><h1>Connected</h1>'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => new Promise((resolve) => server.close(resolve)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
}

async function control<T>(desk: Installation, route: string, body?: unknown): Promise<T> {
  const init =
    body === undefined
      ? {}
      : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const reply = await fetch(`${desk.facts.sandbox_url}/_control/${route}`, init);
  if (!reply.ok) throw new Error(`the sandbox answered ${reply.status}: ${await reply.text()}`);
  return (await reply.json()) as T;
}

/** Returns what has arrived on customers' phones. */
const delivered = async (desk: Installation): Promise<number> =>
  (await control<unknown[]>(desk, 'sent')).filter((message) => JSON.stringify(message).includes(answer)).length;

async function signInAndConsent(page: Page, desk: Installation, asked: URL): Promise<URL> {
  await page.goto(asked.href);
  await page.getByLabel('Email').fill(desk.facts.dashboard_email);
  await page.getByLabel('Password').fill(desk.facts.dashboard_password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Connect Agent platform?' }).waitFor();
  await page.getByLabel('View templates.').uncheck();
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.waitForURL(/\/callback\?/);
  return new URL(page.url());
}

test('with `npm start`, an official MCP client goes from sign-in in a browser to being refused', async () => {
  expect(
    (JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }).scripts[
      'start'
    ],
  ).toBe('node dev/start.cjs');
  const desk = await startInstallation();
  cleanups.push(() => desk.close());
  const chromium = await openChromium();
  cleanups.push(() => chromium.close());
  const page = await chromium.newPage();

  // A customer has written, as in step 1 of the README's tour.
  await control(desk, 'inbound', {
    phone_number_id: '106540352242922',
    from: { phone: '4915112345678', name: 'Anna' },
    text: question,
  });
  const rest = { authorization: `Bearer ${desk.facts.api_key}` };
  await eventually(async () =>
    expect((await fetch(`${desk.facts.base_url}/api/v1/conversations/4915112345678/`, { headers: rest })).status).toBe(
      200,
    ),
  );

  // The application is registered, and its client sends the user to sign in.
  const redirectUri = await startCallback();
  const registered = await desk.admin(
    'oauth-client',
    'create',
    '--workspace',
    String(desk.facts.workspace_id),
    '--name',
    'Agent platform',
    '--public',
    '--redirect-uri',
    redirectUri,
  );
  const platform = new Platform({ clientId: String(registered['client_id']), secret: null, redirectUri });
  const serverUrl = new URL(desk.facts.mcp_url);
  const transport = (): StreamableHTTPClientTransport =>
    new StreamableHTTPClientTransport(serverUrl, { authProvider: platform });
  const first = transport();
  await expect(new Client({ name: 'platform', version: '1.0.0' }).connect(first)).rejects.toBeInstanceOf(
    UnauthorizedError,
  );
  expect(platform.asked?.searchParams.get('scope')).toContain('chat.send_message');
  // This platform wants less, and says so.
  expect(await auth(platform, { serverUrl, scope: 'chat.view chat.send_message contact.view template.view' })).toBe(
    'REDIRECT',
  );

  // The member signs in and grants a part of it.
  const back = await signInAndConsent(page, desk, platform.asked as URL);
  expect([back.origin + back.pathname, back.searchParams.get('state'), back.searchParams.get('iss')]).toEqual([
    redirectUri,
    platform.sent,
    desk.facts.base_url,
  ]);
  await first.finishAuth(back.searchParams.get('code') ?? '');
  expect(platform.tokens()?.scope).toBe('chat.view chat.send_message contact.view');

  const client = new Client({ name: 'platform', version: '1.0.0' });
  await client.connect(transport());
  cleanups.push(() => client.close());
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(fifteen);
  expect((await callTool(client, 'read_messages', { receiver_id: '4915112345678' })).text).toContain(question);

  const send = { to: '+4915112345678', text: answer };
  expect((await callTool(client, 'send_message', { ...send, dry_run: true })).json).toMatchObject({
    status: 'would_queue',
    autonomy_level: 'approval',
  });
  const queued = await callTool(client, 'send_message', send);
  expect(queued.json).toMatchObject({ status: 'queued_for_approval', approval_id: expect.any(Number) as number });
  expect(await delivered(desk)).toBe(0);

  // The same member approves it in the session of the browser; it reaches the phone once.
  const session = page.context().request;
  const approved = await session.post(
    `${desk.facts.base_url}/api/v1/approvals/${String(queued.json['approval_id'])}/approve/`,
  );
  expect([approved.status(), ((await approved.json()) as { status: string }).status]).toEqual([200, 'approved']);
  await eventually(async () => expect(await delivered(desk)).toBe(1));

  // Disconnected, the agent is refused on its next call.
  expect((await callTool(client, 'search_contacts', { search: 'Anna' })).isError).toBe(false);
  const connections = (await (await session.get(`${desk.facts.base_url}/api/v1/connected-agents/`)).json()) as {
    id: number;
    client_name: string;
  }[];
  // The demo workspace comes with a connection of its own.
  expect(connections.map(({ client_name }) => client_name).sort()).toEqual(['Agent platform', 'Demo assistant']);
  const ours = connections.find(({ client_name }) => client_name === 'Agent platform');
  expect((await session.delete(`${desk.facts.base_url}/api/v1/connected-agents/${String(ours?.id)}/`)).status()).toBe(
    204,
  );
  await expect(callTool(client, 'search_contacts', { search: 'Anna' })).rejects.toThrow();
  const refused = await fetch(serverUrl, {
    method: 'POST',
    headers: { authorization: `Bearer ${platform.tokens()?.access_token}`, 'content-type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  });
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
    401,
    expect.stringContaining('error="invalid_token"'),
  ]);
  expect(await delivered(desk)).toBe(1);

  await client.close();
  expect(await desk.close()).toBe(0);
}, 240_000);
