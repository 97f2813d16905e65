import type { Page, Route } from 'playwright-core';
import { updateWorkspace } from '../../api/services/identity/workspaces/service';
import { createContact } from '../factories/contacts';
import { createCustomer } from '../factories/customers';
import { createPipeline, createTicket } from '../factories/tickets';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { dashboardBrowser, type DashboardBrowser } from '../support/dashboard';
import { startReceiver } from '../support/receiver';

let desk: TestApi;
let anna: DashboardBrowser;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  await updateWorkspace(desk.workspace.ctx, { ticketing: true });
  anna = await dashboardBrowser(desk, { name: 'Anna' });
});
afterEach(() => {
  expect(anna.problems).toEqual([]);
});
afterAll(() => desk.close());

/** Tells a page that something changed, as its stream does. */
const tell = (page: Page, news: object): Promise<unknown> =>
  page.evaluate(`document.dispatchEvent(new CustomEvent('live', { detail: ${JSON.stringify(news)} }))`);

/** Tells a page that something changed, and holds the answer until it is let go. */
async function heldRefresh(page: Page, path: string, news: object): Promise<{ letGo(): Promise<void> }> {
  const held = new Promise<Route>((resolve) => {
    void page.route(
      (url) => url.pathname === path,
      (route) => resolve(route),
      { times: 1 },
    );
  });
  await tell(page, news);
  const route = await held;
  return {
    async letGo() {
      // htmx settles 20 ms after the answer: a later timer of the page comes after that.
      const shown = page.evaluate(
        `new Promise((resolve) => document.addEventListener('htmx:afterRequest', () => setTimeout(resolve, 50),` +
          ` { once: true }))`,
      );
      await route.continue();
      await shown;
    },
  };
}

async function board(): Promise<{ path: string; ids: number[]; stages: number[] }> {
  const { id, stages } = await createPipeline(desk.workspace, ['New', 'Waiting', 'Done']);
  const ids = [];
  for (const title of ['Late parcel', 'Wrong size'])
    ids.push((await createTicket(desk.workspace, { title, pipeline: id })).id);
  return { path: `/dashboard/tickets/?pipeline=${id}`, ids, stages: stages.map((stage) => stage.id) };
}

/** Opens a changed conversation in a page whose stream says nothing: the only news are those that a test tells. */
async function openSilently(): Promise<{ path: string; id: number }> {
  const customer = createCustomer(desk.workspace);
  await customer.writes('Hello');
  await anna.page.route('**/dashboard/live/**', (route) =>
    route.fulfill({ contentType: 'text/event-stream', body: 'retry: 3000\n\n' }),
  );
  const path = `/dashboard/inbox/${customer.handle}/`;
  await anna.open(path);
  const api = `/api/v1/conversations/${customer.handle}/`;
  const { id } = (await desk.api.get<{ id: number }>(api)).body;
  await desk.api.patch(api, { priority: 'urgent' });
  return { path, id };
}

const focused = (page: Page) => page.evaluate('document.activeElement.textContent.trim()');

test('a choice from the list of stages counts, whatever news comes while it is open', async () => {
  const { page } = anna;
  const { path, ids, stages } = await board();
  await anna.open(path);
  const card = page.getByRole('link', { name: 'Late parcel' });
  await card.focus();
  const refresh = await heldRefresh(page, '/dashboard/tickets/', { type: 'ticket', id: ids[1] });
  await card.press('m');
  await page.getByRole('dialog', { name: 'Move to' }).waitFor();
  await refresh.letGo();
  await anna.picture('tickets board menu');
  await page.getByRole('button', { name: 'Done', exact: true }).click();
  await page.locator(`[data-stage="${stages[2]}"] #ticket-${ids[0]}`).waitFor();
  await page.locator(':focus', { hasText: /^\s*Late parcel\s*$/ }).waitFor();
});

test('news that came while the list of stages was open shows when it is closed', async () => {
  const { page } = anna;
  const { path, ids, stages } = await board();
  await anna.open(path);
  await page.getByRole('link', { name: 'Late parcel' }).press('m');
  await desk.api.patch(`/api/v1/tickets/${ids[1]}/`, { stage: stages[1] });
  await tell(page, { type: 'ticket', id: ids[1] });
  await page.keyboard.press('Escape');
  await page.locator(`[data-stage="${stages[1]}"] #ticket-${ids[1]}`).waitFor();
  expect(await focused(page)).toBe('Late parcel');
});

