import { createCustomer } from '../factories/customers';
import { createMember, createSession } from '../factories/members';
import { createPipeline, createTicket } from '../factories/tickets';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { dashboardBrowser, expectAccessible } from '../support/dashboard';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

const read = async (id: number): Promise<Record<string, unknown>> =>
  (await desk.api.get(`/api/v1/tickets/${id}/`)).body;

test('a ticket is made, moved, commented and moved back beside the chat, which stays', async () => {
  const { id: pipeline, stages } = await createPipeline(desk.workspace, ['New', 'Waiting', 'Done'], {
    is_default: true,
  });
  const zoe = createCustomer(desk.workspace, { name: 'Zoe Zander' });
  await zoe.writes('My parcel is late. It should have come on Monday, and I need it.');
  const lena = await dashboardBrowser(desk, { name: 'Lena', viewport: { width: 1440, height: 900 } });
  const { page } = lena;
  await lena.open(`/dashboard/inbox/${zoe.handle}/`);
  const address = page.url();
  const panel = page.locator('#panel-tickets');
  await panel.getByRole('link', { name: 'New ticket' }).click();
  const title = panel.getByRole('textbox');
  await title.waitFor();
  expect(await title.inputValue()).toBe('My parcel is late');
  await expectAccessible(page);
  await title.fill('Parcel of Zoe');
  await panel.getByRole('button', { name: 'Create ticket' }).click();
  await page.getByText(/Ticket #\d+ is created/).waitFor();
  const link = panel.getByRole('link', { name: /Parcel of Zoe/ });
  const id = Number(/#(\d+)/.exec((await link.textContent()) ?? '')?.[1]);
  expect(await read(id)).toMatchObject({ title: 'Parcel of Zoe', receiver_phone: zoe.phone, pipeline });

  await panel.getByRole('button', { name: 'Stage: New' }).click();
  await panel.getByRole('button', { name: 'Waiting', exact: true }).click();
  await page.getByText(`#${id} is in Waiting now.`).waitFor();
  expect(await read(id)).toMatchObject({ stage: stages[1]?.id });
  await page.getByRole('button', { name: 'Undo' }).click();
  await panel.getByRole('button', { name: 'Stage: New' }).waitFor();
  expect(await read(id)).toMatchObject({ stage: stages[0]?.id });

  // News of the conversation do not take away what is being written.
  await panel.getByRole('textbox').fill('Called the courier');
  await zoe.writes('Hello?');
  await page.locator('#messages').getByText('Hello?').waitFor();
  expect(await panel.getByRole('textbox').inputValue()).toBe('Called the courier');
  await panel.getByRole('button', { name: 'Comment' }).click();
  await page.getByText('The comment is added.').waitFor();
  expect((await read(id))['comment_count']).toBe('1');
  expect(page.url()).toBe(address);
  await panel.getByRole('link', { name: 'Close' }).click();
  await panel.getByRole('link', { name: 'New ticket' }).waitFor();
  expect(lena.problems).toEqual([]);
});

test('a message suggests the title and says the rest; a sub-ticket takes the customer over', async () => {
  const mia = createCustomer(desk.workspace, { name: 'Mia Meier' });
  await mia.writes('The lamp is broken! It came without its foot, and the cable is far too short for the room.');
  await mia.writes('Thanks');
  const { body } = await desk.api.get(`/api/v1/conversations/${mia.handle}/messages/`);
  const id = body.results.find((message) => JSON.stringify(message.body).includes('lamp'))?.id ?? 0;
  const { page, open } = await dashboardBrowser(desk, { scripts: false });
  await open(`/dashboard/tickets/new/?receiver_id=${mia.handle}&message=${id}`);
  expect(await page.getByLabel('Title', { exact: true }).inputValue()).toBe('The lamp is broken!');
  expect(await page.getByLabel('Description').inputValue()).toContain('far too short');
  await page.getByRole('button', { name: 'Create ticket' }).click();
  await page.getByText(/Ticket #\d+ is created/).waitFor();
  await page.getByRole('link', { name: 'New sub-ticket' }).click();
  expect(await page.getByLabel('Customer', { exact: true }).inputValue()).toBe('Mia Meier');
  expect(await page.getByLabel('Part of').inputValue()).toContain('The lamp is broken!');
  // A message of somebody else suggests nothing, and one that is gone is no fault.
  const other = createCustomer(desk.workspace);
  await other.writes('Hello');
  for (const message of [id, 999_999_999]) {
    await open(`/dashboard/tickets/new/?receiver_id=${other.handle}&message=${message}`);
    expect(await page.getByLabel('Title', { exact: true }).inputValue()).toBe('');
  }
});

test('who may not see tickets has none in the panel, and who may only see them changes none', async () => {
  const zoe = createCustomer(desk.workspace, { name: 'Zoe Zimmer' });
  await zoe.writes('Hello');
  const { id } = await createTicket(desk.workspace, { title: 'Not for all', receiver_id: zoe.handle });
  const path = `/dashboard/inbox/${zoe.handle}/`;
  for (const [permissions, sees] of [
    [['chat.view'], false],
    [['chat.view', 'ticket.view'], true],
  ] as const) {
    const reader = await createSession(await createMember(desk.workspace, { permissions }));
    const headers = { cookie: `token=${reader.token}`, 'hx-request': 'true' };
    const { body } = await desk.anonymous.get<string>(path, headers);
    expect(body.includes('Not for all')).toBe(sees);
    const part = await desk.anonymous.get<string>(`${path}tickets/?ticket=${id}`, headers);
    const shown = String(part.body);
    expect([part.status, shown.includes('Not for all')]).toEqual([sees ? 200 : 403, sees]);
    expect(shown).not.toContain('<form');
  }
});

test('whom a comment names is told, sees it marked, and is offered while it is typed', async () => {
  const { id } = await createTicket(desk.workspace, { title: 'Ask somebody' });
  const nina = await createMember(desk.workspace, { name: 'Nina Nord', permissions: ['chat.view', 'ticket.view'] });
  const lena = await dashboardBrowser(desk, { name: 'Lena' });
  const { page } = lena;
  await lena.open(`/dashboard/tickets/${id}/`);
  const field = page.getByLabel('New comment');
  await field.pressSequentially('Please look, @Nin');
  await page.locator('.mentioning [role=option]', { hasText: 'Nina Nord' }).waitFor();
  await field.press('Enter');
  expect(await field.inputValue()).toBe('Please look, @Nina Nord ');
  await page.getByRole('button', { name: 'Comment' }).click();
  await page.locator('#stream .mention', { hasText: '@Nina Nord' }).waitFor();
  const session = await createSession(nina);
  const { body } = await session.api.get('/api/v1/notices/');
  const told = body.filter(({ kind }) => kind === 'mention').map(({ href }) => href);
  expect(told).toEqual([expect.stringContaining(`/tickets/${id}/`)]);
  expect(lena.problems).toEqual([]);
});
