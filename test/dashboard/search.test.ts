import { createContact } from '../factories/contacts';
import { createCustomer } from '../factories/customers';
import { createTicket } from '../factories/tickets';
import { unique } from '../factories/unique';
import type { TestApi } from '../support/api';
import { dashboardBrowser, expectAccessible, type DashboardBrowser } from '../support/dashboard';
import { sharedDesk } from '../support/sharedDesk';

let desk: TestApi;
let sam: DashboardBrowser;
const mark = `quill${unique()}`;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  const anna = createCustomer(desk.workspace, { name: `Çelik ${mark}` });
  await anna.writes(`My parcel has the word ${mark} on it`);
  for (let index = 0; index < 6; index += 1) await anna.writes(`Answer ${index}`);
  for (let index = 0; index < 6; index += 1) await createContact(desk.workspace, { name: `${mark} ${index}` });
  await createTicket(desk.workspace, { title: `Lost ${mark}` });
  sam = await dashboardBrowser(desk, { name: 'Sam' });
});
afterAll(() => desk.close());

const field = () => sam.page.getByRole('combobox', { name: 'Search people, messages, tickets and pages' });
const option = (name: RegExp) => sam.page.locator('#search-all').getByRole('option', { name });
const groups = (): Promise<string[]> => sam.page.locator('#search-all .search-name').allTextContents();

test('people, words, tickets and pages are found while one types, and opened by keys', async () => {
  const { page } = sam;
  await sam.open('/dashboard/settings/');
  await page.keyboard.press('Control+k');
  await field().waitFor();
  // Without a word the places stand there.
  await option(/^Inbox$/).waitFor();
  await page.keyboard.type(`celik ${mark}`);
  await option(/^Çelik/)
    .first()
    .waitFor();
  await field().fill(mark);
  await option(/^Lost|#\d+ Lost/).waitFor();
  expect(await groups()).toEqual(['People', 'Messages', 'Tickets']);
  await option(/^All people$/).waitFor();
  await expectAccessible(page);
  await sam.picture('search dialog');
  expect(await field().getAttribute('aria-activedescendant')).toBe('search-people-0');
  await page.keyboard.press('ArrowUp');
  expect(await field().getAttribute('aria-activedescendant')).toMatch(/^search-tickets-/);
  await page.keyboard.press('ArrowUp');
  // The words that were found are marked, and the message is in its thread.
  expect(await page.locator('#search-messages-0 mark').textContent()).toBe(mark);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/dashboard\/inbox\/.*at=\d+/);
  await page.getByRole('log').getByText(`My parcel has the word ${mark} on it`).waitFor();
  await page.locator('.is-found .bubble-text').getByText(mark).waitFor();
});

test('a slash opens it outside of fields, and acts and settings are found by their words', async () => {
  const { page } = sam;
  await sam.open('/dashboard/contacts/');
  await page.keyboard.press('/');
  await page.keyboard.type('new broad');
  await option(/^New broadcast$/).waitFor();
  await field().fill('settings memb');
  await option(/Members$/).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/dashboard/members/');
  await page.keyboard.press('/');
  await field().fill('zzzz nothing fits');
  await page.locator('#search-all').getByText('Nothing found').first().waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await page.locator('#search-all').waitFor({ state: 'hidden' });
  expect(sam.problems).toEqual([]);
});

test('a lost line is said in words, and Enter asks again', async () => {
  const { page } = sam;
  await sam.open('/dashboard/contacts/');
  await page.keyboard.press('Control+k');
  await option(/^Inbox$/).waitFor();
  await page.route('**/dashboard/search/**', (route) => route.abort());
  await field().fill(mark);
  await page.getByText('The server cannot be reached. Type on, or press Enter to try again.').waitFor();
  await page.unroute('**/dashboard/search/**');
  await page.keyboard.press('Enter');
  await option(/^Çelik/)
    .first()
    .waitFor();
  expect(page.url()).toMatch(/\/dashboard\/contacts\/$/);
  sam.problems.length = 0;
});

test('without scripts it is a page, and nobody finds what they may not see', async () => {
  const narrow = await dashboardBrowser(desk, { permissions: ['contact.view'], scripts: false });
  await narrow.open('/dashboard/contacts/');
  await narrow.page.getByRole('link', { name: 'Search' }).first().click();
  const box = narrow.page.getByRole('searchbox', { name: 'Search people, messages, tickets and pages' });
  await box.fill(mark);
  await box.press('Enter');
  await narrow.page.getByRole('heading', { name: 'People' }).waitFor();
  expect(await narrow.page.getByRole('heading', { level: 2 }).allTextContents()).toEqual(['People']);
  expect(await narrow.page.locator('.search-hit').first().getAttribute('href')).toMatch(/^\/dashboard\/contacts\//);
  const reader = await dashboardBrowser(desk, { permissions: ['chat.view'], scripts: false });
  await reader.open(`/dashboard/search/?q=${mark}`);
  expect(await reader.page.getByRole('heading', { level: 2 }).allTextContents()).toEqual(['People', 'Messages']);
  await reader.open('/dashboard/search/?q=new');
  expect(await reader.page.getByText('New broadcast').count()).toBe(0);
});

test('a phone has it in its bar, beside what concerns one and the rest of the places', async () => {
  const phone = await dashboardBrowser(desk, { touch: true });
  await phone.open('/dashboard/contacts/');
  const bar = phone.page.getByRole('navigation', { name: 'Places' });
  const visible = bar.locator('.bar-place:visible');
  const names = (await visible.allInnerTexts()).map((text) => text.split('\n')[0]);
  expect(names).toEqual(['Inbox', 'Tickets', 'For me', 'Search', 'More']);
  for (const place of await visible.all()) expect((await place.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  await bar.getByRole('button', { name: 'Search' }).tap();
  await phone.page.locator('#search-all input[name="q"]').fill(mark);
  await phone.page.locator('#search-people-0').tap();
  await phone.page.waitForURL(/\/dashboard\/inbox\//);
  expect(phone.problems).toEqual([]);
});

test('a page can be installed: its manifest and icons are there', async () => {
  await sam.open('/dashboard/contacts/');
  const href = await sam.page.locator('link[rel="manifest"]').getAttribute('href');
  const { headers, body: text } = await desk.anonymous.get<string>(href ?? '');
  const body = JSON.parse(String(text)) as { start_url: string; icons: { src: string; sizes: string }[] };
  expect([headers['content-type'], body.start_url]).toEqual(['application/manifest+json', '/dashboard/']);
  const touch = (await sam.page.locator('link[rel="apple-touch-icon"]').getAttribute('href')) ?? '';
  expect(body.icons.map(({ src }) => src)).toContain(touch);
  for (const { src, sizes } of body.icons) {
    const answer = await fetch(`${desk.url}${src}`);
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect([answer.headers.get('content-type'), `${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`]).toEqual([
      'image/png',
      sizes,
    ]);
  }
});
