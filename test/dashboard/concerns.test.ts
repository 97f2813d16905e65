import { createCustomer, type TestCustomer } from '../factories/customers';
import { createMember, createSession, type TestSession } from '../factories/members';
import type { TestApi } from '../support/api';
import { counts, dashboardBrowser, expectAccessible, sends, type DashboardBrowser } from '../support/dashboard';
import { sharedDesk } from '../support/sharedDesk';

let desk: TestApi;
let anna: TestCustomer;
let lena: TestSession;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  anna = createCustomer(desk.workspace, { name: 'Anna Main' });
  await anna.writes('Hello');
  lena = await createSession(await createMember(desk.workspace, { name: 'Lena Hoffmann', role: 'admin' }));
});
afterAll(() => desk.close());

const note = (body: string) => lena.api.post(`/api/v1/conversations/${anna.handle}/notes/`, { body });
const ticketFor = async (omar: DashboardBrowser, title: string): Promise<number> =>
  (await lena.api.post('/api/v1/tickets/', { title, assigned_to: omar.member.id })).body.id;
const badge = ({ page }: DashboardBrowser) => page.locator('#badge-concerns');

test('what concerns a member is counted as it happens, and read by being opened, whichever way led there', async () => {
  const omar = await dashboardBrowser(desk, { name: 'Omar Said' });
  await omar.open('/dashboard/contacts/');
  expect(await badge(omar).isHidden()).toBe(true);
  await note('Ask @Omar Said, he knows');
  await badge(omar).getByText('1').waitFor();
  const ticket = await ticketFor(omar, 'Broken gate');
  await badge(omar).getByText('2').waitFor();

  await omar.open('/dashboard/concerns/');
  await omar.page.getByRole('link', { name: /Lena Hoffmann mentioned you .*Anna Main/ }).waitFor();
  await omar.page.getByRole('link', { name: /Lena Hoffmann assigned this to you .*Broken gate/ }).waitFor();
  await counts(omar.page, '.concern.is-unread', 2);
  await expectAccessible(omar.page);
  await omar.picture('concerns');
  await sends(omar.page, '/concerns/read/', () => omar.page.getByRole('link', { name: /mentioned you/ }).click());
  await omar.page.getByRole('log').getByText('Ask @Omar Said, he knows').waitFor();
  await badge(omar).getByText('1').waitFor();
  // By its own page, not by the list.
  await sends(omar.page, '/concerns/read/', () => omar.open(`/dashboard/tickets/${ticket}/`));
  await badge(omar).waitFor({ state: 'hidden' });
  expect(omar.problems).toEqual([]);
});

test('one is marked as read by its button, all by another, with and without scripts', async () => {
  const omar = await dashboardBrowser(desk, { name: 'Olga Said' });
  for (const title of ['First', 'Second', 'Third']) await ticketFor(omar, title);
  await omar.open('/dashboard/concerns/?show=unread');
  await counts(omar.page, '.concern', 3);
  await sends(omar.page, '/concerns/read/', () =>
    omar.page.getByRole('button', { name: 'Mark as read' }).first().click(),
  );
  await counts(omar.page, '.concern', 2);
  await sends(omar.page, '/concerns/read/', () => omar.page.getByRole('button', { name: 'Mark all as read' }).click());
  await omar.page.getByText('You have read everything').waitFor();
  await omar.open('/dashboard/concerns/');
  await counts(omar.page, '.concern', 3);
  expect(await omar.page.locator('.is-unread').count()).toBe(0);
  expect(omar.problems).toEqual([]);

  const plain = await dashboardBrowser(desk, { name: 'Otto Said', scripts: false });
  await ticketFor(plain, 'Fourth');
  await plain.open('/dashboard/concerns/');
  await plain.page.getByRole('button', { name: 'Mark as read' }).click();
  await plain.page.waitForURL('**/dashboard/concerns/');
  expect(await plain.page.locator('.is-unread').count()).toBe(0);
});

test('a phone says the number in its bar', async () => {
  const phone = await dashboardBrowser(desk, { name: 'Odo Said', touch: true });
  await ticketFor(phone, 'Fifth');
  await phone.open('/dashboard/contacts/');
  const place = phone.page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: /For me/ });
  await place.getByText('1').waitFor();
  await place.tap();
  await phone.page.getByRole('heading', { name: 'What concerns me' }).waitFor();
  await expectAccessible(phone.page);
  await phone.picture('concerns phone');
  expect(phone.problems).toEqual([]);
});
