import { createContact } from '../factories/contacts';
import { createMember, createSession } from '../factories/members';
import { createTicket } from '../factories/tickets';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { counts, dashboardBrowser, expectAccessible, sends } from '../support/dashboard';

const hostile = `<img src=x onerror="alert(1)">"'</script>{{7*7}}`;

const options = '.picker-list [role=option]';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('no sandbox');
});
afterAll(() => desk.close());

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
  const marked = page.locator('#choices-receiver_id [aria-selected=true]');
  await field.fill('zor');
  await counts(page, options, 2);
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
  await counts(page, options, 1);
  expect(await page.locator(options).textContent()).toContain('Zora Berg');
  await page.keyboard.press('Enter');
  expect(await field.inputValue()).toBe('Zora Berg');
  expect(await page.locator('#choices-receiver_id').isVisible()).toBe(false);
  await page.getByRole('button', { name: 'Create ticket' }).click();
  await page.getByText(/Ticket #\d+ is created/).waitFor();
  expect(await read(Number(/(\d+)\/$/.exec(page.url())?.[1]))).toMatchObject({ receiver: zora.id });
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

test('other words mean somebody else without scripts, too', async () => {
  const { page, open } = await dashboardBrowser(desk, { scripts: false });
  const ugo = await createContact(desk.workspace, { name: 'Ugo Linked' });
  const vito = await createContact(desk.workspace, { name: 'Vito Typed' });
  await open(`/dashboard/tickets/new/?receiver_id=${ugo.receiver_id}`);
  await page.getByLabel('Title').fill('Whose by hand');
  await page.getByLabel('Customer').fill(vito.receiver_id);
  await page.getByRole('button', { name: 'Create ticket' }).click();
  await page.getByRole('heading', { name: 'Whose by hand' }).waitFor();
  expect(await read(Number(/(\d+)\/$/.exec(page.url())?.[1]))).toMatchObject({ receiver: vito.id });
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
  expect(body).not.toContain('/dashboard/contacts/choices/');
  const choices = '/dashboard/contacts/choices/?typed.receiver_id=xenia';
  expect((await desk.anonymous.get(choices, { cookie })).status).toBe(403);
  const sam = await createSession(await createMember(desk.workspace, { permissions: ['contact.view'] }));
  const found = await desk.anonymous.get<string>(choices, { cookie: `token=${sam.token}`, 'hx-request': 'true' });
  expect(found.body).toContain('Xenia Unseen');
});

test.each(['mouse', 'touch', 'keyboard'])(
  'another ticket is chosen by title, and saved at once, by %s',
  async (way) => {
    const outage = await createTicket(desk.workspace, { title: `Outage of ${way} ${hostile}` });
    const ticket = await createTicket(desk.workspace, { title: `Outage of ${way} at my desk` });
    const sam = await dashboardBrowser(desk, { touch: way === 'touch' });
    const { page } = sam;
    await sam.open(`/dashboard/tickets/${ticket.id}/`);
    const field = page.getByRole('combobox', { name: 'Part of' });
    await field.fill(`outage of ${way}`);
    const option = page.locator(options);
    // The ticket itself is not offered.
    await counts(page, options, 1);
    expect(await option.textContent()).toContain('<img');
    if (way === 'mouse') await option.click();
    else if (way === 'touch') await option.tap();
    else await page.keyboard.press('Enter');
    await page.getByText('The ticket is saved.').waitFor();
    expect(await read(ticket.id)).toMatchObject({ parent_ticket: outage.id });
    expect(await field.inputValue()).toBe(`#${outage.id} Outage of ${way} ${hostile}`);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Taken back.').waitFor();
    expect(await read(ticket.id)).toMatchObject({ parent_ticket: null });
    expect(sam.problems).toEqual([]);
  },
);

test('a ticket is found by its number before those whose title has its digits, and is emptied', async () => {
  const original = await createTicket(desk.workspace, { title: 'The first one' });
  for (let count = 0; count < 9; count += 1)
    await createTicket(desk.workspace, { title: `Like ${original.id}, again` });
  const ticket = await createTicket(desk.workspace, { title: 'Repeated' });
  const sam = await dashboardBrowser(desk);
  const { page } = sam;
  await sam.open(`/dashboard/tickets/${ticket.id}/`);
  const field = page.getByRole('combobox', { name: 'Duplicate of' });
  await field.fill(String(original.id));
  await counts(page, options, 8);
  expect(await page.locator(options).first().textContent()).toContain('The first one');
  const edit = `/tickets/${ticket.id}/edit/`;
  await sends(page, edit, () => page.keyboard.press('Enter'));
  expect(await read(ticket.id)).toMatchObject({ duplicate_of: original.id });
  await sam.open(`/dashboard/tickets/${ticket.id}/`);
  expect(await field.inputValue()).toBe(`#${original.id} The first one`);
  await field.fill('');
  await sends(page, edit, () => page.keyboard.press('Tab'));
  expect(await read(ticket.id)).toMatchObject({ duplicate_of: null });
  expect(sam.problems).toEqual([]);
});

test.each([true, false])('words that several titles have are asked about; scripts: %s', async (scripts) => {
  const words = scripts ? 'Leak' : 'Crack';
  await createTicket(desk.workspace, { title: `${words} in the cellar` });
  const roof = await createTicket(desk.workspace, { title: `${words} in the roof` });
  const ticket = await createTicket(desk.workspace, { title: 'Water', priority: 'low' });
  const { page, open, picture } = await dashboardBrowser(desk, { scripts });
  await open(`/dashboard/tickets/${ticket.id}/`);
  const property = page.locator('#property-parent_ticket');
  const save = property.getByRole('button', { name: 'Save' });
  await page.getByLabel('Part of').fill(words);
  if (scripts) await page.keyboard.press('Tab');
  else await save.click();
  await property.getByText(`Nothing was found for "${words}".`).waitFor();
  expect(await property.getByRole('radio').count()).toBe(2);
  if (scripts) await picture('ticket choice refused');
  await property.getByRole('radio', { name: `#${roof.id} ${words} in the roof` }).check();
  if (!scripts) await save.click();
  await page.getByText('The ticket is saved.').waitFor();
  expect(await read(ticket.id)).toMatchObject({ parent_ticket: roof.id });
  expect(await page.getByLabel('Part of').inputValue()).toBe(`#${roof.id} ${words} in the roof`);
  // Another property leaves it as it is.
  await sends(page, `/tickets/${ticket.id}/edit/`, async () => {
    await page.getByLabel('Priority').selectOption('urgent');
    if (!scripts) await page.locator('#property-priority').getByRole('button', { name: 'Save' }).click();
  });
  expect(await read(ticket.id)).toMatchObject({ parent_ticket: roof.id, priority: 'urgent' });
});

test('a new ticket is made a part of another one', async () => {
  const parent = await createTicket(desk.workspace, { title: 'The whole move' });
  const { page, open } = await dashboardBrowser(desk);
  await open(`/dashboard/tickets/new/?parent_ticket=${parent.id}`);
  const field = page.getByRole('combobox', { name: 'Part of' });
  expect(await field.inputValue()).toBe(`#${parent.id} The whole move`);
  await page.getByLabel('Title').fill('Boxes');
  await field.fill('whatever');
  await page.getByRole('button', { name: 'Create ticket' }).click();
  await page.getByText('Nothing was found for "whatever".').waitFor();
  expect(await page.getByLabel('Title').inputValue()).toBe('Boxes');
  await field.fill(`#${parent.id}`);
  // What fits would lie over the button.
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'Create ticket' }).click();
  await page.getByText(/Ticket #\d+ is created/).waitFor();
  expect(await read(Number(/(\d+)\/$/.exec(page.url())?.[1]))).toMatchObject({ parent_ticket: parent.id });
});
