import { createCustomer, type TestCustomer } from '../factories/customers';
import type { TestApi } from '../support/api';
import { dashboardBrowser, expectAccessible, holds, pageShows, sends } from '../support/dashboard';
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

async function writing(name: string, ...texts: string[]): Promise<TestCustomer & { readonly wamids: string[] }> {
  const customer = createCustomer(desk.workspace, { name });
  const wamids: string[] = [];
  for (const text of texts) wamids.push(await customer.writes(text));
  return { ...customer, wamids };
}
const sentTo = async ({ handle }: TestCustomer) =>
  (await desk.api.get(`/api/v1/conversations/${handle}/messages/`)).body.results.filter(
    ({ direction }) => direction === 'outbound',
  );

test('by mouse, far away: a sign at once, a reply, a note that keeps what was typed, text and link', async () => {
  const anna = await writing('Menu Mia', 'Where is my *parcel*?', 'Hello?');
  const sam = await dashboardBrowser(desk, { proxy: latency.url });
  const { page } = sam;
  await sam.open(`/dashboard/inbox/${anna.handle}/`);
  await page.locator('.bubble-row').nth(1).waitFor();
  latency.ms = 600;
  const [first] = [page.locator('.bubble-row').first()];
  const menu = page.locator('#message-menu');
  const open = async (): Promise<void> => {
    await first.hover();
    await first.getByRole('link', { name: 'What to do with this message' }).click();
    await menu.waitFor();
  };
  await open();
  await expectAccessible(page);
  await sam.picture('message menu');
  await sends(page, '/react/', async () => {
    await menu.getByRole('button', { name: 'React with 👍' }).click();
    // Before the server has heard of it.
    expect(await first.locator('.reactions').textContent()).toBe('👍');
  });
  expect((await sentTo(anna))[0]?.body).toEqual({
    type: 'reaction',
    reaction: { message_id: anna.wamids[0], emoji: '👍' },
  });
  // The same once more takes it back.
  await page.locator('[data-reacted="👍"]').waitFor({ state: 'attached' });
  await open();
  await sends(page, '/react/', () => menu.getByRole('button', { name: 'React with 👍' }).click());
  expect((await sentTo(anna))[0]?.body).toMatchObject({ reaction: { emoji: '' } });

  await page.keyboard.press('n');
  await page.locator('#note').fill('Begun');
  await open();
  await menu.getByRole('link', { name: 'Quote in a note' }).click();
  await holds(page, '#note', 'Begun\n\n> Where is my parcel?\n\n');

  await open();
  await menu.getByRole('link', { name: 'Reply', exact: true }).click();
  await page.getByText('Answering: Where is my').waitFor();
  await page.getByLabel('Reply', { exact: true }).fill('Tomorrow');
  await sends(page, '/messages/', () => page.keyboard.press('Control+Enter'));
  expect((await sentTo(anna))[0]).toMatchObject({ reply_to_wamid: anna.wamids[0] });

  await sam.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await open();
  await menu.getByRole('button', { name: 'Copy the text' }).click();
  await page.getByText('Copied.').waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe('Where is my parcel?');
  await open();
  await menu.getByRole('link', { name: 'Copy the link' }).click();
  await page.locator('.toast').getByText('Copied.').waitFor();
  const link = String(await page.evaluate('navigator.clipboard.readText()'));
  await page.goto(link);
  await page.locator('.is-found').getByText('Where is my').waitFor();
  expect(sam.problems).toEqual([]);
});

test('by keyboard, and without scripts', async () => {
  const anna = await writing('Menu Max', 'One', 'Two');
  const path = `/dashboard/inbox/${anna.handle}/`;
  const sam = await dashboardBrowser(desk);
  await sam.open(path);
  const more = sam.page.getByRole('link', { name: 'What to do with this message' });
  await more.first().focus();
  await sam.page.keyboard.press('Enter');
  await sam.page.locator('#message-menu:popover-open').waitFor();
  await sam.page.locator('#message-menu :focus').waitFor();
  await sam.page.keyboard.press('Escape');
  await sam.page.locator('#message-menu').waitFor({ state: 'hidden' });
  // What has the focus is seen, its ring with it.
  await sam.page.locator('.reply-to').first().focus();
  await pageShows(sam.page, `getComputedStyle(document.querySelector('.reply-to:focus-visible')).opacity === '1'`);

  const plain = await dashboardBrowser(desk, { scripts: false });
  await plain.open(path);
  await plain.page.getByRole('link', { name: 'What to do with this message' }).last().click();
  await plain.page.locator('.message-acts').getByRole('button', { name: 'React with 🎉' }).click();
  await plain.page.locator('.reactions').getByText('🎉').waitFor();
});

test.each([
  ['by a long press', ''],
  // A busy phone does not come to its timers; how long a finger was there it knows.
  ['by a long press on a busy phone', 'const own = setTimeout; setTimeout = (f, ms) => own(f, ms === 400 ? 1e8 : ms);'],
])('%s', async (_by, script) => {
  const anna = await writing('Menu Mia', 'One', 'Two');
  const { page, context, open } = await dashboardBrowser(desk, { touch: true });
  await context.addInitScript(script);
  await open(`/dashboard/inbox/${anna.handle}/`);
  const bubble = page.locator('.bubble').first();
  // Until it stands still: a page that was not drawn yet hears no finger.
  await bubble.tap({ trial: true });
  const box = await bubble.boundingBox();
  const point = { x: (box?.x ?? 0) + 20, y: (box?.y ?? 0) + 10 };
  const touch = await context.newCDPSession(page);
  await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [point] });
  await page.waitForTimeout(600);
  await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await page.locator('#message-menu:popover-open').waitFor();
  // By mouse: soon after a drawn finger Chromium may take a tap for its end, and click nothing.
  await sends(page, '/react/', () => page.getByRole('button', { name: 'React with 🙏' }).click());
  expect((await sentTo(anna))[0]?.body).toMatchObject({ reaction: { message_id: anna.wamids[0], emoji: '🙏' } });
});
