import type { Scope } from '../../api/core/http/access';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { createMacro, ownerSession, step } from '../factories/macros';
import { createMember, createSession } from '../factories/members';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { dashboardBrowser, expectAccessible, problemsBeside } from '../support/dashboard';
import { eventually } from '../support/eventually';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

test('two members in one conversation see each other, a note, and who is mentioned', async () => {
  const anna = createCustomer(desk.workspace, { name: 'Anna Main' });
  await anna.writes('Where is my order?');
  const lena = await dashboardBrowser(desk, { name: 'Lena Hoffmann' });
  const omar = await dashboardBrowser(desk, { name: 'Omar Said', permissions: ['chat.view'] });
  const path = `/dashboard/inbox/${anna.handle}/`;
  await lena.open('/dashboard/inbox/?view=open');
  await omar.open(path);

  // In the list, and below the thread.
  await lena.page.locator('.presence-mark[title="Omar Said is looking at this"]').waitFor();
  await lena.open(path);
  const line = lena.page.locator('.presence-line');
  await line.getByText('Omar Said is looking at this').waitFor();
  await omar.page.locator('.presence-line').getByText('Lena Hoffmann is looking at this').waitFor();

  await lena.page.keyboard.press('r');
  await lena.page.keyboard.type('It');
  await omar.page.locator('.presence-line').getByText('Lena Hoffmann is writing').waitFor();

  // Somebody who may only look may tell the team something.
  await omar.page.keyboard.press('Escape');
  await omar.page.locator('#note').fill('Ask @Lena, she knows');
  await omar.page.keyboard.press('Control+Enter');
  await omar.page.getByRole('log').getByText('Ask @Lena, she knows').waitFor();
  await lena.page.getByRole('log').getByText('Ask @Lena, she knows').waitFor();
  await lena.page.locator('.toast').getByText('You are mentioned: Anna Main').waitFor();
  expect(await lena.page.locator('.toast a').getAttribute('href')).toBe(`${path}?view=all`);
  expect(await omar.page.locator('#note').inputValue()).toBe('');
  await lena.picture('teamwork thread');
  await expectAccessible(lena.page);

  await lena.open(path);
  await lena.page.keyboard.press('n');
  await lena.page.locator('#note').fill('Half a note');
  await lena.open(`${path}?compose=note`);
  expect(await lena.page.locator('#note').inputValue()).toBe('Half a note');
  await lena.picture('teamwork note');
  await lena.open('/dashboard/concerns/');
  await lena.page.getByText('Ask @Lena, she knows').waitFor();
  await omar.page.locator('.presence-line').waitFor({ state: 'hidden' });
  expect([...lena.problems, ...omar.problems]).toEqual([]);
});

test('a canned reply comes into the box by its shortcut, filled in, and a member by their name', async () => {
  const ben = createCustomer(desk.workspace, { name: 'Ben Brook' });
  await ben.writes('Thank you');
  const { api } = await ownerSession(desk.workspace);
  for (const [shortcut, body] of [
    ['welcome', 'You are welcome, {{name}}!'],
    ['refund', 'The refund is on its way.'],
  ])
    await api.post('/api/v1/canned-replies/', { shortcut, body, is_shared: true });
  const kim = await dashboardBrowser(desk, { name: 'Kim Keeper' });
  await dashboardBrowser(desk, { name: 'Lou Listener' });
  await kim.open(`/dashboard/inbox/${ben.handle}/`);
  await kim.page.keyboard.press('r');
  await kim.page.locator('#reply:focus').waitFor();
  await kim.page.keyboard.type('/');
  await kim.page.getByRole('option', { name: '/refund' }).waitFor();
  await kim.page.keyboard.type('wel');
  await kim.page.getByRole('option', { name: '/refund' }).waitFor({ state: 'hidden' });
  await kim.picture('teamwork replies');
  await expectAccessible(kim.page);
  await kim.page.locator('#reply').focus();
  await kim.page.keyboard.press('Enter');
  expect(await kim.page.locator('#reply').inputValue()).toBe('You are welcome, Ben Brook!');
  await kim.page.keyboard.type(' /');
  await kim.page.getByRole('option', { name: '/refund' }).click();
  expect(await kim.page.locator('#reply').inputValue()).toBe('You are welcome, Ben Brook! The refund is on its way.');
  await kim.page.keyboard.press('Escape');
  await kim.page.keyboard.press('n');
  await kim.page.locator('#note').fill('');
  await kim.page.keyboard.type('@lou');
  await kim.page.getByRole('option', { name: '@Lou Listener' }).waitFor();
  await kim.page.keyboard.press('Tab');
  expect(await kim.page.locator('#note').inputValue()).toBe('@Lou Listener ');
  await kim.open('/dashboard/replies/');
  expect(kim.problems).toEqual([]);
});

