import type { Page } from 'playwright-core';
import { createCustomer } from '../factories/customers';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import {
  dashboardBrowser,
  expectAccessible,
  pageShows,
  problemsBeside,
  type DashboardBrowser,
} from '../support/dashboard';
import { eventually } from '../support/eventually';
import { startPushService, type BrowserSubscription, type PushService } from '../support/pushService';

/** What members are told of in their pages and by their browsers (contract 18.9). */
let desk: TestApi;
let pushing: PushService;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  pushing = await startPushService();
});
afterAll(async () => {
  await desk.close();
  await pushing.close();
});

/** Counts the sounds of a page instead of making them, and lets a test say whether it is looked at. */
const stage = `
  window.sounds = 0;
  window.AudioContext = class {
    currentTime = 0;
    destination = null;
    constructor() { window.sounds += 1; }
    createGain() { return { gain: {}, connect() {} }; }
    createOscillator() { return { frequency: {}, connect() {}, start() {}, stop() {} }; }
    close() { return Promise.resolve(); }
  };
  let state = 'visible';
  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => state });
  window.look = (next) => {
    state = next;
    document.dispatchEvent(new Event('visibilitychange'));
  };`;

const sounds = (page: Page): Promise<number> => page.evaluate<number>('window.sounds');
const listening = async (path: string, sam: DashboardBrowser): Promise<void> => {
  const stream = sam.page.waitForResponse((answer) => answer.url().includes('/dashboard/live/'));
  await sam.open(path);
  await stream;
};
const assign = (handle: string, member: number) =>
  desk.api.patch(`/api/v1/conversations/${handle}/`, { assigned_member: member });

test('who is given a conversation hears it and sees it; a page that nobody looks at counts in its title', async () => {
  const anna = createCustomer(desk.workspace, { name: 'Anna Main' });
  await anna.writes('Hello');
  const sam = await dashboardBrowser(desk, { name: 'Sam Seller' });
  const { page } = sam;
  await page.addInitScript(stage);
  await listening('/dashboard/contacts/', sam);
  await assign(anna.handle, sam.member.id);
  const toast = page.locator('.toast-notice');
  await toast.getByText('Assigned to you: Anna Main').waitFor();
  expect(await sounds(page)).toBe(1);
  await sam.picture('notices toast');
  await expectAccessible(page);

  await page.evaluate(`window.look('hidden')`);
  await anna.writes('Are you there?');
  await pageShows(page, `document.title === '1 new · Contacts · Msgdesk'`);
  await anna.writes('Hello?');
  await pageShows(page, `document.title === '2 new · Contacts · Msgdesk'`);
  expect(await sounds(page)).toBe(3);
  await page.evaluate(`window.look('visible')`);
  expect(await page.title()).toBe('Contacts · Msgdesk');

  // Another page tells nothing of that again, and who reads the conversation is told nothing of it.
  await listening(`/dashboard/inbox/${anna.handle}/`, sam);
  await anna.writes('In sight');
  await page.getByRole('log').getByText('In sight').waitFor();
  const [title, ours] = [await page.title(), createCustomer(desk.workspace, { name: 'Ben Brook' })];
  await ours.writes('Elsewhere');
  await assign(ours.handle, sam.member.id);
  await toast.getByText('Assigned to you: Ben Brook').waitFor();
  expect([title, await toast.count()]).toEqual([expect.not.stringContaining('new'), 1]);
  expect(sam.problems).toEqual([]);
});

test('a member says what they are told of and when it is quiet; nothing sounds then', async () => {
  const cem = createCustomer(desk.workspace, { name: 'Cem Quiet' });
  await cem.writes('Hello');
  const sam = await dashboardBrowser(desk, { name: 'Sam Silent' });
  const { page } = sam;
  await page.addInitScript(stage);
  await listening('/dashboard/account/', sam);
  await page.getByLabel('A conversation is assigned to me').selectOption({ label: 'Off' });
  await page.getByLabel('Quiet from').fill('22:00');
  await page.getByRole('button', { name: 'Save the notifications' }).click();
  await page.getByText('Quiet hours begin and end.').waitFor();
  expect(await page.getByLabel('A conversation is assigned to me').inputValue()).toBe('off');
  // From two hours ago until two hours from now.
  const [from = '', until = ''] = [-2, 2].map((hours) =>
    new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16),
  );
  await desk.runtime.db.rows(`UPDATE workspaces SET timezone = 'UTC' WHERE id = $id`, { id: desk.workspace.id });
  await page.getByLabel('Quiet from').fill(from);
  await page.getByLabel('Quiet until').fill(until);
  await page.getByRole('button', { name: 'Save the notifications' }).click();
  await page.locator('.toast').getByText('Saved.').waitFor();
  expect(await page.getByLabel('Quiet until').inputValue()).toBe(until);

  await assign(cem.handle, sam.member.id);
  await cem.writes('Psst');
  await page.locator('.toast-notice').getByText('New message: Cem Quiet').waitFor();
  expect(await sounds(page)).toBe(0);
  expect(problemsBeside(sam.problems, 422)).toEqual([]);
});

/**
 * Stands in for what this Chromium has not: a push service that takes subscriptions, and a permission that can be
 * given.
 */
const browserStage = (given: BrowserSubscription): string => `
  Object.defineProperty(Notification, 'permission', { get: () => localStorage.getItem('permission') ?? 'default' });
  Notification.requestPermission = () => {
    localStorage.setItem('permission', 'granted');
    return Promise.resolve('granted');
  };
  let subscribed = null;
  PushManager.prototype.getSubscription = () => Promise.resolve(subscribed);
  PushManager.prototype.subscribe = ({ applicationServerKey }) => {
    if (!/^[\\w-]{87}$/.test(applicationServerKey)) throw new Error('no key');
    subscribed = { toJSON: () => (${JSON.stringify(given)}), unsubscribe: () => Promise.resolve(true) };
    return Promise.resolve(subscribed);
  };`;

