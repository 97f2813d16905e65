import { createWorkspace, type TestWorkspace } from '../../factories/workspaces';
import { startApi, type TestApi } from '../../support/api';

/**
 * What clients of 2025 get, to the byte: recorded before the revision of 2026 was served on the same URL. Whatever is
 * changed for newer clients must leave this snapshot as it is.
 */
let desk: TestApi;
let workspace: TestWorkspace;
beforeAll(async () => {
  desk = await startApi();
  workspace = await createWorkspace(desk, { connected: false, ticketing: false });
});
afterAll(() => desk.close());

const message = (method: string, params?: unknown, id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) });
const initialize = (protocolVersion: string): string =>
  message('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'old', version: '1' } });
const newest = { 'mcp-protocol-version': '2025-11-25' };

const asked: readonly (readonly [name: string, body: string, headers: Record<string, string>])[] = [
  ['initialize of the newest', initialize('2025-11-25'), {}],
  ['initialize of 2025-03-26', initialize('2025-03-26'), {}],
  ['initialize that asks for 2026 in the old way', initialize('2026-07-28'), {}],
  ['initialized', JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }), newest],
  ['a response', JSON.stringify({ jsonrpc: '2.0', id: 9, result: {} }), newest],
  ['ping', message('ping', undefined, 'p'), newest],
  ['ping without a version', message('ping'), {}],
  ['an unknown version', message('ping'), { 'mcp-protocol-version': '2024-11-05' }],
  ['a version of no time', message('tools/list'), { 'mcp-protocol-version': 'nonsense' }],
  ['a cursor', message('tools/list', { cursor: 'x' }), newest],
  ['an unknown method', message('resources/list'), newest],
  ['an unknown tool', message('tools/call', { name: 'nope' }), newest],
  ['a malformed call', message('tools/call', { name: 'search_contacts', arguments: [1] }), newest],
  ['a call', message('tools/call', { name: 'search_contacts', arguments: { search: 'nothing' } }), newest],
  ['a tool error', message('tools/call', { name: 'search_contacts', arguments: { serach: 'x' } }), newest],
  ['a refusal', message('tools/call', { name: 'list_tickets' }), newest],
  ['foreign _meta', message('ping', { _meta: { 'example.com/protocolVersion': '2026-07-28' } }), newest],
  ['a batch', `[${message('ping')}]`, newest],
  ['no JSON', '{', newest],
  ['no envelope', '{"jsonrpc":"1.0","id":4,"method":"ping"}', newest],
];

test.each(asked)('%s is answered as it always was', async (_name, body, headers) => {
  const answer = await fetch(`${desk.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${workspace.token}`, ...headers },
    body,
  });
  const text = (await answer.text())
    .replace(/It is [0-9T:-]+Z/, 'It is NOW')
    .replace(/\(id \d+, \S+\)/, '(id and email)');
  const told = ['content-type', 'mcp-session-id', 'www-authenticate', 'allow'].flatMap((name) => {
    const value = answer.headers.get(name);
    return value === null ? [] : [`${name}: ${value}`];
  });
  expect([`${answer.status}`, ...told, text].join('\n')).toMatchSnapshot();
});

test('the list of tools is the one of the snapshot beside this one, in one line of JSON', async () => {
  const answer = await fetch(`${desk.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${workspace.token}`, ...newest },
    body: message('tools/list'),
  });
  const text = await answer.text();
  expect(text.startsWith('{"result":{"tools":[{"name":"read_conversations","title":')).toBe(true);
  expect(text.endsWith(']},"jsonrpc":"2.0","id":1}')).toBe(true);
  expect(text).toBe(JSON.stringify(JSON.parse(text)));
});
