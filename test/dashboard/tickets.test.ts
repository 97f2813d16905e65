import { createContact } from '../factories/contacts';
import { createMember, createSession } from '../factories/members';
import { createPipeline, createTicket, tellInStage, type TestPipeline } from '../factories/tickets';
import { createWorkspace } from '../factories/workspaces';
import { updateWorkspace } from '../../api/services/identity/workspaces/service';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { dashboardBrowser, expectAccessible, problemsBeside, sends, type DashboardBrowser } from '../support/dashboard';

const hostile = `<img src=x onerror="alert(1)">"'</script>{{7*7}}`;

let desk: TestApi;
let anna: DashboardBrowser;
let pipeline: TestPipeline;
beforeAll(async () => {
  desk = await sharedDesk('no sandbox');
  await updateWorkspace(desk.workspace.ctx, { ticketing: true });
  pipeline = await createPipeline(desk.workspace, [
    { name: 'New', color: '#3B82F6' },
    { name: 'Waiting', color: '#F59E0B', pauses_sla: true },
    { name: hostile, color: '#A855F7' },
    { name: 'Done', color: '#22C55E', is_terminal: true },
  ]);
  anna = await dashboardBrowser(desk, { name: 'Anna Admin' });
});
afterEach(() => {
  expect(problemsBeside(anna.problems, 404, 422)).toEqual([]);
});
afterAll(() => desk.close());

const stage = (index: number): number => pipeline.stages[index]?.id ?? 0;
const read = async (id: number): Promise<Record<string, unknown>> =>
  (await desk.api.get(`/api/v1/tickets/${id}/`)).body;

test('cards move by keyboard and by the list of stages, and keep the focus', async () => {
  const { page } = anna;
  const contact = await createContact(desk.workspace, { name: 'Ben Baker' });
  const first = await createTicket(desk.workspace, {
    title: 'Parcel is late',
    pipeline: pipeline.id,
    priority: 'urgent',
    severity: 'sev1',
    receiver: contact.id,
    assigned_to: anna.member.id,
  });
  await createTicket(desk.workspace, {
    title: hostile,
    pipeline: pipeline.id,
    stage: stage(2),
    due_at: '2020-01-01T00:00:00Z',
  });
  const path = `/dashboard/tickets/?pipeline=${pipeline.id}`;
  await anna.open(path);
  const card = (column: number): string => `[data-stage="${stage(column)}"] #ticket-${first.id}`;

  await page.getByRole('link', { name: 'Parcel is late' }).focus();
  await page.keyboard.press('Shift+ArrowRight');
  await page.locator(card(1)).waitFor();
  await page.getByText(`#${first.id} is in Waiting now.`).waitFor();
  const focused = (text: string) => page.locator(':focus', { hasText: text }).waitFor();
  await focused('Parcel is late');
  await page.getByRole('link', { name: 'Parcel is late' }).press('ArrowRight');
  await focused(hostile);
  await page.getByRole('link', { name: hostile }).press('ArrowLeft');
  await focused('Parcel is late');

  await page.getByRole('link', { name: 'Parcel is late' }).press('m');
  await focused('Waiting');
  await page.getByRole('button', { name: 'Done' }).click();
  await page.locator(card(3)).waitFor();
  expect(await read(first.id)).toMatchObject({ stage: stage(3) });
});

test('a move is taken back by one key, unless a colleague moved the ticket on', async () => {
  const { page } = anna;
  const { id, stages } = await createPipeline(desk.workspace, ['New', 'Done', 'Filed']);
  const ticket = await createTicket(desk.workspace, { title: 'Moved by mistake', pipeline: id });
  await anna.open(`/dashboard/tickets/?pipeline=${id}`);
  await page.getByRole('link', { name: 'Moved by mistake' }).press('Shift+ArrowRight');
  await page.locator(`[data-stage="${stages[1]?.id}"] #ticket-${ticket.id}`).waitFor();
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  await page.keyboard.press('z');
  await page.locator(`[data-stage="${stages[0]?.id}"] #ticket-${ticket.id}`).waitFor();
  expect(await read(ticket.id)).toMatchObject({ stage: stages[0]?.id });
  await anna.open(`/dashboard/tickets/?pipeline=${id}`);
  await page.getByRole('link', { name: 'Moved by mistake' }).press('Shift+ArrowRight');
  await page.getByText('is in Done now.').waitFor();
  await desk.api.patch(`/api/v1/tickets/${ticket.id}/`, { stage: stages[2]?.id });
  await page.keyboard.press('z');
  await page.getByText('It was changed again meanwhile').waitFor();
  expect(await read(ticket.id)).toMatchObject({ stage: stages[2]?.id });
});

