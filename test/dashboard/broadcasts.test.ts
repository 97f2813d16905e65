import type { Route } from 'playwright-core';
import { syncWorkspace } from '../../api/services/processes/upstreamSync/service';
import { createBroadcast, insertContacts, templateId } from '../factories/broadcasts';
import { createWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { dashboardBrowser, expectAccessible, sends, sentTwice } from '../support/dashboard';
import { eventually } from '../support/eventually';

const hostile = `<img src=x onerror="alert(1)">"'</script>`;

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('worker');
  await insertContacts(desk.workspace, 3, 49_150_077_000);
});
afterAll(() => desk.close());

test('a member drafts, sees the count live, schedules, unschedules, and sends after a confirmation', async () => {
  const sam = await dashboardBrowser(desk);
  await sam.open('/dashboard/broadcasts/');
  await sam.page.getByRole('heading', { name: 'No broadcasts yet' }).waitFor();
  await sam.page.keyboard.press('n');
  await sam.page.getByLabel('Name', { exact: true }).fill(`Spring ${hostile}`);
  await sam.page
    .getByLabel('Template', { exact: true })
    .selectOption({ value: templateId(desk.workspace, 'ticket_update') });
  // The template is read before anything is stored.
  const message = sam.page.getByRole('region', { name: 'Message' }).locator('.says');
  await message.getByText('{{1}}').waitFor();
  expect(await message.textContent()).toContain('Green Garden support');
  await sam.page.getByLabel('{{1}}', { exact: true }).selectOption('name');
  await sam.page.getByLabel('{{2}}', { exact: true }).selectOption('static');
  await sam.page.getByLabel('Text for {{2}}').fill(hostile);
  await sam.page.getByRole('button', { name: 'Save the draft and count' }).click();
  await sam.page.getByText('at least one filter').first().waitFor();
  await sam.page.getByLabel('Send from').selectOption(desk.workspace.account.phoneNumberId);
  await sam.page.getByRole('radio', { name: /^All contacts/ }).check();
  await sam.page.getByRole('button', { name: 'Save the draft and count' }).click();
  const side = sam.page.getByLabel('Preview');
  const rules = sam.page.getByRole('list', { name: 'Who fits' });
  await side.getByText(/3\s+contacts get it/).waitFor();
  // All that a customer sees, below the text, too.
  expect(await side.locator('.says').first().textContent()).toContain('Green Garden support');
  await sam.page.getByLabel('Any of these tags').fill('nobody-has-it');
  await sam.page.getByRole('radio', { name: /^Contacts that fit/ }).check();
  await side.getByText(/0\s+contacts get it/).waitFor();
  await rules.getByText('tagged nobody-has-it', { exact: true }).waitFor();
  await sam.page.getByRole('radio', { name: /^All contacts/ }).check();
  await side.getByText(/3\s+contacts get it/).waitFor();
  expect(await sam.page.locator('main img').count()).toBe(0);

  await sam.page.getByRole('link', { name: /Send or schedule/ }).click();
  await sam.page.getByRole('radio', { name: 'Now', exact: true }).check();
  await sam.page.getByRole('button', { name: 'Send to 3 contacts now' }).click();
  await sam.page.locator('#field-sure-error').waitFor();
  await expectAccessible(sam.page);
  await sam.picture('broadcast confirm');
  await sam.page.getByRole('radio', { name: 'At a time' }).check();
  await sam.page.getByLabel('Time', { exact: true }).fill('2031-05-04T09:00');
  await sam.page.getByLabel('I want to send this').check();
  await sam.page.getByRole('button', { name: 'Schedule for Sun, 4 May 2031, 09:00' }).click();
  await sam.page.getByText('The broadcast is scheduled.').waitFor();
  const planned = sam.page.getByRole('region', { name: 'What goes out' });
  await planned.getByText(/3\s+contacts get it/).waitFor();
  expect(await planned.locator('.says').first().textContent()).toContain('Green Garden support');
  await sam.page.getByRole('button', { name: 'Unschedule' }).click();
  await sam.page.getByText('It is a draft again.').waitFor();

  await sam.page.getByRole('link', { name: /Send or schedule/ }).click();
  await sam.page.getByRole('radio', { name: 'Now', exact: true }).check();
  await sam.page.getByLabel('I want to send this').check();
  await sam.page.getByRole('button', { name: 'Send to 3 contacts now' }).click();
  await sam.page.locator('#progress').getByText('completed').waitFor();
  const rows = sam.page.getByRole('region', { name: 'Recipients' }).getByRole('row');
  await rows.nth(3).waitFor();
  expect(await rows.count()).toBe(4);
});

