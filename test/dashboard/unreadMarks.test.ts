import { createCustomer } from '../factories/customers';
import type { TestApi } from '../support/api';
import { dashboardBrowser, expectAccessible, sends, type DashboardBrowser } from '../support/dashboard';
import { startLatency, type Latency } from '../support/latency';
import { sharedDesk } from '../support/sharedDesk';

let desk: TestApi;
let latency: Latency;
beforeAll(async () => {
  [desk, latency] = await Promise.all([sharedDesk('plain'), startLatency()]);
});
afterAll(async () => {
  await latency.close();
  await desk.close();
});

async function begin(name: string, options: Parameters<typeof dashboardBrowser>[1] = {}): Promise<DashboardBrowser> {
  const customer = createCustomer(desk.workspace, { name });
  await customer.writes('Hello');
  const sam = await dashboardBrowser(desk, { proxy: latency.url, ...options });
  latency.ms = 600;
  await sends(sam.page, '/read/', () => sam.open(`/dashboard/inbox/${customer.handle}/?view=all&search=${name}`));
  await readAll(sam);
  return sam;
}
const readAll = ({ page }: DashboardBrowser) => page.locator('.is-unread').waitFor({ state: 'detached' });
const marked = ({ page }: DashboardBrowser) => page.getByRole('img', { name: 'Marked as unread' }).waitFor();

test('by mouse and by key: bold in the list, kept through news, gone as it is opened, taken back', async () => {
  const sam = await begin('Mark');
  const { page } = sam;
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('button', { name: 'Mark as unread' }).click();
  await page.getByText('Marked as unread.').waitFor();
  await marked(sam);
  await expectAccessible(page);
  await sam.picture('marked as unread');
  await sends(page, '/read/', () => page.locator('.conversation').first().click());
  await readAll(sam);
  await page.keyboard.press('Shift+U');
  await marked(sam);
  await sends(page, '/read/', () => page.keyboard.press('z'));
  await readAll(sam);
  expect(sam.problems).toEqual([]);
});

test('by touch, and without scripts', async () => {
  const phone = await begin('Tap', { touch: true });
  await phone.page.getByRole('button', { name: 'More', exact: true }).tap();
  await phone.page.getByRole('button', { name: 'Mark as unread' }).tap();
  await marked(phone);
  const customer = createCustomer(desk.workspace, { name: 'Plain' });
  await customer.writes('Hello');
  const plain = await dashboardBrowser(desk, { scripts: false });
  await plain.open(`/dashboard/inbox/${customer.handle}/?search=Plain`);
  await plain.page.getByRole('button', { name: 'Mark as read' }).press('Enter');
  await plain.page.getByRole('button', { name: 'More', exact: true }).click();
  await plain.page.getByRole('button', { name: 'Mark as unread' }).click();
  await marked(plain);
});

test('several at once', async () => {
  const sam = await begin('Several');
  await sam.page.locator('.pick').first().check();
  await sam.page.locator('#bulk').getByRole('button', { name: 'More' }).click();
  await sam.page.locator('#bulk-more').getByRole('button', { name: 'Mark as unread' }).click();
  await sam.page.getByText('1 marked as unread.').waitFor();
});