test('a changed property of a ticket is taken back, unless somebody changed it again', async () => {
  const { page } = anna;
  const { id: field } = (
    await desk.api.post('/api/v1/custom-fields/', {
      name: 'shelf',
      label: 'Shelf',
      field_type: 'text',
      applies_to: ['tickets'],
    })
  ).body as { id: number };
  const ticket = await createTicket(desk.workspace, {
    title: 'Saved by mistake',
    pipeline: pipeline.id,
    priority: 'low',
    tags: ['late'],
    due_at: '2027-01-04T09:30:00.000Z',
  });
  const before = await read(ticket.id);
  await anna.open(`/dashboard/tickets/${ticket.id}/`);
  const type = async (label: string, text: string): Promise<void> => {
    await page.getByLabel(label).fill(text);
    await page.getByLabel(label).press('Enter');
  };
  const changes: readonly (readonly [name: string, change: () => Promise<unknown>, is: unknown])[] = [
    ['priority', () => page.getByLabel('Priority').selectOption('urgent'), 'urgent'],
    ['assigned_to', () => page.getByLabel('Assigned to').selectOption({ label: 'Anna Admin' }), anna.member.id],
    ['tags', () => type('Tags', ''), []],
    [
      'due_at',
      async () => {
        const save = page.locator('#property-due_at').getByRole('button', { name: 'Save' });
        // It is there for Tab, and shows itself to who is in its field.
        const opacity = await save.evaluate((each) => each.ownerDocument.defaultView.getComputedStyle(each).opacity);
        expect(opacity).toBe('0');
        await page.getByLabel('Due').fill('');
        await save.click();
      },
      null,
    ],
    ['custom_fields', () => type('Shelf', 'B 12'), { shelf: 'B 12' }],
  ];
  for (const [name, change, is] of changes) {
    await change();
    await page.getByText('The ticket is saved.').waitFor();
    expect([name, (await read(ticket.id))[name]]).toEqual([name, is]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Taken back.').waitFor();
    if (name === 'custom_fields') expect(await page.getByLabel('Shelf').inputValue()).toBe('');
    else expect([name, (await read(ticket.id))[name]]).toEqual([name, before[name]]);
  }
  await page.getByLabel('Priority').selectOption('urgent');
  await page.getByText('The ticket is saved.').waitFor();
  await desk.api.patch(`/api/v1/tickets/${ticket.id}/`, { priority: 'high' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('It was changed again meanwhile').waitFor();
  expect(await read(ticket.id)).toMatchObject({ priority: 'high' });
  await desk.api.delete(`/api/v1/custom-fields/${field}/`);
});

test('a change that a customer hears of offers no way back', async () => {
  const { page } = anna;
  const { id, stages } = await createPipeline(desk.workspace, ['New', 'Told']);
  const ticket = await createTicket(desk.workspace, { title: 'Nobody can unhear', pipeline: id, stage: stages[1]?.id });
  await anna.open(`/dashboard/tickets/?pipeline=${id}`);
  await page.getByRole('link', { name: 'Nobody can unhear' }).press('Shift+ArrowLeft');
  await page.getByText('is in New now.').waitFor();
  await tellInStage(desk.workspace, stages[1]?.id ?? 0);
  // The way back was offered before the stage got its template.
  await page.keyboard.press('z');
  await page.getByText('may notify a contact now').waitFor();
  expect(await read(ticket.id)).toMatchObject({ stage: stages[0]?.id });
  await anna.open(`/dashboard/tickets/?pipeline=${id}`);
  await page.getByRole('link', { name: 'Nobody can unhear' }).press('Shift+ArrowRight');
  await page.locator(`[data-stage="${stages[1]?.id}"] #ticket-${ticket.id}`).waitFor();
  await page.getByText('is in Told now.').waitFor();
  expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
  await anna.open(`/dashboard/tickets/${ticket.id}/`);
  await page.getByRole('button', { name: 'New', exact: true }).click();
  await page.getByText('The ticket is saved.').waitFor();
  expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
});

test('a card is dragged into another stage', async () => {
  const { page } = anna;
  const { id, stages } = await createPipeline(desk.workspace, ['New', 'Waiting', 'Done']);
  const [first, , last] = stages;
  const ticket = await createTicket(desk.workspace, { pipeline: id, stage: last?.id });
  await anna.open(`/dashboard/tickets/?pipeline=${id}`);
  await page.locator(`#ticket-${ticket.id}`).hover();
  await page.mouse.down();
  const target = await page.locator(`[data-stage="${first?.id}"] .cards`).boundingBox();
  for (const y of [20, 40, 60]) await page.mouse.move((target?.x ?? 0) + 40, (target?.y ?? 0) + y);
  await page.mouse.up();
  await page.locator(`[data-stage="${first?.id}"] #ticket-${ticket.id}`).waitFor();
  expect(await read(ticket.id)).toMatchObject({ stage: first?.id });
});

test('a finger lifts a card, carries it past the edge, and is offered the stages where it stays', async () => {
  const { id, stages } = await createPipeline(desk.workspace, ['New', 'Waiting', 'Done']);
  const ticket = await createTicket(desk.workspace, { title: 'Carried', pipeline: id });
  const phone = await dashboardBrowser(desk, { touch: true });
  const { page } = phone;
  await phone.open(`/dashboard/tickets/?pipeline=${id}`);
  const cardIn = (index: number) => page.locator(`[data-stage="${stages[index]?.id}"] #ticket-${ticket.id}`);
  const cdp = await phone.context.newCDPSession(page);
  const finger = (type: 'touchStart' | 'touchMove', x: number, y: number) =>
    cdp.send('Input.dispatchTouchEvent', { type, touchPoints: [{ x, y }] });
  const letGo = () => cdp.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  const press = async (): Promise<{ x: number; y: number }> => {
    // Until it stands still: a page that was not drawn yet hears no finger.
    await page.locator(`#ticket-${ticket.id}`).tap({ trial: true });
    const box = await page.locator(`#ticket-${ticket.id}`).boundingBox();
    const at = { x: (box?.x ?? 0) + 60, y: (box?.y ?? 0) + 20 };
    await finger('touchStart', at.x, at.y);
    await page.locator('.is-carried').waitFor();
    return at;
  };

  const { x, y } = await press();
  await finger('touchMove', x + 90, y + 10);
  await finger('touchMove', 385, y + 10);
  await page.locator(`[data-stage="${stages[2]?.id}"].stage-over`).waitFor();
  await sends(page, '/tickets/move/', letGo);
  await page.getByText(`#${ticket.id} is in Done now.`).waitFor();
  expect(await read(ticket.id)).toMatchObject({ stage: stages[2]?.id });
  // The board stays where the finger left it.
  await cardIn(2).tap({ trial: true });
  expect(await page.locator('.is-carried, .is-dragged, .stage-over').count()).toBe(0);

  await press();
  await letGo();
  await page.getByRole('dialog').getByText('Move to').waitFor();
  // By mouse: soon after a drawn finger Chromium may take a tap for its end, and click nothing.
  await sends(page, '/tickets/move/', () => page.getByRole('button', { name: 'Waiting' }).click());
  await cardIn(1).waitFor();
  expect(await read(ticket.id)).toMatchObject({ stage: stages[1]?.id });

  // A second finger takes nothing along, and a click opens as before.
  await press();
  await cdp.send('Input.dispatchTouchEvent', {
    type: 'touchStart',
    touchPoints: [
      { x, y },
      { x: 300, y: 700 },
    ],
  });
  await page.locator('.is-carried').waitFor({ state: 'detached' });
  await letGo();
  await page.getByRole('link', { name: 'Carried' }).click();
  await page.getByRole('heading', { name: 'Carried' }).waitFor();
  expect(await read(ticket.id)).toMatchObject({ stage: stages[1]?.id });
  expect(phone.problems).toEqual([]);
});

test('what colleagues do shows on the board by itself', async () => {
  const { page } = anna;
  const { id, stages } = await createPipeline(desk.workspace, ['New', 'Done']);
  const ticket = await createTicket(desk.workspace, { pipeline: id, stage: stages[1]?.id });
  await anna.open(`/dashboard/tickets/?pipeline=${id}`);
  await page.locator(`[data-stage="${stages[1]?.id}"] #ticket-${ticket.id}`).waitFor();
  await desk.api.patch(`/api/v1/tickets/${ticket.id}/`, { stage: stages[0]?.id });
  await page.locator(`[data-stage="${stages[0]?.id}"] #ticket-${ticket.id}`).waitFor();
});

test('one long name breaks no row of the list, and its tags stay in one line', async () => {
  const { page } = anna;
  const { id: pipelineId } = await createPipeline(desk.workspace, ['In progress', 'Done']);
  const long = await createContact(desk.workspace, { name: `${'Maximiliane-Wilhelmine '.repeat(8)}Long` });
  for (const receiver of [long.id, (await createContact(desk.workspace, { name: 'Ann' })).id])
    await createTicket(desk.workspace, { title: 'Late', pipeline: pipelineId, receiver, priority: 'urgent' });
  await anna.open(`/dashboard/tickets/?view=list&pipeline=${pipelineId}`);
  const spread = async (selector: string): Promise<number> => {
    const heights = await page.locator(selector).evaluateAll((all) => all.map((each) => each.offsetHeight));
    return Math.max(...heights) - Math.min(...heights);
  };
  // The last row has no line below it; a second line of text is far higher.
  expect(await spread('.rows > li')).toBeLessThan(3);
  expect(await spread('.rows .tag')).toBeLessThan(3);
});

test('several tickets are changed at once, and taken back; what tells somebody asks with their number', async () => {
  const { page } = anna;
  const { id, stages } = await createPipeline(desk.workspace, ['New', 'Told']);
  const contact = await createContact(desk.workspace, { name: 'Toni Told' });
  const made = (title: string) => createTicket(desk.workspace, { title, pipeline: id, receiver: contact.id });
  const [first, second] = [await made('Many one'), await made('Many two')];
  await made('Left alone');
  const list = `/dashboard/tickets/?view=list&pipeline=${id}`;
  const select = async (...titles: readonly string[]): Promise<void> => {
    await anna.open(list);
    for (const title of titles) {
      const row = page.locator('.rows > li', { hasText: title });
      await row.hover();
      await row.getByRole('checkbox').click();
    }
  };
  await select('Many one', 'Many two');
  await expectAccessible(page);
  await anna.picture('tickets selected');
  await page.getByRole('button', { name: 'Priority' }).click();
  await page.getByRole('button', { name: 'Urgent', exact: true }).click();
  await page.getByText('2 tickets changed.').waitFor();
  expect([await read(first.id), await read(second.id)]).toMatchObject([{ priority: 'urgent' }, { priority: 'urgent' }]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('2 tickets taken back.').waitFor();
  expect(await read(first.id)).toMatchObject({ priority: 'normal' });

  // Also from the page to which one has gone on, where the member stays.
  await select('Many one', 'Many two');
  await page.getByRole('button', { name: 'Priority' }).click();
  await page.getByRole('button', { name: 'Low', exact: true }).click();
  await page.getByText('2 tickets changed.').waitFor();
  await anna.open('/dashboard/account/');
  await page.locator('.toast').getByText('2 tickets changed.').waitFor();
  await page.keyboard.press('z');
  await page.locator('.toast').getByText('2 tickets taken back.').waitFor();
  expect(await read(first.id)).toMatchObject({ priority: 'normal' });
  expect(new URL(page.url()).pathname).toBe('/dashboard/account/');

  await desk.runtime.db.rows(
    `UPDATE ticket_stages SET notify_template_pk = (SELECT id FROM templates WHERE workspace_id = $workspaceId LIMIT 1)
     WHERE id = $stage AND workspace_id = $workspaceId`,
    { workspaceId: desk.workspace.id, stage: stages[1]?.id ?? 0 },
  );
  await select('Many one', 'Many two');
  await page.getByRole('button', { name: 'Move to' }).click();
  await page.getByRole('button', { name: 'Told' }).click();
  await page.getByRole('heading', { name: 'Move 2 tickets to Told?' }).waitFor();
  await page.getByText('is sent to one contact').waitFor();
  expect(await read(first.id)).toMatchObject({ stage: stages[0]?.id });
  await page.getByRole('button', { name: 'Move and send' }).click();
  await page.getByText('2 tickets changed.').waitFor();
  expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
  expect(await read(second.id)).toMatchObject({ stage: stages[1]?.id });
  const asked = page.waitForResponse('**/last-change/');
  await anna.open('/dashboard/account/');
  expect(await (await asked).headerValue('hx-trigger')).toBeNull();

  await select('Left alone');
  await page.getByRole('checkbox', { name: 'all 3 that match' }).check();
  await page.getByLabel('Tag to add').fill('storm');
  await page.getByRole('button', { name: 'Add tag' }).click();
  await page.getByRole('button', { name: 'Change 3' }).click();
  await page.getByText('3 tickets changed.').waitFor();
  expect(await read(first.id)).toMatchObject({ tags: ['storm'] });
});

test('filters stand as chips that are taken away one by one', async () => {
  const { page } = anna;
  const { id } = await createPipeline(desk.workspace, ['New', 'Done']);
  await createTicket(desk.workspace, { title: 'Found by chips', pipeline: id, priority: 'high', type: 'bug' });
  await anna.open(`/dashboard/tickets/?view=list&pipeline=${id}&type=refund`);
  await page.getByRole('heading', { name: 'No ticket fits' }).waitFor();
  await page.getByRole('button', { name: /^Filter/ }).click();
  await page.getByLabel('Priority').selectOption('high');
  await page.waitForURL(/priority=high/);
  await page.getByRole('link', { name: 'Remove: Type' }).click();
  await page.getByRole('link', { name: /Found by chips/ }).waitFor();
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
    view: 'list',
    pipeline: String(id),
    priority: 'high',
  });
});

test('a card that cannot be moved stays, and says why', async () => {
  const { page } = anna;
  const ticket = await createTicket(desk.workspace, { title: 'Gone', pipeline: pipeline.id });
  await anna.open(`/dashboard/tickets/?pipeline=${pipeline.id}`);
  await page.evaluate(`document.getElementById('ticket-${ticket.id}').dataset.ticket = '999999999'`);
  await page.locator(`#ticket-${ticket.id} a`).focus();
  await page.keyboard.press('Shift+ArrowRight');
  await page.locator('.toast-bad').waitFor();
  expect(await read(ticket.id)).toMatchObject({ stage: stage(0) });
});

test('a ticket is created, and an affected contact is added, removed and put back', async () => {
  const { page } = anna;
  const contact = await createContact(desk.workspace, { name: 'Cleo Customer' });
  const other = await createContact(desk.workspace, { name: hostile });
  await anna.open('/dashboard/tickets/');
  await page.keyboard.press('n');
  await page.getByLabel('Title').fill(hostile);
  await page.getByLabel('Customer', { exact: true }).fill('+49 30 1');
  await page.getByLabel('Due').fill('2027-01-04T09:30');
  await page.getByRole('button', { name: 'Create ticket' }).click();
  await page.locator('#field-receiver_id[aria-invalid=true]').waitFor();
  await expectAccessible(page);
  await anna.picture('ticket new refused');
  await page.getByLabel('Customer', { exact: true }).fill(contact.receiver_id);
  await page.getByLabel('Stage').selectOption(String(stage(2)));
  await page.getByRole('button', { name: 'Create ticket' }).click();
  await page.getByText(/Ticket #\d+ is created/).waitFor();
  const id = Number(/(\d+)\/$/.exec(page.url())?.[1]);
  expect(await read(id)).toMatchObject({
    title: hostile,
    receiver: contact.id,
    due_at: '2027-01-04T09:30:00.000Z',
    priority: 'normal',
    stage: stage(2),
  });

  await page.getByLabel('Add an affected contact').fill(other.receiver_id);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('link', { name: hostile }).first().waitFor();
  expect(await read(id)).toMatchObject({ affected_contacts: [{ id: other.id }] });
  await page.getByRole('button', { name: /^Remove/ }).click();
  await page.getByText('The affected contacts are changed.').waitFor();
  expect((await read(id))['affected_contacts']).toEqual([]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('link', { name: hostile }).first().waitFor();
  expect(await read(id)).toMatchObject({ affected_contacts: [{ id: other.id }] });
});

test('the list filters; clocks say what is left and what was missed', async () => {
  const { page } = anna;
  const admin = await createSession(await createMember(desk.workspace, { role: 'admin' }));
  const policy = await admin.api.post('/api/v1/sla-policies/', {
    name: 'Fast',
    first_response_minutes: 60,
    resolution_minutes: 600,
    applies_to: ['tickets'],
    is_default: true,
  });
  expect(policy).toMatchObject({ status: 201 });
  const ticket = await createTicket(desk.workspace, { title: 'With clocks', priority: 'low' });
  await anna.open(`/dashboard/tickets/${ticket.id}/`);
  await expect(page.locator('#clocks').textContent()).resolves.toMatch(/First response\s*(59 min|1 h) left/);
  await anna.open('/dashboard/tickets/?view=list&priority=low');
  await page.getByRole('link', { name: /With clocks/ }).waitFor();
  await page.getByLabel('Search tickets').fill('nothing like it');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'No ticket fits' }).waitFor();
  await anna.open('/dashboard/tickets/?view=list&priority=nonsense');
  await page.getByText('"nonsense" is not a valid choice.').waitFor();
});

test('the panel of a conversation leads to the tickets of its person and to a new one', async () => {
  const { page } = anna;
  const contact = await createContact(desk.workspace, { name: 'Cleo Client' });
  await createTicket(desk.workspace, { title: 'Refund the set', pipeline: pipeline.id, receiver: contact.id });
  await anna.open(`/dashboard/inbox/${contact.receiver_id}/`);
  const panel = page.locator('#details');
  await page.getByRole('button', { name: 'About this person' }).click();
  await panel.getByRole('link', { name: /Refund the set/ }).click();
  await panel.getByRole('link', { name: 'Open the ticket' }).click();
  await page.getByRole('heading', { name: /Refund the set/ }).waitFor();
  await anna.open(`/dashboard/inbox/${contact.receiver_id}/`);
  await page.getByRole('button', { name: 'About this person' }).click();
  await panel.getByRole('link', { name: 'New ticket' }).click();
  await panel.getByRole('link', { name: 'All fields' }).click();
  await page.getByRole('heading', { name: 'New ticket' }).waitFor();
  expect(await page.getByLabel('Customer', { exact: true }).inputValue()).toBe('Cleo Client');

  const reader = await createSession(await createMember(desk.workspace, { permissions: ['chat.view'] }));
  const cookie = `token=${reader.token}`;
  const { body } = await desk.anonymous.get<string>(`/dashboard/inbox/${contact.receiver_id}/`, { cookie });
  expect(body).not.toContain('Refund the set');
});

test('tickets that are too large for one page stand on the next one, to which their column leads', async () => {
  const { page } = anna;
  const { id } = await createPipeline(desk.workspace);
  for (const title of ['Large one', 'Large two']) await createTicket(desk.workspace, { title, pipeline: id });
  await desk.runtime.db.rows(
    `UPDATE tickets SET description = repeat('x', 6000000) WHERE workspace_id = $workspaceId AND pipeline_id = $id`,
    { workspaceId: desk.workspace.id, id },
  );
  await anna.open(`/dashboard/tickets/?pipeline=${id}`);
  await page.getByRole('link', { name: 'Show all in the list' }).click();
  await page.getByRole('link', { name: /Large two/ }).waitFor();
  await page.getByRole('link', { name: 'Next', exact: true }).click();
  await page.getByRole('link', { name: /Large one/ }).waitFor();
});

test('without the add-on or scripts the pages say so or do without', async () => {
  const other = await createWorkspace(desk);
  await updateWorkspace(other.ctx, { ticketing: false });
  const stranger = await createSession(await createMember(other, { role: 'admin' }));
  for (const path of ['/dashboard/tickets/', '/dashboard/tickets/new/', '/dashboard/tickets/1/']) {
    const { body } = await desk.anonymous.get<string>(path, { cookie: `token=${stranger.token}` });
    expect(body).toContain('Ticketing is not part of this workspace');
  }
  const ticket = await createTicket(desk.workspace, { title: 'By its button', pipeline: pipeline.id });
  const sam = await dashboardBrowser(desk, { scripts: false });
  await sam.open(`/dashboard/tickets/${ticket.id}/`);
  const done = sam.page.getByRole('button', { name: 'Done', exact: true });
  await sends(sam.page, '/tickets/', () => done.click());
  expect(await read(ticket.id)).toMatchObject({ stage: stage(3) });
});
