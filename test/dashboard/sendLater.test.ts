import { createCustomer } from '../factories/customers';
import { createTeamInbox } from '../factories/inboxes';
import { endsOf, runsOf, saveRule } from '../factories/rules';
import type { TestApi } from '../support/api';
import { dashboardBrowser, expectAccessible } from '../support/dashboard';
import { sharedDesk } from '../support/sharedDesk';

type Json = Record<string, unknown>;

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

const scheduled = async (handle: string): Promise<Json[]> =>
  (await desk.api.get(`/api/v1/conversations/${handle}/scheduled/`)).body as unknown as Json[];

test('a member writes a message for later, changes it, holds it for the customer, sends and discards', async () => {
  const anna = createCustomer(desk.workspace, { name: 'Anna Main' });
  await anna.writes('When will it come?');
  const lena = await dashboardBrowser(desk, { name: 'Lena Hoffmann' });
  const { page } = lena;
  const path = `/dashboard/inbox/${anna.handle}/`;
  await lena.open(path);

  // At a time of her own; Enter in its field schedules, and does not send.
  await page.locator('#reply').fill('It comes in the morning.');
  await page.getByRole('button', { name: 'More ways to send' }).click();
  await lena.picture('send later menu');
  const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 16);
  await page.locator('#send-local').fill(inHours(20));
  await page.keyboard.press('Enter');
  await page.locator('.toast').getByText('It is sent').waitFor();
  const [one] = await scheduled(anna.handle);
  expect(one).toMatchObject({ message_status: 'scheduled', if_customer_writes: 'hold' });
  const id = Number(one?.['id']);
  const row = page.locator(`#later-${id}`);
  await row.getByText('unless the customer writes before').waitFor();
  expect(await page.locator('#reply').inputValue()).toBe('');
  // The panel says so, too.
  const panel = page.locator('#details');
  await panel.getByText('A message is sent: It comes in the morning.').waitFor({ state: 'attached' });
  await lena.picture('send later thread');
  await expectAccessible(page);

  await row.getByRole('button', { name: 'Change' }).click();
  await page.locator(`#later-text-${id}`).fill('It comes on Monday.');
  await page.locator(`#later-at-${id}`).fill(inHours(21));
  await page.locator(`#later-menu-${id}`).getByRole('button', { name: 'Schedule' }).click();
  await page.locator(`#m-${id}`).getByText('It comes on Monday.').waitFor();

  await anna.writes('Never mind');
  await row.getByText('Not sent: the customer wrote before').waitFor();
  await lena.picture('send later held');
  await row.getByRole('button', { name: 'Send', exact: true }).click();
  await row.waitFor({ state: 'detached' });
  expect(await scheduled(anna.handle)).toEqual([]);

  // Discarded in the panel.
  await page.locator('#reply').fill('Anything else?');
  await page.getByRole('button', { name: 'More ways to send' }).click();
  await page.locator('#send-local').fill(inHours(2));
  await page.locator('#if-customer-writes').selectOption('cancel');
  await page.locator('#send-at').click();
  await panel.getByText('A message is sent: Anything else?').waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'About this person' }).click();
  expect(await scheduled(anna.handle)).toMatchObject([{ if_customer_writes: 'cancel' }]);
  await panel.getByRole('button', { name: 'Don’t', exact: true }).click();
  await panel.getByText('A message is sent: Anything else?').waitFor({ state: 'detached' });
  expect(await scheduled(anna.handle)).toEqual([]);

  // A snooze is ended there, or put off.
  await desk.api.patch(`/api/v1/conversations/${anna.handle}/`, {
    conv_status: 'snoozed',
    snoozed_until: new Date(Date.now() + 3_600_000).toISOString(),
  });
  await panel.getByText('The snooze ends').waitFor();
  await lena.picture('what will happen');
  await panel.getByRole('button', { name: 'Later', exact: true }).click();
  await panel.locator('[name=until_local]').fill(inHours(5));
  await panel.getByRole('button', { name: 'Move' }).click();
  await page.locator('.toast').getByText('Snoozed until').waitFor();
  await panel.getByRole('button', { name: 'Now', exact: true }).click();
  await panel.getByText('The snooze ends').waitFor({ state: 'detached' });
  expect(lena.problems).toEqual([]);
});

