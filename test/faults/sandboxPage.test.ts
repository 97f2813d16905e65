import type { Browser, Page } from 'playwright-core';
import { syncWorkspace } from '../../api/services/processes/upstreamSync/service';
import { keepProcessedSql } from '../../bench/support/processedEvents';
import { subscribeReceiver } from '../../dev/sandbox/receiver/subscribe';
import type { Flow, Product } from '../../dev/sandbox/types';
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
  desk = await startApi({ worker: true, env: { WEBHOOK_ALLOW_PRIVATE: '1' } });
  await desk.runtime.db.rows(keepProcessedSql);
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
  page = await browser.newPage({ viewport: { width: 1400, height: 900 }, reducedMotion: 'reduce' });
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
/** Shows a part of the page by its button. */
const panel = (name: string): Promise<void> => page.locator('.views').getByRole('button', { name }).click();
/** Sends the customer a text by the API. */
async function writesBack(body: string): Promise<void> {
  const { phoneNumberId } = desk.workspace.account;
  const sent = await desk.api.post('/api/v1/messages/', { to: anna.phone, phone_number_id: phoneNumberId, body });
  expect(sent.status).toBe(201);
}
const names = (id: string): Promise<string[]> => groupOf(id).locator('button').allTextContents();

/** What the service was told since then: the kind of each event and what tells it from others of its kind. */
async function told(after: number): Promise<string[]> {
  await desk.settled();
  const rows = await desk.runtime.db.rows<{ kind: string; payload: Json; state: string; error: string | null }>(
    `SELECT kind, payload, error, 'processed' AS state FROM processed_events WHERE id > $after
     UNION ALL SELECT kind, payload, error, state FROM inbox_events WHERE id > $after`,
    { after },
  );
  return rows.map(({ kind, payload, state, error }) => {
    // Kept as events alone (contract 6): they are no messages of the customer.
    const [, kept] = /^message_(ephemeral|request_welcome)$/.exec(kind) ?? [];
    if (state !== (kept !== undefined || kind === 'something_new' ? 'ignored' : 'processed'))
      throw new Error(`${kind} is ${state}: ${error} ${JSON.stringify(payload)}`);
    return kept === undefined ? `${kind} ${whatOf(kind, payload)}` : `message ${kept}`;
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
  (await desk.runtime.db.row<{ id: number }>('SELECT coalesce(max(id), 0) AS id FROM processed_events'))?.id ?? 0;

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

it('is easy to look through: groups that open, a field that finds, names for a screen reader', async () => {
  await picture(page, 'sandbox-closed');
  expect(await page.locator('#play summary h2').allInnerTexts()).toEqual([
    'This customer sends',
    'This customer',
    'Status of the last message',
    'Beside the product',
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

it('lets the customer fill in a flow, on the phone or in the panel, and the service reads it', async () => {
  const account = desk.sandbox.state.accounts.get(desk.workspace.account.businessAccountId);
  const { id } = account?.flows.find(({ status }) => status === 'PUBLISHED') as Flow;
  await open('flows');
  await groupOf('flows').getByRole('button', { name: 'Fill in and submit…' }).click();
  await page.locator('#toast', { hasText: 'was not sent' }).waitFor();
  await desk.api.post('/api/v1/messages/', {
    to: anna.phone,
    phone_number_id: desk.workspace.account.phoneNumberId,
    interactive: {
      type: 'flow',
      body: { text: 'Choose a time' },
      action: {
        name: 'flow',
        parameters: { flow_message_version: '3', flow_id: id, flow_cta: 'Book now', flow_token: 'booking-1' },
      },
    },
  });
  const dialog = page.locator('#dialog');
  for (const [comment, start] of [
    ['From the phone', () => page.locator('#chat').getByRole('button', { name: 'Book now' }).click()],
    ['From the panel', () => groupOf('flows').getByRole('button', { name: 'Fill in and submit…' }).click()],
  ] as const) {
    await start();
    await dialog.waitFor();
    await picture(page, 'sandbox-flow');
    await dialog.locator('input').last().fill(comment);
    await dialog.getByRole('button', { name: 'OK' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await eventually(async () => {
      const { body } = await desk.api.get(`/api/v1/flows/${id}/submissions/`);
      expect(Object.values((body.results[0]?.['response'] ?? {}) as Json)).toContain(comment);
      expect(body.results[0]).toMatchObject({ flow_id: id, receiver_id: anna.handle });
    });
  }
});

it('plays an event that is pressed while the page brings itself up to date', async () => {
  let goOn = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let asked = false;
  const chats = '**/_control/chats/*';
  await page.route(chats, async (route) => {
    asked = true;
    await held;
    await route.continue();
  });
  await anna.writes('Just now');
  await eventually(() => expect(asked).toBe(true));
  await open('statuses');
  await groupOf('statuses').getByRole('button', { name: 'Delivered', exact: true }).click();
  goOn();
  await page.locator('#toast', { hasText: 'Played: status delivered' }).waitFor();
  await page.unroute(chats);
});

it('shows what is armed or disturbed until it has fired or is taken back', async () => {
  const armed = page.locator('#armed');
  expect(await armed.isVisible()).toBe(false);
  await play('faults', 'Rate limit');
  await armed.getByText('error 130429').waitFor();
  await armed.getByRole('button', { name: /^Disarm/ }).click();
  await armed.waitFor({ state: 'hidden' });
  expect(desk.sandbox.faults.all()).toEqual([]);

  await play('webhooks', 'Some statuses lost');
  await armed.getByText('30 % of the statuses are lost').waitFor();
  await armed.getByRole('button', { name: /^As usual/ }).click();
  await armed.waitFor({ state: 'hidden' });
  expect(desk.sandbox.settings.drop).toBe(0);

  await play('faults', 'Undeliverable');
  await armed.getByText('async error 131026').waitFor();
  await writesBack('This one does not arrive');
  await armed.waitFor({ state: 'hidden' });
  await page.locator('#chat').getByText('Never arrived. 131026').waitFor();
});

it('shows the webhooks that went out and the requests that came in, each in full', async () => {
  await panel('Webhooks');
  const first = page.locator('#log details').first();
  await page.locator('#log .title', { hasText: 'status: failed' }).first().waitFor();
  await first.locator('summary').click();
  expect(await first.locator('pre').innerText()).toMatch(/^POST .*\nX-Hub-Signature-256: sha256=[0-9a-f]{64}\n\n\{\n/);
  await anna.writes('One more webhook');
  await page.locator('#log .title', { hasText: 'message: text' }).first().waitFor();
  // What a person has opened stays open while more comes in.
  expect(await page.locator('#log details[open]').count()).toBe(1);

  await page.getByLabel('What is shown').selectOption('Requests from Msgdesk');
  await page
    .locator('#log .title', { hasText: `/${desk.workspace.account.phoneNumberId}/messages` })
    .first()
    .waitFor();
  await picture(page, 'sandbox-log');
});

it('receives the events of the product, verified, and answers a customer with an action', async () => {
  const options = { baseUrl: desk.url, apiKey: desk.workspace.token, sandboxUrl: desk.runtime.config.upstream.url };
  const known = await subscribeReceiver({ ...options, known: {} });
  await panel('Receiver');
  await page.getByText('Nothing has arrived yet').waitFor();
  await anna.writes('What are your opening hours?');
  // The event that the action ran names it, too.
  const entry = page.locator('#received li', { has: page.locator('.tag', { hasText: 'send_message' }) });
  await entry.getByText('message.received', { exact: true }).waitFor();
  expect(await entry.locator('.tag').allInnerTexts()).toEqual(['verified', 'answered 200', 'send_message']);
  expect(await entry.locator('.meta').innerText()).toMatch(/Anna.* \(\d+\) · sequence \d+$/);
  await page.locator('#chat').getByText('We are open Monday to Friday').waitFor();
  await picture(page, 'sandbox-receiver');

  // A second start goes on with the subscription; one that the service deactivated is woken up.
  expect(await subscribeReceiver({ ...options, known })).toEqual(known);
  await page.getByLabel('How the receiver answers').selectOption('Is gone: 410');
  await page.getByText('answers 410, which deactivates the subscription').waitFor();
  await anna.writes('Is anybody there?');
  const path = `/api/v1/webhooks/${known.receiver_id}/`;
  await eventually(async () => expect((await desk.api.get(path)).body['is_active']).toBe(false));
  await page.getByLabel('How the receiver answers').selectOption('Answers, with actions');
  await subscribeReceiver({ ...options, known });
  expect((await desk.api.get(path)).body).toMatchObject({ is_active: true, events: ['*'] });

  // Without what an earlier start remembered, it is found by its address, with a new secret.
  const found = await subscribeReceiver({ ...options, known: {} });
  expect(found.receiver_id).toBe(known.receiver_id);
  expect(found.receiver_secret).not.toBe(known.receiver_secret);
  await page.getByRole('button', { name: 'Clear' }).click();
  await anna.writes('Still verified?');
  await page.locator('#received li', { hasText: 'message.received' }).getByText('verified', { exact: true }).waitFor();
});

it('lets the answers of the receiver be edited, and refuses what is no rule', async () => {
  await panel('Receiver');
  await page.getByRole('button', { name: 'Answers…' }).click();
  const json = page.locator('#dialog textarea');
  expect(await json.inputValue()).toContain('"contains": "opening hours"');
  const save = page.locator('#dialog').getByRole('button', { name: 'Save' });
  await json.fill('[{]');
  await save.click();
  await page.locator('#dialog [role="alert"]', { hasText: 'JSON' }).waitFor();
  await json.fill(JSON.stringify([{ when: { type: 'message.received', contains: 'hi' }, answer: { actions: [] } }]));
  await save.click();
  await page.locator('#dialog').waitFor({ state: 'hidden' });
  expect(desk.sandbox.receiver.settings.rules).toHaveLength(1);
  await panel('Events');
});

it('shows every call of the control API with an example', async () => {
  const reference = await browser.newPage({ viewport: { width: 390, height: 844 } });
  reference.on('pageerror', (error) => problems.push(error.message));
  await reference.goto(`${desk.runtime.config.upstream.url}/_control/`);
  await reference.getByRole('heading', { name: 'POST /_control/inbound' }).waitFor();
  expect(await reference.locator('#routes section').count()).toBeGreaterThan(25);
  expect(await reference.getByText("-d '{").first().innerText()).toContain('http://127.0.0.1:');
  await picture(reference, 'sandbox-control');
  expect((await accessibilityFaults(reference)).filter((fault) => fault !== 'a script')).toEqual([]);
  await reference.close();
});

/** The events that the platform can send, as the service stores them. */
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
    'dial_reply',
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
  elsewhere: ['call ', 'echo ', 'messaging_handovers ', 'synced_contact ', 'thread '],
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
    await panel('Events');
    // A status of the same second is the same event to the service: those that came by themselves are a second old.
    await desk.settled();
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const before = await lastId();
    // Filling in a flow is no event of the platform, and has a test of its own.
    for (const name of await names(group)) if (!name.startsWith('Fill in')) await play(group, name);
    // The page may not have asked yet for what was pressed last.
    await eventually(async () => expect([...new Set(await told(before))].sort()).toEqual([...expected].sort()));
  },
  120_000,
);

it('edits the catalogue, which the next sync finds', async () => {
  await panel('Events');
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
  const { body } = await desk.api.get('/api/v1/catalogue/products/');
  expect(body.results.map((item) => item['name'])).toEqual(
    products()
      .map((product) => product.name)
      .sort(),
  );
});

it('arms faults and disturbs webhooks', async () => {
  // What an earlier test armed may not have fired yet.
  desk.sandbox.faults.clear();
  await panel('Events');
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
  ).toEqual([
    'async_error 1',
    'async_error 1',
    'error 1',
    'error 1',
    'error null',
    'hang 1',
    'html 1',
    'reset_after_accept 1',
  ]);
  await eventually(() => {
    const { duplicate, reorder, drop } = desk.sandbox.state.settings;
    if (duplicate || reorder || drop) throw new Error('not as usual again');
  });
  expect(await page.locator('#armed li').count()).toBe(8);
});

/** What is wrong with how the shown parts lie in the window; in the page's own language. */
const layoutFaults = `(() => {
  const faults = [];
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth || root.scrollHeight > innerHeight)
    faults.push('the page itself scrolls: ' + [root.scrollWidth, root.scrollHeight]);
  const panes = [...document.querySelectorAll('main > section')].filter((pane) => pane.offsetParent !== null);
  const scrolling = (node) =>
    /auto|scroll/.test(getComputedStyle(node).overflowY) && node.scrollHeight > node.clientHeight;
  for (const pane of panes) {
    const card = pane.getBoundingClientRect();
    if (card.bottom > innerHeight || card.right > innerWidth || card.height < 200)
      faults.push(pane.ariaLabel + ' is cut off');
    for (const control of pane.querySelectorAll('button, input, select, textarea')) {
      const box = control.getBoundingClientRect();
      if (box.width > 0 && (box.left < card.left || box.right > card.right))
        faults.push(control.textContent + ' sticks out');
    }
    if ([...pane.querySelectorAll('*:not(details:not([open]) *)')].filter(scrolling).length > 1)
      faults.push(pane.ariaLabel + ' has two scroll bars');
  }
  const chat = document.getElementById('chat');
  if (chat.offsetParent !== null && chat.scrollHeight - chat.scrollTop - chat.clientHeight > 5)
    faults.push('the end of the chat is not in view');
  const composer = document.getElementById('composer').getBoundingClientRect();
  if (composer.width > 0 && composer.bottom > innerHeight) faults.push('the composer is below the window');
  return faults.concat(panes.length);
})()`;

it.each([
  [1280, 800, 3, ['Events', 'Webhooks', 'Receiver']],
  [800, 900, 2, ['Customers', 'Events', 'Webhooks', 'Receiver']],
  [390, 844, 1, ['Customers', 'Phone', 'Events', 'Webhooks', 'Receiver']],
])('fits a window of %i by %i: %i parts at a time, each scrolls by itself', async (width, height, parts, views) => {
  await page.setViewportSize({ width, height });
  await panel('Events');
  await play('faults', 'Rate limit');
  expect((await page.locator('.views button:visible').allInnerTexts()).join()).toBe(views.join());
  for (const view of views) {
    await panel(view);
    // The page follows a change of its size, and a message that comes just now, a moment later.
    await eventually(async () => expect([view, await page.evaluate(layoutFaults)]).toEqual([view, [parts]]));
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await picture(page, `sandbox-${width}-${view}-${colorScheme}`);
      expect((await accessibilityFaults(page)).filter((fault) => fault !== 'a script')).toEqual([]);
    }
    await page.emulateMedia({ colorScheme: 'light' });
  }
  await panel('Events');
  await open('sends');
  const button = groupOf('sends').getByRole('button', { name: 'Type of the future' });
  await button.scrollIntoViewIfNeeded();
  await button.click({ trial: true });

  // Choosing a customer leads to the phone, where one can write at once.
  if (width < 1050) await panel('Customers');
  await page.locator('#people button').first().click();
  await page.getByLabel('Message as this customer').fill(`From ${width} pixels`);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.locator('#chat').getByText(`From ${width} pixels`).waitFor();
  await page.setViewportSize({ width: 1400, height: 900 });
  await panel('Events');
  desk.sandbox.faults.clear();
});

it('nothing went wrong on the page', () => {
  expect(problems).toEqual([]);
});