test('a selection is changed at once, by mouse and key, and taken back; filters are kept as a view', async () => {
  const names = ['Sale One', 'Sale Two', 'Sale Three'];
  for (const name of names) {
    const customer = createCustomer(desk.workspace, { name });
    await customer.writes('Any news?');
    await desk.api.patch(`/api/v1/contacts/${customer.handle}/`, { tags: ['sale'] });
  }
  const open = async (): Promise<number> =>
    (await desk.api.get<{ count: number }>('/api/v1/conversations/?tag=sale&status=open')).body.count;
  const kim = await dashboardBrowser(desk, { name: 'Kim Keeper' });
  await kim.open('/dashboard/inbox/?view=open&tag=sale');
  await kim.page.getByLabel('Name of the view').fill('Sales');
  await kim.page.getByRole('button', { name: 'Save view' }).click();
  await kim.page.locator('.list-views a[aria-current="page"]').getByText('Sales').waitFor();

  // One by its box, the next by the key.
  await kim.page.locator('.conversations li').first().hover();
  await kim.page.locator('.pick').first().click();
  await kim.page.getByText('1 selected, or').waitFor();
  await kim.page.locator('.conversation').nth(1).focus();
  await kim.page.keyboard.press('x');
  await kim.page.getByText('2 selected, or').waitFor();
  await kim.picture('teamwork bulk');
  await expectAccessible(kim.page);
  // What is lost or refused leaves the selection.
  const failed = kim.page.locator('.toast-bad');
  await kim.page.route('**/bulk/?*', (route) => route.abort(), { times: 1 });
  for (const why of ['cannot be reached', 'Nothing is to be changed']) {
    await kim.page.getByRole('button', { name: 'Add tag' }).press('Enter');
    await failed.getByText(why).waitFor();
    await kim.page.getByText('2 selected, or').waitFor();
  }
  await kim.page.getByRole('form', { name: 'Change the selected' }).getByRole('button', { name: 'Done' }).click();
  await kim.page.locator('.toast').getByText('2 conversations changed.').waitFor();
  await kim.page.locator('.bulk').waitFor({ state: 'hidden' });
  expect(await open()).toBe(1);
  // What is lost or refused can be taken back still.
  await kim.page.route('**/undo/', (route) => route.abort(), { times: 1 });
  await kim.page.keyboard.press('z');
  await failed.getByText('cannot be reached').waitFor();
  await kim.page.locator('.toast').getByText('2 conversations changed.').waitFor();
  kim.problems.length = 0;
  await kim.page.keyboard.press('z');
  await kim.page.locator('.toast').getByText('2 conversations taken back.').waitFor();
  expect(await open()).toBe(3);

  // All that match, also what is not in sight.
  await kim.page.locator('.conversations li').first().hover();
  await kim.page.locator('.pick').first().click();
  await kim.page.getByLabel('all 3 that match').check();
  await kim.page.getByRole('button', { name: 'More', exact: true }).last().click();
  // One of them ticked off leaves the others; all again are asked about.
  // Those that were taken back come into the list by its news.
  await kim.page.locator('.pick:checked').nth(2).waitFor();
  const question = kim.page.getByRole('dialog', { name: 'Change 3 conversations?' });
  const pending = kim.page.getByRole('button', { name: 'Mark as pending' });
  await pending.click();
  await question.getByText('“More: Mark as pending” is for all 3 that match.').waitFor();
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect(await open()).toBe(3);
  await kim.page.keyboard.press('Escape');
  await kim.page.locator('.pick').last().click();
  await kim.page.getByText('2 selected, or').waitFor();
  await kim.page.getByLabel('all 3 that match').check();
  // Who leaves before the answer can take it back from the page where they are.
  await kim.page.route('**/dashboard/inbox/bulk/?*', async (route) => {
    await route.fetch();
    await route.abort();
  });
  await kim.page.getByRole('button', { name: 'More', exact: true }).last().click();
  await pending.click();
  await question.getByRole('button', { name: 'Change 3' }).click();
  await kim.page.locator('.toast-bad').waitFor();
  expect(await open()).toBe(0);
  await kim.open('/dashboard/contacts/');
  await kim.page.locator('.toast').getByText('3 conversations changed.').waitFor();
  await kim.page.keyboard.press('z');
  await kim.page.locator('.toast').getByText('3 conversations taken back.').waitFor();
  expect(await open()).toBe(3);
  kim.problems.length = 0;
  await kim.open('/dashboard/inbox/?view=open&tag=sale');
  const view = kim.page.locator('.list-views a', { hasText: 'Sales' });
  // Whole with its scripts, which ask before anything is deleted.
  await kim.open((await view.getAttribute('href')) ?? '');
  await kim.page.getByRole('button', { name: 'Delete this view' }).click();
  await kim.page.locator('#confirm-yes').click();
  await kim.page.locator('.toast').getByText('The view is deleted.').waitFor();
  expect(kim.problems).toEqual([]);
});