test('a time at which the window is closed is not offered for free text, and refused where it is typed', async () => {
  const anna = createCustomer(desk.workspace, { name: 'Anna Late' });
  await anna.writes('Hi');
  await createTeamInbox(desk.workspace);
  const lena = await dashboardBrowser(desk, { name: 'Lena Late' });
  const { page } = lena;
  await lena.open(`/dashboard/inbox/${anna.handle}/`);
  await page.locator('#reply').fill('Much later');
  await page.getByRole('button', { name: 'More ways to send' }).click();
  const inDays = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 16);
  await page.locator('#send-local').fill(inDays);
  await page.locator('#send-at').click();
  await page.locator('.toast').getByText('Free text can be sent until').waitFor();
  // What was typed is there again.
  expect(await page.locator('#reply').inputValue()).toBe('Much later');
  expect(await scheduled(anna.handle)).toEqual([]);
});

test('of many messages that wait the next is in sight, and the others are unfolded', async () => {
  const anna = createCustomer(desk.workspace, { name: 'Anna Plans' });
  await anna.writes('Remind me');
  for (const hours of [3, 2, 4]) {
    const at = new Date(Date.now() + hours * 3_600_000).toISOString();
    const said = { to: anna.phone, body: `In ${hours} hours`, send_at: at };
    expect((await desk.api.post('/api/v1/messages/', said)).status).toBeLessThan(300);
  }
  const lena = await dashboardBrowser(desk, { name: 'Lena Plans' });
  const { page } = lena;
  await lena.open(`/dashboard/inbox/${anna.handle}/`);
  const log = page.getByRole('log');
  const bubble = (text: string) => log.locator('.bubble', { hasText: text });
  await bubble('In 2 hours').waitFor();
  expect(await bubble('In 4 hours').isVisible()).toBe(false);
  await log.locator('summary', { hasText: '2 more go out later' }).click();
  await bubble('In 4 hours').waitFor();
  await expectAccessible(page);
  // News of the thread fold nothing that was unfolded.
  await anna.writes('And again');
  await bubble('And again').waitFor();
  expect(await bubble('In 3 hours').isVisible()).toBe(true);
  expect(lena.problems).toEqual([]);
});

test('the wait of a rule is put off and ended in the panel', async () => {
  const { id } = await saveRule(desk.workspace, { name: 'Nobody answered', state: 'on', unless: [] });
  const anna = createCustomer(desk.workspace, { name: 'Anna Waits' });
  await anna.writes('Hello?');
  const lena = await dashboardBrowser(desk, { name: 'Lena Waits', role: 'owner' });
  const { page } = lena;
  await lena.open(`/dashboard/inbox/${anna.handle}/`);
  const panel = page.locator('#details');
  await page.getByRole('button', { name: 'About this person' }).click();
  await panel.getByText('The rule “Nobody answered” looks whether').waitFor();
  await expectAccessible(page);
  await panel.getByRole('button', { name: 'Later', exact: true }).click();
  const moment = new Date(Date.now() + 5 * 3_600_000).toISOString().slice(0, 16);
  await panel.locator('[name=send_local]').fill(moment);
  await panel.getByRole('button', { name: 'Move' }).click();
  await page.locator('.toast').getByText('The rule looks ').waitFor();
  expect((await runsOf(desk.workspace, id)).map((run) => run.moment.toISOString().slice(0, 16))).toEqual([moment]);
  await panel.getByRole('button', { name: 'Don’t', exact: true }).click();
  await page.locator('.toast').getByText('The rule does nothing here.').waitFor();
  await panel.getByText('The rule “Nobody answered”').waitFor({ state: 'detached' });
  expect(await endsOf(desk.workspace, id)).toEqual(['ended by_member']);
  expect(lena.problems).toEqual([]);
});
