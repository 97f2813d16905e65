import { createCustomer } from '../factories/customers';
import { createSession } from '../factories/members';
import type { TestApi } from '../support/api';
import { dashboardBrowser, expectAccessible } from '../support/dashboard';
import { sharedDesk } from '../support/sharedDesk';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

test('a conversation is printed from its beginning, with notes where asked, and exported as a file', async () => {
  const paula = createCustomer(desk.workspace, { name: 'Paper Paula' });
  await paula.writes('The first message');
  const { id } = (await desk.api.get(`/api/v1/conversations/${paula.handle}/`)).body;
  await desk.runtime.db.rows(
    `INSERT INTO messages (workspace_id, conversation_id, direction, type, body, wamid, message_status, created_at)
     SELECT $workspaceId, $id, 'inbound', 'text',
       jsonb_build_object('type', 'text', 'text', jsonb_build_object('body', 'Line ' || n)),
       'wamid.print.' || n, 'received', now() + n * interval '1 second'
     FROM generate_series(1, 230) n`,
    { workspaceId: desk.workspace.id, id },
  );
  const { api } = await createSession(desk.workspace.owner);
  await api.post(`/api/v1/conversations/${paula.handle}/notes/`, { body: 'For the team alone' });
  const sam = await dashboardBrowser(desk);
  const { page } = sam;
  await sam.open(`/dashboard/inbox/${paula.handle}/`);
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('link', { name: 'Print or export…' }).click();
  await page.getByText('The first message').waitFor();
  expect(await page.locator('.line').count()).toBe(200);
  expect(await page.getByText('For the team alone').count()).toBe(0);
  await expectAccessible(page);
  await sam.picture('print');
  await page.emulateMedia({ media: 'print' });
  expect(await page.locator('.nav, .unprinted').filter({ visible: true }).count()).toBe(0);
  await page.emulateMedia({ media: null });
  await page.getByRole('link', { name: 'Next page' }).click();
  await page.getByText('Line 230').waitFor();
  expect(await page.locator('.line').count()).toBe(31);
  await page.goBack();
  await page.getByRole('link', { name: 'With notes' }).click();
  await page.getByText('For the team alone').waitFor();

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export as text' }).click(),
  ]);
  const stream = await download.createReadStream();
  let text = '';
  for await (const piece of stream) text += String(piece);
  expect(text).toMatch(/The first message[^]*Line 1\n[^]*Line 230\n/);
  expect(text).toContain('For the team alone');
  expect(sam.problems).toEqual([]);
  const [row] = await desk.runtime.db.rows<{ given: object; subject_id: number }>(
    `SELECT given, subject_id FROM security_log WHERE workspace_id = $id AND action = 'conversations.export'`,
    { id: desk.workspace.id },
  );
  expect(row).toEqual({ given: { as: 'text', notes: 'yes' }, subject_id: id });
});