test('who has chosen so takes a text back before it is sent', async () => {
  const eve = createCustomer(desk.workspace, { name: 'Eve Early' });
  await eve.writes('Hello?');
  const kim = await dashboardBrowser(desk, { name: 'Kim Keeper' });
  await kim.open('/dashboard/account/');
  await kim.page.getByLabel(/Wait five seconds/).check();
  await kim.page.getByRole('button', { name: 'Save', exact: true }).click();
  await kim.page.locator('.toast').getByText('Saved.').waitFor();
  await kim.open(`/dashboard/inbox/${eve.handle}/`);
  const sent = async () =>
    (
      await desk.api.get<{ results: { direction: string }[] }>(`/api/v1/conversations/${eve.handle}/messages/`)
    ).body.results.filter(({ direction }) => direction === 'outbound').length;
  await kim.page.locator('#reply').fill('Too early');
  await kim.page.keyboard.press('Control+Enter');
  await kim.page.getByRole('button', { name: 'Take back' }).click();
  expect(await kim.page.locator('#reply').inputValue()).toBe('Too early');
  expect([await sent(), await kim.page.locator('#sending li').count()]).toEqual([0, 0]);
  await kim.page.keyboard.press('Control+Enter');
  await kim.page.locator('.bubble-row[id] .bubble').getByText('Too early').waitFor();
  expect(await sent()).toBe(1);
  // Who leaves meanwhile has sent it, once.
  for (const leave of [() => kim.open('/dashboard/tickets/'), () => kim.page.reload(), () => kim.page.close()]) {
    const before = await sent();
    await kim.open(`/dashboard/inbox/${eve.handle}/`);
    await kim.page.locator('#reply').fill('On my way out');
    await kim.page.keyboard.press('Control+Enter');
    await kim.page.getByRole('button', { name: 'Take back' }).waitFor();
    await leave();
    await eventually(async () => expect(await sent()).toBe(before + 1));
  }
  expect(kim.problems).toEqual([]);
});

