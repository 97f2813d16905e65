import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { createAgent, type Agent } from '../support/agent';

let desk: TestApi;
let agent: Agent;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  agent = createAgent(desk.api);
});
afterAll(() => desk.close());

const call = (params: unknown, id: unknown = 1): unknown => ({ jsonrpc: '2.0', id, method: 'tools/call', params });
const errorOf = (body: { error?: unknown }): { code: number; message: string } =>
  body.error as { code: number; message: string };

describe('MCP 2025-11-25 lifecycle', () => {
  const initialize = (protocolVersion: unknown): unknown => ({
    jsonrpc: '2.0',
    id: 'i',
    method: 'initialize',
    params: { protocolVersion, capabilities: {}, clientInfo: { name: 't', version: '1' } },
  });

  test.each(['2025-11-25', '2025-06-18', '2025-03-26'])('answers revision %s as asked', async (version) => {
    const { status, body } = await agent.rpc(initialize(version));
    expect(status).toBe(200);
    expect(body.result).toMatchObject({
      protocolVersion: version,
      capabilities: { tools: {} },
      serverInfo: { name: 'msgdesk' },
    });
    expect(body.result?.['capabilities']).toEqual({ tools: {} });
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    expect((await agent.rpc(ping, { 'mcp-protocol-version': version })).status).toBe(200);
  });

  test.each(['2024-11-05', '2026-07-28', 'nonsense'])(
    'offers the newest revision to a client that asks for %s',
    async (version) => {
      expect((await agent.rpc(initialize(version))).body.result?.['protocolVersion']).toBe('2025-11-25');
    },
  );

  test('no session is ever opened', async () => {
    const { headers } = await agent.rpc(initialize('2025-11-25'), { 'mcp-session-id': 'mine' });
    expect(headers['mcp-session-id']).toBeUndefined();
  });
});

describe('MCP 2025-11-25 transports', () => {
  test.each(['GET', 'DELETE', 'PUT', 'PATCH'])(
    '%s is 405 with Allow: POST, before the credential is looked at',
    async (method) => {
      const { status, headers, body } = await desk.anonymous.request<{ error: string }>(method, '/mcp');
      expect([status, headers['allow'], typeof body.error]).toEqual([405, 'POST', 'string']);
      // Clients probe with GET after each initialize: it costs no rate.
      expect(headers['ratelimit-remaining']).toBeUndefined();
    },
  );

  test.each([['[]'], ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]']])('a batch %s is 400 -32600', async (raw) => {
    const { status, body } = await desk.api.request<{ error: { code: number }; id: null }>('POST', '/mcp', raw, {
      'content-type': 'application/json',
    });
    expect([status, body.error.code, body.id]).toEqual([400, -32600, null]);
  });

  test.each([
    ['{', -32700, null],
    ['"text"', -32600, null],
    ['null', -32600, null],
    ['{"jsonrpc":"1.0","id":4,"method":"ping"}', -32600, 4],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, null],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, null],
    ['{"jsonrpc":"2.0","id":5,"method":7}', -32600, 5],
    ['{"jsonrpc":"2.0","id":"s","method":"ping","params":[]}', -32600, 's'],
    [`{"jsonrpc":"2.0","id":6,"method":"ping","params":{"a":${'['.repeat(40)}${']'.repeat(40)}}}`, -32600, 6],
  ])('envelope %s is 400', async (raw, code, id) => {
    const { status, body } = await desk.api.request<{ error: { code: number }; id: unknown }>('POST', '/mcp', raw, {
      'content-type': 'application/json',
    });
    expect([status, body.error.code, body.id]).toEqual([400, code, id]);
  });

  test.each([
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', method: 'no/such' },
    { jsonrpc: '2.0', result: {}, id: 3 },
  ])('a notification or response is 202 without a body', async (message) => {
    const { status, body } = await agent.rpc(message);
    expect([status, body]).toEqual([202, undefined]);
  });

  test.each(['*/*', 'application/json', 'text/event-stream', ''])('Accept "%s" is answered in JSON', async (accept) => {
    const { status, headers } = await agent.rpc({ jsonrpc: '2.0', id: 1, method: 'ping' }, { accept });
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
  });

  test('another content type is 415, a large body 413, both as the error envelope', async () => {
    const text = await desk.api.request<{ error: string }>('POST', '/mcp', '{}', { 'content-type': 'text/plain' });
    expect([text.status, text.body.error]).toEqual([415, 'Unsupported media type "text/plain" in request.']);
    const large = await desk.api.request<{ error: string }>(
      'POST',
      '/mcp',
      JSON.stringify({ a: 'x'.repeat(1_100_000) }),
      { 'content-type': 'application/json' },
    );
    expect([large.status, typeof large.body.error]).toEqual([413, 'string']);
  });

  test('a foreign Origin is 403 whatever Host says; our own and none are served', async () => {
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    expect((await agent.rpc(ping, { origin: 'http://evil.example.com', host: 'evil.example.com' })).status).toBe(403);
    expect((await agent.rpc(ping, { origin: desk.url })).status).toBe(200);
    expect((await agent.rpc(ping, { origin: 'null' })).status).toBe(403);
  });
});