interface Shown {
  readonly title: string;
  readonly tag: string;
  readonly body: string;
  readonly data: { readonly href: string };
}

/** The service worker of a page: what it shows, and a way to give it what a push service would bring. */
async function workerOf({ context }: DashboardBrowser): Promise<{
  shown(): Promise<readonly Shown[]>;
  deliver(push: object): Promise<void>;
  /** Clicks on what was shown; gives the page that came to the front, or the address of the one that was opened. */
  click(shown: Shown): Promise<{ readonly focused?: string; readonly opened?: string }>;
}> {
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
  await worker.evaluate(`self.told = [];
    ServiceWorkerRegistration.prototype.showNotification = (title, options) => {
      self.told.push({ title, ...options });
      return Promise.resolve();
    };`);
  const beside = await context.newPage();
  const cdp = await context.newCDPSession(beside);
  const known = new Promise<string>((resolve) =>
    cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const found = registrations.find(({ scopeURL }) => scopeURL.endsWith('/dashboard/'));
      if (found) resolve(found.registrationId);
    }),
  );
  await cdp.send('ServiceWorker.enable');
  const registrationId = await known;
  return {
    shown: () => worker.evaluate<readonly Shown[]>('self.told'),
    async deliver(push) {
      const data = JSON.stringify(push);
      await cdp.send('ServiceWorker.deliverPushMessage', { origin: desk.url, registrationId, data });
    },
    // No protocol clicks a notification, and without a true click no worker may bring a window to the front.
    click: ({ data }) =>
      worker.evaluate<{ focused?: string; opened?: string }>(`(async () => {
        const done = {};
        WindowClient.prototype.focus = async function () {
          done.focused = new URL(this.url).pathname;
          return this;
        };
        self.clients.openWindow = async (opened) => void (done.opened = opened);
        const waits = [];
        const notification = { data: ${JSON.stringify(data)}, close: () => (done.isClosed = true) };
        const waitUntil = (promise) => waits.push(promise);
        self.dispatchEvent(Object.assign(new Event('notificationclick'), { notification, waitUntil }));
        await Promise.all(waits);
        return done;
      })()`),
  };
}

test('a browser that is turned on takes what is pushed, and its service worker shows it', async () => {
  const dan = createCustomer(desk.workspace, { name: 'Dan Pushed' });
  await dan.writes('Hello');
  const sam = await dashboardBrowser(desk, { name: 'Sam Pushed' });
  const { page } = sam;
  await page.addInitScript(stage);
  await page.addInitScript(browserStage(pushing.subscribe('chromium')));
  await sam.open('/dashboard/account/');
  await page.getByRole('button', { name: 'Turn on in this browser' }).click();
  await page.getByText('takes push since').waitFor();
  await page.getByText('This browser shows notifications of its own while you do not look at a page.').waitFor();
  await sam.picture('notices browser');
  await expectAccessible(page);
  const worker = await workerOf(sam);

  // While a page is open that nobody looks at, that page tells the worker.
  await listening('/dashboard/contacts/', sam);
  await page.evaluate(`window.look('hidden')`);
  await assign(dan.handle, sam.member.id);
  const isOf = { title: 'Assigned to you', body: 'Dan Pushed' };
  await eventually(async () => expect(await worker.shown()).toEqual([expect.objectContaining(isOf)]));

  // The push says the same under the same name: shown twice it is seen once.
  await desk.work();
  const { shown: pushed } = await pushing.awaits('chromium');
  expect([pushed, pushing.faults]).toEqual([expect.objectContaining(isOf), []]);
  await page.goto('about:blank');
  await worker.deliver(pushed);
  await eventually(async () => expect(await worker.shown()).toHaveLength(2));
  const [byPage, byPush] = await worker.shown();
  expect([byPage?.tag, byPush?.tag, byPage?.data, byPush?.data]).toEqual([
    pushed.tag,
    pushed.tag,
    { href: pushed.href },
    { href: pushed.href },
  ]);

  // A click leads to the conversation: in the page that shows it already, else in a new one.
  const [shown] = await worker.shown();
  if (!shown) throw new Error('nothing was shown');
  const { href } = shown.data;
  const conversation = `/dashboard/inbox/${dan.handle}/`;
  expect(new URL(href, desk.url).pathname).toBe(conversation);
  await sam.open('/dashboard/contacts/');
  expect(await worker.click(shown)).toEqual({ isClosed: true, opened: desk.url + href });
  await sam.open(`${conversation}?view=mine`);
  expect(await worker.click(shown)).toEqual({ isClosed: true, focused: conversation });
  expect(await worker.click({ ...shown, data: { href: 'https://elsewhere.example/' } })).toEqual({ isClosed: true });

  // Turned off, the browser is forgotten.
  await sam.open('/dashboard/account/');
  await page.getByRole('button', { name: 'Turn off in this browser' }).click();
  await page.locator('.toast').getByText('That browser is told nothing any more.').waitFor();
  await page.getByRole('button', { name: 'Turn on in this browser' }).waitFor();
  const { id } = desk.workspace;
  expect(await desk.runtime.db.rows('SELECT 1 FROM push_subscriptions WHERE workspace_id = $id', { id })).toEqual([]);
  expect(sam.problems).toEqual([]);
});