test('who sends a selection without scripts is asked as well before all that match are changed', async () => {
  const { api } = await createSession(await createMember(desk.workspace, { role: 'admin' }));
  const page = await api.get<string>('/dashboard/inbox/?view=open');
  const csrf = /name="csrf" value="([^"]+)"/.exec(String(page.body))?.[1];
  const form = new URLSearchParams({ csrf: csrf ?? '', all: 'true', conv_status: 'spam' });
  const answer = await api.post<string>('/dashboard/inbox/bulk/?view=open&tag=nothing', form);
  expect([answer.status, answer.body]).toEqual([200, expect.stringContaining('Change all that match?')]);
});

const sentTo = async ({ handle }: TestCustomer): Promise<string[]> =>
  (
    await desk.api.get<{ results: { direction: string; body: { text: { body: string } } }[] }>(
      `/api/v1/conversations/${handle}/messages/`,
    )
  ).body.results
    .filter(({ direction }) => direction === 'outbound')
    .map(({ body }) => body.text.body)
    .reverse();

test('who answers what somebody else has answered meanwhile is asked once, and loses nothing', async () => {
  const cleo = createCustomer(desk.workspace, { name: 'Cleo Twice' });
  await cleo.writes('Where is my parcel?');
  const { api } = await createSession(await createMember(desk.workspace, { name: 'Omar Quick', role: 'admin' }));
  const answers = async (body: string): Promise<void> => {
    const { status } = await api.post('/api/v1/messages/', { to: cleo.handle, type: 'text', text: { body } });
    expect(status).toBe(201);
  };
  const lena = await dashboardBrowser(desk, { name: 'Lena Slow' });
  const { page } = lena;
  const field = page.locator('#reply');
  const dialog = page.getByRole('dialog', { name: 'Send anyway?' });
  await lena.open(`/dashboard/inbox/${cleo.handle}/`);
  await field.fill('It is on its way.');
  await answers('It left today.');
  await page.getByRole('log').getByText('It left today.').waitFor();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await dialog.getByText(/Omar Quick answered .+: “It left today\.”/).waitFor();
  await lena.picture('teamwork answered meanwhile');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.locator('#sending li').waitFor({ state: 'detached' });
  expect(await field.inputValue()).toBe('It is on its way.');
  expect(await sentTo(cleo)).toEqual(['It left today.']);

  // Asked once: what is known goes.
  await field.press('Control+Enter');
  await page.locator('#messages .bubble-row[id]').getByText('It is on its way.').waitFor();
  expect(await sentTo(cleo)).toEqual(['It left today.', 'It is on its way.']);

  // What is sent while the question stands waits behind it, under the same answer.
  await field.fill('One more thing.');
  await answers('Tracking follows.');
  await page.getByRole('log').getByText('Tracking follows.').waitFor();
  await field.press('Control+Enter');
  await dialog.getByText(/Omar Quick answered .+: “Tracking follows\.”/).waitFor();
  await dialog.getByRole('button', { name: 'Send anyway' }).press('Enter');
  await page.locator('#messages .bubble-row[id]').getByText('One more thing.').waitFor();
  expect(await field.inputValue()).toBe('');

  // What was begun after the answer was there is no second answer.
  await answers('All said.');
  await page.locator('#messages .bubble-row[id]').getByText('All said.').waitFor();
  await field.fill('Bye.');
  await field.press('Control+Enter');
  await page.locator('#messages .bubble-row[id]').getByText('Bye.').waitFor();
  expect((await sentTo(cleo)).slice(-2)).toEqual(['All said.', 'Bye.']);
  expect(lena.problems).toEqual([]);
});