describe('MCP 2025-11-25 transports: CORS, for allowed origins only', () => {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

  test('an allowed origin may read the answer and its challenge', async () => {
    const { headers } = await createAgent(desk.anonymous).rpc(ping, { origin: desk.url });
    expect([headers['access-control-allow-origin'], headers['access-control-expose-headers'], headers['vary']]).toEqual(
      [desk.url, 'WWW-Authenticate', expect.stringContaining('Origin')],
    );
    const preflight = await desk.anonymous.request('OPTIONS', '/mcp', undefined, {
      origin: desk.url,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization, content-type, mcp-protocol-version, mcp-method, mcp-name',
    });
    expect([
      preflight.status,
      preflight.headers['access-control-allow-methods'],
      preflight.headers['access-control-allow-headers'],
    ]).toEqual([204, 'POST', 'Authorization, Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name']);
  });

  test('a foreign origin gets no leave, and a request without one no CORS header', async () => {
    const foreign = await desk.anonymous.request('OPTIONS', '/mcp', undefined, {
      origin: 'https://evil.example',
      'access-control-request-method': 'POST',
    });
    expect([foreign.status, foreign.headers['access-control-allow-origin']]).toEqual([403, undefined]);
    expect((await agent.rpc(ping)).headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe('MCP 2025-11-25 errors', () => {
  test.each(['nope', '__proto__', 'constructor', 'toString', ''])('unknown tool "%s" is -32602', async (name) => {
    const { body } = await agent.rpc(call({ name }));
    expect(errorOf(body).code).toBe(-32602);
  });

  test.each([
    {},
    { name: 5 },
    { name: 'search_contacts', arguments: [1] },
    { name: 'search_contacts', arguments: 'x' },
  ])('a malformed call %j is -32602 in our words', async (params) => {
    const { status, body } = await agent.rpc(call(params));
    expect([status, errorOf(body).code]).toEqual([200, -32602]);
    expect(errorOf(body).message).toMatch(/^Invalid params: "(name|arguments)" must be/);
  });

  test.each([{}, [1], 1.5, true])('a progress token %j is -32602', async (progressToken) => {
    for (const method of ['ping', 'tools/list'])
      expect(
        errorOf((await agent.rpc({ jsonrpc: '2.0', id: 1, method, params: { _meta: { progressToken } } })).body).code,
      ).toBe(-32602);
  });

  test('null is taken for what was left out', async () => {
    const list = await agent.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor: null } });
    expect(list.body.result?.['tools']).toHaveLength(15);
    for (const headers of [{}, { 'mcp-protocol-version': '2025-11-25' }] as Record<string, string>[]) {
      const { body } = await agent.rpc(call({ name: 'search_contacts', arguments: null, _meta: null }), headers);
      expect(body.result?.['structuredContent']).toMatchObject({ results: expect.anything() as unknown });
    }
  });

  test('an unknown argument and a wrong type are tool errors that name the argument', async () => {
    const unknown = await agent.call('search_contacts', { serach: 'x' });
    expect([unknown.isError, unknown.text]).toEqual([
      true,
      expect.stringContaining('Unknown argument "serach"') as string,
    ]);
    const wrong = await agent.call('update_conversation', { receiver_id: '15550000000', conv_status: 'closed' });
    expect([wrong.isError, wrong.text]).toEqual([
      true,
      expect.stringMatching(/^conv_status: "closed" is not a valid choice\. Give one of: open, /) as string,
    ]);
    expect((await agent.call('read_messages', { receiver_id: 'Anna' })).text).toMatch(
      /^No conversation "Anna": give the receiver_id from search_contacts, for example 4915112345678\./,
    );
  });
});

describe('credentials', () => {
  test.each(['Bearer nonsense', 'Bearer mcp_at_nothing', 'Basic abc', 'Bearer hd_live_1_wrong', 'Token mcp_at_x'])(
    '%s: 401 invalid_token',
    async (authorization) => {
      const { status, headers } = await createAgent(desk.anonymous.with({ authorization })).rpc({
        jsonrpc: '2.0',
        id: 1,
        method: 'ping',
      });
      expect([status, headers['www-authenticate']]).toEqual([
        401,
        expect.stringContaining('error="invalid_token"') as string,
      ]);
    },
  );

  test('C2 14: the scheme is read in any case, and a token in the body is none', async () => {
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    for (const scheme of ['bearer', 'BEARER', 'Token'])
      expect(
        (await createAgent(desk.anonymous.with({ authorization: `${scheme} ${desk.workspace.token}` })).rpc(ping))
          .status,
      ).toBe(200);
    const form = await desk.anonymous.request('POST', '/mcp', `access_token=${desk.workspace.token}`, {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(form.status).toBe(401);
  });

  test('a session cookie is no credential here', async () => {
    const { status } = await createAgent(desk.anonymous.with({ cookie: 'token=abc' })).rpc({
      jsonrpc: '2.0',
      id: 1,
      method: 'ping',
    });
    expect(status).toBe(401);
  });

  test('the rate bucket is the one of REST', async () => {
    const { headers: rest } = await desk.api.get('/api/v1/contacts/');
    const { headers: mcp } = await agent.rpc({ jsonrpc: '2.0', id: 1, method: 'ping' });
    expect(Number(mcp['ratelimit-remaining'])).toBe(Number(rest['ratelimit-remaining']) - 1);
  });
});

describe('a fault of ours', () => {
  /** Takes a table away while `work` lasts. */
  async function without(table: string, work: () => Promise<void>): Promise<void> {
    const { db } = desk.runtime;
    await db.rows(`ALTER TABLE ${table} RENAME TO ${table}_away`);
    try {
      await work();
    } finally {
      await db.rows(`ALTER TABLE ${table}_away RENAME TO ${table}`);
    }
  }

  test('in a tool: an error that carries the request id and nothing of what happened', () =>
    without('templates', async () => {
      const answer = await createAgent(desk.api.with({ 'x-request-id': 'fault-1' })).call('get_templates');
      expect([answer.isError, answer.text]).toEqual([
        true,
        'The service could not do this. Try again later; request id fault-1.',
      ]);
    }));

  test('around it: -32603, as silent', () =>
    without('audit_log', async () => {
      const { status, body } = await createAgent(desk.api.with({ 'x-request-id': 'fault-2' })).rpc(
        call({ name: 'search_contacts' }),
      );
      expect([status, errorOf(body)]).toEqual([
        200,
        { code: -32603, message: 'The service could not do this. Try again later; request id fault-2.' },
      ]);
    }));
});
