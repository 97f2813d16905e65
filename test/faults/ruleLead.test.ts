import type { Locator, Page } from 'playwright-core';
import { createCustomer } from '../factories/customers';
import { ownerSession } from '../factories/macros';
import { createWorkspace } from '../factories/workspaces';
import { startApi, type TestApi } from '../support/api';
import { picture } from '../support/browser';
import { dashboardBrowser } from '../support/dashboard';
import { button, choose, countHands, link, said, written, type Hands } from '../support/hands';
import { startLatency, type Latency } from '../support/latency';

/*
 * A team lead sets up the five rules that are ready, in a workspace of today in which nothing is made yet, 600 ms away
 * from the server: by mouse alone, from one address on, with nothing to read but the pages. What a rule needs, its page
 * says, and leads there.
 */
const msAway = 600;

let desk: TestApi;
let latency: Latency;
beforeAll(async () => {
  [desk, latency] = [await startApi({ worker: true }), await startLatency(msAway)];
});
afterAll(async () => {
  await desk.close();
  await latency.close();
});

const box = (page: Page, name: string): Locator => page.getByRole('textbox', { name, exact: true });
const list = (page: Page, name: string): Locator => page.getByRole('combobox', { name, exact: true });
const told = (page: Page): Locator => page.getByRole('region', { name: 'It reads' });
const heading = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('heading', { name, exact: true }).first().waitFor();

/** Goes into a field, and writes. */
async function write(field: Locator, text: string): Promise<void> {
  await field.click();
  await field.page().keyboard.type(text);
}

async function toRules(page: Page): Promise<void> {
  await link(page, 'Rules').first().click();
  await heading(page, 'Rules');
}

/** Opens a rule that is ready. */
async function take(page: Page, name: string): Promise<void> {
  await link(page, new RegExp(`^Take it.*${name}$`)).click();
  await heading(page, 'New rule');
}

/** Saves a rule, sees beside it what it would have done, and switches it on. */
async function switchOn(page: Page): Promise<void> {
  await button(page, 'Save, switched off').click();
  await said(page, 'The rule is saved, and off.');
  const beside = page.getByRole('region', { name: 'What would have happened' });
  await beside.getByText('It would not have started once.').waitFor();
  await beside.getByRole('button', { name: 'Switch on' }).click();
  await said(page, 'The rule is on.');
}

interface Step {
  readonly name: string;
  readonly work: (page: Page, hands: Hands) => Promise<unknown>;
}

