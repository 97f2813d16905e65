import { createConversation } from '../factories/contacts';
import { createCustomer } from '../factories/customers';
import { createMember, createSession } from '../factories/members';
import { createPipeline, createTicket } from '../factories/tickets';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { dashboardBrowser, expectAccessible, problemsBeside, sends } from '../support/dashboard';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

const read = async (id: number): Promise<Record<string, unknown>> =>
  (await desk.api.get(`/api/v1/tickets/${id}/`)).body;

test('a ticket moves by its bar of stages', async () => {
  const { id, stages } = await createPipeline(desk.workspace, ['New', 'Waiting', 'Done']);
  const ticket = await createTicket(desk.workspace, { title: 'Parcel is late', pipeline: id });
  const sam = await dashboardBrowser(desk);
  const { page } = sam;
  await sam.open(`/dashboard/tickets/${ticket.id}/`);
  const current = page.locator('.stage-bar [aria-current=step]');
  expect(await current.textContent()).toBe('New');
  const step = page.getByRole('button', { name: 'Waiting', exact: true });
  expect(await step.getAttribute('title')).toBe('Move to Waiting');
  await step.click();
  await current.getByText('Waiting', { exact: true }).waitFor();
  expect(await read(ticket.id)).toMatchObject({ stage: stages[1]?.id });
  await page.getByRole('button', { name: 'Undo' }).click();
  await current.getByText('New', { exact: true }).waitFor();
  expect(await read(ticket.id)).toMatchObject({ stage: stages[0]?.id });
  expect(sam.problems).toEqual([]);
});

test('another pipeline puts the ticket into its first stage, and is taken back', async () => {
  const from = await createPipeline(desk.workspace, ['New', 'Done']);
  const to = await createPipeline(desk.workspace, ['Arrived', 'Gone']);
  const ticket = await createTicket(desk.workspace, { pipeline: from.id, stage: from.stages[1]?.id });
  const { page, open } = await dashboardBrowser(desk);
  await open(`/dashboard/tickets/${ticket.id}/`);
  await page.getByLabel('Pipeline').selectOption(String(to.id));
  await page.locator('.stage-bar [aria-current=step]').getByText('Arrived').waitFor();
  expect(await read(ticket.id)).toMatchObject({ pipeline: to.id, stage: to.stages[0]?.id });
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.locator('.stage-bar [aria-current=step]').getByText('Done').waitFor();
  expect(await read(ticket.id)).toMatchObject({ pipeline: from.id, stage: from.stages[1]?.id });
});

test('an empty circle in the list takes the ticket, and the list stays as it was filtered', async () => {
  const { id } = await createPipeline(desk.workspace, ['New', 'Done']);
  const ticket = await createTicket(desk.workspace, { title: 'Nobody has it', pipeline: id });
  const sam = await dashboardBrowser(desk, { name: 'Sam Taker' });
  const { page, member } = sam;
  await sam.open(`/dashboard/tickets/?view=list&pipeline=${id}`);
  await page.getByRole('button', { name: `Take #${ticket.id}` }).click();
  await page.locator('.row-who [aria-label="Assigned to Sam Taker"]').waitFor();
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ view: 'list', pipeline: String(id) });
  expect(await read(ticket.id)).toMatchObject({ assigned_to: member.id });
  expect(sam.problems).toEqual([]);
});

test('comments and what happened are one stream in the order of time, of which the newest is shown', async () => {
  const ticket = await createTicket(desk.workspace, { title: 'Talked about' });
  const bind = { workspaceId: desk.workspace.id, id: ticket.id };
  // More than a page of both, and several of one moment where the first page ends.
  await desk.runtime.db.rows(
    `INSERT INTO ticket_comments (workspace_id, ticket_id, body, is_internal, created_at)
     SELECT $workspaceId, $id, 'Said ' || n, true, now() - interval '1 day' + (n / 5 * 5) * interval '1 minute'
     FROM generate_series(1, 203) n`,
    bind,
  );
  await desk.runtime.db.rows(
    `INSERT INTO events (workspace_id, subject_type, subject_id, kind, actor_type, changes, data, created_at)
     SELECT $workspaceId, 'ticket', $id, 'escalated', 'system', '{}', jsonb_build_object('reason', 'Done ' || n),
       now() - interval '1 day' + (n * 2) * interval '1 minute'
     FROM generate_series(1, 60) n`,
    bind,
  );
  const sam = await dashboardBrowser(desk);
  const { page } = sam;
  await sam.open(`/dashboard/tickets/${ticket.id}/`);
  const texts = async (): Promise<string[]> =>
    (await page.locator('#stream li').allTextContents()).flatMap((text) => /(?:Said|Done) \d+/.exec(text) ?? []);
  const shown = await texts();
  expect(shown.at(-1)).toBe('Said 203');
  expect(await page.getByRole('link', { name: 'The newest' }).count()).toBe(0);
  const pages = [shown];
  for (const earlier = page.getByRole('link', { name: 'Earlier' }); (await earlier.count()) > 0;) {
    const address = (await earlier.getAttribute('href')) ?? '';
    await sam.open(address);
    pages.unshift(await texts());
  }
  // Each once, and each after what was before it.
  const minuteOf = (text: string): number => {
    const n = Number(text.slice(5));
    return text.startsWith('Said') ? Math.floor(n / 5) * 5 : n * 2;
  };
  const all = pages.flat();
  expect(pages.length).toBeGreaterThan(2);
  expect(new Set(all).size).toBe(263);
  expect(all).toHaveLength(263);
  const minutes = all.map(minuteOf);
  expect(minutes).toEqual([...minutes].sort((left, right) => left - right));
  await page.getByRole('link', { name: 'The newest' }).click();
  await page.getByText('Said 203', { exact: true }).waitFor();
  expect(sam.problems).toEqual([]);
});

