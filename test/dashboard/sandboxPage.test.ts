import type { Browser, Page } from 'playwright-core';
import { syncWorkspace } from '../../api/services/processes/upstreamSync/service';
import type { Product } from '../../dev/sandbox/types';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { startApi, type TestApi } from '../support/api';
import { accessibilityFaults, openChromium, picture } from '../support/browser';
import { eventually } from '../support/eventually';

type Json = Record<string, unknown>;

let desk: TestApi;
let browser: Browser;
let page: Page;
let anna: TestCustomer;
const problems: string[] = [];

beforeAll(async () => {
  desk = await startApi({ worker: true });
  browser = await openChromium();
  anna = createCustomer(desk.workspace, { name: 'Anna Berg' });
  await anna.writes('Hello');
  const sent = await desk.api.post('/api/v1/messages/', {
    to: anna.phone,
    phone_number_id: desk.workspace.account.phoneNumberId,
    body: 'How can we help?',
  });
  await eventually(async () => {
    const row = await desk.runtime.db.row<{ status: string }>(
      'SELECT message_status AS status FROM messages WHERE id = $id',
      { id: sent.body['id'] },
    );
    if (row?.status !== 'read') throw new Error(`not read yet: ${row?.status}`);
  });
  page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  await page.goto(desk.runtime.config.upstream.url);
  await page.getByRole('heading', { name: 'This customer sends' }).waitFor();
});
afterAll(async () => {
  await browser.close();
  await desk.close();
});

const groupOf = (id: string) => page.locator(`#play details[data-group="${id}"]`);
async function open(id: string): Promise<void> {
  if (!(await groupOf(id).evaluate((node) => (node as unknown as { open: boolean }).open)))
    await groupOf(id).locator('summary').click();
}
const names = (id: string): Promise<string[]> => groupOf(id).locator('button').allTextContents();

/** What the service was told since then: the kind of each event and what tells it from others of its kind. */
async function told(after: number): Promise<string[]> {
  await desk.settled();
  const rows = await desk.runtime.db.rows<{ kind: string; payload: Json; state: string; error: string | null }>(
    'SELECT kind, payload, state, error FROM inbox_events WHERE id > $after ORDER BY id',
    { after },
  );
  return rows.map(({ kind, payload, state, error }) => {
    if (state !== 'done') throw new Error(`${kind} is ${state}: ${error} ${JSON.stringify(payload)}`);
    return `${kind} ${whatOf(kind, payload)}`;
  });
}

function whatOf(kind: string, payload: Json): string {
  const at = (...path: (string | number)[]): unknown =>
    path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], payload);
  const first = (...options: unknown[]): string => String(options.find((option) => option !== undefined) ?? '');
  if (kind === 'message')
    return first(at('message', 'system', 'type'), at('message', 'interactive', 'type'), at('message', 'type'));
  if (kind === 'status')
    return first(
      at('status', 'type') === 'payment' ? `payment ${String(at('status', 'status'))}` : undefined,
      at('status', 'status'),
    );
  if (kind === 'user_preferences') return first(at('preference', 'value'), at('value', 'user_preferences', 0, 'value'));
  return first(at('value', 'event'), at('value', 'decision'), at('value', 'alert_severity'), at('value', 'status'));
}

const lastId = async (): Promise<number> =>
  (await desk.runtime.db.row<{ id: number }>('SELECT coalesce(max(id), 0) AS id FROM inbox_events'))?.id ?? 0;

/** Presses a button; in a dialog, each choice in turn, or the form with each of its selects' options. */
async function play(group: string, name: string): Promise<void> {
  await open(group);
  const button = groupOf(group).getByRole('button', { name, exact: true });
  const dialog = page.locator('#dialog');
  const done = (): Promise<void> => page.locator('#play:not([aria-busy])').waitFor();
  if (!name.endsWith('…') && name !== 'Flow reply') {
    await button.click();
    return done();
  }
  for (let round = 0; ; round += 1) {
    await open(group);
    await button.click();
    await dialog.waitFor();
    const options = dialog.locator('button.option');
    const count = await options.count();
    if (count > 0) {
      await options.nth(round).click();
      await done();
      if (round + 1 >= count) return;
      continue;
    }
    const selects = dialog.locator('select');
    let most = 1;
    for (let index = 0; index < (await selects.count()); index += 1) {
      const words = await selects.nth(index).locator('option').allInnerTexts();
      most = Math.max(most, words.length);
      await selects.nth(index).selectOption(words[round % words.length] ?? '');
    }
    const phone = dialog.locator('input[name="phone"]');
    if ((await phone.count()) > 0) await phone.fill(`+49 151 77${String(round).padStart(5, '0')}`);
    const username = dialog.locator('input[name="username"]');
    if ((await username.count()) > 0) await username.fill(`green.${round}`);
    await dialog.getByRole('button', { name: 'OK' }).click();
    await done();
    if (round + 1 >= most) return;
  }
}