const steps: readonly Step[] = [
  {
    name: 'Nobody answered: its page says that no hours are set, and leads to them',
    async work(page) {
      await toRules(page);
      await take(page, 'Nobody answered in 10 minutes');
      await told(page).getByText('Set the priority to urgent').waitFor();
      await told(page).getByText('No hours are set yet').waitFor();
      await link(page, 'Set hours').click();
      await link(page, 'New calendar').click();
      await write(box(page, 'Name'), 'Support');
      for (const day of ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'])
        await write(box(page, day), '09:00-18:00');
      await button(page, 'Create').click();
      await said(page, 'The calendar is made.');
    },
  },
  {
    name: 'A team inbox, beside the hours',
    async work(page) {
      await link(page, 'Team inboxes').click();
      await link(page, 'New team inbox').click();
      await write(box(page, 'Name'), 'Support');
      await page.getByRole('checkbox', { name: /Kim Keeper/ }).click();
      await button(page, 'Create').click();
      await said(page, 'The team inbox is made.');
    },
  },
  {
    name: 'Nobody answered: taken and switched on',
    async work(page) {
      await toRules(page);
      await take(page, 'Nobody answered in 10 minutes');
      await told(page).getByText('after 10 minutes of working time').waitFor();
      expect(await page.getByText('No hours are set yet').count()).toBe(0);
      await switchOn(page);
    },
  },
  {
    name: 'The window closes: what the customer will read stands there',
    async work(page) {
      await toRules(page);
      await take(page, 'The window closes in an hour');
      await told(page).getByText('Are you still there? We are glad to help you further.').waitFor();
      await switchOn(page);
    },
  },
  {
    name: 'No answer for three days',
    async work(page) {
      await toRules(page);
      await take(page, 'No answer of the customer for three days');
      await told(page).getByText('Set the status to resolved').waitFor();
      await switchOn(page);
    },
  },
  {
    name: 'A missed call: with a macro of one’s own, made from the rule',
    async work(page, hands) {
      await toRules(page);
      await take(page, 'A missed call');
      await link(page, 'New macro').click();
      await write(box(page, 'Name'), 'We are away');
      await choose(hands, list(page, 'Add a step'), 'Send a message');
      await button(page, 'Add').click();
      await write(box(page, 'Message'), 'We are away, and call you back.');
      await button(page, 'Save').click();
      await said(page, 'The macro is saved.');
      await toRules(page);
      await take(page, 'A missed call');
      await choose(hands, list(page, 'Macro'), 'We are away');
      await told(page).getByText('We are away, and call you back.').waitFor();
      await switchOn(page);
    },
  },
  {
    name: 'A low rating: its page says that nobody is asked for one, and leads there',
    async work(page) {
      await toRules(page);
      await take(page, 'A low rating');
      await told(page).getByText('Customers are not asked for a rating yet').waitFor();
      await link(page, 'Ask them').click();
      await page.getByRole('checkbox', { name: 'Ask customers after a conversation is resolved' }).click();
      await button(page, 'Save').click();
      await said(page, 'The settings are saved.');
      await toRules(page);
      await take(page, 'A low rating');
      await told(page).getByText('Set the status to open').waitFor();
      expect(await page.getByText('Customers are not asked').count()).toBe(0);
      await switchOn(page);
    },
  },
  {
    name: 'One condition more, of a rule that is on',
    async work(page, hands) {
      await toRules(page);
      await link(page, 'Nobody answered in 10 minutes').click();
      await button(page, 'Add a condition').click();
      await choose(hands, list(page, 'What').nth(1), 'Assigned member');
      await choose(hands, list(page, 'Compared').nth(1), 'is not set');
      await told(page).getByText('waits for an answer and the assigned member is not set').waitFor();
      await button(page, 'Save').click();
      await said(page, 'The rule is saved.');
    },
  },
];

test('a team lead sets up the five rules by mouse alone, asks nobody, and reads what they did', async () => {
  const workspace = await createWorkspace(desk);
  const kim = await dashboardBrowser(desk, { workspace, name: 'Kim Keeper', proxy: latency.url });
  const hands = await countHands(kim.context);
  const { page } = kim;
  const table: string[] = [];
  const step = async ({ name, work }: Step): Promise<void> => {
    const before = hands.clicks;
    await work(page, hands);
    await picture(page, `rule lead ${table.length + 1}`);
    table.push(`${name}: ${hands.clicks - before} clicks`);
  };
  await kim.open('/dashboard/inbox/');
  for (const one of steps) await step(one);

  const vera = createCustomer(workspace, { name: 'Vera Vogel' });
  await vera.writes('Where is my parcel?');
  await desk.sandbox.event({
    kind: 'call',
    phone_number_id: workspace.account.phoneNumberId,
    from: { phone: vera.phone, name: vera.name },
    id: 'wacid.missed',
  });
  await desk.settled();
  await step({
    name: 'A customer is answered',
    async work() {
      await link(page, /^Inbox/)
        .first()
        .click();
      await link(page, /^All/).click();
      await link(page, /Vera Vogel/).click();
      await written(page, 'We are away, and call you back.');
      await write(box(page, 'Reply'), 'It comes on Monday.');
      await button(page, 'Send').click();
      await written(page, 'It comes on Monday.');
    },
  });
  const ends = { 'Nobody answered in 10 minutes': /not needed\s*somebody answered/, 'A missed call': /applied/ };
  for (const [rule, end] of Object.entries(ends))
    await step({
      name: `The runs of “${rule}”, each with what became of it`,
      async work() {
        await toRules(page);
        await link(page, rule).click();
        await link(page, 'Runs').click();
        await page
          .getByRole('row', { name: /Vera Vogel/ })
          .filter({ hasText: end })
          .waitFor();
      },
    });

  table.push(`All of it: ${hands.clicks} clicks in ${table.length} steps`);
  process.stdout.write(`\n${table.join('\n')}\n`);
  const { body: rules } = await (await ownerSession(workspace)).api.get('/api/v1/rules/');
  expect(rules.map(({ state }) => state)).toEqual(['on', 'on', 'on', 'on', 'on']);
  expect(hands.keys).toBe(0);
  expect(kim.problems).toEqual([]);
}, 600_000);
