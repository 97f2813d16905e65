import { createCustomer } from '../factories/customers';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { createAgent } from '../support/agent';
import type { ApiAnswer, ApiClient } from '../support/client';

type Json = Record<string, unknown>;
interface Rpc {
  readonly id: unknown;
  readonly result?: Json;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Json };
}

const version = '2026-07-28';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

/** Sends one request of the revision, complete unless a test takes something away (null) or puts something in. */
function ask(
  api: ApiClient,
  method: string,
  params: Json = {},
  change: { readonly meta?: Json; readonly headers?: Record<string, string> } = {},
): Promise<ApiAnswer<Rpc>> {
  const name: Record<string, string> = typeof params['name'] === 'string' ? { 'mcp-name': params['name'] } : {};
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    ...change.meta,
  };
  const headers = { 'mcp-protocol-version': version, 'mcp-method': method, ...name, ...change.headers };
  return api.post<Rpc>('/mcp', { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }, headers);
}

describe('MCP 2026-07-28', () => {
  test('server/discover tells versions, abilities, and what an agent cannot look up', async () => {
    const { status, headers, body } = await ask(desk.api, 'server/discover');
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body.result).toMatchObject({
      resultType: 'complete',
      supportedVersions: [version],
      capabilities: { tools: {} },
      instructions: expect.stringMatching(/^Msgdesk is a messaging helpdesk\. .*phone_number_id/s) as string,
    });
    expect(headers['mcp-session-id']).toBeUndefined();
  });

  test('tools/list is the list of 2025, which all may keep for an hour', async () => {
    const { body } = await ask(desk.api, 'tools/list');
    expect(body.result).toMatchObject({ resultType: 'complete', ttlMs: 3_600_000, cacheScope: 'private' });
    expect(body.result?.['tools']).toEqual(await createAgent(desk.api).tools());
  });

  test('a call answers what it answers by 2025, refusals too', async () => {
    const anna = createCustomer(desk.workspace, { name: 'Anna' });
    await anna.writes('Hello');
    const old = createAgent(desk.api);
    const calls: readonly (readonly [tool: string, args: Json])[] = [
      ['search_contacts', { search: anna.handle }],
      ['read_messages', { receiver_id: anna.handle }],
      ['send_message', { to: anna.phone, text: 'Hi', dry_run: true }],
      ['search_contacts', { serach: 'x' }],
      ['read_messages', { receiver_id: 'nobody' }],
    ];
    for (const [name, args] of calls) {
      const { status, body } = await ask(desk.api, 'tools/call', { name, arguments: args });
      const before = await old.call(name, args);
      expect([name, status, body.result?.['resultType']]).toEqual([name, 200, 'complete']);
      // A minute may pass between the two.
      const timeless = (text: string): string => {
        const [, mark = 'none'] = /Between <(\w+)>/.exec(text) ?? [];
        return text.replaceAll(mark, 'mark').replace(/"now":"[^"]*"/, '');
      };
      const [content] = body.result?.['content'] as { readonly text: string }[];
      expect([timeless(content?.text ?? ''), body.result?.['isError'] ?? false]).toEqual([
        timeless(before.text),
        before.isError,
      ]);
      const { now: _now, ...told } = before.json;
      expect(body.result?.['structuredContent'] ?? {}).toMatchObject(told);
    }
    const rows = await desk.runtime.db.rows<{ tool: string }>(
      `SELECT tool FROM audit_log WHERE workspace_id = $id AND outcome = 'dry_run'`,
      { id: desk.workspace.ctx.workspaceId },
    );
    expect(rows).toEqual([{ tool: 'send_message' }, { tool: 'send_message' }]);
  });

  test('a call with an idempotency key is made once, whichever era asks again', async () => {
    const bob = createCustomer(desk.workspace);
    await bob.writes('Hello');
    const args = { to: bob.phone, text: 'Once' };
    const meta = { 'msgdesk/idempotencyKey': 'once-2026' };
    const first = await ask(desk.api, 'tools/call', { name: 'send_message', arguments: args }, { meta });
    const again = await ask(desk.api, 'tools/call', { name: 'send_message', arguments: args }, { meta });
    expect(again.body.result?.['structuredContent']).toEqual(first.body.result?.['structuredContent']);
    expect(again.body.result?.['_meta']).toMatchObject({ 'msgdesk/idempotentReplayed': true });
    const old = await createAgent(desk.api).call('send_message', args, 'once-2026');
    expect([old.isRepeat, old.json]).toEqual([true, first.body.result?.['structuredContent']]);
  });

  test.each([
    ['an unknown method', 'resources/list', {}, {}, 404, -32601],
    ['ping, which is gone', 'ping', {}, {}, 404, -32601],
    ['initialize, which is gone', 'initialize', {}, {}, 404, -32601],
    ['a stream of changes, of which there are none', 'subscriptions/listen', { notifications: {} }, {}, 404, -32601],
    ['an unknown tool', 'tools/call', { name: 'constructor' }, {}, 200, -32602],
    ['a name that is no text', 'tools/call', { name: { toString: 1 } }, {}, 200, -32602],
    ['another method in the header', 'tools/list', {}, { headers: { 'mcp-method': 'tools/call' } }, 400, -32020],
    ['no method in the header', 'tools/list', {}, { headers: { 'mcp-method': '' } }, 400, -32020],
    [
      'another tool in the header',
      'tools/call',
      { name: 'get_templates' },
      { headers: { 'mcp-name': 'send_message' } },
      400,
      -32020,
    ],
    ['no version in the header', 'tools/list', {}, { headers: { 'mcp-protocol-version': '' } }, 400, -32020],
    [
      'a version of 2025 in the header',
      'tools/list',
      {},
      { headers: { 'mcp-protocol-version': '2025-11-25' } },
      400,
      -32020,
    ],
    [
      'no envelope',
      'tools/list',
      {},
      { meta: { 'io.modelcontextprotocol/clientCapabilities': undefined } },
      400,
      -32602,
    ],
  ] as const)('%s: %s is refused', async (_name, method, params, change, status, code) => {
    const answer = await ask(desk.api, method, params, change);
    expect([answer.status, answer.body.error?.code, answer.body.id]).toEqual([status, code, 1]);
  });

  test('a client that asks server/discover without naming a version is told which there are', async () => {
    const { status, body } = await desk.api.post<Rpc>('/mcp', { jsonrpc: '2.0', id: 1, method: 'server/discover' });
    expect([status, body.error?.code, body.error?.data?.['supported']]).toEqual([400, -32022, [version]]);
  });

  test('a notification is 202 without a body', async () => {
    const { status, body } = await desk.api.post(
      '/mcp',
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
      { 'mcp-protocol-version': version },
    );
    expect([status, body]).toEqual([202, undefined]);
  });

  test('who has no credential is told where one comes from, as in 2025', async () => {
    const stranger = await ask(desk.anonymous, 'server/discover');
    expect([stranger.status, stranger.headers['www-authenticate']]).toEqual([
      401,
      expect.stringContaining('resource_metadata=') as string,
    ]);
  });

  test('a fault of ours is told as silently as ever', async () => {
    await desk.runtime.db.rows('ALTER TABLE audit_log RENAME TO audit_log_away');
    const api = desk.api.with({ 'x-request-id': 'fault-3' });
    const { body } = await ask(api, 'tools/call', { name: 'search_contacts' });
    await desk.runtime.db.rows('ALTER TABLE audit_log_away RENAME TO audit_log');
    expect(body.error).toEqual({
      code: -32603,
      message: 'The service could not do this. Try again later; request id fault-3.',
    });
  });
});
