import { createBroadcast, insertContacts, templateId, twoValues } from '../factories/broadcasts';
import { createCustomer } from '../factories/customers';
import { createPipeline, createTicket, pipelinesPath } from '../factories/tickets';
import { createWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { dashboardBrowser, pageShows } from '../support/dashboard';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('worker');
});
afterAll(() => desk.close());

test('a broadcast leaves the inbox to those who wrote', async () => {
  const space = await createWorkspace(desk);
  const ask = createCustomer(space, { name: 'Ada Asks' });
  const told = createCustomer(space, { name: 'Tim Told' });
  for (const customer of [told, ask]) await customer.writes('Hello');
  expect((await space.api.post('/api/v1/messages/', { to: told.handle, body: 'Hi Tim' })).status).toBe(201);
  await insertContacts(space, 60, 49_177_000_000);
  const id = await createBroadcast(space);
  await space.api.post(`/api/v1/broadcasts/${id}/confirm/`);
  await desk.work();
  expect((await space.api.get(`/api/v1/broadcasts/${id}/`)).body['status']).toBe('completed');

  const kim = await dashboardBrowser(desk, { name: 'Kim', workspace: space });
  const names = () => kim.page.locator('.conversation-name').allTextContents();
  await kim.open('/dashboard/inbox/');
  expect(await names()).toEqual(['Ada Asks']);
  expect(await kim.page.locator('.wait').textContent()).toMatch(/now|min/);
  await kim.page.getByRole('link', { name: 'Inbox 1 waiting' }).waitFor();
  await kim.page.getByRole('link', { name: 'Waiting 1' }).waitFor();
  expect(await kim.page.title()).toBe('(1) Inbox · Msgdesk');
  await kim.open('/dashboard/inbox/?view=open');
  expect(await names()).toEqual(['Tim Told', 'Ada Asks']);
  expect((await space.api.get(`/api/v1/conversations/${ask.handle}/`)).body['unread_count']).toBe(1);

  // A ticket's move tells the customer, too, and neither of them answers; the thread names both.
  const pipeline = await createPipeline(space, ['New']);
  const { body: stage } = await space.api.post(`${pipelinesPath}${pipeline.id}/stages/`, {
    name: 'Told',
    notify_template_id: templateId(space, 'ticket_update'),
    notify_template_variables: twoValues,
  });
  const { body: contact } = await space.api.get(`/api/v1/contacts/${ask.handle}/`);
  const ticket = await createTicket(space, { pipeline: pipeline.id, receiver: contact['id'] });
  await space.api.patch(`/api/v1/tickets/${ticket.id}/`, { stage: stage['id'] });
  await kim.open(`/dashboard/inbox/${ask.handle}/`);
  for (const author of ['News', `Ticket #${ticket.id}`])
    await kim.page.locator('.bubble-foot').getByText(author).waitFor();
  await kim.page.getByRole('link', { name: 'Waiting 1' }).waitFor();

  // A snoozed one that writes comes back into sight, and the numbers follow without a reload.
  const until = new Date(Date.now() + 3_600_000).toISOString();
  await space.api.patch(`/api/v1/conversations/${told.handle}/`, { conv_status: 'snoozed', snoozed_until: until });
  await kim.open('/dashboard/inbox/');
  await told.writes('Are you there?');
  await kim.page.getByText('wrote while snoozed').waitFor();
  await pageShows(kim.page, `document.title === '(2) Inbox · Msgdesk'`);
  expect(kim.problems).toEqual([]);
});

test('after a conversation is done, j goes on with the one that stood below it', async () => {
  const space = await createWorkspace(desk);
  for (const name of ['First', 'Second', 'Third']) await createCustomer(space, { name }).writes('Hello');
  const kim = await dashboardBrowser(desk, { workspace: space });
  const { page } = kim;
  const names = () => page.locator('.conversation-name').allTextContents();
  const opened = (name: string) => page.locator('#thread-title').getByText(name, { exact: true }).waitFor();
  await kim.open('/dashboard/inbox/');
  expect(await names()).toEqual(['First', 'Second', 'Third']);
  await page.keyboard.press('j');
  await opened('First');
  await page.keyboard.press('j');
  await opened('Second');
  await page.keyboard.press('e');
  await page.locator('.conversation-name', { hasText: 'Second' }).waitFor({ state: 'detached' });
  expect(await names()).toEqual(['First', 'Third']);
  await page.keyboard.press('j');
  await opened('Third');
  expect(kim.problems).toEqual([]);
});

test('a key that is pressed as soon as a conversation is shown acts in the page that is there', async () => {
  const space = await createWorkspace(desk);
  for (const name of ['First', 'Second']) await createCustomer(space, { name }).writes('Hello');
  const { page, open, problems } = await dashboardBrowser(desk, { workspace: space });
  await open('/dashboard/inbox/');
  await page.evaluate(`window.isSame = true;
    document.addEventListener('htmx:afterSwap', function done({ detail: { target } }) {
      if (target.id !== 'open') return;
      document.removeEventListener('htmx:afterSwap', done);
      setTimeout(() => document.querySelector('[data-key="e"]').click(), 0);
    });`);
  await page.keyboard.press('j');
  await page.locator('.conversation-name', { hasText: 'First' }).waitFor({ state: 'detached' });
  expect(await page.evaluate('window.isSame')).toBe(true);
  expect(problems).toEqual([]);
});
