import { sendMail } from '../../api/services/identity/members/mailing';
import { broadcastBody } from '../factories/broadcasts';
import { createMember, createSession, type TestSession } from '../factories/members';
import { pushSubscription } from '../factories/writeSamples';
import { connect, registerClient, tryMcp } from '../oauth/support';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { dashboardBrowser, expectAccessible, type DashboardBrowser } from '../support/dashboard';
import { startMail, type MailServer } from '../support/mail';

type Json = Record<string, unknown>;

let desk: TestApi;
let mail: MailServer;
beforeAll(async () => {
  mail = await startMail();
  desk = await sharedDesk('plain', { hostname: 'localhost', env: { SMTP_URL: mail.url } });
});
afterAll(async () => {
  await desk.close();
  await mail.close();
});

/** The thief's browser: it has the cookie, and nothing else of the member. */
async function thiefOf(victim: DashboardBrowser, { token }: TestSession) {
  const browser = victim.context.browser();
  if (!browser) throw new Error('the browser is gone');
  const context = await browser.newContext({ baseURL: desk.url });
  await context.addCookies([{ name: 'token', value: token, url: desk.url }]);
  return context.newPage();
}

test('a stolen session: what its thief makes in an hour is told, and one click ends it', async () => {
  const lena = await dashboardBrowser(desk, { name: 'Lena' });
  const stolen = await createSession(lena.member);
  const thief = await thiefOf(lena, stolen);

  // Without a proof of the last ten minutes it opens no way out.
  await desk.runtime.db.rows(`UPDATE sessions SET verified_at = now() - interval '11 minutes'`);
  const fillWebhook = async (): Promise<void> => {
    await thief.goto('/dashboard/webhooks/new/');
    await thief.getByLabel('Address').fill('https://thief.example/steal');
    await thief.getByRole('checkbox').first().check();
    await thief.getByRole('button', { name: 'Create' }).click();
  };
  await fillWebhook();
  await thief.getByRole('heading', { name: 'Is it you?' }).waitFor();
  expect((await stolen.api.get('/api/v1/webhooks/')).body).toEqual([]);
  const asked = { status: 403, headers: { 'x-error-code': 'reauthentication_required' } };
  expect(
    await stolen.api.post('/api/v1/oauth-clients/', { name: 'X', redirect_uris: ['https://x.example/'] }),
  ).toMatchObject(asked);

  // With one, for a while.
  await desk.runtime.db.rows(`UPDATE sessions SET verified_at = now()`);
  await fillWebhook();
  await thief.getByRole('heading', { name: 'The subscription is made' }).waitFor();
  const made = await Promise.all([
    stolen.api.post('/api/v1/api-keys/', { name: 'Thief key', scopes: ['contact.view'] }),
    stolen.api.post('/api/v1/oauth-clients/', { name: 'Thief app', redirect_uris: ['https://thief.example/cb'] }),
    stolen.api.post('/api/v1/push-subscriptions/', pushSubscription('thief')),
  ]);
  expect(made.map(({ status }) => status)).toEqual([201, 201, 201]);
  const key = desk.anonymous.with({ authorization: `Bearer ${String(made[0].body['api_key'])}` });
  const mine = { workspace: desk.workspace, member: lena.member };
  const agent = await connect(desk, await registerClient(desk.workspace), { ...stolen, ...mine });
  const scheduled_at = new Date(Date.now() + 86_400_000).toISOString();
  const { body: planned } = await stolen.api.post(
    '/api/v1/broadcasts/',
    broadcastBody(desk.workspace, { name: 'Thief news' }),
  );
  expect(planned).toMatchObject({ status: 'draft' });
  const broadcast = `/api/v1/broadcasts/${String(planned['id'])}/`;
  expect((await stolen.api.post(`${broadcast}confirm/`, { scheduled_at })).body).toMatchObject({ status: 'scheduled' });
  const exported = await thief.request.get('/dashboard/contacts/export/');
  expect(exported.status()).toBe(200);

  // Lena and the owner are told, in open pages and by mail.
  const owner = (await createSession(desk.workspace.owner)).api;
  const words = async (api: typeof owner): Promise<string> => JSON.stringify((await api.get('/api/v1/notices/')).body);
  const told = [
    'A webhook was made',
    'An API key was made',
    'An application was registered',
    'An agent was connected',
    'Contacts were exported',
  ];
  for (const what of told) {
    expect(await words(owner)).toContain(`${what}: Lena`);
    expect(await words(desk.anonymous.with({ cookie: `token=${lena.token}` }))).toContain(`${what}: Lena`);
  }
  while (await sendMail(desk.runtime));
  for (const to of [lena.member.email, desk.workspace.owner.email]) {
    const texts = mail.mails.filter((one) => one.to === to).map(({ text }) => text);
    expect(texts).toHaveLength(1);
    for (const what of [...told, '/dashboard/rescue/']) expect(texts[0]).toContain(what);
  }

  // One click.
  await lena.open('/dashboard/rescue/');
  const { page } = lena;
  for (const name of [
    'Webhook: https://thief.example/steal',
    'API key: Thief key',
    'Application: Thief app',
    'Agent: ',
    'Scheduled broadcast: Thief news',
  ])
    expect(await page.getByRole('checkbox', { name: new RegExp(name.replaceAll('/', '\\/')) }).isChecked()).toBe(true);
  await expectAccessible(page);
  // What is made while she reads ends, too.
  await stolen.api.post('/api/v1/api-keys/', { name: 'Late key', scopes: ['contact.view'] });
  await page.getByRole('button', { name: 'End what is ticked' }).click();
  await page.getByText('Choose a new password, too.').waitFor();
  expect((await stolen.api.get('/api/v1/sessions/')).status).toBe(401);
  expect((await key.get('/api/v1/contacts/')).status).toBe(401);
  expect(await tryMcp(desk, agent.access)).toBe(401);
  expect((await owner.get(broadcast)).body).toMatchObject({ status: 'draft' });
  const { body: webhooks } = await owner.get<Json[]>('/api/v1/webhooks/');
  expect(webhooks.map(({ is_active }) => is_active)).toEqual([false]);
  const { body: clients } = await owner.get<Json[]>('/api/v1/oauth-clients/');
  expect(clients.find(({ name }) => name === 'Thief app')?.['disabled_at']).not.toBeNull();
  const left = await desk.runtime.db.rows('SELECT 1 FROM api_keys WHERE member_id = $id AND revoked_at IS NULL', {
    id: lena.member.id,
  });
  expect(left).toEqual([]);
  const pushes = await desk.runtime.db.rows(
    'SELECT 1 FROM push_subscriptions p JOIN sessions s ON s.id = p.session_id WHERE s.member_id = $id',
    { id: lena.member.id },
  );
  expect(pushes).toEqual([]);
  expect((await desk.anonymous.with({ cookie: `token=${lena.token}` }).get('/api/v1/sessions/')).status).toBe(200);
  expect(lena.problems).toEqual([]);
});

test('what is not ticked goes on', async () => {
  const sam = await dashboardBrowser(desk, { name: 'Sam' });
  const { api } = await createSession(sam.member);
  await api.post('/api/v1/api-keys/', { name: 'Shop', scopes: ['contact.view'] });
  await api.post('/api/v1/api-keys/', { name: 'Other', scopes: ['contact.view'] });
  await sam.open('/dashboard/rescue/');
  await sam.page.getByRole('checkbox', { name: /API key: Shop/ }).uncheck();
  await sam.page.getByRole('button', { name: 'End what is ticked' }).click();
  await sam.page.getByText('Choose a new password, too.').waitFor();
  const kept = await desk.runtime.db.rows<Json>(
    'SELECT name FROM api_keys WHERE member_id = $id AND revoked_at IS NULL',
    { id: sam.member.id },
  );
  expect(kept).toEqual([{ name: 'Shop' }]);
  // Nobody ends what is another member's.
  const other = await createSession(await createMember(desk.workspace, { role: 'admin' }));
  expect((await other.api.post('/api/v1/rescue/', {})).body).toEqual({ ended: [] });
});
