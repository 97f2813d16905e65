import type { Locator } from 'playwright-core';
import { createCustomer, insertEarlier, type TestCustomer } from '../factories/customers';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { counts, dashboardBrowser, pageShows } from '../support/dashboard';
import { eventually } from '../support/eventually';
import { startLatency, type Latency } from '../support/latency';

let desk: TestApi;
let latency: Latency;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  latency = await startLatency();
});
beforeEach(() => {
  latency.ms = 0;
});
afterAll(async () => {
  await desk.close();
  await latency.close();
});

/** Makes a thread that is longer than a screen: the customer's newest message, and those before it. */
async function longThread(name: string, before: number): Promise<TestCustomer> {
  const customer = createCustomer(desk.workspace, { name });
  await customer.writes('The newest');
  await insertEarlier(desk.workspace, customer.handle, before);
  return customer;
}

const topOf = async (row: Locator): Promise<number> => (await row.boundingBox())?.y ?? NaN;

test('what one reads stays in its place when more comes above it or below it; what is new is told', async () => {
  const rita = await longThread('Reading Rita', 120);
  const { page, open, problems } = await dashboardBrowser(desk);
  await open(`/dashboard/inbox/${rita.handle}/`);
  const told = page.locator('#new-messages');
  const oldest = page.getByText('Before 29', { exact: true });
  await oldest.waitFor();
  // Those before are asked for where their link comes into sight.
  await page.locator('#messages').evaluate((box) => box.scrollTo({ top: -box.scrollHeight }));
  const place = await topOf(oldest);
  // Places of a page are fractions of a pixel.
  const stays = async () => expect(Math.abs((await topOf(oldest)) - place)).toBeLessThanOrEqual(2);
  await counts(page, '#messages .bubble-row', 80);
  await stays();
  expect(await told.isHidden()).toBe(true);

  await rita.writes('One more');
  await told.getByText('1 new message').waitFor();
  await rita.writes('And another');
  await told.getByText('2 new messages').waitFor();
  await stays();
  await desk.api.patch(`/api/v1/conversations/${rita.handle}/`, { priority: 'high' });
  await page.locator('.thread-state').getByText('high').waitFor();
  await stays();

  await told.getByRole('button').click();
  await told.waitFor({ state: 'hidden' });
  await page.getByText('And another', { exact: true }).last().waitFor();
  await pageShows(page, `document.querySelector('#messages')?.scrollTop === 0`);
  // At the end, the end stays.
  await rita.writes('The last');
  await page.locator('#messages').getByText('The last', { exact: true }).waitFor();
  await pageShows(page, `document.querySelector('#messages')?.scrollTop === 0`);
  expect(await told.isHidden()).toBe(true);
  expect(problems).toEqual([]);
});

test('a thread is read back to its first message by scrolling, while news come', async () => {
  const lea = await longThread('Long Lea', 330);
  const { page, open, problems } = await dashboardBrowser(desk);
  await open(`/dashboard/inbox/${lea.handle}/`);
  const rows = page.locator('#messages .bubble-row');
  const first = page.getByText('Before 330', { exact: true });
  await eventually(async () => {
    await page.locator('#messages').evaluate((box) => box.scrollTo({ top: -box.scrollHeight }));
    expect(await first.isVisible()).toBe(true);
  });
  await counts(page, '#messages .bubble-row', 331);
  expect(await page.getByRole('link', { name: 'Earlier messages' }).count()).toBe(0);
  // Each day has one heading, however its messages came.
  const days = await page.locator('#messages .day:visible').allTextContents();
  expect(new Set(days).size).toBe(days.length);
  await lea.writes('While she reads');
  await page.locator('#new-messages').getByText('1 new message').waitFor();
  await counts(page, '#messages .bubble-row', 332);
  const ids = await rows.evaluateAll((all) => all.map(({ id }) => Number(id.slice(2))));
  expect(new Set(ids).size).toBe(332);
  expect(problems).toEqual([]);
});

