import { allScopes } from '../../api/core/http/access';
import { updateWorkspace } from '../../api/services/identity/workspaces/service';
import { createMember, createSession } from '../factories/members';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { dashboardBrowser, expectAccessible } from '../support/dashboard';

const hostile = `<img src=x onerror="alert(1)">"'</script>`;

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('no sandbox');
});
afterAll(() => desk.close());

test('a key is made with chosen permissions, shown once, works, and is revoked after a question', async () => {
  const sam = await dashboardBrowser(desk);
  await sam.open('/dashboard/api-keys/new/');
  await sam.page.getByLabel('Name').fill(hostile);
  await sam.page.getByRole('button', { name: 'Create the key' }).click();
  await sam.page.locator('.field-error').first().waitFor();
  expect(await sam.page.getByLabel('Name').inputValue()).toBe(hostile);
  for (const name of [/contact\.view$/, /webhook\.manage$/]) await sam.page.getByRole('checkbox', { name }).check();
  await sam.page.getByRole('button', { name: 'Create the key' }).click();
  const key = await sam.page.getByLabel('API key').inputValue();
  await expectAccessible(sam.page);
  await sam.picture('key made');
  await sam.open('/dashboard/api-keys/');
  expect(await sam.page.content()).not.toContain(key);
  expect(await sam.page.locator('main img').count()).toBe(0);
  const revoke = sam.page
    .getByRole('row')
    .filter({ hasText: 'onerror' })
    .getByRole('link', { name: /Revoke/ });
  await revoke.click();
  await sam.page.getByRole('link', { name: 'Cancel' }).click();
  const made = await desk.anonymous.post(
    '/api/v1/webhooks/',
    { url: 'https://example.com/hook', events: ['contact.created'] },
    { authorization: `Token ${key}` },
  );
  expect(made.status).toBe(201);
  await revoke.click();
  await sam.page.getByText('https://example.com/hook').waitFor();
  await sam.page.getByRole('button', { name: 'Revoke' }).click();
  await sam.page.getByText('The key is revoked.').waitFor();
});

test('what a member made is stopped with them, unless the box says otherwise', async () => {
  const leaver = await createMember(desk.workspace, { permissions: ['webhook.manage', 'contact.view'] });
  const api = (await createSession(leaver)).api;
  const hooks = await Promise.all(
    ['one', 'two'].map((name) =>
      api.post('/api/v1/webhooks/', { url: `https://example.com/${name}`, events: ['contact.created'] }),
    ),
  );
  const active = async (): Promise<unknown[]> =>
    Promise.all(
      hooks.map(async ({ body }) => (await desk.api.get(`/api/v1/webhooks/${String(body['id'])}/`)).body['is_active']),
    );
  const sam = await dashboardBrowser(desk);
  const save = async (isActive: boolean, stop: boolean): Promise<void> => {
    await sam.open(`/dashboard/members/${leaver.id}/`);
    const box = sam.page.getByLabel(/^Stop 2 webhooks/);
    expect(await box.isChecked()).toBe(true);
    await box.setChecked(stop);
    await sam.page.getByLabel('Active: may sign in').setChecked(isActive);
    await sam.page.getByRole('button', { name: 'Save' }).click();
    await sam.page.getByText('The member is saved.').waitFor();
  };
  await save(false, false);
  expect(await active()).toEqual([true, true]);
  await save(true, true);
  expect(await active()).toEqual([true, true]);
  await save(false, true);
  expect(await active()).toEqual([false, false]);
});

test('a client is registered, and its secret shown', async () => {
  const sam = await dashboardBrowser(desk);
  await sam.open('/dashboard/agents/');
  await sam.page.getByRole('link', { name: 'Register a client' }).click();
  await sam.page.getByLabel('Name').fill(hostile);
  await sam.page.getByLabel('Redirect URIs').fill('not a uri');
  await sam.page.getByLabel('Type').selectOption('confidential');
  await sam.page.getByRole('button', { name: 'Register', exact: true }).click();
  await sam.page.locator('#field-redirect_uris-error').waitFor();
  await sam.page.getByLabel('Redirect URIs').fill('https://agent.example/callback');
  await sam.page.getByRole('button', { name: 'Register', exact: true }).click();
  expect(await sam.page.getByLabel('Client secret').inputValue()).toMatch(/^mcp_cs_/);
  expect(await sam.page.locator('main img').count()).toBe(0);
});