test('a draft that saves itself keeps the filters that its form cannot say, or does not offer', async () => {
  const id = await createBroadcast(desk.workspace);
  const store = (audience: object) =>
    desk.runtime.db.rows('UPDATE broadcasts SET audience = $audience::jsonb WHERE id = $id', {
      id,
      audience: JSON.stringify(audience),
    });
  const stored = () =>
    desk.runtime.db.row<{ name: string; audience: object }>('SELECT name, audience FROM broadcasts WHERE id = $id', {
      id,
    });
  const tags = { tags_none: ['Do not contact, legal'] };
  const gone = { custom_fields: { gone: 'gold', several: ['a', 'b'] } };
  const nobody = { receiver_ids: [], assigned_team_inbox: 999_999, created_after: '2026-01-02T03:04:05.678Z' };
  await store({ ...tags, ...gone, ...nobody });
  const { page, open } = await dashboardBrowser(desk, { permissions: ['broadcast.manage', 'template.view'] });
  await open(`/dashboard/broadcasts/${id}/`);
  await page.getByLabel('Name', { exact: true }).fill('Renamed');
  await sends(page, `/broadcasts/${id}/`, () => page.getByLabel('Name', { exact: true }).blur());
  expect(await stored()).toMatchObject({ name: 'Renamed' });
  expect((await stored())?.audience).toEqual({ ...tags, ...gone, ...nobody });

  // One types on while it is saved, and a colleague adds a filter of boxes.
  let [goOn, isSaved] = [(): void => undefined, (): void => undefined];
  const held = new Promise<void>((resolve) => (goOn = resolve));
  const saved = new Promise<void>((resolve) => (isSaved = resolve));
  const hold = async (route: Route): Promise<void> => {
    const response = await route.fetch();
    isSaved();
    await held;
    await route.fulfill({ response });
  };
  await page.route(`**/dashboard/broadcasts/${id}/`, hold, { times: 1 });
  await page.getByLabel('Name', { exact: true }).fill('Renamed twice');
  await page.getByLabel('Name', { exact: true }).blur();
  await saved;
  expect(await stored()).toMatchObject({ name: 'Renamed twice' });
  await page.getByLabel('Name', { exact: true }).fill('Renamed thrice');
  await store({ ...tags, conv_status: ['open'] });
  goOn();
  await page.getByLabel('Name', { exact: true }).blur();
  await eventually(async () => expect(await stored()).toMatchObject({ name: 'Renamed thrice' }));
  expect((await stored())?.audience).toEqual({ ...tags, conv_status: ['open'] });

  await store({ ...tags, custom_fields: { gone: 'gold' } });
  await open(`/dashboard/broadcasts/${id}/`);
  await sends(page, `/broadcasts/${id}/`, () => page.getByLabel('gone').selectOption('Any'));
  expect((await stored())?.audience).toEqual(tags);
});

test('a draft is discarded after a question, without scripts too', async () => {
  const id = await createBroadcast(desk.workspace, { name: 'Old draft' });
  const sam = await dashboardBrowser(desk, { scripts: false });
  await sam.open(`/dashboard/broadcasts/${id}/`);
  await sam.page.getByRole('button', { name: 'Discard the draft' }).click();
  await sam.page.getByRole('heading', { name: 'Discard this draft?' }).waitFor();
  await sam.page.getByRole('button', { name: 'Discard' }).click();
  await sam.page.getByText('The draft is discarded.').waitFor();
});

test('one that pauses says why, and one that has ended offers a draft for those it did not reach', async () => {
  const workspace = await createWorkspace(desk);
  await insertContacts(workspace, 2, 49_150_078_000);
  desk.sandbox.faults.add({ kind: 'error', code: 190, phone_number_id: workspace.account.phoneNumberId, times: 1 });
  desk.sandbox.faults.add({ kind: 'error', code: 131026, to: '49150078001' });
  const id = await createBroadcast(workspace);
  await workspace.api.post(`/api/v1/broadcasts/${id}/confirm/`);
  const sam = await dashboardBrowser(desk, { workspace });
  await sam.open(`/dashboard/broadcasts/${id}/`);
  await sam.page.getByText(/Paused\. The platform refuses the account: .* \(190\)\./).waitFor();
  await expectAccessible(sam.page);
  await syncWorkspace(workspace.ctx, { resume: true });
  // How far it came, of how many, and why not further.
  const step = (label: string) =>
    sam.page.locator('.funnel > div', { has: sam.page.getByText(label, { exact: true }) });
  await step('Sent').getByText('50%', { exact: true }).waitFor();
  await step('Recipients').getByText('2', { exact: true }).waitFor();
  const losses = sam.page.getByRole('region', { name: 'Who did not get it, and why' });
  await losses.getByText(/^The customer cannot receive it.* \(131026\)$/).waitFor();
  await losses.getByText('50%', { exact: true }).waitFor();
  // The row of the one it did not reach says the same.
  await sam.page.getByRole('cell', { name: /^The customer cannot receive it.* \(131026\)$/ }).waitFor();
  await expectAccessible(sam.page);
  await sam.picture('broadcast with failures');
  const saved = sam.page.waitForEvent('download');
  await losses.getByRole('link', { name: 'Export the failures' }).click();
  expect((await saved).suggestedFilename()).toMatch(/^broadcast-\d+-failures-.*\.csv$/);
  const [first, second] = await sentTwice(sam.page.locator('form[action$="/resend/"]'));
  expect([first?.includes(`/${id}/`), second]).toEqual([false, first]);
  await sam.page.getByRole('button', { name: 'Draft for those not reached' }).click();
  await sam.page.getByText('This is a draft for those who were not reached.').waitFor();
  // Saved as it is, it is still for them.
  await sam.page.getByRole('button', { name: 'Save the draft' }).click();
  await sam.page
    .getByLabel('Preview')
    .getByText(/1\s+contact gets? it/)
    .waitFor();
  expect(await sam.page.getByLabel('Not reached by the broadcast').inputValue()).toBe(String(id));
});
