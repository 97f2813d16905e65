import { createContact } from '../factories/contacts';
import { createCustomer } from '../factories/customers';
import { createWorkspace } from '../factories/workspaces';
import { holdSending, removeHold } from '../../api/services/resources/accounts/fence';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { dashboardBrowser, expectAccessible } from '../support/dashboard';

/** What a workspace has at the platform, and what one that is new needs. */
let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

const hostile = `<img src=x onerror="alert(1)">`;

test('numbers are shown with their quality and limit, and with what holds or stops them', async () => {
  const workspace = await createWorkspace(desk);
  const sam = await dashboardBrowser(desk, { workspace });
  const { page } = sam;
  await sam.open('/dashboard/settings/');
  await page.getByRole('link', { name: 'Numbers', exact: true }).click();
  const rows = page.locator('.account tbody tr');
  await rows.getByText('connected').first().waitFor();
  expect(await rows.count()).toBe(2);
  await page.getByText('synced').waitFor();

  const { rows: change } = desk.runtime.db;
  await change(
    `UPDATE phone_numbers SET stopped_at = now(), stopped_code = 133010, stopped_reason = $reason,
       quality_rating = 'RED', messaging_limit_tier = 'TIER_10K'
     WHERE phone_number_id = $id`,
    { id: workspace.account.phoneNumberId, reason: hostile },
  );
  await change('UPDATE business_accounts SET payment_refused_at = now() WHERE workspace_id = $id', {
    id: workspace.id,
  });
  const held = { workspaceId: workspace.id, phoneNumberPk: null };
  await holdSending(desk.runtime, held, 'Until the invoice is clear');
  await page.reload();
  await rows.first().getByText('10,000 people a day').waitFor();
  const text = await page.locator('main').textContent();
  expect(text).toContain(`The platform refuses the number: ${hostile} (133010).`);
  expect(text).toContain('Held by the operator: Until the invoice is clear');
  expect(text).toContain('its payment was refused');
  expect(await rows.first().locator('.tag').allTextContents()).toEqual(['held', 'low']);
  await expectAccessible(page);
  await sam.picture('numbers');

  await removeHold(desk.runtime, held);
  expect(sam.problems).toEqual([]);
});

test('a workspace without an account is told how it is connected', async () => {
  const workspace = await createWorkspace(desk, { connected: false });
  const sam = await dashboardBrowser(desk, { workspace, scripts: false });
  await sam.open('/dashboard/numbers/');
  await sam.page.getByText(`npm run admin -- sync --workspace ${workspace.id}`).waitFor();
  const kim = await dashboardBrowser(desk, { workspace, permissions: ['chat.view', 'template.view'] });
  await kim.open('/dashboard/templates/');
  await kim.page.getByRole('heading', { name: 'No templates' }).waitFor();
  await expectAccessible(kim.page);
});

test('templates are found by their status; a page shows what a customer reads', async () => {
  const shown = (name: string, more: object) => ({ id: `56${name}`, name, language: 'en_US', ...more });
  const workspace = await createWorkspace(desk, {
    account: {
      templates: [
        shown('order_update', {
          category: 'UTILITY',
          status: 'APPROVED',
          components: [
            { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}', example: { header_text: ['4711'] } },
            { type: 'BODY', text: `Hello {{1}}, ${hostile}`, example: { body_text: [['Anna']] } },
            { type: 'FOOTER', text: 'Green Garden' },
            { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Thanks' }] },
          ],
        }),
        shown('picture', {
          category: 'MARKETING',
          status: 'REJECTED',
          rejected_reason: 'INVALID_FORMAT',
          components: [
            { type: 'HEADER', format: 'IMAGE' },
            { type: 'BODY', text: 'Look, {{1}}' },
          ],
        }),
      ],
    },
  });
  const sam = await dashboardBrowser(desk, { workspace });
  const { page } = sam;
  await sam.open('/dashboard/templates/');
  await page.getByRole('link', { name: 'order_update' }).waitFor();
  await page.getByRole('row').filter({ hasText: 'picture' }).getByText('Invalid format').waitFor();
  await page.getByLabel('Status').selectOption({ label: 'Approved' });
  await page.waitForURL(/status=APPROVED/);
  expect(await page.getByRole('link', { name: 'picture' }).count()).toBe(0);
  await page.getByRole('link', { name: 'order_update' }).click();
  await page.getByRole('heading', { name: 'What a customer reads' }).waitFor();
  expect(await page.locator('.says > p').allTextContents()).toEqual([
    'Order 4711',
    `Hello Anna, ${hostile}`,
    'Green Garden',
    'Thanks',
  ]);
  await sam.open('/dashboard/templates/56picture/');
  await page.getByText('The platform refused it: Invalid format').waitFor();
  await page.locator('.says').getByText('A file: image').waitFor();
  await page.locator('.says').getByText('Look, {{1}}').waitFor();
  expect(sam.problems).toEqual([]);
});

test('the inbox of a new workspace names the first steps until somebody writes', async () => {
  const workspace = await createWorkspace(desk);
  const sam = await dashboardBrowser(desk, { workspace });
  const { page } = sam;
  const steps = page.getByRole('region', { name: 'First steps' });
  const stream = page.waitForResponse((answer) => answer.url().includes('/dashboard/live/'));
  await sam.open('/dashboard/inbox/');
  await stream;
  const done = steps.locator('li.is-done');
  await steps.getByRole('link', { name: 'Import your contacts' }).waitFor();
  expect(await done.getByRole('link').allTextContents()).toEqual(['Connect a number', 'Invite a member']);
  await expectAccessible(page);
  await sam.picture('first steps');

  // Contacts alone are no conversation; a customer who writes is one, and the page shows it by itself.
  await createContact(workspace, { name: 'Ida Imported' });
  await sam.open('/dashboard/inbox/');
  await done.getByRole('link', { name: 'Import your contacts' }).waitFor();
  const anna = createCustomer(workspace, { name: 'Anna First' });
  await anna.writes('Hello');
  await page.locator('.conversation').getByText('Anna First').waitFor();
  await steps.waitFor({ state: 'detached' });

  // Who may do none of it is sent nowhere where they would be refused.
  const empty = await createWorkspace(desk, { connected: false });
  const kim = await dashboardBrowser(desk, { workspace: empty, permissions: ['chat.view'] });
  await kim.open('/dashboard/inbox/');
  const links = kim.page.getByRole('region', { name: 'First steps' }).getByRole('link');
  await links.first().waitFor();
  expect(await links.allTextContents()).toEqual(['Connect an AI agent']);
  expect(sam.problems).toEqual([]);
});