test('settings of the workspace are saved; what is refused stands beside its field', async () => {
  const sam = await dashboardBrowser(desk);
  await sam.open('/dashboard/workspace/');
  const kept = await sam.page.getByRole('region', { name: 'How long things are kept' }).textContent();
  expect(kept).toMatch(/Audit log\s*365 days[^]*Decided approvals\s*90 days/);
  await sam.page.getByLabel('Time zone').fill('Mars/Olympus');
  await sam.page.getByRole('button', { name: 'Save' }).click();
  await sam.page.locator('#field-timezone-error').waitFor();
  await sam.page.getByLabel('Time zone').fill('Asia/Tokyo');
  await sam.page.getByLabel('Words that opt out').fill(`STOP\n${hostile}`);
  await sam.page.getByRole('button', { name: 'Save' }).click();
  await sam.page.getByText('The settings are saved.').waitFor();
  expect(await sam.page.getByLabel('Words that opt out').inputValue()).toContain(hostile.toUpperCase());
});

test('an admin adds an agent with a link shown once, and takes it back; a session and a password end', async () => {
  const sam = await dashboardBrowser(desk);
  await sam.open('/dashboard/members/new/');
  await sam.page.getByLabel('Email').fill(sam.member.email);
  await sam.page.getByRole('button', { name: 'Add the member' }).click();
  await sam.page.locator('#field-email-error').waitFor();
  await sam.page.getByLabel('Email').fill('new.member@desk.test');
  const ticked = () => sam.page.locator('[name=permissions]:checked').count();
  await sam.page.getByLabel('Tick what is usual for').selectOption('An agent');
  expect(await ticked()).toBe(13);
  await sam.page.getByLabel('Tick what is usual for').selectOption('Somebody who reads along');
  expect(await ticked()).toBe(9);
  await sam.page.getByRole('checkbox', { name: /chat\.view$/ }).check();
  await sam.page.getByRole('button', { name: 'Add the member' }).click();
  const link = await sam.page.getByLabel('Link').inputValue();
  const password = 'nine lives of a cat';
  await sam.open(link);
  await expectAccessible(sam.page);
  await sam.picture('link');
  await sam.page.getByLabel('New password', { exact: true }).fill(password);
  await sam.page.getByLabel('New password again').fill(password);
  await sam.page.getByRole('button', { name: 'Save' }).click();
  await sam.page.getByRole('heading', { name: 'Your password is saved' }).waitFor();
  await sam.open('/dashboard/members/');
  await sam.page.getByRole('row').filter({ hasText: 'new.member' }).getByRole('link', { name: /Edit/ }).click();
  await sam.page.getByLabel('Active: may sign in').uncheck();
  await sam.page.getByRole('button', { name: 'Save' }).click();
  await sam.page.getByText('The member is saved.').waitFor();

  await createSession(sam.member);
  await sam.open('/dashboard/account/');
  await sam.page.getByRole('button', { name: 'End all others' }).click();
  await sam.page.getByText('All other sessions have ended.').waitFor();
  expect(await sam.page.getByText('this one').count()).toBe(1);
  await sam.page.getByLabel('Current password').fill('wrong one');
  await sam.page.getByLabel('New password', { exact: true }).fill('long enough 1');
  await sam.page.getByLabel('New password again').fill('long enough 2');
  await sam.page.getByRole('button', { name: 'Change the password' }).click();
  await sam.page.locator('#field-again-error').waitFor();
});