test('the same question is asked by touch, and without scripts by the form itself', async () => {
  const dora = createCustomer(desk.workspace, { name: 'Dora Twice' });
  await dora.writes('Is it open?');
  const path = `/dashboard/inbox/${dora.handle}/`;
  const phone = await dashboardBrowser(desk, { name: 'Lena Slow', touch: true });
  await phone.open(path);
  await phone.page.locator('#reply').fill('Until six.');
  const plain = await dashboardBrowser(desk, { name: 'Omar Plain', scripts: false });
  await plain.open(path);
  await plain.page.locator('#reply').fill('Until five.');
  await plain.page.getByRole('button', { name: 'Send', exact: true }).click();
  await plain.page.getByRole('log').getByText('Until five.').waitFor();
  await plain.page.locator('#reply').fill('Or a little later.');

  await phone.page.getByRole('button', { name: 'Send', exact: true }).tap();
  const dialog = phone.page.getByRole('dialog', { name: 'Send anyway?' });
  await dialog.getByText(/Omar Plain answered .+: “Until five\.”/).waitFor();
  await dialog.getByRole('button', { name: 'Send anyway' }).tap();
  await phone.page.locator('#messages .bubble-row[id]').getByText('Until six.').waitFor();

  await plain.page.getByRole('button', { name: 'Send', exact: true }).click();
  await plain.page.getByText(/Lena Slow answered .+: “Until six\.”/).waitFor();
  expect(await plain.page.locator('#reply').inputValue()).toBe('Or a little later.');
  await plain.picture('teamwork answered plain');
  expect(await sentTo(dora)).toEqual(['Until five.', 'Until six.']);
  await plain.page.getByRole('button', { name: 'Send anyway' }).click();
  await plain.page.getByRole('log').getByText('Or a little later.').waitFor();
  expect(await sentTo(dora)).toEqual(['Until five.', 'Until six.', 'Or a little later.']);
  expect(phone.problems).toEqual([]);
  // The browser notes that the form was refused.
  expect(problemsBeside(plain.problems, 422)).toEqual([]);
});

test('a conversation is offered to those who may answer it, in the head, in bulk, and in macros', async () => {
  const rita = createCustomer(desk.workspace, { name: 'Rita Given' });
  await rita.writes('Who helps me?');
  const member = (name: string, ...permissions: Scope[]) => createMember(desk.workspace, { name, permissions });
  const vic = await member('Vic Viewer', 'chat.view', 'chat.assign');
  const ann = await member('Ann Answerer', 'chat.view', 'chat.send_message');
  const kim = await dashboardBrowser(desk, { name: 'Kim Keeper' });
  await kim.open(`/dashboard/inbox/${rita.handle}/`);
  for (const menu of ['#assign', '#bulk-assign']) {
    const offered = await kim.page.locator(menu).textContent();
    expect(offered).toContain('Ann Answerer');
    expect(offered).not.toContain('Vic Viewer');
  }
  // What they were given before is found all the same.
  expect(await kim.page.locator('#filters').textContent()).toContain('Vic Viewer');

  // The row says whose it is.
  await desk.api.patch(`/api/v1/conversations/${rita.handle}/`, { assigned_member: ann.id });
  await kim.open('/dashboard/inbox/?view=open');
  const row = kim.page.locator('.conversation').filter({ hasText: 'Rita Given' });
  await row.getByRole('img', { name: 'Assigned to Ann Answerer' }).getByText('A').waitFor();

  // A macro keeps whom it names.
  for (const [chosen, hasVic] of [
    [ann.id, false],
    [vic.id, true],
  ] as const) {
    const id = await createMacro(desk.workspace, [step('assign_member', { assigned_member: chosen })]);
    await kim.open(`/dashboard/macros/${id}/`);
    const select = kim.page.getByLabel('Member', { exact: true });
    expect(await select.inputValue()).toBe(String(chosen));
    expect((await select.textContent())?.includes('Vic Viewer')).toBe(hasVic);
  }
  expect(kim.problems).toEqual([]);
});
