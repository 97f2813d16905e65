import { runCli } from '../../admin/cli';
import { systemCtx, type Ctx } from '../../api/core/context';
import { isPage, type Operation, type Page } from '../../api/core/http/operations';
import { credentialsOf, listAccounts } from '../../api/services/resources/accounts/service';
import { syncAllDue } from '../../api/services/processes/upstreamSync/service';
import { authenticateKey } from '../../api/services/identity/apiKeys/authenticate';
import { inboxOperations } from '../../api/services/resources/inboxes/operations';
import { memberOperations } from '../../api/services/identity/members/operations';
import { phoneNumberOperations } from '../../api/services/resources/phoneNumbers/operations';
import { templateOperations } from '../../api/services/resources/templates/operations';
import { createTestRuntime, type TestRuntime } from '../support/runtime';

type Json = Record<string, unknown>;

const accountId = '900100';
let test: Awaited<ReturnType<typeof createTestRuntime>> & { sandbox: NonNullable<TestRuntime['sandbox']> };

/** Runs the CLI in this process with what the runtime runs with: its words, or the first of them as one text. */
async function admin(command: string, ...more: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  let stdout = '';
  let stderr = '';
  const code = await runCli([...command.split(' '), ...more], {
    env: { ...test.env },
    stdout: (text) => void (stdout += text),
    stderr: (text) => void (stderr += text),
  });
  return { code, stdout, stderr };
}