it('is easy to look through: groups that open, a field that finds, nothing that a reader of the screen would miss', async () => {
  await picture(page, 'sandbox-closed');
  expect(await page.locator('#play summary h2').allInnerTexts()).toEqual([
    'This customer sends',
    'This customer',
    'Status of the last message',
    'Templates',
    'Flows',
    'Catalogue',
    'Business number',
    'Business account',
    'The next send fails',
    'How webhooks come',
  ]);
  await page.getByLabel('Find an event').fill('quality');
  expect(await page.locator('#play button').allInnerTexts()).toEqual(['Quality…', 'Quality…']);
  await picture(page, 'sandbox-found');
  await page.getByLabel('Find an event').fill('no such thing');
  expect(await page.locator('#play').innerText()).toContain('No event has this name.');
  await page.getByLabel('Find an event').fill('');
  for (const id of ['person', 'templates', 'number-events']) await open(id);
  await picture(page, 'sandbox-open');
  // The page is a script's: everything else of the list holds.
  expect((await accessibilityFaults(page)).filter((fault) => fault !== 'a script')).toEqual([]);
});

/** What upstream 2.6 to 2.9 lists, as the service stores it. */
const wire: Readonly<Record<string, readonly string[]>> = {
  sends: [
    'text',
    'image',
    'audio',
    'video',
    'document',
    'sticker',
    'location',
    'contacts',
    'order',
    'reaction',
    'button',
    'button_reply',
    'list_reply',
    'nfm_reply',
    'edit',
    'revoke',
    'ephemeral',
    'request_welcome',
    'unsupported',
    'unknown',
    'interactive',
    'hologram',
  ].map((type) => `message ${type}`),
  person: [
    ...['user_changed_number', 'customer_changed_number', 'user_changed_user_id', 'customer_identity_changed'].map(
      (type) => `message ${type}`,
    ),
    ...['stop', 'resume', 'signup'].map((value) => `user_preferences ${value}`),
  ],
  statuses: [
    'sent',
    'delivered',
    'read',
    'played',
    'failed',
    'payment captured',
    'payment pending',
    'payment failed',
  ].map((word) => `status ${word}`),
  templates: [
    ...[
      'APPROVED',
      'REJECTED',
      'PENDING',
      'PAUSED',
      'DISABLED',
      'FLAGGED',
      'IN_APPEAL',
      'REINSTATED',
      'PENDING_DELETION',
      'DELETED',
      'LIMIT_EXCEEDED',
      'LOCKED',
      'ARCHIVED',
      'UNARCHIVED',
    ].map((word) => `message_template_status_update ${word}`),
    'template_category_update ',
    'message_template_quality_update ',
    'message_template_components_update ',
  ],
  flows: [
    'FLOW_STATUS_CHANGE',
    'CLIENT_ERROR_RATE',
    'ENDPOINT_ERROR_RATE',
    'ENDPOINT_LATENCY',
    'ENDPOINT_AVAILABILITY',
    'FLOW_VERSION_EXPIRY_WARNING',
  ].map((word) => `flows ${word}`),
  'number-events': [
    ...['UPGRADE', 'DOWNGRADE', 'FLAGGED', 'UNFLAGGED', 'ONBOARDING'].map(
      (word) => `phone_number_quality_update ${word}`,
    ),
    ...['APPROVED', 'DECLINED', 'REJECTED', 'PENDING_REVIEW'].map((word) => `phone_number_name_update ${word}`),
    ...['approved', 'reserved', 'deleted'].map((word) => `business_username_update ${word}`),
    ...['PIN_CHANGED', 'PIN_RESET_REQUEST', 'PIN_RESET_SUCCESS'].map((word) => `security ${word}`),
  ],
  account: [
    ...[
      'ACCOUNT_VIOLATION',
      'ACCOUNT_RESTRICTION',
      'DISABLED_UPDATE',
      'ACCOUNT_DELETED',
      'PARTNER_ADDED',
      'PARTNER_REMOVED',
      'PARTNER_APP_INSTALLED',
      'ACCOUNT_OFFBOARDED',
      'ACCOUNT_RECONNECTED',
    ].map((word) => `account_update ${word}`),
    ...['INFORMATIONAL', 'WARNING', 'CRITICAL'].map((word) => `account_alerts ${word}`),
    ...['APPROVED', 'REJECTED', 'PENDING', 'DEFERRED'].map((word) => `account_review_update ${word}`),
    'business_capability_update ',
    'messages_other ',
    'something_new ',
  ],
};

