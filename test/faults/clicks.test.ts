import type { Locator, Page } from 'playwright-core';
import { templateId } from '../factories/broadcasts';
import { createContact } from '../factories/contacts';
import { createCustomer } from '../factories/customers';
import { createTeamInbox } from '../factories/inboxes';
import { ownerSession } from '../factories/macros';
import { createMember } from '../factories/members';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import { startApi, type TestApi } from '../support/api';
import { dashboardBrowser, type DashboardBrowser } from '../support/dashboard';
import { button, choose, countHands, link, said, sent, written, type Hands } from '../support/hands';

/*
 * The ten commonest jobs of a review of this dashboard, by as few presses as it takes, beside what they took then. The
 * letters of a text count nothing.
 */
let desk: TestApi;
let workspace: TestWorkspace;
let sam: DashboardBrowser;
let hands: Hands;
const table: string[] = [];

beforeAll(async () => {
  desk = await startApi({ worker: true });
  workspace = await createWorkspace(desk);
  await createMember(workspace, { name: 'Lea Lead', role: 'admin' });
  await createTeamInbox(workspace, [workspace.owner.id]);
  const { api } = await ownerSession(workspace);
  await api.post('/api/v1/canned-replies/', { shortcut: 'open', body: 'We are open from nine.', is_shared: true });
  sam = await dashboardBrowser(desk, {
    workspace,
    role: 'owner',
    name: 'Sam Able',
    viewport: { width: 1440, height: 900 },
  });
  hands = await countHands(sam.context);
});
afterAll(async () => {
  process.stdout.write(`\n${table.join('\n')}\n`);
  await desk.close();
});

const reply = (page: Page): Locator => page.getByRole('textbox', { name: 'Reply' });

interface Job {
  readonly name: string;
  /** What the review counted, and what is the most now. */
  readonly before: number;
  readonly most: number;
  /** What is there before anybody counts. */
  readonly begin?: (page: Page) => Promise<unknown>;
  readonly work: (page: Page) => Promise<unknown>;
}

/** Opens a conversation of its own for a job. */
const talk =
  (name: string, text = 'Hello, are you open?') =>
  async (page: Page): Promise<void> => {
    await createCustomer(workspace, { name }).writes(text);
    await page.goto('/dashboard/inbox/');
    await link(page, new RegExp(name)).click();
    await written(page, text);
  };
const listed =
  (name: string) =>
  async (page: Page): Promise<void> => {
    await createCustomer(workspace, { name }).writes('Hello, are you open?');
    await page.goto('/dashboard/inbox/');
    await link(page, new RegExp(name)).waitFor();
  };