test('a new member gets the permissions of another one, as far as one may give them', async () => {
  const { member: ann } = await dashboardBrowser(desk, { permissions: ['chat.view', 'ticket.manage'], name: hostile });
  const { member: ola } = await dashboardBrowser(desk, { role: 'owner', name: 'Ola Owner' });
  const sam = await dashboardBrowser(desk);
  const ticked = ({ page }: typeof sam) =>
    page.locator('[name=permissions]:checked').evaluateAll((boxes) => boxes.map((box) => box.getAttribute('value')));
  await sam.open('/dashboard/members/new/');
  await sam.page.getByLabel('Email').fill('copied@desk.test');
  await sam.page.getByLabel('Copy permissions from').selectOption(hostile);
  expect(await ticked(sam)).toEqual(['chat.view', 'ticket.manage']);
  await sam.page.getByLabel('Copy permissions from').selectOption('Ola Owner');
  expect(await ticked(sam)).toHaveLength(allScopes.length - 1);
  await sam.page.getByLabel('Copy permissions from').selectOption(hostile);
  await sam.page.getByRole('button', { name: 'Add the member' }).click();
  await sam.page.getByLabel('Link').waitFor();
  const rows = await desk.runtime.db.rows<{ id: number }>(
    `SELECT id, permissions FROM members WHERE workspace_id = $id AND email = 'copied@desk.test'`,
    { id: desk.workspace.id },
  );
  expect(rows).toMatchObject([{ permissions: ['chat.view', 'ticket.manage'] }]);
  expect(sam.problems).toEqual([]);

  // Without scripts, into the form of one who is there: nothing is saved before they save it.
  const plain = await dashboardBrowser(desk, { scripts: false });
  const own = `/dashboard/members/${rows[0]?.id}/`;
  await plain.open(own);
  await plain.page.getByLabel('Copy permissions from').selectOption('Ola Owner');
  await plain.page.getByRole('button', { name: 'Tick theirs' }).click();
  await plain.page.waitForURL(`**${own}?copy=${ola.id}`);
  const all = await ticked(plain);
  expect(all).toHaveLength(allScopes.length - 1);
  expect(all).not.toContain('billing');
  await plain.open(own);
  expect(await ticked(plain)).toEqual(['chat.view', 'ticket.manage']);
  for (const id of ['x', ann.id]) {
    await plain.open(`${own}?copy=${id}`);
    expect(await ticked(plain)).toEqual(['chat.view', 'ticket.manage']);
  }
});

test('an expired trial shows no buttons, refuses writes, and ends on the plan page', async () => {
  const yesterday = new Date(Date.now() - 86_400_000);
  await updateWorkspace(desk.workspace.ctx, { plan: null, trialEndsAt: yesterday });
  const admin = await dashboardBrowser(desk);
  await admin.open('/dashboard/workspace/');
  await admin.page.getByText('An owner can choose one.').waitFor();
  expect(await admin.page.getByRole('link', { name: /plan/i }).count()).toBe(0);
  const sam = await dashboardBrowser(desk, { permissions: allScopes });
  await sam.open('/dashboard/api-keys/');
  expect(await sam.page.getByRole('link', { name: 'New key' }).count()).toBe(0);
  await sam.open('/dashboard/api-keys/new/');
  await sam.page.getByLabel('Name').fill('Late');
  await sam.page.getByRole('checkbox', { name: /contact\.view$/ }).check();
  await sam.page.getByRole('button', { name: 'Create the key' }).click();
  await sam.page.getByRole('alert').filter({ hasText: 'trial' }).waitFor();
  await sam.page.getByRole('link', { name: 'Choose a plan' }).first().click();
  await sam.page.locator('#confirm').getByRole('button', { name: 'Leave' }).click();
  await sam.page.getByRole('heading', { name: 'Plan', exact: true, level: 1 }).waitFor();
  await sam.page.getByRole('button', { name: 'Choose this plan' }).click();
  await sam.page.getByText('The plan is chosen.').waitFor();
  expect(await sam.page.getByText('has expired').count()).toBe(0);
});