it.each(Object.entries(wire))(
  'plays every event of "%s" by name, and the service takes each',
  async (group, expected) => {
    const before = await lastId();
    for (const name of await names(group)) await play(group, name);
    expect([...new Set(await told(before))].sort()).toEqual([...expected].sort());
  },
  120_000,
);

it('edits the catalogue, which the next sync finds', async () => {
  const { businessAccountId } = desk.workspace.account;
  const products = (): Product[] => desk.sandbox.state.accounts.get(businessAccountId)?.products ?? [];
  const [first] = products();
  await play('products', 'Out of stock');
  expect(first).toMatchObject({ availability: 'out of stock' });
  await play('products', 'In stock');
  expect(first).toMatchObject({ availability: 'in stock' });
  await open('products');
  await groupOf('products').getByRole('button', { name: 'Edit…', exact: true }).click();
  await page.locator('#dialog input[name="price"]').fill('$1.50');
  await page.locator('#dialog').getByRole('button', { name: 'OK' }).click();
  await eventually(() => expect(first).toMatchObject({ price: '$1.50' }));
  await groupOf('products').getByRole('button', { name: 'New…', exact: true }).click();
  await page.locator('#dialog input[name="retailer_id"]').fill('GG-RAKE');
  await page.locator('#dialog input[name="name"]').fill('Rake');
  await page.locator('#dialog').getByRole('button', { name: 'OK' }).click();
  await eventually(() => expect(products().map((product) => product.name)).toContain('Rake'));
  await play('products', 'Remove');
  expect(products()).not.toContain(first);
  await syncWorkspace(desk.workspace.ctx, { catalogue: true });
  const { body } = await desk.api.get<{ results: Json[] }>('/api/v1/catalogue/products/');
  expect(body.results.map((item) => item['name'])).toEqual(
    products()
      .map((product) => product.name)
      .sort(),
  );
});

it('arms faults and disturbs webhooks', async () => {
  for (const group of ['faults', 'webhooks']) for (const name of await names(group)) await play(group, name);
  await eventually(() => {
    const kinds = desk.sandbox.faults
      .all()
      .map(({ kind }) => kind)
      .sort();
    if (kinds.length < 6) throw new Error(kinds.join());
  });
  expect(
    desk.sandbox.faults
      .all()
      .map(({ kind, times }) => `${kind} ${times}`)
      .sort(),
  ).toEqual(['async_error 1', 'error 1', 'error 1', 'hang 1', 'html 1', 'reset_after_accept 1']);
  await eventually(() => {
    const { duplicate, reorder, drop } = desk.sandbox.state.settings;
    if (duplicate || reorder || drop) throw new Error('not as usual again');
  });
});

it.each([
  [800, 900],
  [400, 800],
])('fits a window of %i by %i: everything can be reached by scrolling down', async (width, height) => {
  await page.setViewportSize({ width, height });
  await open('sends');
  await picture(page, `sandbox-${width}`);
  expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
  for (const [selector, least] of [
    ['#people', 60],
    ['#chat', 200],
    ['#play', 400],
  ] as const)
    expect([selector, ((await page.locator(selector).boundingBox())?.height ?? 0) >= least]).toEqual([selector, true]);
  const button = groupOf('sends').getByRole('button', { name: 'Type of the future' });
  await button.scrollIntoViewIfNeeded();
  await button.click({ trial: true });
  await page.setViewportSize({ width: 1400, height: 900 });
});

it('nothing went wrong on the page', () => {
  expect(problems).toEqual([]);
});
