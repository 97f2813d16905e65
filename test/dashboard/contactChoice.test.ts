import { updateWorkspace } from '../../api/services/identity/workspaces/service';
import { createContact } from '../factories/contacts';
import { createMember, createSession } from '../factories/members';
import { createTicket } from '../factories/tickets';
import { startApi, type TestApi } from '../support/api';
import { closeBrowsers, dashboardBrowser, expectAccessible } from '../support/dashboard';
import { eventually } from '../support/eventually';

const hostile = `<img src=x onerror="alert(1)">"'</script>{{7*7}}`;

const options = '.contact-list [role=option]';

let desk: TestApi;
beforeAll(async () => {
  desk = await startApi({ sandbox: false, worker: true });
  await updateWorkspace(desk.workspace.ctx, { ticketing: true });
});
afterAll(async () => {
  await closeBrowsers();
  await desk.close();
});

const read = async (id: number): Promise<Record<string, unknown>> =>
  (await desk.api.get(`/api/v1/tickets/${id}/`)).body;

test('a customer is chosen by name with the keyboard, and the ticket is theirs', async () => {
  const sam = await dashboardBrowser(desk);
  const { page } = sam;
  await createContact(desk.workspace, { name: 'Zora Adams', company: 'Adams & Sons' });
  const zora = await createContact(desk.workspace, { name: 'Zora Berg', email: 'zora@berg.test' });
  await sam.open('/dashboard/tickets/new/');
  await page.getByLabel('Title').fill('Refund');
  const field = page.getByRole('combobox', { name: 'Customer' });
  const marked = page.locator('#contacts-receiver_id [aria-selected=true]');
  await field.fill('zor');
  await eventually(async () => expect(await page.locator(options).count()).toBe(2));
  expect(await field.getAttribute('aria-expanded')).toBe('true');
  const first = (await marked.textContent()) ?? '';
  await page.keyboard.press('ArrowDown');
  expect(await marked.textContent()).not.toBe(first);
  expect(await field.getAttribute('aria-activedescendant')).toBe(await marked.getAttribute('id'));
  await expectAccessible(page);
  await sam.picture('contact choice');
  await page.keyboard.press('Escape');
  expect(await field.getAttribute('aria-expanded')).toBe('false');
  expect(await field.inputValue()).toBe('zor');
  // By a part of the address, and by Enter, which does not send the form.
  await field.fill('zora@berg');
  await eventually(async () =>
    expect(await page.locator(options).allTextContents()).toEqual([expect.stringContaining('Zora Berg')]),
  );
  await page.keyboard.press('Enter');
  expect(await field.inputValue()).toBe('Zora Berg');
  expect(await page.locator('.contact-list').isVisible()).toBe(false);
  await page.getByRole('button', { name: 'Create ticket' }).click();
  await page.getByText(/Ticket #\d+ is created/).waitFor();
  expect(await read(Number(/(\d+)\/$/.exec(page.url())?.[1]))).toMatchObject({ receiver: zora.id });
  expect(sam.problems).toEqual([]);
});

test.each([false, true])('an affected contact is chosen by mouse or finger (touch: %s)', async (touch) => {
  const name = `${touch ? 'Touched' : 'Clicked'} ${hostile}`;
  const contact = await createContact(desk.workspace, { name });
  const ticket = await createTicket(desk.workspace, { title: 'Parcel is late' });
  const sam = await dashboardBrowser(desk, { touch });
  const { page } = sam;
  await sam.open(`/dashboard/tickets/${ticket.id}/`);
  await page.getByRole('combobox', { name: 'Add an affected contact' }).fill(touch ? 'touched' : 'clicked');
  const option = page.locator(options);
  await option.waitFor();
  await (touch ? option.tap() : option.click());
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('The affected contacts are changed.').waitFor();
  expect(await read(ticket.id)).toMatchObject({ affected_contacts: [{ id: contact.id }] });
  expect(sam.problems).toEqual([]);
});

test('other words mean somebody else, though one was chosen before', async () => {
  const sam = await dashboardBrowser(desk);
  const { page } = sam;
  const una = await createContact(desk.workspace, { name: 'Una Chosen' });
  const vera = await createContact(desk.workspace, { name: 'Vera Typed' });
  await sam.open(`/dashboard/tickets/new/?receiver_id=${una.receiver_id}`);
  const field = page.getByRole('combobox', { name: 'Customer' });
  expect(await field.inputValue()).toBe('Una Chosen');
  await page.getByLabel('Title').fill('Whose');
  await field.fill('una');
  await page.getByRole('button', { name: 'Create ticket' }).click();
  await page.getByRole('radio', { name: /Una Chosen/ }).waitFor();
  await expectAccessible(page);
  await sam.picture('contact refused');
  await field.fill(vera.receiver_id);
  expect(await page.getByRole('radio').count()).toBe(0);
  await page.getByRole('button', { name: 'Create ticket' }).click();
  await page.getByText(/Ticket #\d+ is created/).waitFor();
  expect(await read(Number(/(\d+)\/$/.exec(page.url())?.[1]))).toMatchObject({ receiver: vera.id });
});

test('without scripts a name is looked for when it is sent, and who fits is chosen', async () => {
  const sam = await dashboardBrowser(desk, { scripts: false });
  const { page } = sam;
  await createContact(desk.workspace, { name: 'Wim Early' });
  const wim = await createContact(desk.workspace, { name: 'Wim Late' });
  await sam.open('/dashboard/tickets/new/');
  await page.getByLabel('Title').fill('By hand');
  await page.getByLabel('Customer').fill('wim');
  await page.getByRole('button', { name: 'Create ticket' }).click();
  await page.getByText('Nothing was found for "wim".').waitFor();
  expect(await page.getByRole('radio').count()).toBe(2);
  await page.getByLabel('Wim Late').check();
  await page.getByRole('button', { name: 'Create ticket' }).click();
  await page.getByRole('heading', { name: 'By hand' }).waitFor();
  expect(await read(Number(/(\d+)\/$/.exec(page.url())?.[1]))).toMatchObject({ receiver: wim.id });
});

test('who may not see contacts types a number, and is shown none', async () => {
  await createContact(desk.workspace, { name: 'Xenia Unseen' });
  const other = await createSession(
    await createMember(desk.workspace, { permissions: ['ticket.view', 'ticket.manage'] }),
  );
  const cookie = `token=${other.token}`;
  const { body } = await desk.anonymous.get<string>('/dashboard/tickets/new/', { cookie });
  expect(body).not.toContain('role="combobox"');
  const choices = '/dashboard/contacts/choices/?contact=xenia';
  expect((await desk.anonymous.get(choices, { cookie })).status).toBe(403);
  const sam = await createSession(await createMember(desk.workspace, { permissions: ['contact.view'] }));
  const found = await desk.anonymous.get<string>(choices, { cookie: `token=${sam.token}`, 'hx-request': 'true' });
  expect(found.body).toContain('Xenia Unseen');
});
