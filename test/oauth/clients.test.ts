import { redirectUriFault } from '../../api/services/identity/oauth/redirectUris';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { runAdmin } from '../support/cli';
import { createSession, type TestSession } from '../factories/members';

let desk: TestApi;
let session: TestSession;
beforeAll(async () => {
  desk = await sharedDesk('no sandbox');
  session = await createSession(desk.workspace.owner);
});
afterAll(() => desk.close());

describe('C2 17: what may be registered as a redirect URI', () => {
  test.each([
    'https://claude.ai/api/mcp/auth_callback',
    'https://claude.com/api/mcp/auth_callback',
    'http://localhost:3118/callback',
    'http://127.0.0.1:6276/oauth/callback',
    'http://[::1]:8080/cb',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'com.example.app:/oauth',
    'https://agent.example/cb?tenant=1',
  ])('%s', (uri) => expect(redirectUriFault(uri)).toBeNull());

  test.each([
    'javascript:alert(1)',
    'JAVASCRIPT:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'blob:https://agent.example/x',
    'ms-msdt:/x',
    'evilapp:/x',
    'mailto:a@agent.example',
    'http://agent.example/cb',
    'http://localhost.evil.example/cb',
    'http://127.0.0.1.evil.example/cb',
    'https://agent.example/cb#fragment',
    'https://agent.example/cb#',
    'https://user:pass@agent.example/cb',
    'https://*.example/cb',
    'https://agent.example/cb?state=mine',
    'https://agent.example\\@evil.example/cb',
    'https://agent.example/ä',
    'https://agent.example/a b',
    'https://agent.example/\r\nset-cookie:x',
    '/relative',
    'agent.example/cb',
    '',
    `https://agent.example/${'x'.repeat(2_000)}`,
  ])('not %s', (uri) => expect(typeof redirectUriFault(uri)).toBe('string'));
});

describe('dashboard: clients', () => {
  test('create, list, disable; the secret is shown once', async () => {
    const created = await session.api.post('/api/v1/oauth-clients/', {
      name: 'Ours',
      redirect_uris: ['https://agent.example/cb', 'https://agent.example/cb'],
      client_type: 'confidential',
    });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      name: 'Ours',
      client_type: 'confidential',
      redirect_uris: ['https://agent.example/cb'],
      client_secret: expect.stringMatching(/^mcp_cs_/),
      disabled_at: null,
    });
    const { body } = await session.api.get('/api/v1/oauth-clients/');
    expect(body[0]).toMatchObject({ id: created.body['id'] });
    expect(JSON.stringify(body)).not.toContain('mcp_cs_');
    const disabled = await session.api.post(`/api/v1/oauth-clients/${String(created.body['id'])}/disable/`, {});
    expect(typeof disabled.body['disabled_at']).toBe('string');
    const again = await session.api.post(`/api/v1/oauth-clients/${String(created.body['id'])}/disable/`, {});
    expect(again.body['disabled_at']).toBe(disabled.body['disabled_at']);
    expect(
      (await session.api.post('/api/v1/oauth-clients/', { name: 'Public', redirect_uris: ['http://localhost:1/cb'] }))
        .body,
    ).toMatchObject({ client_type: 'public', client_secret: null });
  });
});

describe('admin: oauth-client (contract 12)', () => {
  async function cli(...argv: string[]): Promise<{ code: number; json: Record<string, unknown>; stderr: string }> {
    const { code, out, problems: stderr } = await runAdmin(desk.test, ['oauth-client', ...argv]);
    return { code, json: out === '' ? {} : (JSON.parse(out) as Record<string, unknown>), stderr };
  }
  const workspace = (): string => String(desk.workspace.id);

  test('create and disable', async () => {
    const made = await cli(
      'create',
      '--workspace',
      workspace(),
      '--name',
      'Claude',
      '--redirect-uri',
      'https://claude.ai/api/mcp/auth_callback',
      '--redirect-uri',
      'https://claude.com/api/mcp/auth_callback',
      '--confidential',
    );
    expect(made.code).toBe(0);
    expect(made.json).toMatchObject({
      id: expect.any(Number),
      client_id: expect.stringMatching(/^client_[0-9a-f]{32}$/),
      client_type: 'confidential',
      client_secret: expect.stringMatching(/^mcp_cs_/),
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback', 'https://claude.com/api/mcp/auth_callback'],
    });
    const open = await cli(
      'create',
      '--workspace',
      workspace(),
      '--name',
      'Code',
      '--redirect-uri',
      'http://localhost:3118/callback',
      '--public',
    );
    expect(open.json).not.toHaveProperty('client_secret');
    const ended = await cli('disable', String(open.json['client_id']));
    expect(ended.json['disabled_at']).toBeTruthy();
  });

  test('an error says what to do', async () => {
    expect(
      (await cli('create', '--workspace', workspace(), '--name', 'x', '--redirect-uri', 'https://a.example/')).stderr,
    ).toContain('--public');
    expect(
      (
        await cli(
          'create',
          '--workspace',
          workspace(),
          '--name',
          'x',
          '--redirect-uri',
          'http://a.example/',
          '--public',
        )
      ).stderr,
    ).toContain('https');
    expect((await cli('disable', 'client_nobody')).stderr).toContain('does not exist');
    expect(
      (await cli('create', '--workspace', '999999', '--name', 'x', '--redirect-uri', 'https://a.example/', '--public'))
        .code,
    ).toBe(1);
  });
});
