import type { Locator, Page } from 'playwright-core';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { createMacro } from '../factories/macros';
import { createSession } from '../factories/members';
import { startApi, type TestApi } from '../support/api';
import { closeBrowsers, dashboardBrowser } from '../support/dashboard';
import { eventually } from '../support/eventually';

let desk: TestApi;
beforeAll(async () => {
  desk = await startApi({ worker: true });
  await createMacro(desk.workspace, [{ type: 'add_tags', params: { tags: ['vip'] } }], 'Mark as VIP');
});
afterAll(async () => {
  await closeBrowsers();
  await desk.close();
});

async function writing(name: string, text = 'Hello'): Promise<TestCustomer> {
  const customer = createCustomer(desk.workspace, { name });
  await customer.writes(text);
  return customer;
}
const stored = async (customer: TestCustomer) => (await desk.api.get(`/api/v1/conversations/${customer.handle}/`)).body;

/** Puts the focus on something by the Tab key alone, and presses Enter. */
async function tabAndEnter(page: Page, target: Locator): Promise<void> {
  for (let presses = 0; presses < 150; presses += 1) {
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) break;
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
}

const ways: Readonly<Record<string, (page: Page, target: Locator) => Promise<void>>> = {
  mouse: (_page, target) => target.click(),
  touch: (_page, target) => target.tap(),
  'Tab and Enter': tabAndEnter,
};

describe.each(Object.entries(ways))('by %s', (way, use) => {
  test('every menu of a conversation does what it says, and the panel stays open', async () => {
    const will = await writing(`Will by ${way}`);
    const sam = await dashboardBrowser(desk, { name: 'Sam Able', touch: way === 'touch' });
    const { page } = sam;
    await sam.open(`/dashboard/inbox/${will.handle}/`);
    const choices: readonly (readonly [menu: string, item: string | RegExp, change: object])[] = [
      ['Assign', 'Me', { assigned_member: sam.member.id }],
      ['Priority', 'High', { priority: 'high' }],
      ['Run a macro', 'Mark as VIP', { tags: ['vip'] }],
      ['Snooze', /^In a week/, { conv_status: 'snoozed' }],
      ['More', 'Mark as pending', { conv_status: 'pending' }],
      ['More', 'Mark as converted', { conv_status: 'converted' }],
      ['More', 'Mark as spam', { conv_status: 'spam' }],
    ];
    for (const [menu, item, change] of choices) {
      await use(page, page.getByRole('button', { name: menu, exact: true }));
      const open = page.locator('.menu:popover-open');
      await use(page, open.getByRole('button', { name: item, exact: typeof item === 'string' }));
      await eventually(async () => expect(await stored(will)).toMatchObject(change));
      expect(await open.count()).toBe(0);
    }
    await page.locator('.toast', { hasText: 'is spam' }).waitFor();

    await use(page, page.getByRole('button', { name: 'About this person' }));
    const panel = page.locator('#details:popover-open');
    await use(page, panel.getByRole('link', { name: 'Show what happened' }));
    await panel.locator('#activity ol li').first().waitFor();
    await use(page, panel.getByRole('button', { name: 'Opt out of marketing' }));
    await use(page, page.getByRole('dialog').getByRole('button', { name: 'Opt out' }));
    await panel.getByRole('button', { name: 'Opt in to marketing' }).waitFor();
    expect(await stored(will)).toMatchObject({ marketing_opt_out: true });
    expect(sam.problems).toEqual([]);
  });
});

test('a form that says nothing changes nothing, and no toast says that it did', async () => {
  const quiet = await writing('Quiet Quin');
  const { token } = await createSession(desk.workspace.owner);
  const cookie = `token=${token}`;
  const path = `/dashboard/inbox/${quiet.handle}/`;
  const { body } = await desk.anonymous.get<string>(path, { cookie });
  const csrf = /name="csrf" value="([^"]+)"/.exec(body)?.[1] ?? '';
  const before = await stored(quiet);
  for (const action of ['state', 'macro']) {
    const answer = await desk.anonymous.post(`${path}${action}/`, new URLSearchParams({ csrf }), {
      cookie,
      'hx-request': 'true',
    });
    expect(JSON.parse(String(answer.headers['hx-trigger']))).toMatchObject({
      toast: { kind: 'bad', text: 'Nothing was chosen, so nothing was changed.' },
    });
  }
  expect(await stored(quiet)).toEqual(before);
});
