import { updateWorkspace } from '../../api/services/identity/workspaces/service';
import { broadcastBody, createBroadcast } from '../factories/broadcasts';
import { createMacro, step } from '../factories/macros';
import { createTicket } from '../factories/tickets';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import {
  counts,
  dashboardBrowser,
  isIdle,
  problemsBeside,
  sends,
  sentTwice,
  type DashboardBrowser,
} from '../support/dashboard';

let desk: TestApi;
let sam: DashboardBrowser;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  await updateWorkspace(desk.workspace.ctx, { ticketing: true });
  sam = await dashboardBrowser(desk);
});
afterEach(() => {
  // A form that is refused is answered so.
  expect(problemsBeside(sam.problems, 422)).toEqual([]);
});
afterAll(() => desk.close());

const question = () => sam.page.getByRole('dialog', { name: 'Leave without saving?' });

test('a form that was changed is not left by a link without a word', async () => {
  const { page } = sam;
  const { id } = await createTicket(desk.workspace, { title: 'Late' });
  await sam.open(`/dashboard/tickets/${id}/?edit=1`);
  const field = page.getByLabel('Description');
  await field.fill('Parcel');
  await page.getByRole('link', { name: 'Inbox' }).click();
  await question().getByRole('button', { name: 'Cancel' }).click();
  expect(page.url()).toContain(`/tickets/${id}/`);
  expect(await field.inputValue()).toBe('Parcel');
  // Another form of the page would lose it as well.
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('button', { name: 'Watch' }).click();
  await question().getByRole('button', { name: 'Cancel' }).click();
  await page.locator('form', { has: field }).getByRole('button', { name: 'Save' }).click();
  await page.getByText('The ticket is saved.').waitFor();
  // Saved, and back to what it was: nothing is asked.
  await sam.open(`/dashboard/tickets/${id}/?edit=1`);
  await field.fill('Other');
  await field.fill('Parcel');
  await page.getByRole('link', { name: 'Inbox' }).click();
  await page.waitForURL('**/dashboard/inbox/');

  await sam.open(`/dashboard/tickets/${id}/`);
  await page.getByLabel('New comment').fill('Half a sentence');
  await page.getByRole('link', { name: 'Inbox' }).click();
  await question().getByRole('button', { name: 'Leave' }).click();
  await page.waitForURL('**/dashboard/inbox/');
});

