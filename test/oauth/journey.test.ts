import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { consentableScopes } from '../../api/core/http/access';
import { operations } from '../../api/operations';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { createMember, createSession, type TestMember } from '../factories/members';
import { callTool, Platform } from './platform';
import { answerConsent, createBrowser, hiddenFields, offeredScopes, registerClient } from './support';

const password = 'correct horse battery';
let desk: TestApi;
let member: TestMember;
let customer: TestCustomer;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  member = await createMember(desk.workspace, {
    permissions: ['chat.view', 'chat.send_message', 'contact.view', 'template.view'],
  });
  await member.update({ password });
  customer = createCustomer(desk.workspace, { name: 'Anna' });
  await customer.writes('Where is my parcel?');
});
afterAll(() => desk.close());

const sentTo = (phone: string): string[] =>
  desk.sandbox.state.sent
    .filter((message) => phone.endsWith(message.to.replace('+', '')))
    .map((message) => JSON.stringify(message));

test.each(['public', 'confidential'] as const)(
  'issue 8, done when: the official client of a %s application, from sign-in to disconnect',
  async (type) => {
    const app = await registerClient(desk.workspace, { type, name: 'Agent platform' });
    const platform = new Platform(app);
    const transport = (): StreamableHTTPClientTransport =>
      new StreamableHTTPClientTransport(new URL(`${desk.url}/mcp`), { authProvider: platform });

    // The client is refused, discovers the authorization server by itself and sends its user there.
    const first = transport();
    await expect(new Client({ name: 'platform', version: '1.0.0' }).connect(first)).rejects.toBeInstanceOf(
      UnauthorizedError,
    );
    const asked = platform.asked;
    expect(asked?.origin + (asked?.pathname ?? '')).toBe(`${desk.url}/oauth/mcp/authorize`);
    expect([
      asked?.searchParams.get('resource'),
      asked?.searchParams.get('scope'),
      asked?.searchParams.get('code_challenge_method'),
    ]).toEqual([`${desk.url}/mcp`, consentableScopes.join(' '), 'S256']);

    // The user signs in, and grants a part of what the member may do.
    const browser = createBrowser(desk);
    const started = await browser.get(`${asked?.pathname}${asked?.search}`);
    const toSignIn = await browser.get(`${started.location?.pathname}${started.location?.search}`);
    expect(toSignIn.location?.pathname).toBe('/dashboard/sign-in/');
    const signInPage = await browser.get(`${toSignIn.location?.pathname}${toSignIn.location?.search}`);
    const signedIn = await browser.submit(
      '/dashboard/sign-in/',
      Object.entries({ ...hiddenFields(signInPage.text), email: member.email, password }),
    );
    const consent = await browser.get(`${signedIn.location?.pathname}${signedIn.location?.search}`);
    expect(offeredScopes(consent.text)).toEqual(['chat.view', 'chat.send_message', 'contact.view', 'template.view']);
    const back = await answerConsent(browser, consent, 'allow', ['chat.view', 'chat.send_message', 'contact.view']);
    expect([back.location?.searchParams.get('state'), back.location?.searchParams.get('iss')]).toEqual([
      platform.sent,
      desk.url,
    ]);
    await first.finishAuth(back.location?.searchParams.get('code') ?? '');
    expect(platform.tokens()).toMatchObject({
      token_type: 'Bearer',
      scope: 'chat.view chat.send_message contact.view',
    });

    // It lists every tool, also those that it may not call, reads the conversation, dry-runs, and sends into the queue.
    const client = new Client({ name: 'platform', version: '1.0.0' });
    await client.connect(transport());
    const { tools: listed } = await client.listTools();
    expect(listed).toHaveLength(operations.flatMap(({ tools }) => tools ?? []).length);
    const nothing = { type: 'object', properties: {}, additionalProperties: false };
    expect(listed.filter((tool) => tool.outputSchema === undefined).map(({ inputSchema }) => inputSchema)).toEqual(
      Array(6).fill(nothing),
    );
    const messages = await callTool(client, 'read_messages', { receiver_id: customer.handle });
    expect([messages.isError, messages.text.includes('Where is my parcel?')]).toEqual([false, true]);
    await desk.work();
    const before = sentTo(customer.phone).length;
    const dry = await callTool(client, 'send_message', {
      to: customer.phone,
      text: 'It comes tomorrow.',
      dry_run: true,
    });
    expect(dry.json).toMatchObject({
      status: 'would_queue',
      autonomy_level: 'approval',
      recipient: { receiver_id: customer.handle },
      text: expect.stringContaining('It comes tomorrow.') as string,
    });
    const queued = await callTool(client, 'send_message', { to: customer.phone, text: 'It comes tomorrow.' });
    expect(queued.json).toMatchObject({ status: 'queued_for_approval', approval_id: expect.any(Number) as number });
    expect(sentTo(customer.phone)).toHaveLength(before);

    // What was not granted is not there; the agent's own token decides nothing.
    await expect(client.callTool({ name: 'get_templates', arguments: {} })).rejects.toThrow();
    const own = await desk.anonymous.post(
      `/api/v1/approvals/${String(queued.json['approval_id'])}/approve/`,
      {},
      { authorization: `Bearer ${platform.tokens()?.access_token}` },
    );
    expect(own.status).toBe(401);

    // A member approves it: one upstream call.
    const owner = await createSession(desk.workspace.owner);
    const approved = await owner.api.post(`/api/v1/approvals/${String(queued.json['approval_id'])}/approve/`, {});
    expect([approved.status, approved.body['status']]).toEqual([200, 'approved']);
    await desk.work();
    expect(sentTo(customer.phone)).toHaveLength(before + 1);
    expect(sentTo(customer.phone).at(-1)).toContain('It comes tomorrow.');

    // The audit log has all of it.
    const audit = await owner.api.get<{
      results: { tool: string; outcome: string; connection: { kind: string; name: string } }[];
    }>('/api/v1/audit-log/');
    const seen = audit.body.results
      .filter((row) => row.connection.kind === 'oauth')
      .map((row) => `${row.tool} ${row.outcome}`);
    expect(seen).toEqual(
      expect.arrayContaining(['read_messages ok', 'send_message dry_run', 'send_message queued_for_approval']),
    );

    // Set free, it sends by itself; a refreshed token carries on; disconnected, it is refused on the next call.
    const [agent] = (await owner.api.get<{ id: number; client_name: string }[]>('/api/v1/connected-agents/')).body;
    expect(agent?.client_name).toBe('Agent platform');
    await owner.api.patch(`/api/v1/connected-agents/${agent?.id}/`, { autonomy: 'autonomous' });
    expect(
      (await callTool(client, 'send_message', { to: customer.phone, text: 'It has arrived.' })).json,
    ).toMatchObject({ status: 'queued', autonomy_level: 'autonomous' });
    const oldToken = platform.tokens()?.access_token;
    await desk.runtime.db.rows(
      `UPDATE oauth_access_tokens SET expires_at = now() - interval '1 second' WHERE grant_id = $id`,
      { id: agent?.id },
    );
    expect((await callTool(client, 'read_messages', { receiver_id: customer.handle })).isError).toBe(false);
    expect(platform.tokens()?.access_token).not.toBe(oldToken);
    expect((await owner.api.delete(`/api/v1/connected-agents/${agent?.id}/`)).status).toBe(204);
    await expect(
      client.callTool({ name: 'read_messages', arguments: { receiver_id: customer.handle } }),
    ).rejects.toThrow();
    await client.close();
  },
);
