import type { Locator, Page } from 'playwright-core';
import type { Scope } from '../../api/core/http/access';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { createMember } from '../factories/members';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import { startApi, type TestApi } from '../support/api';
import { dashboardBrowser, type DashboardBrowser } from '../support/dashboard';
import { button, countHands, link, said, sent, tabTo, written } from '../support/hands';
import { startLatency, type Latency } from '../support/latency';

/*
 * Three people through a day, 600 ms away from the server: somebody on their first, who leads the team, and somebody
 * without a mouse. Each begins at one address; from there on they take what the page shows them, by what it is and how
 * it is called, and the pages tell no problem.
 */
const msAway = 600;
const dayMs = 300_000;

let desk: TestApi;
let latency: Latency;
beforeAll(async () => {
  [desk, latency] = [await startApi({ worker: true }), await startLatency(msAway)];
});
afterAll(async () => {
  await desk.close();
  await latency.close();
});

/** What an agent may who answers, and looks nothing over. */
const everyday: readonly Scope[] = [
  'team.view',
  'chat.view',
  'chat.send_message',
  'chat.assign',
  'contact.view',
  'contact.edit',
  'template.view',
  'inbox.view',
  'ticket.view',
  'macro.view',
];

const three: Readonly<Record<string, string>> = {
  'Vera Vogel': 'Where is my parcel?',
  'Paul Perez': 'Please call me',
  'Quinn Quast': 'Thanks!',
};

/** Customers who have written, who waits longest first. */
async function waiting(workspace: TestWorkspace, texts: Readonly<Record<string, string>>): Promise<TestCustomer[]> {
  const customers: TestCustomer[] = [];
  for (const [name, text] of Object.entries(texts)) {
    const customer = createCustomer(workspace, { name });
    await customer.writes(text);
    customers.push(customer);
  }
  return customers;
}

/** Waits until the focus is on something. */
async function hasFocus(page: Page, wanted: Locator): Promise<void> {
  await wanted.and(page.locator(':focus')).waitFor();
}

async function member(workspace: TestWorkspace, name: string, role?: 'owner'): Promise<DashboardBrowser> {
  return dashboardBrowser(desk, {
    workspace,
    name,
    proxy: latency.url,
    ...(role ? { role } : { permissions: everyday }),
  });
}

test(
  'on the first day: read, answered, noted, taken, handed on, snoozed, done, and somebody found by the search',
  async () => {
    const workspace = await createWorkspace(desk);
    await createMember(workspace, { name: 'Lea Lead', permissions: everyday });
    await waiting(workspace, three);
    const nina = await member(workspace, 'Nina New');
    const { page } = nina;
    await nina.open('/dashboard/inbox/');
    await link(page, /Vera Vogel/).click();
    await written(page, 'Where is my parcel?');

    await page.getByRole('textbox', { name: 'Reply' }).fill('It comes on Monday.');
    await button(page, 'Send').click();
    await sent(page, 'It comes on Monday.');

    await link(page, 'Note').click();
    await page.getByRole('textbox', { name: 'Note', exact: true }).fill('Wants it before Friday');
    await button(page, 'Add note').click();
    await written(page, 'Wants it before Friday');

    await button(page, 'Assign').click();
    await button(page, 'Me').click();
    await said(page, 'Yours');

    await button(page, 'Assign').click();
    await page.getByRole('combobox', { name: 'Hand over with a note' }).selectOption({ label: 'Lea Lead' });
    await page.getByRole('textbox', { name: 'Note for the team' }).fill('Can you ask the courier?');
    await button(page, 'Hand over').click();
    await said(page, 'Handed over with your note.');
    await written(page, 'Can you ask the courier?');

    await link(page, /Paul Perez/).click();
    await written(page, 'Please call me');
    await button(page, 'Snooze').click();
    await button(page, /^In an hour/).click();
    await said(page, /^Snoozed until/);

    await link(page, /Quinn Quast/).click();
    await written(page, 'Thanks!');
    await button(page, 'Done').click();
    await said(page, 'Quinn Quast is done.');

    await button(page, 'Search').click();
    await page.getByRole('combobox', { name: /^Search people/ }).pressSequentially('vogel');
    await page.getByRole('option', { name: /^Vera Vogel/ }).click();
    await written(page, 'Can you ask the courier?');
    expect(nina.problems).toEqual([]);
  },
  dayMs,
);

