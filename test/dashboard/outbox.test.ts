import type { Page, Request } from 'playwright-core';
import { createCustomer, type TestCustomer } from '../factories/customers';
import type { TestApi } from '../support/api';
import { dashboardBrowser, holds, pageShows } from '../support/dashboard';
import { sharedDesk } from '../support/sharedDesk';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

async function writing(name: string): Promise<TestCustomer> {
  const customer = createCustomer(desk.workspace, { name });
  await customer.writes('Hello');
  return customer;
}
const sentTo = async ({ handle }: TestCustomer): Promise<string[]> =>
  (
    await desk.api.get<{ results: { direction: string; body: { text: { body: string } } }[] }>(
      `/api/v1/conversations/${handle}/messages/`,
    )
  ).body.results
    .filter(({ direction }) => direction === 'outbound')
    .map(({ body }) => body.text.body)
    .reverse();
const closeWindow = async ({ handle }: TestCustomer): Promise<void> => {
  await desk.runtime.db.rows(
    `WITH v AS (UPDATE conversations SET active_till = now() - interval '1 hour'
       WHERE contact_id = (SELECT id FROM contacts WHERE receiver_id = $handle) RETURNING id)
     UPDATE conversation_windows w SET open_until = now() - interval '1 hour' FROM v WHERE w.conversation_id = v.id`,
    { handle },
  );
};
/** Sends without a line: until it was tried, which the text says by itself from the first moment on. */
const lost = async (page: Page, send: () => Promise<void>): Promise<void> => {
  const isText = (request: Request) => request.method() === 'POST' && request.url().includes('/messages/');
  await Promise.all([page.waitForEvent('requestfailed', isText), send()]);
};
const kept = `Object.keys(localStorage).filter((key) => key.startsWith('outbox ')).length`;

test('a lost line is said at once; texts wait in their place, and go by themselves, once and in order', async () => {
  const [ann, bob] = [await writing('Away Ann'), await writing('Away Bob')];
  const sam = await dashboardBrowser(desk, { name: 'Sam' });
  const { page, context } = sam;
  await sam.open(`/dashboard/inbox/${ann.handle}/?view=all&search=Away`);
  await context.setOffline(true);
  await page.locator('#offline').waitFor();
  for (const text of ['one', 'two']) {
    await page.getByLabel('Reply', { exact: true }).fill(text);
    await page.keyboard.press('Control+Enter');
  }
  const waits = page.locator('#sending').getByText('Waits for the connection').filter({ visible: true });
  await waits.nth(1).waitFor();
  await sam.picture('waits for the connection');
  await page.getByLabel('Reply', { exact: true }).fill('three, begun');
  expect(await sentTo(ann)).toEqual([]);
  await context.setOffline(false);
  await page.locator('#sending li').first().waitFor({ state: 'detached' });
  await page.locator('#offline').waitFor({ state: 'hidden' });
  expect(await sentTo(ann)).toEqual(['one', 'two']);
  await holds(page, '#reply', 'three, begun');
  // In another conversation, through a reload, and after the tab is closed: another one sends it.
  await page.getByRole('link', { name: /Away Bob/ }).click();
  await page.locator('#thread-title', { hasText: 'Away Bob' }).waitFor();
  await page.route('**/messages/?*', (route) => route.abort());
  await page.getByLabel('Reply', { exact: true }).fill('from a tab');
  await page.keyboard.press('Control+Enter');
  await page.locator('#sending').getByText('Waits for the connection').waitFor();
  await page.reload();
  await page.locator('#sending').getByText('from a tab').waitFor();
  await page.close({ runBeforeUnload: false });
  const second = await context.newPage();
  const problems: string[] = [];
  second.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  await second.goto('/dashboard/inbox/');
  await pageShows(second, `${kept} === 0`);
  expect(problems).toEqual([]);
  expect(await sentTo(bob)).toEqual(['from a tab']);
});