/** The one JSON object of a command that goes well. */
async function adminJson(command: string, ...more: string[]): Promise<Json> {
  const { code, stdout, stderr } = await admin(command, ...more, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as Json;
}

async function refusal(command: string, ...more: string[]): Promise<string> {
  const { code, stdout, stderr } = await admin(command, ...more, '--json');
  expect(code).toBe(1);
  expect(stdout).toBe('');
  return stderr;
}

const account = (id: string): string[] =>
  `--business-account-id ${id} --access-token sandbox-token --app-secret app-secret --verify-token verify`.split(' ');
const ctxOf = (workspaceId: unknown): Ctx => systemCtx(test.runtime, Number(workspaceId), 'test');

/** What the only operation of a table answers. */
async function run(operations: readonly Operation[], workspaceId: unknown, input: Json = {}): Promise<Json[]> {
  const answer = await operations[0]?.run(ctxOf(workspaceId), input);
  return (isPage(answer) ? answer.items : answer) as Json[];
}

beforeAll(async () => {
  test = await createTestRuntime({ sandbox: true });
  test.sandbox.account({
    business_account_id: accountId,
    access_token: 'sandbox-token',
    phone_numbers: [
      { id: '700100', throughput_mps: 500, username: 'acme' },
      { id: '700101', verified_name: 'Acme Two' },
    ],
    templates: [
      {
        id: 'tpl-1',
        name: 'welcome',
        language: 'en_US',
        category: 'MARKETING',
        status: 'APPROVED',
        components: [{ type: 'BODY', text: 'Hi {{1}}' }],
      },
      { id: 'tpl-2', name: 'code', language: 'en_US', category: 'AUTHENTICATION', status: 'PENDING' },
      {
        id: 'tpl-3',
        name: 'bad',
        language: 'en_US',
        category: 'MARKETING',
        status: 'REJECTED',
        rejected_reason: 'INVALID_FORMAT',
      },
    ],
  });
});
afterAll(() => test.close());

describe('workspaces', () => {
  it('are a trial of 14 days unless told otherwise', async () => {
    const before = Date.now();
    const created = await adminJson('workspace', 'create', '--name', 'Trial');
    expect(created).toMatchObject({ name: 'Trial', timezone: 'UTC', plan: null, ticketing: false });
    expect(Math.abs(Date.parse(String(created['trial_ends_at'])) - before - 14 * 86_400_000)).toBeLessThan(60_000);
    expect(await adminJson('workspace', 'create', '--name', 'Paid', '--plan', 'pro', '--ticketing')).toMatchObject({
      plan: 'pro',
      trial_ends_at: null,
      ticketing: true,
    });
    const updated = await adminJson(
      `workspace update ${String(created['id'])} --plan pro --ticketing true ` +
        '--timezone Asia/Kolkata --trial-ends 2020-01-01T00:00:00Z',
    );
    expect(updated).toEqual({
      ...created,
      plan: 'pro',
      ticketing: true,
      timezone: 'Asia/Kolkata',
      trial_ends_at: '2020-01-01T00:00:00.000Z',
    });
    expect(await adminJson('workspace', 'update', String(created['id']), '--plan', 'none')).toMatchObject({
      plan: null,
    });
  });

  it('are refused with one line that says why', async () => {
    expect(await refusal('workspace', 'create', '--name', 'X', '--timezone', '+02:00')).toContain('is not a time zone');
    expect(await refusal('workspace', 'create', '--name', ' ')).toBe('error: name: This field may not be blank.\n');
    expect(await refusal('workspace', 'create')).toContain("required option '--name <name>' not specified");
    expect(await refusal('workspace', 'create', '--name', 'X', '--access-token', 'x')).toContain(
      'go together; missing: --business-account-id, --app-secret, --verify-token',
    );
    expect(await refusal('workspace', 'update', '1', '--access-token', 'x', '--app-secret', 'y')).toContain(
      'go together; missing: --business-account-id, --verify-token',
    );
    expect(await refusal('workspace', 'update', '2147483647', '--name', 'X')).toBe(
      'error: Workspace 2147483647 does not exist.\n',
    );
    expect(await refusal('workspace', 'update', '1')).toContain('Nothing to change');
  });

  it('get a new access token alone, by standard input, and say of which account where they have two', async () => {
    const { id: workspaceId } = await adminJson('workspace', 'create', '--name', 'Renewed', ...account('900177'));
    const renew = async (...more: string[]): Promise<string> => {
      let said = '';
      const tell = (text: string): void => void (said += text);
      const argv = ['--json', 'workspace', 'update', String(workspaceId), '--access-token', '-', ...more];
      await runCli(argv, { env: { ...test.env }, stdout: tell, stderr: tell, stdin: () => 'renewed\n' });
      return said;
    };
    expect(JSON.parse(await renew())).toMatchObject({ id: workspaceId, business_account_id: '900177' });
    const [row] = await listAccounts(ctxOf(workspaceId));
    const { accessToken, appSecret } = await credentialsOf(test.runtime, row?.id ?? 0);
    expect([accessToken, appSecret]).toEqual(['renewed', 'app-secret']);
    await adminJson('workspace', 'update', String(workspaceId), ...account('900178'));
    expect(await renew()).toContain('by --business-account-id: 900177, 900178');
    expect(await renew('--business-account-id', 'none')).toContain('no such business account');
  });

  it('own their business account alone, and nothing is left of a refused one', async () => {
    const first = await adminJson('workspace', 'create', '--name', 'Owner', ...account('900200'));
    expect(await refusal('workspace', 'create', '--name', 'Thief', ...account('900200'))).toContain(
      'already connected to another workspace',
    );
    expect(await test.runtime.db.rows(`SELECT 1 FROM workspaces WHERE name = 'Thief'`)).toEqual([]);
    const stored = await test.runtime.db.row<{ access_token: string }>(
      'SELECT access_token FROM business_accounts WHERE id = $id',
      { id: first['business_account'] },
    );
    expect(stored?.access_token).not.toContain('sandbox-token');
    expect(await credentialsOf(test.runtime, Number(first['business_account']))).toEqual({
      accessToken: 'sandbox-token',
      appSecret: 'app-secret',
    });
    await adminJson(
      `workspace update ${String(first['id'])} --business-account-id 900200 ` +
        '--access-token rotated --app-secret b --verify-token c',
    );
    expect(await credentialsOf(test.runtime, Number(first['business_account']))).toEqual({
      accessToken: 'rotated',
      appSecret: 'b',
    });
  });
});

describe('members, keys and inboxes', () => {
  it('are created, listed, changed and revoked', async () => {
    const workspace = await adminJson('workspace', 'create', '--name', 'Team');
    const id = String(workspace['id']);
    const owner = await adminJson(
      `member create --workspace ${id} --email owner@team.test --role owner --password correct-horse`,
    );
    const agent = await adminJson(
      `member create --workspace ${id} --email agent@team.test --permission chat.view ` + '--permission contact.view',
    );
    expect(owner).not.toHaveProperty('password');
    expect(await refusal('member', 'update', String(owner['id']), '--password', 'password1')).toContain('widely known');
    expect(agent['link']).toMatch(/\/dashboard\/link\/[\w-]{43}\/$/);
    expect((await adminJson('member', 'link', String(agent['id'])))['link']).not.toBe(agent['link']);
    expect(await refusal('member', 'create', '--workspace', id, '--email', 'OWNER@team.test')).toBe(
      'error: email: member with this email already exists.\n',
    );
    expect(await refusal('member', 'create', '--workspace', id, '--email', 'nobody')).toBe(
      'error: email: Enter a valid email address.\n',
    );

    const inbox = await adminJson(
      `inbox create --workspace ${id} --name Support --member ${String(owner['id'])} ` +
        `--member ${String(agent['id'])}`,
    );
    expect(inbox).toMatchObject({ member_ids: [owner['id'], agent['id']], is_default: true });
    expect(await run(inboxOperations, id)).toMatchObject([
      { id: inbox['id'], name: 'Support', member_ids: [owner['id'], agent['id']] },
    ]);
    expect(await run(memberOperations, id)).toMatchObject([
      { email: 'owner@team.test', team_inboxes: [inbox['id']] },
      { email: 'agent@team.test', role: 'agent' },
    ]);

    const key = await adminJson(`key create --workspace ${id} --member ${String(agent['id'])} --name K --scope all`);
    expect(key).toMatchObject({
      name: 'K',
      scopes: ['chat.view', 'contact.view'],
      member_id: agent['id'],
      workspace_id: workspace['id'],
    });
    expect(String(key['api_key'])).toMatch(new RegExp(`^hd_live_${String(key['id'])}_.{43}$`));
    expect(
      await refusal(`key create --workspace ${id} --member ${String(agent['id'])} --name K --scope ticket.view`),
    ).toContain('does not hold the permission ticket.view');
    expect(await authenticateKey(test.runtime, String(key['api_key']), '127.0.0.1')).toMatchObject({
      memberId: agent['id'],
      scopes: new Set(['chat.view', 'contact.view']),
    });
    await adminJson('member', 'update', String(agent['id']), '--permission', 'chat.view');
    expect((await authenticateKey(test.runtime, String(key['api_key']), '127.0.0.1'))?.scopes).toEqual(
      new Set(['chat.view']),
    );
    await adminJson('member', 'update', String(agent['id']), '--active', 'false');
    expect(await authenticateKey(test.runtime, String(key['api_key']), '127.0.0.1')).toBeNull();
    await adminJson('member', 'update', String(agent['id']), '--active', 'true');
    expect(await authenticateKey(test.runtime, String(key['api_key']), '127.0.0.1')).not.toBeNull();
    expect(await adminJson('key', 'revoke', String(key['id']))).toMatchObject({
      id: key['id'],
      revoked_at: expect.any(String) as unknown,
    });
    expect(await authenticateKey(test.runtime, String(key['api_key']), '127.0.0.1')).toBeNull();
  });

  it('cannot reach into another workspace', async () => {
    const one = await adminJson('workspace', 'create', '--name', 'One');
    const two = await adminJson('workspace', 'create', '--name', 'Two');
    const stranger = await adminJson(
      `member create --workspace ${String(two['id'])} --email stranger@two.test --role owner`,
    );
    expect(
      await refusal(
        `key create --workspace ${String(one['id'])} --member ${String(stranger['id'])} ` + '--name K --scope all',
      ),
    ).toContain('object does not exist');
    expect(
      await refusal(`inbox create --workspace ${String(one['id'])} --name I --member ${String(stranger['id'])}`),
    ).toContain('object does not exist');
    expect(await run(inboxOperations, one['id'])).toEqual([]);
    expect(await run(memberOperations, one['id'])).toEqual([]);
  });
});

describe('sync', () => {
  const nothingElse = { flows: 0, flows_gone: 0, products: 0, products_deleted: 0, skipped: [] };

  it('brings numbers and templates, hides what is gone, and announces changes', async () => {
    const workspace = await adminJson('workspace', 'create', '--name', 'Synced', ...account(accountId));
    const id = String(workspace['id']);
    expect(await adminJson('sync', '--workspace', id)).toEqual({
      workspace_id: workspace['id'],
      business_accounts: 1,
      phone_numbers: 2,
      templates: 3,
      templates_deleted: 0,
      ...nothingElse,
    });
    expect(await run(phoneNumberOperations, id)).toMatchObject([
      {
        phone_number_id: '700100',
        msgapp_business_account_id: accountId,
        business_account: workspace['business_account'],
        business_username: 'acme',
        business_username_status: 'approved',
        pin: '',
        quality_rating: 'GREEN',
      },
      {
        phone_number_id: '700101',
        verified_name: 'Acme Two',
        business_username: '',
        code_verification_status: 'VERIFIED',
      },
    ]);
    expect(await test.runtime.db.rows('SELECT throughput_mps FROM phone_numbers ORDER BY phone_number_id')).toEqual([
      { throughput_mps: 1000 },
      { throughput_mps: 80 },
    ]);
    const templates = await run(templateOperations, id);
    expect(templates.map((item) => [item['template_id'], item['status'], item['rejected_reason']])).toEqual([
      ['tpl-3', 'REJECTED', 'INVALID_FORMAT'],
      ['tpl-2', 'PENDING', ''],
      ['tpl-1', 'APPROVED', ''],
    ]);
    expect(await run(templateOperations, id, { category: 'marketing', status: 'approved' })).toMatchObject([
      {
        name: 'welcome',
        msgapp_account_id: accountId,
        business_account_id: accountId,
        components: [{ type: 'BODY', text: 'Hi {{1}}' }],
      },
    ]);

    test.sandbox.account({
      business_account_id: accountId,
      replace: true,
      phone_numbers: [{ id: '700100' }],
      templates: [{ id: 'tpl-2', name: 'code', language: 'en_US', category: 'AUTHENTICATION', status: 'APPROVED' }],
    });
    await test.runtime.db.rows(
      `UPDATE phone_numbers SET stopped_at = now(), stopped_code = 368, stopped_reason = 'x' WHERE workspace_id = $id`,
      { id },
    );
    expect(await adminJson('sync', '--workspace', id)).toMatchObject({
      phone_numbers: 1,
      templates: 1,
      templates_deleted: 2,
      ...nothingElse,
    });
    expect(await run(templateOperations, id)).toMatchObject([{ template_id: 'tpl-2', status: 'APPROVED' }]);
    expect(await run(phoneNumberOperations, id)).toHaveLength(1);
    expect(
      await test.runtime.db.rows(`SELECT 1 FROM phone_numbers WHERE workspace_id = $id AND stopped_at IS NOT NULL`, {
        id,
      }),
    ).toEqual([]);
    expect(
      await test.runtime.db.rows(
        `SELECT kind, changes -> 'status' AS status FROM events WHERE workspace_id = $id AND subject_type = 'template'
          ORDER BY changes #>> '{status,from}'`,
        { id },
      ),
    ).toEqual([
      { kind: 'template_status_changed', status: { from: 'APPROVED', to: 'DELETED' } },
      { kind: 'template_status_changed', status: { from: 'PENDING', to: 'APPROVED' } },
      { kind: 'template_status_changed', status: { from: 'REJECTED', to: 'DELETED' } },
    ]);
  });

  it('lists templates by cursor, forwards and back, whatever the length of their names', async () => {
    const names = ['a', 'b'.repeat(512), 'c', 'd', 'e'];
    test.sandbox.account({
      business_account_id: '900400',
      access_token: 'sandbox-token',
      templates: names.map((name, index) => ({ id: `page-${index}`, name, category: 'UTILITY', status: 'APPROVED' })),
    });
    const workspace = await adminJson('workspace', 'create', '--name', 'Paged', ...account('900400'));
    await adminJson('sync', '--workspace', String(workspace['id']));
    const page = async (cursor: Record<string, string> | null): Promise<Page<Json>> =>
      (await templateOperations[0]?.run(ctxOf(workspace['id']), { page_size: 2, ...cursor })) as Page<Json>;
    const first = await page(null);
    const second = await page(first.next);
    const third = await page(second.next);
    expect([first, second, third].map(({ items }) => items.map((item) => item['name']))).toEqual([
      names.slice(0, 2),
      names.slice(2, 4),
      names.slice(4),
    ]);
    expect([first.previous, third.next, 'count' in first]).toEqual([null, null, false]);
    const back = await page(second.previous);
    expect([back.items, back.previous]).toEqual([first.items, null]);
    for (const v of [7, 'x'.repeat(600), null]) {
      await expect(
        page({ cursor: Buffer.from(JSON.stringify({ o: 'name', v, i: 1 })).toString('base64url') }),
      ).rejects.toThrow('Invalid page.');
    }
  });

  it('says what to do about a missing account and a refused token', async () => {
    const bare = await adminJson('workspace', 'create', '--name', 'Bare');
    expect(await refusal('sync', '--workspace', String(bare['id']))).toContain('has no business account');
    const wrong = await adminJson(
      'workspace create --name Wrong --business-account-id 900300 --access-token no ' +
        '--app-secret a --verify-token b',
    );
    expect(await refusal('sync', '--workspace', String(wrong['id']))).toMatch(
      /The platform refused the request \(code 190\): .*[^.!?]\. Give the account a new token/,
    );
  });

  it('takes each due account once in a while, and goes on after one that fails', async () => {
    await test.runtime.db.rows('UPDATE business_accounts SET synced_at = NULL');
    expect(await syncAllDue(test.runtime)).toBe(2);
    expect(await syncAllDue(test.runtime)).toBe(0);
  });

  it('reads the other accounts of a workspace where the platform refuses one', async () => {
    const { id } = await adminJson('workspace', 'create', '--name', 'Half', ...account('900500'));
    test.sandbox.account({
      business_account_id: '900501',
      access_token: 'sandbox-token',
      phone_numbers: [{ id: '700501' }],
    });
    await adminJson('workspace', 'update', String(id), ...account('900501'));
    test.sandbox.account({ business_account_id: '900500', access_token: 'another-token' });
    expect(await refusal('sync', '--workspace', String(id))).toContain('(code 100)');
    expect(
      await test.runtime.db.rows('SELECT phone_number_id FROM phone_numbers WHERE workspace_id = $id', { id }),
    ).toEqual([{ phone_number_id: '700501' }]);
  });
});
