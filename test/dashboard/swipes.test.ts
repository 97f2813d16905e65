import type { Page } from 'playwright-core';
import { createCustomer, type TestCustomer } from '../factories/customers';
import type { TestApi } from '../support/api';
import { dashboardBrowser, pageShows, sends, type DashboardBrowser } from '../support/dashboard';
import { sharedDesk } from '../support/sharedDesk';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

const asks = async (name: string): Promise<TestCustomer> => {
  const customer = createCustomer(desk.workspace, { name });
  await customer.writes('Hello?');
  return customer;
};
const stateOf = async ({ handle }: TestCustomer): Promise<unknown> =>
  (await desk.api.get(`/api/v1/conversations/${handle}/`)).body['conv_status'];
const row = (page: Page, { name }: TestCustomer) => page.locator('.conversations li', { hasText: name });

/** Where a row stands still: a page that was not drawn yet hears no finger. */
async function placeOf(page: Page, customer: TestCustomer) {
  await row(page, customer).tap({ trial: true });
  const box = await row(page, customer).boundingBox();
  if (!box) throw new Error('the row is not there');
  return box;
}

/** Puts a finger on a row, moves it so far, and gives what lets it go. */
async function drag(
  { page, context }: DashboardBrowser,
  customer: TestCustomer,
  byX: number,
  byY = 0,
): Promise<() => Promise<void>> {
  const box = await placeOf(page, customer);
  const touch = await context.newCDPSession(page);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const at = (share: number) => [{ x: x + byX * share, y: y + byY * share }];
  await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at(0) });
  for (const share of [0.2, 0.4, 0.6, 0.8, 1])
    await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at(share) });
  return async () => void (await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] }));
}

test.each(['ltr', 'rtl'])(
  'a row is done or snoozed by a swipe (%s), which shows what it does and is taken back',
  async (way) => {
    const [ada, ben] = [await asks(`Ada ${way}`), await asks(`Ben ${way}`)];
    const phone = await dashboardBrowser(desk, { touch: true });
    const { page } = phone;
    const end = way === 'rtl' ? -1 : 1;
    await phone.open('/dashboard/inbox/?view=open');
    await page.evaluate(`document.documentElement.dir = '${way}'`);

    // Let go early, it does nothing.
    const early = await drag(phone, ada, end * 60);
    await page.locator('.is-dragged.is-end:not(.is-far)[data-act="Done"]').waitFor();
    await early();
    await page.locator('.is-dragged').waitFor({ state: 'detached' });
    await pageShows(page, `!document.querySelector('[style*="--swiped"]')`);

    const done = await drag(phone, ada, end * 180);
    await page.locator('.is-far[data-act="Done"]').waitFor();
    await sends(page, '/state/', done);
    await page.locator('.toast').getByText(`${ada.name} is done.`).waitFor();
    await row(page, ada).waitFor({ state: 'detached' });
    expect([await stateOf(ada), await stateOf(ben)]).toEqual(['resolved', 'open']);
    expect(new URL(page.url()).pathname).toBe('/dashboard/inbox/');
    // By mouse: soon after a drawn finger Chromium may take a tap for its end, and click nothing.
    await page.getByRole('button', { name: 'Undo' }).click();
    await row(page, ada).waitFor();
    expect(await stateOf(ada)).toBe('open');

    const snoozed = await drag(phone, ben, end * -180);
    await page.locator('.is-far:not(.is-end)[data-act="Snooze: Tomorrow morning"]').waitFor();
    await sends(page, '/state/', snoozed);
    await page.locator('.toast').getByText('Snoozed until').waitFor();
    expect(await stateOf(ben)).toBe('snoozed');
    expect(phone.problems).toEqual([]);
  },
);

test('up and down the list scrolls, a tap opens, and what is lost lets the row come back', async () => {
  const customer = await asks('Cleo Calm');
  const phone = await dashboardBrowser(desk, { touch: true });
  const { page } = phone;
  await phone.open('/dashboard/inbox/?view=open');
  const letGo = await drag(phone, customer, 60, -140);
  expect(await page.locator('.is-dragged').count()).toBe(0);
  await letGo();
  await page.route('**/state/?*', (route) => route.abort(), { times: 1 });
  await (
    await drag(phone, customer, 180)
  )();
  await page.locator('.toast-bad').waitFor();
  await pageShows(page, `!document.querySelector('[style*="--swiped"]')`);
  expect(await stateOf(customer)).toBe('open');
  // By mouse: soon after a drawn finger Chromium may take a tap for its end, and click nothing.
  await row(page, customer).locator('a').click();
  await page.locator('#open.is-open').waitFor();
});

