import type { Page } from 'playwright-core';
import { generateSync } from 'otplib';
import { scopeDescriptions } from '../../api/core/http/access';
import { updateMember } from '../../api/services/identity/members/service';
import { createContact } from '../factories/contacts';
import { createMember, type TestMember } from '../factories/members';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { dashboardBrowser, expectAccessible } from '../support/dashboard';
import { freshCodes } from '../support/factors';

const password = 'nine lives of a cat';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('no sandbox', { hostname: 'localhost' });
});
afterAll(() => desk.close());

/** Gives a browser an authenticator of its own, as a phone or a key has it. */
async function giveAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: { protocol: 'ctap2', transport: 'usb', hasUserVerification: true, isUserVerified: true },
  });
}

async function signIn(page: Page, { email }: TestMember): Promise<void> {
  // An open page that finds itself signed out goes to the sign-in page by itself.
  await page.goto('about:blank');
  await page.context().clearCookies();
  await page.goto('/dashboard/account/');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

const age = (): Promise<unknown> =>
  desk.runtime.db.rows(`UPDATE sessions SET verified_at = now() - interval '11 minutes'`);

test.each([
  ['/dashboard/contacts/', /^contacts-.*csv$/],
  ['/dashboard/reports/', /^conversations-.*csv$/],
  ['/dashboard/audit-log/members/', /^audit-log-.*csv$/],
])('an export of %s asks who does not show who they are any more, and then comes', async (path, name) => {
  const sam = await dashboardBrowser(desk, { role: 'owner' });
  const { page, member } = sam;
  await updateMember(member.ctx, member.id, { password });
  await createContact(desk.workspace);
  await signIn(page, member);
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
  await age();
  await sam.open(path);
  // Of contacts it stands in the menu of the page.
  if (path === '/dashboard/contacts/') await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('link', { name: /Export|^CSV/ }).click();
  await page.getByRole('heading', { name: 'Is it you?' }).waitFor();
  await page.getByLabel('Password').fill(password);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Go on' }).click(),
  ]);
  expect([file.suggestedFilename(), await file.failure()]).toEqual([expect.stringMatching(name), null]);
});

test('a passkey is made, opens the next sign-in, and confirms what matters; another origin cannot use it', async () => {
  const sam = await dashboardBrowser(desk);
  const { page, member } = sam;
  await updateMember(member.ctx, member.id, { password });
  await giveAuthenticator(page);
  await signIn(page, member);
  await page.getByRole('link', { name: 'Add a passkey' }).click();
  await page.getByRole('button', { name: 'Make a passkey' }).click();
  await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
  await expectAccessible(page);

  await signIn(page, member);
  await page.getByRole('heading', { name: 'One more step' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByRole('heading', { name: 'Your account' }).waitFor();

  await age();
  await sam.open('/dashboard/api-keys/new/');
  await page.getByLabel('Name').fill('Shop');
  await page.getByRole('checkbox', { name: /chat\.view$/ }).check();
  await page.getByRole('checkbox', { name: /contact\.view$/ }).check();
  await page.getByRole('button', { name: 'Create the key' }).click();
  await page.getByRole('heading', { name: 'Is it you?' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByRole('heading', { name: 'Your new key' }).waitFor();
  const scopes = [scopeDescriptions['chat.view'], scopeDescriptions['contact.view']];
  expect(await page.getByText(scopes.map((text) => text.replace(/\.$/, '')).join(' · ')).count()).toBe(1);

  await age();
  await sam.open('/dashboard/workspace/');
  await page.getByLabel('Everybody proves a second factor').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByText('The settings are saved.').waitFor();
  expect(await page.getByLabel('Everybody proves a second factor').isChecked()).toBe(true);

  // What a page at another address gets out of the same key is worth nothing here.
  await age();
  await sam.open('/dashboard/verify/');
  const answer = (await page.evaluate(`(async () => {
    const options = JSON.parse(document.querySelector('[data-passkey]').dataset.passkey);
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
    return JSON.parse(JSON.stringify(await navigator.credentials.get({ publicKey })));
  })()`)) as { response: { clientDataJSON: string } };
  const data = JSON.parse(Buffer.from(answer.response.clientDataJSON, 'base64url').toString()) as object;
  const forged = { ...data, origin: 'http://localhost:1' };
  answer.response.clientDataJSON = Buffer.from(JSON.stringify(forged)).toString('base64url');
  const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  const api = desk.anonymous.with({ cookie, authorization: '' });
  const confirm = '/api/v1/sessions/confirm/';
  expect((await api.post(confirm, { passkey: answer })).status).toBe(400);
  // And an answer works once: its challenge is gone with the first try.
  answer.response.clientDataJSON = Buffer.from(JSON.stringify(data)).toString('base64url');
  expect((await api.post(confirm, { passkey: answer })).status).toBe(400);
});

test('a workspace that demands a factor leads to setting one up at sign-in, without scripts', async () => {
  await desk.runtime.db.rows('UPDATE workspaces SET require_factor = true WHERE id = $id', { id: desk.workspace.id });
  const sam = await dashboardBrowser(desk, { scripts: false });
  const member = await createMember(desk.workspace, { role: 'admin' });
  await updateMember(member.ctx, member.id, { password });
  const { page } = sam;
  await signIn(page, member);
  await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor();
  const code = async (): Promise<string> =>
    generateSync({ secret: await page.locator('code').first().innerText(), epoch: Math.floor(Date.now() / 1_000) });
  await page.getByLabel('The code that the app shows').fill('000000');
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.locator('#error').waitFor();
  await page.getByLabel('The code that the app shows').fill(await code());
  await page.getByRole('button', { name: 'Go on' }).click();
  const recovery = await page.locator('.codes code').first().innerText();
  await page.getByRole('link', { name: 'I have kept them' }).click();
  await page.getByRole('heading', { name: 'Your account' }).waitFor();

  await freshCodes(desk.runtime);
  await signIn(page, member);
  await page.getByLabel(/^Code of your authenticator/).fill(recovery);
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByText('9 left').waitFor();

  await age();
  await sam.open('/dashboard/audit-log/members/export/');
  await page.getByRole('heading', { name: 'Is it you?' }).waitFor();
});