test('steps of a macro that are saved nowhere yet count as changed, and closing the page asks', async () => {
  const { page } = sam;
  const id = await createMacro(desk.workspace, [step('add_tags', { tags: ['a'] })], 'Close');
  await sam.open(`/dashboard/macros/${id}/`);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await counts(page, '.step', 2);
  await page.getByRole('link', { name: 'Inbox' }).click();
  await question().getByRole('button', { name: 'Cancel' }).click();
  const asked: string[] = [];
  page.once('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  });
  await page.reload();
  expect(asked).toEqual(['beforeunload']);
  expect(await page.locator('.step').count()).toBe(1);
});

test('a form that was refused is not saved either', async () => {
  const { page } = sam;
  await sam.open('/dashboard/contacts/new/');
  await page.getByLabel('Name').fill('Nobody');
  await page.getByLabel('Phone').fill('x');
  await page.getByRole('button', { name: 'Create contact' }).click();
  await page.locator('[aria-invalid]').first().waitFor();
  await page.getByRole('link', { name: 'Inbox' }).click();
  await question().getByRole('button', { name: 'Leave' }).click();
  await page.waitForURL('**/dashboard/inbox/');
});

test('a draft that saves itself is saved before its link is followed, and nothing is asked', async () => {
  const { page } = sam;
  const id = await createBroadcast(desk.workspace, { name: 'Draft' });
  await sam.open(`/dashboard/broadcasts/${id}/`);
  await page.getByLabel('Name', { exact: true }).fill('Renamed');
  await page.getByRole('link', { name: 'Inbox' }).click();
  await page.waitForURL('**/dashboard/inbox/');
  expect((await desk.api.get(`/api/v1/broadcasts/${id}/`)).body['name']).toBe('Renamed');
});

test('a draft whose save failed is saved by the next link, or its loss is asked about', async () => {
  const { page } = sam;
  const id = await createBroadcast(desk.workspace, { name: 'Draft' });
  const name = async () => (await desk.api.get(`/api/v1/broadcasts/${id}/`)).body['name'];
  await sam.open(`/dashboard/broadcasts/${id}/`);
  await page.getByLabel('Name', { exact: true }).fill('First');
  await sends(page, `/broadcasts/${id}/`, () => page.getByLabel('Name', { exact: true }).blur());
  expect(await name()).toBe('First');
  let tried = 0;
  await page.route(`**/broadcasts/${id}/`, async (route) => {
    tried += 1;
    await (tried === 3 ? route.continue() : route.fulfill({ status: 503 }));
  });
  await page.getByLabel('Name', { exact: true }).fill('Second');
  await sends(page, `/broadcasts/${id}/`, () => page.getByLabel('Name', { exact: true }).blur());
  expect(tried).toBe(1);
  await page.getByRole('link', { name: 'Inbox' }).click();
  await question().getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('link', { name: 'Inbox' }).click();
  await page.waitForURL('**/dashboard/inbox/');
  expect([tried, await name()]).toEqual([3, 'Second']);
  expect(problemsBeside(sam.problems.splice(0), 422, 503)).toEqual([]);
});

test('what was typed while a draft was being saved is not put back by the answer', async () => {
  const { page } = sam;
  const id = await createBroadcast(desk.workspace, { name: 'Draft' });
  await sam.open(`/dashboard/broadcasts/${id}/`);
  const name = page.getByLabel('Name', { exact: true });
  await page.route(
    `**/broadcasts/${id}/`,
    async (route) => {
      const response = await route.fetch();
      // As it is in the moment between leaving the field and its own request.
      await name.evaluate((field) => ((field as unknown as { value: string }).value = 'Typed'));
      await route.fulfill({ response });
    },
    { times: 1 },
  );
  const answer = page.waitForResponse(`**/broadcasts/${id}/`);
  await page.getByLabel('{{1}}', { exact: true }).selectOption('phone');
  await answer;
  await isIdle(page);
  expect(await name.inputValue()).toBe('Typed');
  await sends(page, `/broadcasts/${id}/`, () => name.dispatchEvent('change'));
  expect((await desk.api.get(`/api/v1/broadcasts/${id}/`)).body['name']).toBe('Typed');
});

test.each([
  [
    'api-keys/new/',
    'api_keys',
    async () => sam.page.getByRole('checkbox', { name: /contact\.view$/ }).check(),
    'Create the key',
  ],
  [
    'webhooks/new/',
    'webhook_subscriptions',
    async () => {
      await sam.page.getByLabel('Address').fill('https://example.com/hooks');
      await sam.page.getByRole('checkbox', { name: /^All events/ }).check();
    },
    'Create',
  ],
  ['members/new/', 'members', async () => sam.page.getByLabel('Email').fill('new@desk.test'), 'Add the member'],
  [
    'agents/clients/new/',
    'oauth_clients',
    async () => sam.page.getByLabel('Redirect URIs').fill('https://agent.example/callback'),
    'Register',
  ],
] as const)('what %s made is shown once, and a reload makes no second one', async (path, table, fill, button) => {
  const { page } = sam;
  const count = async () =>
    Number(
      (
        await desk.runtime.db.row<{ count: string }>(
          `SELECT count(*) AS count FROM ${table} WHERE workspace_id = $workspaceId`,
          { workspaceId: desk.workspace.id },
        )
      )?.count,
    );
  const before = await count();
  await sam.open(`/dashboard/${path}`);
  const name = page.getByLabel(/^Name/);
  if ((await name.count()) > 0) await name.fill('Shop');
  await fill();
  await page.getByRole('button', { name: button, exact: true }).click();
  await page
    .getByText(/shown this once|is registered/)
    .first()
    .waitFor();
  await page.reload();
  await page.locator('.toast-bad', { hasText: 'This form was sent before.' }).waitFor();
  expect(await count()).toBe(before + 1);
  const kept = await desk.runtime.db.rows<{ body: string }>(
    `SELECT body FROM idempotency_keys WHERE workspace_id = $workspaceId AND path LIKE 'dashboard/%' AND body <> ''`,
    { workspaceId: desk.workspace.id },
  );
  expect(kept).toEqual([]);
});

test('a form that is on its way is not sent again by a second click', async () => {
  const { page } = sam;
  const { id } = await createTicket(desk.workspace, { title: 'Late' });
  await sam.open(`/dashboard/tickets/${id}/`);
  let [sent, letGo] = [0, (): void => undefined];
  const held = new Promise<void>((resolve) => (letGo = resolve));
  await page.route('**/comments/', async (route) => {
    sent += 1;
    await held;
    await route.continue();
  });
  await page.getByLabel('New comment').fill('Called them');
  await page.getByRole('button', { name: 'Comment' }).evaluate(async (button) => {
    (button as unknown as { click(): void }).click();
    await new Promise((resolve) => setTimeout(resolve, 100));
    (button as unknown as { click(): void }).click();
  });
  letGo();
  await page.getByText('The comment is added.').waitFor();
  expect(sent).toBe(1);
});

test('what was sent twice is done once, without scripts too', async () => {
  const { page } = sam;
  const { id } = await createTicket(desk.workspace, { title: 'Late' });
  const { phone_number_id: from, template_id: template } = broadcastBody(desk.workspace);
  const broadcast = { phone_number_id: String(from), template_id: String(template), everybody: 'all' };
  const values = { body_1_source: 'name', body_2_source: 'name' };
  for (const [path, form, fields] of [
    ['tickets/new/', 'main form', { title: 'Twice' }],
    [`tickets/${id}/`, 'form[action$="/comments/"]', { body: 'Twice' }],
    ['broadcasts/new/', '#draft-form', { name: 'Twice', ...broadcast, ...values }],
  ] as const) {
    await sam.open(`/dashboard/${path}`);
    const [first, second] = await sentTwice(page.locator(form), fields);
    expect(first).toMatch(/\/\d+\/(#comment-\d+)?$/);
    expect(second).toBe(first);
  }
});