test('rows swiped one right after the other are all done, and of refused ones each comes back', async () => {
  const customers = [await asks('Quick One'), await asks('Quick Two'), await asks('Quick Three')];
  const phone = await dashboardBrowser(desk, { touch: true });
  const { page } = phone;
  await phone.open('/dashboard/inbox/?view=open&search=Quick');
  const swipeAll = async () => {
    for (const customer of customers) await (await drag(phone, customer, 180))();
  };
  const aside = (count: number) =>
    pageShows(page, `document.querySelectorAll('[style*="--swiped"]').length === ${count}`);
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  await page.route('**/state/?*', async (route) => {
    await held;
    await route.abort();
  });
  await swipeAll();
  await aside(3);
  letGo();
  await aside(0);
  await page.unroute('**/state/?*');
  await swipeAll();
  for (const customer of customers) await row(page, customer).waitFor({ state: 'detached' });
  expect(await Promise.all(customers.map(stateOf))).toEqual(['resolved', 'resolved', 'resolved']);
});

test('a row that is held is selected, and not swiped', async () => {
  const customer = await asks('Hal Held');
  const phone = await dashboardBrowser(desk, { touch: true });
  const { page } = phone;
  await phone.open('/dashboard/inbox/?view=open');
  const box = await placeOf(page, customer);
  const touch = await phone.context.newCDPSession(page);
  const move = (type: 'touchStart' | 'touchMove', byX: number) =>
    touch.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: [{ x: box.x + 100 + byX, y: box.y + 10 }],
    });
  await move('touchStart', 0);
  await page.getByText('1 selected, or').waitFor();
  for (const byX of [40, 80, 120, 180]) await move('touchMove', byX);
  await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  expect(await page.locator('[data-act]').count()).toBe(0);
  expect(await stateOf(customer)).toBe('open');
});

test('a row is not swiped by a mouse, nor by who may not change it', async () => {
  const customer = await asks('Mo Mouse');
  const mouse = await dashboardBrowser(desk, { viewport: { width: 390, height: 844 } });
  await mouse.open('/dashboard/inbox/?view=open');
  const box = await row(mouse.page, customer).boundingBox();
  await mouse.page.mouse.move((box?.x ?? 0) + 100, (box?.y ?? 0) + 10);
  await mouse.page.mouse.down();
  await mouse.page.mouse.move((box?.x ?? 0) + 300, (box?.y ?? 0) + 10, { steps: 5 });
  // What a row says beneath is left at it.
  expect(await mouse.page.locator('[data-act]').count()).toBe(0);
  await mouse.page.mouse.up();

  const reader = await dashboardBrowser(desk, { touch: true, permissions: ['chat.view'] });
  await reader.open('/dashboard/inbox/?view=open');
  const letGo = await drag(reader, customer, 180);
  expect(await reader.page.locator('[data-act]').count()).toBe(0);
  await letGo();
  expect(await stateOf(customer)).toBe('open');
});

test('what is read and written is shown to the customer where two boxes are ticked, and of notes nothing', async () => {
  const lena = await dashboardBrowser(desk, { name: 'Lena Hoffmann' });
  const { page } = lena;
  await lena.open('/dashboard/workspace/');
  for (const name of ['Show customers when their messages are read', 'Show customers “typing…”'])
    await page.getByLabel(name).check();
  await lena.picture('workspace customers see');
  await sends(page, '/workspace/', () => page.getByRole('button', { name: 'Save' }).click());
  const customer = await asks('Rita Read');
  await sends(page, '/read/', () => lena.open(`/dashboard/inbox/${customer.handle}/`));
  const seen = async () => {
    await desk.work();
    const message = [...desk.sandbox.state.messages.values()].findLast(({ direction }) => direction === 'in');
    return [message && 'read_at' in message, message && 'typing_at' in message];
  };
  await page.keyboard.press('n');
  await page.locator('#note').pressSequentially('For us');
  expect(await seen()).toEqual([true, false]);
  await page.keyboard.press('Escape');
  await page.keyboard.press('r');
  await page.locator('#reply:focus').waitFor();
  // The page says every ten seconds by itself that somebody looks.
  await sends(page, '/presence/', () => page.keyboard.type('It'), 'writing');
  expect(await seen()).toEqual([true, true]);
  await lena.open('/dashboard/workspace/');
  expect(await page.getByLabel('Show customers “typing…”').isChecked()).toBe(true);
});
