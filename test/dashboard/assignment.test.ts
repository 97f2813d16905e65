import type { Scope } from '../../api/core/http/access';
import { createCustomer } from '../factories/customers';
import { createTeamInbox } from '../factories/inboxes';
import { createMember } from '../factories/members';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { dashboardBrowser, expectAccessible, sends } from '../support/dashboard';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('worker');
});
afterAll(() => desk.close());

test('a team inbox is told to assign, and who is there gets what arrives; it is handed over with a note', async () => {
  const lou = await createMember(desk.workspace, {
    name: 'Lou Listener',
    permissions: ['chat.view', 'chat.send_message'],
  });
  const kim = await dashboardBrowser(desk, { name: 'Kim Keeper', role: 'owner' });
  const inbox = await createTeamInbox(desk.workspace, [desk.workspace.owner.id, lou.id]);
  const { page } = kim;

  await kim.open(`/dashboard/team-inboxes/${inbox}/`);
  await page.getByLabel('Conversations find a member').selectOption('balanced');
  const most = page.getByLabel('Most open conversations of Lou Listener');
  await most.fill('0');
  await expectAccessible(page);
  // The browser itself refuses what cannot be.
  await page.getByRole('button', { name: 'Save the assignment' }).click();
  expect(await most.evaluate((field) => field.matches(':invalid'))).toBe(true);
  await most.fill('3');
  await kim.picture('assignment settings');
  await page.getByRole('button', { name: 'Save the assignment' }).click();
  await page.locator('.toast').getByText('The assignment is saved.').waitFor();
  await kim.open(`/dashboard/team-inboxes/${inbox}/`);
  expect(await most.inputValue()).toBe('3');

  await kim.open('/dashboard/inbox/?view=open');
  const anna = createCustomer(desk.workspace, { name: 'Anna Main' });
  await anna.writes('Is anybody there?');
  await page.locator('.conversation').getByText('Anna Main').click();
  await page.locator('#thread-head').getByText('·').waitFor();
  const { body } = await desk.api.get(`/api/v1/conversations/${anna.handle}/`);
  expect([desk.workspace.owner.id, lou.id]).toContain(body.assigned_member);

  await page.keyboard.press('a');
  const note = page.getByLabel('Note for the team');
  await note.fill('Promised a call at noon');
  await page.getByLabel('Hand over with a note').selectOption({ label: 'Lou Listener' });
  await kim.picture('assignment handover');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Hand over', exact: true }).click();
  await page.locator('.toast').getByText('Handed over with your note.').waitFor();
  await page.getByRole('log').getByText('Promised a call at noon').waitFor();
  await page.locator('.thread-state').getByText('Lou Listener').waitFor();

  // Away and back, wherever one is.
  const is = async (isAway: boolean): Promise<void> =>
    expect(
      await desk.runtime.db.row('SELECT is_away FROM members WHERE workspace_id = $id AND name = $name', {
        id: desk.workspace.id,
        name: 'Kim Keeper',
      }),
    ).toEqual({ is_away: isAway });
  await page.locator('.nav-me').click();
  await sends(page, '/account/away/', () => page.getByRole('button', { name: 'I am away' }).click());
  await page.locator('.nav-me .tag').getByText('away').waitFor();
  await is(true);
  await kim.picture('assignment away');
  await page.locator('.nav-me').click();
  await sends(page, '/account/away/', () => page.getByRole('button', { name: 'I am back' }).click());
  await page.locator('.nav-me .tag').waitFor({ state: 'detached' });
  await is(false);
  expect(kim.problems).toEqual([]);
});

test('only who may answer is offered a conversation, also to take it', async () => {
  const ben = createCustomer(desk.workspace, { name: 'Ben Offered' });
  await ben.writes('Hello');
  const mayTake = async (permissions: readonly Scope[]): Promise<boolean> => {
    const { open, page } = await dashboardBrowser(desk, { permissions });
    await open(`/dashboard/inbox/${ben.handle}/`);
    await page.getByRole('button', { name: 'Assign' }).waitFor();
    return (
      (await page
        .locator('button[name=assigned_member]')
        .filter({ hasText: /^\s*Me\s*$/ })
        .count()) === 1
    );
  };
  expect(await mayTake(['chat.view', 'chat.assign'])).toBe(false);
  expect(await mayTake(['chat.view', 'chat.assign', 'chat.send_message'])).toBe(true);
});
