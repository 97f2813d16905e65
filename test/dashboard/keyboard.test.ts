import type { Page } from 'playwright-core';
import { createMember } from '../../api/services/identity/members/service';
import { templateId } from '../factories/broadcasts';
import { createCustomer } from '../factories/customers';
import { createMacro, ownerSession, step } from '../factories/macros';
import { createTicket } from '../factories/tickets';
import { connect, registerClient } from '../oauth/support';
import { createAgent } from '../support/agent';
import { startApi, type TestApi } from '../support/api';
import { closeBrowsers, dashboardBrowser } from '../support/dashboard';
import { eventually } from '../support/eventually';

let desk: TestApi;
beforeAll(async () => {
  desk = await startApi({ worker: true });
});
afterAll(async () => {
  await closeBrowsers();
  await desk.close();
});

/** What the element with the focus is called, as its user hears it. */
const focused = `(() => {
  const at = document.activeElement;
  const label = at.getAttribute('aria-label') ?? at.labels?.[0]?.textContent ?? at.textContent ?? '';
  return at.tagName.toLowerCase() + ' ' + label.replace(/\\s+/g, ' ').trim();
})()`;

/** Goes on with the Tab key until something of that name has the focus. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  const seen: string[] = [];
  for (let presses = 0; presses < 250; presses += 1) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate<string>(focused);
    if (name.test(at)) return;
    seen.push(at);
  }
  throw new Error(`nothing called ${name} can be reached: ${seen.slice(0, 60).join(' | ')}`);
}

/** Follows a link or presses a button by the keyboard. */
async function press(page: Page, name: RegExp): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press('Enter');
}

/** Goes to a place of the navigation; Settings leads on to the first of its pages. */
async function place(page: Page, label: string): Promise<void> {
  await press(page, new RegExp(`^a ${label}`));
  await page.waitForURL(`**/dashboard/${label === 'Settings' ? 'workspace' : label.toLowerCase()}/`);
}

test('a new member does a day of work without the mouse', async () => {
  const anna = createCustomer(desk.workspace, { name: 'Anna Albers' });
  await anna.writes('Where is my parcel?');
  await createMacro(desk.workspace, [step('add_tags', { tags: ['answered'] })], 'Answered');
  const ticket = await createTicket(desk.workspace, { title: 'Parcel is late' });
  const owner = await ownerSession(desk.workspace);
  const tokens = await connect(desk, await registerClient(desk.workspace, { name: 'Helper' }), owner, {
    changes: { scope: 'chat.view chat.send_message' },
  });
  const agent = createAgent(desk.anonymous.with({ authorization: `Bearer ${tokens.access}` }));
  await agent.call('send_message', { to: anna.phone, text: 'It comes tomorrow.' });
  const [email, password] = ['nina@desk.test', 'a long enough password'];
  await createMember(desk.workspace.ctx, { email, password, name: 'Nina New', role: 'admin' });

  const { page, context } = await dashboardBrowser(desk);
  await context.clearCookies();
  await page.goto('/dashboard/');
  await eventually(async () => expect(await page.evaluate(focused)).toBe('input Email'));
  await page.keyboard.type(email);
  await page.keyboard.press('Tab');
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');

  // Answers a customer, and runs a macro.
  await page.getByRole('link', { name: /Anna Albers/ }).waitFor();
  await page.waitForLoadState('load');
  await page.keyboard.press('j');
  await page.getByRole('log').getByText('Where is my parcel?').waitFor();
  await page.keyboard.press('r');
  await page.keyboard.type('Let me look.');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('log').getByText('Let me look.').waitFor();
  await eventually(async () => expect(await page.getByLabel('Reply', { exact: true }).inputValue()).toBe(''));
  // Writing can go on at once; Escape leaves the field for the shortcuts.
  await eventually(async () => expect(await page.evaluate(focused)).toMatch(/^textarea Reply/));
  await page.keyboard.press('Escape');
  await eventually(async () => expect(await page.evaluate(focused)).toMatch(/^body/));
  await page.keyboard.press('m');
  await eventually(async () => expect(await page.evaluate(focused)).toBe('button Answered'));
  await page.keyboard.press('Enter');
  await eventually(async () =>
    expect((await desk.api.get(`/api/v1/conversations/${anna.handle}/`)).body['tags']).toEqual(['answered']),
  );

  // Moves a ticket.
  await place(page, 'Tickets');
  await tabTo(page, /^a Parcel is late/);
  await page.keyboard.press('Shift+ArrowRight');
  await page.getByText(`#${ticket.id} is in`).waitFor();
  const { stage } = (await desk.api.get(`/api/v1/tickets/${ticket.id}/`)).body;
  expect(stage).not.toBe(ticket['stage']);

  // Schedules a broadcast and takes it back.
  await place(page, 'Broadcasts');
  await press(page, /^a New broadcast/);
  await page.getByRole('heading', { name: 'New broadcast' }).waitFor();
  await tabTo(page, /^input Name$/);
  await page.keyboard.type('News');
  await tabTo(page, /^select Template/);
  await page.keyboard.type('ticket_update');
  await page.getByLabel('{{1}}', { exact: true }).waitFor();
  expect(await page.getByLabel('Template', { exact: true }).inputValue()).toBe(
    templateId(desk.workspace, 'ticket_update'),
  );
  await tabTo(page, /^select Send from/);
  await page.keyboard.type('+1');
  await tabTo(page, /^input Contacts that fit all/);
  await page.keyboard.press('ArrowDown');
  await press(page, /^button Save the draft/);
  await page.getByText('The draft is saved.').waitFor();
  await press(page, /^a Send or schedule/);
  await page.getByRole('heading', { name: 'Send “News”' }).waitFor();
  await tabTo(page, /^input Now/);
  await page.keyboard.press('ArrowDown');
  await tabTo(page, /^input Time/);
  await page.keyboard.type('05042031');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.type('0900AM');
  await tabTo(page, /^input I want to send this/);
  await page.keyboard.press('Space');
  await press(page, /^button Schedule for Sun, 4 May 2031, 09:00/);
  await page.getByText('The broadcast is scheduled.').waitFor();
  await press(page, /^button Unschedule/);
  await page.getByText('It is a draft again.').waitFor();

  // Makes a key.
  await place(page, 'Settings');
  await press(page, /^a API keys/);
  await page.waitForURL('**/dashboard/api-keys/');
  await press(page, /^a New key/);
  await page.getByRole('heading', { name: 'New API key' }).waitFor();
  await tabTo(page, /^input Name/);
  await page.keyboard.type('Shop');
  await tabTo(page, /^input .*chat\.view$/);
  await page.keyboard.press('Space');
  await press(page, /^button Create the key/);
  expect(await page.getByLabel('API key').inputValue()).toMatch(/^hd_live_/);

  // Approves what an agent would say, and disconnects the agent.
  await place(page, 'Approvals');
  await press(page, /^button Approve/);
  await page.getByText('Approved.').waitFor();
  await eventually(() =>
    expect(desk.sandbox.state.sent.filter((sent) => JSON.stringify(sent).includes('It comes tomorrow.'))).toHaveLength(
      1,
    ),
  );
  await place(page, 'Settings');
  await press(page, /^a Agents/);
  await page.getByRole('heading', { name: 'Connected agents' }).waitFor();
  await press(page, /^button Disconnect/);
  await page.getByRole('dialog').waitFor();
  await press(page, /^button Disconnect/);
  await page.getByText('The agent is disconnected.').waitFor();
  expect((await owner.api.get<unknown[]>('/api/v1/connected-agents/')).body).toEqual([]);
}, 180_000);