test.each([true, false])('the title is edited where it stands, and taken back; scripts: %s', async (scripts) => {
  const { id } = await createTicket(desk.workspace, { title: 'Parcel is late', description: 'Since Monday' });
  const sam = await dashboardBrowser(desk, { scripts });
  const { page } = sam;
  await sam.open(`/dashboard/tickets/${id}/`);
  const title = page.getByLabel('Title', { exact: true });
  await title.fill('Parcel is lost <b>for good</b>');
  if (scripts) await title.press('Enter');
  else await page.locator('#property-title').getByRole('button', { name: 'Save' }).click();
  await page.getByText('The ticket is saved.').waitFor();
  await page.getByRole('heading', { name: `#${id} Parcel is lost <b>for good</b>` }).waitFor();
  expect(await page.title()).toContain('Parcel is lost');
  expect(await read(id)).toMatchObject({ title: 'Parcel is lost <b>for good</b>', description: 'Since Monday' });
  if (scripts) {
    // Left for another field, it is saved as well.
    await title.fill('Parcel is found');
    await title.press('Tab');
    await page.getByRole('heading', { name: `#${id} Parcel is found` }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('heading', { name: `#${id} Parcel is lost` }).waitFor();
    expect(await read(id)).toMatchObject({ title: 'Parcel is lost <b>for good</b>' });
  }
  expect(sam.problems).toEqual([]);
});

test('a title that is refused stands there with the reason', async () => {
  const { id } = await createTicket(desk.workspace, { title: 'Parcel is late' });
  const { page, open } = await dashboardBrowser(desk, { scripts: false });
  await open(`/dashboard/tickets/${id}/`);
  await page.getByLabel('Title', { exact: true }).fill('   ');
  await page.locator('#property-title').getByRole('button', { name: 'Save' }).click();
  await page.locator('#property-title .field-error').waitFor();
  await page.getByRole('link', { name: 'Edit description' }).waitFor();
  expect(await read(id)).toMatchObject({ title: 'Parcel is late' });
});

test('what the customer and the team wrote last stands in the stream, for who may read the conversation', async () => {
  const anna = await createConversation(desk.workspace, { priority: 'high' }, { name: 'Anna Asks' });
  const ticket = await createTicket(desk.workspace, { title: 'Asked about', receiver: anna.id });
  await desk.runtime.db.rows(
    `INSERT INTO messages (workspace_id, conversation_id, direction, type, body, message_status, opaque,
       delivery_state, created_at)
     SELECT $workspaceId, v.id, CASE n % 2 WHEN 0 THEN 'inbound' ELSE 'outbound' END, 'text',
       jsonb_build_object('type', 'text', 'text', jsonb_build_object('body', 'Wrote ' || n)),
       CASE n % 2 WHEN 0 THEN 'received' ELSE 'sent' END, gen_random_uuid(), 'settled',
       now() - interval '1 day' + n * interval '1 minute'
     FROM generate_series(1, 24) n, conversations v WHERE v.workspace_id = $workspaceId AND v.contact_id = $id`,
    { workspaceId: desk.workspace.id, id: anna.id },
  );
  await desk.api.post(`/api/v1/tickets/${ticket.id}/comments/`, { body: 'Said of it' });
  const sam = await dashboardBrowser(desk);
  const { page } = sam;
  await sam.open(`/dashboard/tickets/${ticket.id}/`);
  const texts = (await page.locator('#stream li').allTextContents()).flatMap(
    (text) => /Wrote \d+|created the ticket|Said of it/.exec(text) ?? [],
  );
  const wrote = Array.from({ length: 10 }, (_, index) => `Wrote ${index + 15}`);
  expect(texts).toEqual([...wrote, 'created the ticket', 'Said of it']);
  const last = page.locator('#stream li', { hasText: 'Wrote 24' });
  expect(await last.textContent()).toMatch(/Anna Asks.*Customer/s);
  expect(await page.locator('#stream li', { hasText: 'Wrote 23' }).textContent()).toMatch(
    /Automatic.*To the customer/s,
  );
  await last.getByRole('link', { name: 'In the conversation' }).click();
  await page.locator('.thread-who', { hasText: 'Anna Asks' }).waitFor();
  expect(sam.problems).toEqual([]);

  const reader = await createSession(await createMember(desk.workspace, { permissions: ['ticket.view'] }));
  const cookie = `token=${reader.token}`;
  const { body } = await desk.anonymous.get<string>(`/dashboard/tickets/${ticket.id}/`, { cookie });
  expect(body).toContain('Said of it');
  expect(body).not.toContain('Wrote ');
});

test('what the customer writes comes into the stream while one looks on', async () => {
  const zoe = createCustomer(desk.workspace, { name: 'Zoe' });
  await zoe.writes('My parcel is late');
  const { body } = await desk.api.get(`/api/v1/conversations/${zoe.handle}/`);
  const ticket = await createTicket(desk.workspace, { title: 'Late', receiver: body.id });
  const { page, open } = await dashboardBrowser(desk);
  const stream = page.waitForResponse((answer) => answer.url().includes('/dashboard/live/'));
  await open(`/dashboard/tickets/${ticket.id}/`);
  await stream;
  await zoe.writes('It has come');
  await page.locator('#stream').getByText('It has come').waitFor();
});

test('the first response of a closed ticket is waited for no more', async () => {
  const { id, stages } = await createPipeline(desk.workspace, ['New', { name: 'Done', is_terminal: true }]);
  const ticket = await createTicket(desk.workspace, { title: 'Closed unanswered', pipeline: id });
  const bind = { workspaceId: desk.workspace.id, id: ticket.id };
  await desk.runtime.db.rows(
    `UPDATE tickets SET first_response_sla = now() + interval '1 day' WHERE workspace_id = $workspaceId AND id = $id`,
    bind,
  );
  const sam = await dashboardBrowser(desk);
  const { page } = sam;
  const path = `/dashboard/tickets/${ticket.id}/`;
  const clocks = page.locator('#clocks');
  await sam.open(path);
  expect(await clocks.textContent()).toMatch(/First response\s*(23 h|1 d).* left/s);
  await desk.api.patch(`/api/v1/tickets/${ticket.id}/`, { stage: stages[1]?.id });
  // The deadline passes while it is closed.
  await desk.runtime.db.rows(
    `UPDATE tickets SET first_response_sla = now() - interval '1 hour' WHERE workspace_id = $workspaceId AND id = $id`,
    bind,
  );
  await sam.open(path);
  expect(await clocks.textContent()).toMatch(/First response\s*None was given/);
  expect(await clocks.textContent()).not.toMatch(/Missed|left/);
  await sam.open(`/dashboard/tickets/?pipeline=${id}`);
  expect(await page.locator(`#ticket-${ticket.id}`).textContent()).not.toContain('First response');
  expect(sam.problems).toEqual([]);
});

test('rare acts stand in a menu, which opens again where one of them was refused; without scripts, too', async () => {
  for (const scripts of [true, false]) {
    const ticket = await createTicket(desk.workspace, { title: 'Handed up' });
    const { page, open } = await dashboardBrowser(desk, { scripts, name: 'Mia Manager' });
    await open(`/dashboard/tickets/${ticket.id}/`);
    expect(await page.getByRole('button', { name: 'Escalate' }).isVisible()).toBe(false);
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByLabel('Reason').fill('They asked for a manager');
    await page.getByRole('button', { name: 'Escalate' }).click();
    // Nobody was chosen: the form stands in the page, with what was typed.
    await page.locator('#field-escalated_to[aria-invalid=true]').waitFor();
    expect(await page.getByLabel('Reason').inputValue()).toBe('They asked for a manager');
    await page.getByLabel('To', { exact: true }).selectOption({ label: 'Mia Manager' });
    await page.getByRole('button', { name: 'Escalate' }).click();
    await page.getByText('Reason: They asked for a manager').waitFor();
  }
});

test('a property that was refused keeps what was typed with the reason beside it, and the others go on', async () => {
  const { id } = await createTicket(desk.workspace, { title: 'Itself', priority: 'low' });
  const sam = await dashboardBrowser(desk);
  const { page } = sam;
  await sam.open(`/dashboard/tickets/${id}/`);
  await page.getByLabel('New comment').fill('Half a sentence');
  const duplicate = page.getByLabel('Duplicate of');
  await duplicate.fill(`#${id}`);
  await duplicate.press('Enter');
  await page.locator('#property-duplicate_of .field-error').waitFor();
  expect(await duplicate.inputValue()).toBe(`#${id}`);
  await expectAccessible(page);
  await sam.picture('ticket property refused');
  await page.getByLabel('Priority').selectOption('urgent');
  await page.getByText('The ticket is saved.').waitFor();
  await page.getByLabel('Tags').fill('late, parcel');
  await sends(page, `/tickets/${id}/edit/`, () => page.getByLabel('Tags').press('Tab'));
  expect(await read(id)).toMatchObject({ priority: 'urgent', tags: ['late', 'parcel'], duplicate_of: null });
  await duplicate.fill('');
  await duplicate.press('Enter');
  await page.locator('#property-duplicate_of .field-error').waitFor({ state: 'detached' });
  // Nothing else of the page was touched.
  expect(await page.getByLabel('New comment').inputValue()).toBe('Half a sentence');
  expect(problemsBeside(sam.problems, 422)).toEqual([]);
});
