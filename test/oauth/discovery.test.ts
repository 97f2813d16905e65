import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('no sandbox');
});
afterAll(() => desk.close());

const seven = [
  'chat.view',
  'chat.send_message',
  'chat.assign',
  'contact.view',
  'contact.edit',
  'template.view',
  'macro.view',
];
const documents = [
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/mcp',
  '/.well-known/oauth-authorization-server',
];

test.each(documents.slice(0, 2))('RFC 9728: %s names the resource, its server and the seven scopes', async (path) => {
  const { status, body, headers } = await desk.anonymous.get(path);
  expect(status).toBe(200);
  expect(headers['content-type']).toMatch(/^application\/json/);
  expect(body).toEqual({
    resource: `${desk.url}/mcp`,
    authorization_servers: [desk.url],
    scopes_supported: seven,
    bearer_methods_supported: ['header'],
    resource_name: 'Msgdesk',
    resource_documentation: `${desk.url}/docs/connect-an-agent`,
  });
});

test('RFC 9728 section 2: the resource_documentation is there, with the addresses of this installation', async () => {
  const { body: metadata } = await desk.anonymous.get<{ resource_documentation: string }>(documents[0] ?? '');
  const page = await fetch(metadata.resource_documentation);
  const text = await page.text();
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(text).toMatch(/^# Connect an agent\n/);
  expect(text).toContain(`claude mcp add --transport http --callback-port 3118 msgdesk ${desk.url}/mcp`);
  expect(text).not.toMatch(/\{BASE_URL\}|127\.0\.0\.1:3000/);
});

test('RFC 8414: the server metadata offers what is there, and no registration (contract 11.1)', async () => {
  const { status, body } = await desk.anonymous.get('/.well-known/oauth-authorization-server');
  expect(status).toBe(200);
  const methods = ['none', 'client_secret_basic', 'client_secret_post'];
  expect(body).toEqual({
    issuer: desk.url,
    authorization_endpoint: `${desk.url}/oauth/mcp/authorize`,
    token_endpoint: `${desk.url}/oauth/mcp/token`,
    revocation_endpoint: `${desk.url}/oauth/mcp/revoke`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_methods_supported: methods,
    scopes_supported: seven,
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  });
});

test('RFC 8414 section 3.3: in both documents the issuer is BASE_URL without a slash, whatever Host says', async () => {
  const [resource, server] = await Promise.all(
    documents.slice(1).map((path) => desk.anonymous.get(path, { host: 'evil.example' })),
  );
  expect(server?.body['issuer']).toBe(desk.runtime.config.baseUrl);
  expect(resource?.body['authorization_servers']).toEqual([server?.body['issuer']]);
  expect(String(server?.body['issuer'])).not.toMatch(/\/$/);
  expect(resource?.body['scopes_supported']).not.toContain('offline_access');
});

test('there is no OpenID configuration: 404 in JSON, readable for a web page', async () => {
  const { status, body, headers } = await desk.anonymous.get('/.well-known/openid-configuration');
  expect([status, body, headers['access-control-allow-origin']]).toEqual([404, { error: 'Not found.' }, '*']);
});

test.each(documents)('CORS: any web page may read %s; other methods are 405', async (path) => {
  const read = await desk.anonymous.get(path, { origin: 'https://anywhere.example' });
  expect([read.headers['access-control-allow-origin'], read.headers['cross-origin-resource-policy']]).toEqual([
    '*',
    'cross-origin',
  ]);
  const preflight = await desk.anonymous.request('OPTIONS', path, undefined, {
    origin: 'https://anywhere.example',
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'mcp-protocol-version',
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers['access-control-allow-headers']).toMatch(/MCP-Protocol-Version/i);
  for (const method of ['POST', 'PUT', 'DELETE']) {
    const { status, headers } = await desk.anonymous.request(method, path);
    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD, OPTIONS']);
  }
});

test('the OpenAPI document describes the OAuth endpoints', async () => {
  const { body } = await desk.anonymous.get<{
    paths: Record<string, Record<string, { operationId: string }>>;
    tags: { name: string }[];
  }>('/api/v1/openapi.json');
  expect(body.paths['/oauth/mcp/authorize']?.['get']?.operationId).toBe('oauth.authorize');
  expect(Object.keys(body.paths)).toEqual(
    expect.arrayContaining([
      '/oauth/mcp/token',
      '/oauth/mcp/revoke',
      ...documents.filter((path) => !path.endsWith('/mcp')),
    ]),
  );
  expect(body.tags.filter(({ name }) => name === 'OAuth')).toHaveLength(1);
  const ids = Object.values(body.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
});