test('the focus stays where the arrow keys put it while the board is asked for anew', async () => {
  const { page } = anna;
  const { path, ids } = await board();
  await anna.open(path);
  const card = page.getByRole('link', { name: 'Late parcel' });
  await card.focus();
  const before = await focused(page);
  const refresh = await heldRefresh(page, '/dashboard/tickets/', { type: 'ticket', id: ids[1] });
  await page.keyboard.press('ArrowDown');
  if ((await focused(page)) === before) await page.keyboard.press('ArrowUp');
  expect(await focused(page)).toBe('Wrong size');
  await refresh.letGo();
  expect(await focused(page)).toBe('Wrong size');
});

test('a second step that is pressed before the first is stored counts from there', async () => {
  const { page } = anna;
  const { path, ids, stages } = await board();
  await anna.open(path);
  const moving = new Promise<Route>((resolve) => {
    void page.route('**/dashboard/tickets/move/', resolve, { times: 1 });
  });
  await page.getByRole('link', { name: 'Late parcel' }).press('Shift+ArrowRight');
  const route = await moving;
  await page.keyboard.press('Shift+ArrowRight');
  await route.continue();
  await page.locator(`[data-stage="${stages[2]}"] #ticket-${ids[0]}`).waitFor();
});

test('a menu of a conversation stays open, and what changed meanwhile shows when it is closed', async () => {
  const { page } = anna;
  const { path, id } = await openSilently();
  const refresh = await heldRefresh(page, path, { type: 'conversation', id });
  await page.keyboard.press('s');
  await page.locator('#snooze:popover-open').waitFor();
  await refresh.letGo();
  expect(await page.locator('#snooze:popover-open').count()).toBe(1);
  await anna.picture('inbox menu');
  await page.keyboard.press('Escape');
  await page.locator('.thread-state').getByText('urgent').waitFor();
  await page.unroute('**/dashboard/live/**');
});

test('what changed shows after a menu was open, too, where it was asked for behind another request', async () => {
  const { page } = anna;
  const reading = new Promise<Route>((resolve) => {
    void page.route('**/read/', resolve, { times: 1 });
  });
  const { path, id } = await openSilently();
  const read = await reading;
  const asked = new Promise<Route>((resolve) => {
    void page.route((url) => url.pathname === path, resolve, { times: 1 });
  });
  await tell(page, { type: 'conversation', id });
  await page.keyboard.press('s');
  await page.locator('#snooze:popover-open').waitFor();
  await read.continue();
  const thread = await asked;
  const answered = page.waitForResponse((answer) => answer.url().includes('part=thread'));
  await thread.continue();
  await answered;
  await page.keyboard.press('Escape');
  await page.locator('.thread-state').getByText('urgent').waitFor();
  await page.unroute('**/dashboard/live/**');
});

test('what is open and focused in the log of a webhook stays so while the log follows its deliveries', async () => {
  const { page } = anna;
  const receiver = await startReceiver();
  try {
    const { id } = (
      await desk.api.post<{ id: number }>('/api/v1/webhooks/', { url: receiver.url, events: ['contact.created'] })
    ).body;
    await createContact(desk.workspace);
    await desk.work();
    // While an attempt is to come, the log follows.
    receiver.answer = () => ({ status: 500 });
    await createContact(desk.workspace);
    await desk.work();
    const log = page.getByRole('region', { name: 'Log', exact: true });
    await anna.open(`/dashboard/webhooks/${id}/`);
    expect(await log.locator('tbody tr').count()).toBe(2);
    expect(await log.getByText('delivered', { exact: true }).count()).toBe(1);
    const row = log.locator('tr', { hasText: 'delivered' });
    const name = await row.getAttribute('id');
    await row.getByText('Id', { exact: true }).click();
    await row.getByRole('button', { name: /^Send again/ }).focus();
    await createContact(desk.workspace);
    await desk.work();
    await log.locator('tbody tr').nth(2).waitFor();
    expect(await page.locator(`#${name} details[open]`).count()).toBe(1);
    expect(await page.evaluate(`document.activeElement.closest('tr')?.id`)).toBe(name);
  } finally {
    await receiver.close();
  }
});