const jobs: readonly Job[] = [
  {
    name: 'Answer the next and close it: by mouse',
    before: 4,
    most: 4,
    begin: listed('Anna Mouse'),
    async work(page) {
      await link(page, /Anna Mouse/).click();
      await written(page, 'Hello, are you open?');
      await reply(page).click();
      await page.keyboard.type('Until six.');
      await button(page, 'More ways to send').click();
      await button(page, /^Send and done/).click();
      await said(page, 'Anna Mouse is done.');
    },
  },
  {
    name: 'Answer the next and close it: by keys',
    before: 6,
    most: 3,
    begin: listed('Anna Keys'),
    async work(page) {
      await page.keyboard.press('j');
      await written(page, 'Hello, are you open?');
      await page.keyboard.press('r');
      await page.keyboard.type('Until six.');
      await page.keyboard.press('Control+Shift+Enter');
      await said(page, 'Anna Keys is done.');
    },
  },
  {
    name: 'Give it to a colleague: by mouse',
    before: 2,
    most: 2,
    begin: talk('Gina Give'),
    async work(page) {
      await button(page, 'Assign').click();
      await button(page, 'Lea Lead').click();
      await said(page, 'Assigned to Lea Lead.');
    },
  },
  {
    name: 'Snooze until tomorrow: by mouse',
    before: 2,
    most: 2,
    begin: talk('Sina Snooze'),
    async work(page) {
      await button(page, 'Snooze').click();
      await button(page, /^(Tomorrow morning|Monday morning)/)
        .first()
        .click();
      await said(page, /^Snoozed until/);
    },
  },
  {
    name: 'Canned reply: in the field, by keys',
    before: 2,
    most: 2,
    begin: async (page) => {
      await talk('Cora Canned')(page);
      await reply(page).focus();
    },
    async work(page) {
      await page.keyboard.type('/op');
      await page.getByRole('option', { name: /open/ }).waitFor();
      await page.keyboard.press('Enter');
      await page.keyboard.press('Control+Enter');
      await sent(page, 'We are open from nine.');
    },
  },
  {
    name: 'Note with a mention',
    before: 3,
    most: 3,
    begin: talk('Nora Note'),
    async work(page) {
      await link(page, 'Note').click();
      await page.getByRole('textbox', { name: 'Note', exact: true }).and(page.locator(':focus')).waitFor();
      await page.keyboard.type('@Lea');
      await page.getByRole('option', { name: /Lea Lead/ }).waitFor();
      await page.keyboard.press('Enter');
      await page.keyboard.type('please look');
      await button(page, 'Add note').click();
      await written(page, 'please look');
    },
  },
  {
    name: 'Hand over with a note',
    before: 4,
    most: 4,
    begin: talk('Hans Hand'),
    async work(page) {
      await button(page, 'Assign').click();
      await choose(hands, page.getByRole('combobox', { name: 'Hand over with a note' }), 'Lea Lead');
      await page.getByRole('textbox', { name: 'Note for the team' }).click();
      await page.keyboard.type('Knows the courier');
      await button(page, 'Hand over').click();
      await said(page, 'Handed over with your note.');
    },
  },
  {
    // Then its title was to be thought of as well, and the chat was left.
    name: 'Ticket from a chat',
    before: 2,
    most: 2,
    begin: talk('Tina Ticket', 'The lamp is broken!'),
    async work(page) {
      await link(page, 'New ticket').click();
      await button(page, 'Create ticket').click();
      await said(page, /^Ticket #\d+ is created/);
      await written(page, 'The lamp is broken!');
    },
  },
  {
    name: 'Find a message by its words, and back',
    before: 5,
    most: 3,
    begin: async (page) => {
      await createCustomer(workspace, { name: 'Mona Message' }).writes('It squeaks like a xylophone');
      await talk('Otto Other')(page);
    },
    async work(page) {
      await button(page, 'Search').click();
      await page.keyboard.type('xylophone');
      await page.getByRole('option', { name: /squeaks/ }).waitFor();
      await page.keyboard.press('Enter');
      await written(page, 'It squeaks like a xylophone');
      // By the browser's own key, which a browser without a window does not have.
      await page.goBack();
      hands.keys += 1;
      await page.getByRole('heading', { name: 'Otto Other' }).first().waitFor();
    },
  },
  {
    name: 'Close ten at once',
    before: 11,
    most: 3,
    begin: async (page) => {
      for (let index = 0; index < 10; index += 1)
        await createCustomer(workspace, { name: `Ten ${String.fromCharCode(65 + index)}` }).writes('Any news?');
      await page.goto('/dashboard/inbox/');
      await link(page, /Ten J/).waitFor();
    },
    async work(page) {
      await page.getByRole('checkbox', { name: 'Select Ten A' }).click();
      await page.getByRole('checkbox', { name: 'Select Ten J' }).click({ modifiers: ['Shift'] });
      await said(page, /^10 selected/);
      await page.getByRole('form', { name: 'Change the selected' }).getByRole('button', { name: 'Done' }).click();
      await said(page, /^10 \w+ changed/);
    },
  },
  {
    name: 'Broadcast to a tag',
    // One more: nothing is preset any more, as a name stood where the discount was meant.
    before: 11,
    most: 12,
    begin: async (page) => {
      await createContact(workspace, { name: 'Brit Broad', tags: ['vip'] });
      await page.goto('/dashboard/broadcasts/');
      await link(page, 'New broadcast').waitFor();
      await link(page, 'New broadcast').click();
      await page.getByRole('textbox', { name: 'Name', exact: true }).waitFor();
    },
    async work(page) {
      await page.getByRole('textbox', { name: 'Name', exact: true }).click();
      await page.keyboard.type('Garden week');
      await page.getByRole('combobox', { name: 'Template', exact: true }).selectOption({
        value: templateId(workspace, 'spring_sale'),
      });
      hands.clicks += 1;
      await choose(hands, page.getByRole('combobox', { name: '{{first_name}}', exact: true }), 'First name');
      await choose(hands, page.getByRole('combobox', { name: '{{discount}}', exact: true }), 'This text:');
      await page.getByRole('textbox', { name: /^Text for {{discount}}/ }).click();
      await page.keyboard.type('20 %');
      await page.getByRole('textbox', { name: /^Any of these tags/ }).click();
      await page.keyboard.type('vip');
      await page.getByRole('combobox', { name: /^Send from/ }).selectOption(workspace.account.phoneNumberId);
      hands.clicks += 1;
      await button(page, 'Save the draft and count').click();
      await link(page, /^Send or schedule/).click();
      await page.getByRole('radio', { name: 'Now', exact: true }).click();
      await page.getByRole('checkbox', { name: /^I want to send this/ }).click();
      await button(page, /^Send to .* now$/).click();
      await said(page, 'completed');
    },
  },
];

test.each(jobs)('$name takes no more than $most presses', async ({ name, before, most, begin, work }) => {
  await begin?.(sam.page);
  sam.problems.length = 0;
  Object.assign(hands, { clicks: 0, keys: 0 });
  await work(sam.page);
  const now = hands.clicks + hands.keys;
  table.push(`${name}: before ${before}, now ${now} (${hands.clicks} clicks, ${hands.keys} keys)`);
  expect(now).toBeGreaterThan(0);
  expect(now).toBeLessThanOrEqual(most);
  expect(sam.problems).toEqual([]);
});