test('a refusal on the way back stands at the text, which is tried again or discarded', async () => {
  const cat = await writing('Late Cat');
  const sam = await dashboardBrowser(desk);
  const { page, context } = sam;
  await sam.open(`/dashboard/inbox/${cat.handle}/`);
  await context.setOffline(true);
  await page.getByLabel('Reply', { exact: true }).fill('too late');
  await lost(page, () => page.keyboard.press('Control+Enter'));
  await page.locator('#sending').getByText('Waits for the connection').waitFor();
  await closeWindow(cat);
  await context.setOffline(false);
  await page.locator('#sending').getByText('Not sent.').waitFor();
  await page.locator('#sending').getByText('messaging window is closed').waitFor();
  await sam.picture('refused on the way back');
  await cat.writes('Are you there?');
  await page.getByRole('log').getByText('Are you there?').waitFor();
  await page.locator('#sending').getByRole('button', { name: 'Try again' }).click();
  await page.locator('#sending li').waitFor({ state: 'detached' });
  expect(await sentTo(cat)).toEqual(['too late']);
  await page.locator('#composer[data-mode=text]').waitFor();

  await context.setOffline(true);
  await page.getByLabel('Reply', { exact: true }).fill('not this');
  await lost(page, () => page.keyboard.press('Control+Enter'));
  await page.locator('#sending').getByText('Waits for the connection').waitFor();
  await closeWindow(cat);
  await context.setOffline(false);
  await page.locator('#sending').getByRole('button', { name: 'Discard' }).click();
  await page.locator('#sending li').waitFor({ state: 'detached' });
  await pageShows(page, `${kept} === 0`);
});

test('what can be sent follows the window, however late its answer comes', async () => {
  const eve = await writing('Waiting Eve');
  const sam = await dashboardBrowser(desk);
  const { page } = sam;
  await sam.open(`/dashboard/inbox/${eve.handle}/`);
  const box = page.locator('#composer');
  let release = (): void => undefined;
  const isOpenAgain = new Promise<void>((resolve) => (release = resolve));
  await page.route(/part=composer/, async (route) => {
    await isOpenAgain;
    await route.continue();
  });
  await closeWindow(eve);
  const asked = page.waitForRequest(/part=composer/);
  await desk.api.patch(`/api/v1/conversations/${eve.handle}/`, { is_starred: true });
  await asked;
  await eve.writes('Are you there?');
  await page.locator('#window:not(.is-closed)').waitFor();
  await page.evaluate('void (window.box = document.querySelector("#composer"))');
  release();
  await pageShows(page, 'window.box !== document.querySelector("#composer")');
  expect(await box.getAttribute('data-mode')).toBe('text');
});

/** Sends by the form that is open, without a line, until that was tried. */
const sendForm = async (page: Page, name: string): Promise<void> => {
  await lost(page, () => page.getByRole('button', { name, exact: true }).click());
  await page.locator('#sending').getByText('Waits for the connection').filter({ visible: true }).last().waitFor();
};
const bodiesTo = async ({ handle }: TestCustomer): Promise<Record<string, unknown>[]> =>
  (
    await desk.api.get<{ results: { direction: string; body: Record<string, unknown> }[] }>(
      `/api/v1/conversations/${handle}/messages/`,
    )
  ).body.results
    .filter(({ direction }) => direction === 'outbound')
    .map(({ body }) => body)
    .reverse();

