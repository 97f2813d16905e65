import { sumUpReports } from '../../api/services/resources/reports/dailySums';
import { createCustomer } from '../factories/customers';
import { press } from '../factories/ratings';
import { createWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { dashboardBrowser, expectAccessible } from '../support/dashboard';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

test('a team lead lets customers be asked, sees what one answers, and how many are satisfied', async () => {
  const workspace = await createWorkspace(desk);
  const sam = await dashboardBrowser(desk, { workspace });
  await sam.open('/dashboard/workspace/');
  await sam.page.getByLabel('Ask customers after a conversation is resolved').check();
  await sam.page.getByLabel('Question').fill('Were we of help?');
  await sam.page.getByLabel('Buttons').fill('Yes\nNo');
  await sam.page.getByRole('button', { name: 'Save' }).click();
  await sam.page.locator('#field-satisfaction_labels-error').waitFor();
  expect(await sam.page.getByLabel('Ask customers').isChecked()).toBe(true);
  await sam.page.getByLabel('Buttons').fill('Yes\nA little\nNo');
  await sam.page.getByRole('button', { name: 'Save' }).click();
  await sam.page.getByText('The settings are saved.').waitFor();
  expect(await sam.page.getByLabel('Ask customers').isChecked()).toBe(true);
  expect(await sam.page.getByLabel('Question').inputValue()).toBe('Were we of help?');

  const anna = createCustomer(workspace, { name: 'Anna' });
  const ben = createCustomer(workspace, { name: 'Ben' });
  for (const [customer, place] of [
    [anna, 0],
    [ben, 2],
  ] as const) {
    await customer.writes('Where is my parcel?');
    await workspace.api.patch(`/api/v1/conversations/${customer.handle}/`, { conv_status: 'resolved' });
    await press(workspace, customer, place);
  }
  await sam.open(`/dashboard/inbox/${anna.handle}/`);
  await sam.page.getByText('Rating: satisfied').waitFor();
  await sam.page.getByText('Were we of help?').first().waitFor();
  await expectAccessible(sam.page);
  await sam.picture('satisfaction thread');
  await sam.open(`/dashboard/inbox/${anna.handle}/activity/`);
  await sam.page.getByText('noted how satisfied the customer is').waitFor();
  await sam.page.getByText('asked how satisfied the customer is').waitFor();

  await sumUpReports(desk.runtime);
  await sam.open('/dashboard/reports/');
  const figure = sam.page.locator('.report-figures > div', { hasText: 'Satisfied' }).locator('dd');
  expect(await figure.textContent()).toBe('50 %');
});