test(
  'a team lead: gives away, reads the reports, makes a macro, switches a rule on, tags, and sees what went wrong',
  async () => {
    const workspace = await createWorkspace(desk);
    await createMember(workspace, { name: 'Nina New', permissions: everyday });
    await waiting(workspace, { 'Vera Vogel': 'Where is my parcel?' });
    // The platform never delivers to this number.
    const lost = createCustomer(workspace, { name: 'Lars Lost', phone: '+15000131049' });
    await lost.writes('Any offers?');
    await workspace.api.post('/api/v1/messages/', { to: lost.phone, body: 'Two for one' });
    await desk.work();
    const kim = await member(workspace, 'Kim Keeper', 'owner');
    const { page } = kim;
    await kim.open('/dashboard/inbox/');
    await link(page, /^Unassigned/).click();
    await link(page, /Vera Vogel/).click();
    await written(page, 'Where is my parcel?');
    await button(page, 'Assign').click();
    await button(page, 'Nina New').click();
    await said(page, 'Assigned to Nina New.');

    await link(page, 'Reports').click();
    await page.getByRole('heading', { name: 'Reports', exact: true }).waitFor();
    await said(page, 'Began');

    await link(page, 'Macros').click();
    await link(page, 'New macro').click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Say sorry');
    await page.getByRole('combobox', { name: 'Add a step' }).selectOption({ label: 'Add tags' });
    await button(page, 'Add').click();
    await page.getByRole('textbox', { name: 'Tags' }).fill('sorry');
    await button(page, 'Save').click();
    await said(page, 'The macro is saved.');

    await link(page, 'Rules').click();
    await link(page, /^Take it/)
      .first()
      .click();
    await button(page, 'Save, switched off').click();
    await said(page, 'The rule is saved, and off.');
    // It is rehearsed at once, and what it would have done stands beside the switch.
    await button(page, 'Switch on').click();
    await said(page, 'The rule is on.');

    await link(page, /^Inbox/).click();
    await link(page, /^All/).click();
    await link(page, /Vera Vogel/).click();
    await written(page, 'Where is my parcel?');
    await button(page, 'About this person').click();
    const tags = page.getByRole('textbox', { name: 'Tags, with commas between them' });
    await tags.fill('parcel');
    await tags.press('Tab');
    await link(page, /Vera Vogel.*parcel$/).waitFor();
    await page.keyboard.press('Escape');

    await link(page, /Lars Lost.*Failed:/).click();
    await written(page, 'Two for one');
    await written(page, 'The platform limits marketing to this person. Try again another day.');
    expect(kim.problems).toEqual([]);
  },
  dayMs,
);

test(
  'with the keyboard alone: the keys are listed, and each does its job',
  async () => {
    const workspace = await createWorkspace(desk);
    await createMember(workspace, { name: 'Lea Lead', permissions: everyday });
    await waiting(workspace, three);
    const tom = await member(workspace, 'Tom Tasten');
    const hands = await countHands(tom.context);
    const { page } = tom;
    const { keyboard } = page;
    await tom.open('/dashboard/inbox/');
    await link(page, /Vera Vogel/).waitFor();
    await keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    for (const what of ['Next and previous conversation', 'Reply;', 'Write a note for the team', 'Assign', 'Snooze'])
      await keys.getByText(what).waitFor();
    await keyboard.press('Enter');
    await keys.waitFor({ state: 'hidden' });

    await keyboard.press('j');
    await written(page, 'Where is my parcel?');
    await keyboard.press('r');
    await hasFocus(page, page.getByRole('textbox', { name: 'Reply' }));
    await keyboard.type('It comes on Monday.');
    await keyboard.press('Control+Enter');
    await sent(page, 'It comes on Monday.');

    await keyboard.press('Escape');
    await keyboard.press('n');
    await hasFocus(page, page.getByRole('textbox', { name: 'Note', exact: true }));
    await keyboard.type('Wants it before Friday');
    await keyboard.press('Control+Enter');
    await written(page, 'Wants it before Friday');

    await keyboard.press('Escape');
    await keyboard.press('a');
    await hasFocus(page, button(page, 'Me'));
    await keyboard.press('Enter');
    await said(page, 'Yours');

    await keyboard.press('a');
    await button(page, 'Lea Lead').waitFor();
    await tabTo(page, page.getByRole('combobox', { name: 'Hand over with a note' }));
    await keyboard.type('Lea');
    await keyboard.press('Tab');
    await hasFocus(page, page.getByRole('textbox', { name: 'Note for the team' }));
    await keyboard.type('Can you ask the courier?');
    await keyboard.press('Tab');
    await keyboard.press('Enter');
    await said(page, 'Handed over with your note.');
    await written(page, 'Can you ask the courier?');
    await page.getByText('Lea Lead', { exact: true }).filter({ visible: true }).first().waitFor();

    await keyboard.press('j');
    await written(page, 'Please call me');
    await keyboard.press('s');
    await hasFocus(page, button(page, /^In an hour/));
    await keyboard.press('ArrowDown');
    await hasFocus(page, button(page, /^In three hours/));
    await keyboard.press('Enter');
    await said(page, /^Snoozed until/);

    await keyboard.press('j');
    await written(page, 'Thanks!');
    await keyboard.press('e');
    await said(page, 'Quinn Quast is done.');

    await keyboard.press('Control+k');
    const search = page.getByRole('combobox', { name: /^Search people/ });
    await hasFocus(page, search);
    await keyboard.type('vogel');
    await page.getByRole('option', { name: /^Vera Vogel/, selected: true }).waitFor();
    await keyboard.press('Enter');
    await written(page, 'Can you ask the courier?');

    await tabTo(page, link(page, 'Contacts'));
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Contacts', exact: true }).waitFor();
    await keyboard.press('Tab');
    await hasFocus(page, link(page, 'Skip to the content'));
    await keyboard.press('Enter');
    await tabTo(page, link(page, /Quinn Quast/));
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Quinn Quast' }).first().waitFor();
    expect(hands.clicks).toBe(0);
    expect(hands.keys).toBeGreaterThan(20);
    expect(tom.problems).toEqual([]);
  },
  dayMs,
);