test('a template and a question wait for the line as a text does, each goes once, and a refusal is said', async () => {
  const tea = await writing('Away Tea');
  const sam = await dashboardBrowser(desk);
  const { page, context } = sam;
  const path = `/dashboard/inbox/${tea.handle}/`;
  await sam.open(path);
  await page.getByRole('link', { name: 'Template' }).click();
  await page.getByLabel('Template', { exact: true }).selectOption({ label: 'ticket update · en_US' });
  await page.getByLabel('{{1}}').fill('T-9');
  await page.getByLabel('{{2}}').fill('packed');
  // The server has it, and only its answer is lost.
  let isLost = true;
  await page.route(/\/messages\//, async (route) => {
    if (!isLost) return route.continue();
    await route.fetch();
    await route.abort();
  });
  await sendForm(page, 'Send template');
  await page.locator('#sending').getByText('Your ticket T-9 is now').waitFor();
  await sam.picture('template waits for the connection');
  // What waits is in no field any more, and nothing sends it a second time.
  expect(await page.locator('.template-form').count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Send template' }).isDisabled()).toBe(true);
  isLost = false;
  await page.locator('#sending li').waitFor({ state: 'detached' });
  expect(await bodiesTo(tea)).toEqual([expect.objectContaining({ type: 'template' })]);

  await page.getByRole('link', { name: 'Buttons' }).click();
  await page.getByLabel('Question').fill('Where to?');
  await page.getByLabel(/^Answers/).fill('Home\nShop');
  await context.setOffline(true);
  await sendForm(page, 'Send');
  await page.locator('#sending').getByText('Where to?').waitFor();
  await holds(page, '#choices-body', '');
  await page.getByLabel('Question').fill('And when?');
  await page.getByLabel(/^Answers/).fill('Today');
  await sendForm(page, 'Send');
  await context.setOffline(false);
  await page.locator('#sending li').first().waitFor({ state: 'detached' });
  await pageShows(page, `${kept} === 0`);
  const asked = (await bodiesTo(tea)).slice(1).map(({ interactive }) => (interactive as { body: object }).body);
  expect(asked).toEqual([{ text: 'Where to?' }, { text: 'And when?' }]);

  await page.getByLabel('Question').fill('Too late?');
  await page.getByLabel(/^Answers/).fill('Yes');
  await context.setOffline(true);
  await sendForm(page, 'Send');
  await closeWindow(tea);
  await context.setOffline(false);
  await page.locator('#sending').getByText('messaging window is closed').waitFor();
  await page.locator('#sending').getByRole('button', { name: 'Discard' }).click();
  await pageShows(page, `${kept} === 0`);
  expect(await bodiesTo(tea)).toHaveLength(3);
});

test('a question that others have answered while it waited comes back into its form, under its key', async () => {
  const [tom, kim] = [await writing('Asked Tom'), await dashboardBrowser(desk)];
  const { page, context } = kim;
  await kim.open(`/dashboard/inbox/${tom.handle}/?compose=choices`);
  await page.getByLabel('Question').fill('Still there?');
  await page.getByLabel(/^Answers/).fill('Yes');
  await context.setOffline(true);
  await sendForm(page, 'Send');
  await desk.api.post('/api/v1/messages/', { to: tom.handle, type: 'text', text: { body: 'I was first' } });
  await context.setOffline(false);
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await holds(page, '#choices-body', 'Still there?');
  await pageShows(page, `${kept} === 0`);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('log').getByText('Still there?').waitFor();
  expect((await bodiesTo(tom)).map(({ type }) => type)).toEqual(['text', 'interactive']);
});

test('what waits is gone at sign-out, drafts with it', async () => {
  const dan = await writing('Gone Dan');
  const sam = await dashboardBrowser(desk);
  const { page } = sam;
  await page.route('**/messages/?*', (route) => route.abort());
  await sam.open(`/dashboard/inbox/${dan.handle}/`);
  await page.getByLabel('Reply', { exact: true }).fill('secret');
  await page.keyboard.press('Control+Enter');
  await page.locator('#sending').getByText('Waits for the connection').waitFor();
  await page.getByLabel('Reply', { exact: true }).fill('draft');
  await page.getByRole('button', { name: /^Your account/ }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL('**/sign-in/**');
  expect(await page.evaluate(`[${kept}, sessionStorage.length]`)).toEqual([0, 0]);
});
