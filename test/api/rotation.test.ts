import { randomBytes } from 'node:crypto';
import { loadConfig } from '../../api/core/config';
import { createRuntime, type Runtime } from '../../api/core/runtime';
import { stepOfCode } from '../../api/services/identity/factors/totp';
import { providerOf, setDomain, updateSso } from '../../api/services/identity/sso/service';
import { credentialsOf } from '../../api/services/resources/accounts/service';
import { openTarget } from '../../api/services/resources/notices/service';
import { signingSecrets } from '../../api/services/resources/webhooks/secrets';
import { createMember, createSession } from '../factories/members';
import { uniquePhone } from '../factories/unique';
import { pushSubscription } from '../factories/writeSamples';
import { startApi, type TestApi } from '../support/api';
import { adminJson } from '../support/cli';
import { addApp } from '../support/factors';
import { startReplicas } from '../support/replicas';

type Json = Record<string, unknown>;

let desk: TestApi;
beforeAll(async () => {
  desk = await startApi();
});
afterAll(() => desk.close());

/** Asks one of several processes. */
async function ask(origin: string | undefined, path: string, body: Json): Promise<Json> {
  const answer = await fetch(`${origin}/api/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${desk.workspace.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const json = (await answer.json()) as Json;
  if (!answer.ok) throw new Error(JSON.stringify(json));
  return json;
}

/** The access token of the workspace's account, as a process opens it. */
async function tokenOf(runtime: Runtime): Promise<string> {
  const account = await runtime.db.row<{ id: number }>('SELECT id FROM business_accounts');
  return (await credentialsOf(runtime, account?.id ?? 0)).accessToken;
}

async function leavesOptedOut(): Promise<{ phone: string; digits: string }> {
  const phone = uniquePhone();
  const digits = phone.replace(/\D/g, '');
  await desk.api.post('/api/v1/contacts/', { phone, marketing_opt_out: true });
  expect((await desk.api.delete(`/api/v1/contacts/${digits}/`)).status).toBe(204);
  return { phone, digits };
}

it('several processes that meet the first opt-out at once agree on the key of the marks', async () => {
  const { db } = desk.runtime;
  const before = await db.row<{ mark_key: string }>('SELECT mark_key FROM installation');
  await db.rows('DELETE FROM opt_out_marks');
  await db.rows('UPDATE installation SET mark_key = NULL');
  const key = String(desk.test.env['SECRETS_KEY']);
  const origins = await startReplicas(desk, 4, { SECRETS_KEY: key });
  const people = origins.map(() => uniquePhone());
  await Promise.all(people.map((phone, index) => ask(origins[index], 'contacts/', { phone, marketing_opt_out: true })));
  for (const [index, phone] of people.entries()) {
    await fetch(`${origins[index]}/api/v1/contacts/${phone.replace(/\D/g, '')}/`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${desk.workspace.token}` },
    });
    expect(await ask(origins[(index + 1) % 4], 'contacts/', { phone })).toMatchObject({ marketing_opt_out: true });
  }
  // This process knows the key that was there before.
  await db.rows('DELETE FROM opt_out_marks');
  await db.rows('UPDATE installation SET mark_key = $mark_key', { ...before });
});

it('a running process takes the token that an operator has put in, at the next call', async () => {
  const { workspace, runtime } = desk;
  expect(await tokenOf(runtime)).toBe(workspace.account.accessToken);
  await adminJson(desk.test, 'workspace', 'update', String(workspace.id), '--access-token', 'another token');
  expect(await tokenOf(runtime)).toBe('another token');
});

it('after a rotation nothing needs the old key, and who had opted out is still known', async () => {
  const { workspace, test } = desk;
  const [comesBack, isImported] = [await leavesOptedOut(), await leavesOptedOut()];
  const hook = { url: 'https://example.com/hook', events: ['*'] };
  const { body: subscription } = await workspace.api.post('/api/v1/webhooks/', hook);
  const member = await createMember(workspace);
  await setDomain(workspace.ctx, 'green.example');
  await updateSso(workspace.ctx, {
    issuer: 'https://login.example/',
    client_id: 'desk',
    client_secret: 'of the client',
  });
  const { api } = await createSession(member);
  const app = await addApp(api);
  await api.post('/api/v1/push-subscriptions/', pushSubscription('rotated'));
  const opens = (runtime: Runtime): Promise<void> => expect(tokenOf(runtime)).resolves.toBe(token);
  const token = await tokenOf(desk.runtime);

  const [fresh, old] = [randomBytes(32).toString('base64'), String(test.env['SECRETS_KEY'])];
  const during = { env: { ...test.env, SECRETS_KEY: `${fresh},${old}` } };
  const both = createRuntime(loadConfig(during.env), 'test', { logger: desk.runtime.logger });
  await opens(both);
  expect(await adminJson(during, 'secrets', 'rotate')).toEqual({
    accounts: 1,
    webhooks: 1,
    authenticators: 1,
    sso: 1,
    browsers: 1,
  });
  // A process that has opened the account's token already meets it sealed anew.
  await opens(both);
  await both.close();

  const [later] = await startReplicas(desk, 1, { SECRETS_KEY: fresh });
  const newOnly = loadConfig({ ...test.env, SECRETS_KEY: fresh });
  const after = createRuntime(newOnly, 'test', { logger: desk.runtime.logger });
  await opens(after);
  const factor = await after.db.models.Factor.findOne({ where: { kind: 'totp' }, raw: true });
  expect(await stepOfCode(after, member.id, factor?.secret ?? '', app.code())).not.toBeNull();
  expect(await providerOf({ runtime: after, workspaceId: workspace.id })).toMatchObject({
    clientSecret: 'of the client',
  });
  const browser = await after.db.models.PushSubscription.findOne({ raw: true });
  expect(browser && openTarget(after, browser).endpoint).toContain('/rotated');
  await after.close();
  const row = await desk.runtime.db.models.WebhookSubscription.findByPk(Number(subscription['id']));
  expect(row && signingSecrets(newOnly, row, new Date())).toEqual([subscription['secret']]);

  expect(await ask(later, 'contacts/', { phone: comesBack.phone })).toMatchObject({ marketing_opt_out: true });
  expect(await ask(later, 'contacts/bulk/', { contacts: [{ receiver_id: isImported.phone }] })).toMatchObject({
    created: 1,
  });
  const { body } = await desk.api.get(`/api/v1/contacts/${isImported.digits}/`);
  expect(body['marketing_opt_out']).toBe(true);
  expect(await ask(later, 'contacts/', { phone: uniquePhone() })).toMatchObject({ marketing_opt_out: false });

  // Nothing in the database is sealed with the old key, wherever it stands.
  const sealed = /v2\.([0-9a-f]{8})\./g;
  const tables = await desk.runtime.db.rows<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')",
  );
  const kids = new Set<string | undefined>();
  for (const { name } of tables)
    for (const { text } of await desk.runtime.db.rows<{ text: string }>(`SELECT t::text AS text FROM ${name} t`))
      for (const match of text.matchAll(sealed)) kids.add(match[1]);
  expect(kids.size).toBe(1);
});