test('a message that was found is opened in its place, and the thread goes on from there both ways', async () => {
  const finn = await longThread('Found Finn', 260);
  const { page, open, problems } = await dashboardBrowser(desk);
  await open('/dashboard/inbox/?search=200');
  await page.getByRole('link', { name: 'Search “200” in messages' }).click();
  await page.locator('.found mark', { hasText: '200' }).first().waitFor();
  await page.getByRole('link', { name: /Found Finn.*Before 200/s }).click();
  const found = page.locator('.is-found', { hasText: 'Before 200' });
  await found.waitFor();
  await pageShows(page, `document.querySelector('.is-found')?.getBoundingClientRect().top > 0`);
  await finn.writes('Not in sight');
  await desk.api.patch(`/api/v1/conversations/${finn.handle}/`, { priority: 'high' });
  await page.locator('.thread-state').getByText('high').waitFor();
  expect(await found.isVisible()).toBe(true);
  expect(await page.locator('#new-messages').isHidden()).toBe(true);
  for (const [text, end] of [
    ['Before 260', -1],
    ['Not in sight', 1],
  ] as const)
    await eventually(async () => {
      await page.locator('#messages').evaluate((box, side) => box.scrollBy({ top: side * box.scrollHeight }), end);
      expect(await page.locator('#messages').getByText(text, { exact: true }).isVisible()).toBe(true);
    });
  // What is written here is seen where it belongs: at the end of the thread.
  await page.getByLabel('Reply', { exact: true }).fill('An answer');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.waitForURL((url) => !url.searchParams.has('at'));
  await page.locator('#messages').getByText('An answer', { exact: true }).waitFor();
  expect(problems).toEqual([]);
});

test('a toast takes the place of the one before, and lies over nothing that sends', async () => {
  const tom = await longThread('Toasted Tom', 40);
  for (const viewport of [
    { width: 1280, height: 720 },
    { width: 390, height: 844 },
  ]) {
    const { page, open } = await dashboardBrowser(desk, { viewport });
    await open(`/dashboard/inbox/${tom.handle}/`);
    await page.getByLabel('Reply', { exact: true }).waitFor();
    for (const text of ['One', 'Two', 'Three'])
      await page.evaluate(`document.dispatchEvent(new CustomEvent('toast', { detail: { text: '${text}' } }))`);
    expect(await page.locator('.toast').allTextContents()).toEqual(['Three']);
    const toast = await page.locator('.toast').boundingBox();
    const send = await page.getByRole('button', { name: 'Send', exact: true }).boundingBox();
    expect(toast && send && overlap(toast, send)).toBe(false);
  }
});

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function overlap(one: Box, other: Box): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}

test('what takes longer than a moment is said by a bar, and only as long as it takes', async () => {
  const bea = await longThread('Bar Bea', 1);
  const { page, open } = await dashboardBrowser(desk, { proxy: latency.url });
  await open('/dashboard/inbox/?view=all');
  const style = `getComputedStyle(document.body, '::before')`;
  const bar = `${style}.content + ' ' + ${style}.animationDelay`;
  expect(await page.evaluate(bar)).toMatch(/^none /);
  latency.ms = Infinity;
  await page.getByRole('link', { name: /Bar Bea/ }).click();
  await pageShows(page, `${bar} === '"" 0.15s'`);
  latency.ms = 0;
  await page.locator('#thread-title', { hasText: bea.name }).waitFor();
  await pageShows(page, `${bar}.startsWith('none ')`);
});

test('however much comes in, a tab asks for its list at most once a second', async () => {
  await longThread('Busy Ben', 1);
  const { page, open } = await dashboardBrowser(desk);
  await open('/dashboard/inbox/?view=all');
  await page.waitForLoadState('load');
  // By the page's own clock: what it did is not told here in the same moment.
  const asked = `performance.getEntriesByType('resource').filter(({ name, startTime }) => startTime > since &&
    new URL(name).pathname === '/dashboard/inbox/' && !new URL(name).searchParams.has('part'))
    .map(({ startTime }) => startTime)`;
  await page.evaluate('globalThis.since = performance.now()');
  const news = `document.dispatchEvent(new CustomEvent('live', { detail: { type: 'conversation', id: 1 } }))`;
  await page.evaluate(`for (let count = 0; count < 40; count += 1) setTimeout(() => ${news}, count * 50)`);
  await pageShows(page, `${asked}.length >= 3`);
  const times = await page.evaluate<number[]>(asked);
  for (const [index, at] of times.entries()) if (index > 0) expect(at - (times[index - 1] ?? 0)).toBeGreaterThan(800);
});
