import { createBroadcast, insertContacts, templateId } from '../factories/broadcasts';
import { createCustomer } from '../factories/customers';
import { createWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { dashboardBrowser, expectAccessible } from '../support/dashboard';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('worker');
});
afterAll(() => desk.close());

test('a thread shows every side, whose it is, and buttons that take it and give it back', async () => {
  const workspace = await createWorkspace(desk);
  const anna = createCustomer(workspace, { name: 'Anna' });
  await anna.writes('Hello');
  const about = { phone_number_id: workspace.account.phoneNumberId, from: anna.phone };
  await desk.sandbox.event({ kind: 'phone_app', text: 'From the phone', ...about });
  await desk.sandbox.event({ kind: 'agent_takes', ...about });
  await desk.sandbox.event({ kind: 'agent_writes', text: 'From the agent', ...about });
  await desk.sandbox.event({ kind: 'call', ...about });
  await desk.settled();

  const sam = await dashboardBrowser(desk, { workspace });
  await sam.open(`/dashboard/inbox/${anna.handle}/`);
  const bubble = (text: string) => sam.page.locator('.bubble').filter({ hasText: text });
  await bubble('From the phone').getByText('Phone app').last().waitFor();
  await bubble('From the agent').getByText('Another application').last().waitFor();
  await sam.page.locator('#thread-head').getByText("The platform's agent answers").waitFor();
  await expectAccessible(sam.page);
  await sam.picture('thread of another application');
  await sam.page.getByRole('button', { name: 'Whose thread' }).click();
  await sam.page.getByRole('button', { name: 'Take the thread' }).click();
  await sam.page.getByText('The thread is yours.').waitFor();
  await sam.page.locator('#thread-head').getByText("The platform's agent answers").waitFor({ state: 'detached' });

  await sam.page.getByRole('button', { name: 'Whose thread' }).click();
  await sam.page.getByRole('button', { name: 'Give the thread back' }).click();
  await sam.page.getByRole('heading', { name: 'Give the thread back?' }).waitFor();
  await sam.picture('thread given back');
  await sam.page.getByRole('button', { name: 'Give back', exact: true }).click();
  await sam.page.getByText('The thread is given back.').waitFor();
  await sam.page.locator('#thread-head').getByText('Another application answers').waitFor();
  await sam.open(`/dashboard/inbox/${anna.handle}/activity/`);
  await sam.page.getByText('noted a missed call').waitFor();
  expect(sam.problems).toEqual([]);
});

test('a broadcast says what it costs and whom the limit leaves out; costs and a refusal are shown', async () => {
  const workspace = await createWorkspace(desk);
  await insertContacts(workspace, 260, 4_915_100_700_000);
  await desk.runtime.db.rows(`UPDATE phone_numbers SET messaging_limit_tier = 'TIER_250' WHERE workspace_id = $id`, {
    id: workspace.id,
  });
  const sam = await dashboardBrowser(desk, { workspace });
  await sam.open('/dashboard/usage/');
  await sam.page.getByLabel('Rates as CSV').fill('country,category,rate,currency\n*,utility,0.05,EURO');
  await sam.page.getByRole('button', { name: 'Store the rates' }).click();
  await sam.page.getByText('"EURO" is not a currency').first().waitFor();
  await sam.page.getByLabel('Rates as CSV').fill('country,category,rate,currency\n*,utility,0.05,EUR');
  await sam.page.getByLabel('Valid from').fill('2020-01-01');
  await sam.page.getByRole('button', { name: 'Store the rates' }).click();
  await sam.page.getByText('1 rate stored.').waitFor();

  const id = await createBroadcast(workspace, { template_id: templateId(workspace, 'ticket_update') });
  await sam.open(`/dashboard/broadcasts/${id}/confirm/`);
  await sam.page.getByText('charge 260 messages, €13.00').waitFor();
  await sam.page.getByText('About 10 of them will not get it today').waitFor();
  await expectAccessible(sam.page);

  await desk.runtime.db.rows(
    `INSERT INTO message_usage (message_id, workspace_id, arrived_at, category, billable, country)
     SELECT 900000000 + n, $id, now(), 'utility', true, 'DE' FROM generate_series(1, 20) n`,
    { id: workspace.id },
  );
  await desk.runtime.db.rows('UPDATE business_accounts SET payment_refused_at = now() WHERE workspace_id = $id', {
    id: workspace.id,
  });
  await sam.open('/dashboard/usage/?group_by=country');
  await sam.page
    .getByRole('row', { name: /Germany/ })
    .getByText('€1.00')
    .waitFor();
  await sam.page.getByRole('alert').getByText('its payment was refused').waitFor();
  await expectAccessible(sam.page);
  await sam.picture('costs');
});

test('what the platform holds back is seen in the thread', async () => {
  const workspace = await createWorkspace(desk);
  const anna = createCustomer(workspace, { name: 'Anna' });
  await anna.writes('Hello');
  desk.sandbox.faults.add({ kind: 'held_then_sent', to: anna.handle });
  Object.assign(desk.sandbox.settings, { status_delay_ms: 3_600_000 });
  const id = await createBroadcast(workspace);
  await workspace.api.post(`/api/v1/broadcasts/${id}/confirm/`);
  const sam = await dashboardBrowser(desk, { workspace });
  await sam.open(`/dashboard/inbox/${anna.handle}/`);
  await sam.page.getByRole('img', { name: /held by the platform/ }).waitFor();
});
