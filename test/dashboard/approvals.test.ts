import { expireOverdueAnywhere } from '../../api/services/processes/approvals/service';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { templateId } from '../factories/broadcasts';
import { createMacro, ownerSession, step } from '../factories/macros';
import { createMember, createSession } from '../factories/members';
import { createPipeline, createTicket, pipelinesPath } from '../factories/tickets';
import type { TestKey } from '../factories/workspaces';
import { createAgent, type Agent } from '../support/agent';
import type { TestApi } from '../support/api';
import { sweepUntil } from '../support/ownRows';
import { sharedDesk } from '../support/sharedDesk';
import { dashboardBrowser, expectAccessible } from '../support/dashboard';
import { captureStatements } from '../support/statements';

const hostile = `<img src=x onerror="alert(1)">"'</script>`;

let desk: TestApi;
let key: TestKey;
let agent: Agent;
let anna: TestCustomer;
beforeAll(async () => {
  desk = await sharedDesk('worker');
  key = await desk.workspace.key(['all'], { autonomy: 'approval' });
  agent = createAgent(key.api);
  anna = createCustomer(desk.workspace, { name: 'Anna Approver' });
  await anna.writes('Where is my order?');
});
afterAll(() => desk.close());

const ask = (body: string) => agent.call('send_message', { to: anna.phone, text: body });
/** Checks how often a text was sent. */
async function sentTimes(times: number, text: string): Promise<void> {
  await desk.work();
  expect(sentWith(text)).toBe(times);
}
const sentWith = (text: string): number =>
  desk.sandbox.state.sent.filter((message) => JSON.stringify(message).includes(text)).length;

test('the list reads the last messages of all its customers at once', async () => {
  const [uma, vic] = [
    createCustomer(desk.workspace, { name: 'Uma One' }),
    createCustomer(desk.workspace, { name: 'Vic Two' }),
  ];
  for (const [customer, words] of [
    [uma, ['Before', 'A', 'B', 'C']],
    [vic, ['D']],
  ] as const) {
    for (const text of words) await customer.writes(text);
    await agent.call('send_message', { to: customer.phone, text: 'Soon' });
  }
  const kim = await dashboardBrowser(desk, { scripts: false });
  // No other page is open yet that would read them, too.
  const { statements } = await captureStatements(() => kim.open('/dashboard/approvals/'));
  expect(statements.filter(({ text }) => /AS written_by/.test(text))).toHaveLength(1);
  const lines = (name: string): Promise<string[]> =>
    kim.page.getByRole('article').filter({ hasText: name }).locator('.parked-before li').allTextContents();
  expect(await lines('Uma One')).toEqual([/A$/, /B$/, /C$/].map((end) => expect.stringMatching(end) as string));
  expect(await lines('Vic Two')).toEqual([expect.stringMatching(/D$/)]);
  const { api } = await ownerSession(desk.workspace);
  const { body } = await api.get('/api/v1/approvals/?status=pending');
  for (const { id } of body.results) await api.post(`/api/v1/approvals/${id}/reject/`, {});
});

test('a member sees who asks, to whom and what, approves it once and rejects another', async () => {
  await ask('It arrives tomorrow.');
  await ask('We have lost it.');
  const sam = await dashboardBrowser(desk);
  await sam.open('/dashboard/approvals/');
  await sam.page.getByRole('link', { name: /Approvals 2 waiting/ }).waitFor();
  const card = sam.page.getByRole('article').filter({ hasText: 'It arrives tomorrow.' });
  expect(await card.textContent()).toMatch(/Anna Approver[\s\S]*asked/);
  await card.getByRole('button', { name: /Approve/ }).click();
  await sam.page.getByText('Approved.').waitFor();
  await sentTimes(1, 'It arrives tomorrow.');

  // The thread says what wrote it, and who let it.
  const { body } = await desk.api.get(`/api/v1/conversations/${anna.handle}/messages/`);
  const author = body.results[0]?.written_by as { type: string; name: string; approved_by: string };
  expect(author).toMatchObject({ type: 'api_key', approved_by: 'Sam Member' });
  await sam.open(`/dashboard/inbox/${anna.handle}/`);
  await sam.page.locator('.bubble-foot').getByText(`${author.name} · approved by Sam Member`).waitFor();
  await sam.open('/dashboard/approvals/');
  await sam.page.getByRole('button', { name: /Reject/ }).click();
  await sam.page.getByText('Rejected. Nothing was sent.').waitFor();
  await sam.page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor();
  await sam.page.getByRole('link', { name: 'Approved', exact: true }).click();
  await sam.page.getByText('It arrives tomorrow.', { exact: true }).waitFor();
  expect(sentWith('We have lost it.')).toBe(0);
  expect(sam.problems).toEqual([]);
});

test('the page and its badge follow what is asked and decided elsewhere', async () => {
  const sam = await dashboardBrowser(desk);
  const kim = await dashboardBrowser(desk, { permissions: ['chat.view'] });
  for (const [{ page, open }, path] of [
    [sam, '/dashboard/approvals/'],
    [kim, '/dashboard/inbox/'],
  ] as const) {
    const stream = page.waitForResponse((answer) => answer.url().includes('/dashboard/live/'));
    await open(path);
    await stream;
  }
  const badge = kim.page.getByRole('link', { name: /Approvals/ }).locator('.count');
  expect(await badge.isVisible()).toBe(false);
  const drafts = createAgent((await desk.workspace.key(['all'], { autonomy: 'draft' })).api);
  await drafts.call('send_message', { to: anna.phone, text: 'A first draft' });
  const cards = sam.page.getByRole('article');
  await cards.filter({ hasText: 'A first draft' }).waitFor();
  await ask('Asked while you look on');
  await cards.filter({ hasText: 'Asked while you look on' }).waitFor();
  await badge.getByText('1').waitFor();
  await anna.writes('And where is it now?');
  await cards.filter({ hasText: 'And where is it now?' }).first().waitFor();

  // What is open stays open while another card comes.
  await sam.page.locator('summary').last().click();
  await ask('And another');
  await cards.filter({ hasText: 'And another' }).waitFor();
  expect(await sam.page.locator('details[open]').count()).toBe(1);
  await badge.getByText('2').waitFor();

  const { api } = await ownerSession(desk.workspace);
  const { body } = await api.get('/api/v1/approvals/?status=pending');
  for (const { id } of body.results) expect((await api.post(`/api/v1/approvals/${id}/reject/`, {})).status).toBe(200);
  await sam.page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor();
  await badge.waitFor({ state: 'hidden' });
  expect([...sam.problems, ...kim.problems]).toEqual([]);
});

test('a member reads what was written before, and sends another text in their own name', async () => {
  const ida = createCustomer(desk.workspace, { name: 'Ida Instead' });
  for (const text of ['One', 'Two', `Where is it? ${hostile}`, 'Please answer']) await ida.writes(text);
  await agent.call('send_message', { to: ida.phone, text: 'Tomorrow\u202e, I promise.' });
  const lou = await dashboardBrowser(desk, { name: 'Lou Lead' });
  const { page } = lou;
  await lou.open('/dashboard/approvals/');
  const card = page.getByRole('article').filter({ hasText: 'Ida Instead' });
  expect(await card.getByRole('list', { name: 'The last messages' }).getByRole('listitem').allTextContents()).toEqual([
    expect.stringContaining('Two'),
    expect.stringMatching(/Ida Instead[^]*Where is it\? <img/),
    expect.stringContaining('Please answer'),
  ]);
  await card.getByRole('link', { name: /Edit and send/ }).click();
  const text = page.getByLabel('Your text instead');
  // What cannot be seen is not sent by somebody who has not seen it.
  expect(await text.inputValue()).toBe('Tomorrow[U+202E], I promise.');
  await text.fill('It comes on Friday.');
  await page.getByRole('button', { name: 'Send this text' }).click();
  await page.getByText('Sent in your name.').waitFor();
  await sentTimes(1, 'It comes on Friday.');
  expect(sentWith('I promise')).toBe(0);
  await lou.open(`/dashboard/inbox/${ida.handle}/`);
  const foot = page.locator('.bubble').filter({ hasText: 'It comes on Friday.' }).locator('.bubble-foot');
  expect(await foot.textContent()).toMatch(/Lou Lead/);
  expect(await foot.textContent()).not.toMatch(/approved/);
  await lou.open('/dashboard/approvals/?status=rejected');
  await page.getByText('answered with another text by Lou Lead').waitFor();
  expect(lou.problems).toEqual([]);
});

test('the page of one call follows its customer and its end, and what is typed there stays', async () => {
  const { api } = await ownerSession(desk.workspace);
  const [lia, max] = [
    createCustomer(desk.workspace, { name: 'Lia Live' }),
    createCustomer(desk.workspace, { name: 'Max More' }),
  ];
  const park = async (customer: TestCustomer): Promise<number> => {
    await customer.writes(`${customer.phone} asks`);
    return Number((await agent.call('send_message', { to: customer.phone, text: 'Soon' })).json['approval_id']);
  };
  const [first, second] = [await park(lia), await park(max)];
  const lou = await dashboardBrowser(desk, { name: 'Lou Live' });
  const { page } = lou;
  const look = async (id: number): Promise<void> => {
    const stream = page.waitForResponse((answer) => answer.url().includes('/dashboard/live/'));
    await lou.open(`/dashboard/approvals/${id}/`);
    await stream;
    await page.getByLabel('Your text instead').fill('Half a sen');
  };
  const send = page.getByRole('button', { name: 'Send this text' });
  await look(first);
  await lia.writes('Are you still there?');
  await page.getByRole('list', { name: 'The last messages' }).getByText('Are you still there?').waitFor();
  expect(await page.getByLabel('Your text instead').inputValue()).toBe('Half a sen');
  expect(await send.isVisible()).toBe(true);
  expect((await api.post(`/api/v1/approvals/${first}/reject/`, { note: 'She wrote again' })).status).toBe(200);
  await page.getByText('Because: She wrote again').waitFor();
  await send.waitFor({ state: 'hidden' });
  expect(await page.getByRole('button', { name: /Approve|Reject/ }).count()).toBe(0);
  expect(await page.getByLabel('Your text instead').inputValue()).toBe('Half a sen');
  await expectAccessible(page);
  await lou.picture('approval decided elsewhere');

  // Leaving is asked about, as with any text that was not sent.
  await page.getByRole('link', { name: 'Approvals', exact: true }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('heading', { name: 'Approvals', exact: true }).waitFor();
  await look(second);
  await desk.runtime.db.rows(`UPDATE approvals SET expires_at = now() - interval '1 hour' WHERE id = $second`, {
    second,
  });
  await sweepUntil(desk, expireOverdueAnywhere, async () =>
    expect(await desk.runtime.db.row('SELECT status FROM approvals WHERE id = $second', { second })).toEqual({
      status: 'expired',
    }),
  );
  await page.getByRole('article').getByText('expired', { exact: true }).waitFor();
  expect(await page.getByLabel('Your text instead').inputValue()).toBe('Half a sen');
  expect(lou.problems).toEqual([]);

  // Too late by one form without news: what was typed is there all the same.
  const third = await park(max);
  const plain = await dashboardBrowser(desk, { scripts: false, name: 'Pat Plain' });
  await plain.open(`/dashboard/approvals/${third}/`);
  await plain.page.getByLabel('Your text instead').fill('A whole sentence');
  expect((await api.post(`/api/v1/approvals/${third}/reject/`, {})).status).toBe(200);
  await plain.page.getByRole('button', { name: 'Send this text' }).click();
  await plain.page.getByRole('alert').waitFor();
  expect(await plain.page.getByLabel('Your text instead').inputValue()).toBe('A whole sentence');
});

test('another text is sent once, where the call may still be decided; a rejection keeps its reason', async () => {
  const { api } = await ownerSession(desk.workspace);
  const ben = createCustomer(desk.workspace, { name: 'Ben Because' });
  await ben.writes('Hello');
  const { json } = await agent.call('send_message', { to: ben.phone, text: 'Agent words' });
  const path = `/api/v1/approvals/${String(json['approval_id'])}`;
  const digest = (await api.get(`${path}/`)).body['digest'];
  expect((await api.post(`${path}/answer/`, { text: 'Mine', digest: 'other' })).status).toBe(409);
  expect((await api.post(`${path}/answer/`, { text: ' ' })).status).toBe(400);
  // A refusal of the message leaves it to be decided.
  await desk.runtime.db.rows(
    `WITH ended AS (UPDATE conversations v SET active_till = now() - interval '1 hour' FROM contacts c
       WHERE c.id = v.contact_id AND c.receiver_id = $handle AND c.workspace_id = $w RETURNING v.id)
     UPDATE conversation_windows SET open_until = now() - interval '1 hour' FROM ended
     WHERE conversation_id = ended.id`,
    { handle: ben.handle, w: desk.workspace.id },
  );
  expect((await api.post(`${path}/answer/`, { text: 'Too late' })).status).toBe(400);
  expect((await api.get(`${path}/`)).body['status']).toBe('pending');
  await ben.writes('Hello again');
  const both = await Promise.all(['Mine', 'Mine too'].map((text) => api.post(`${path}/answer/`, { text, digest })));
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect((await api.post(`${path}/approve/`, {})).status).toBe(409);
  expect((await api.get(`${path}/`)).body).toMatchObject({ status: 'rejected', result: { send_by: {} }, note: null });
  await sentTimes(1, '"Mine');

  // Whoever may not write to customers may not do so here, and of two who act at once one does.
  const { json: next } = await agent.call('send_message', { to: ben.phone, text: 'Either this' });
  const other = `/api/v1/approvals/${String(next['approval_id'])}`;
  const reader = await createSession(await createMember(desk.workspace, { permissions: ['chat.view'] }));
  expect((await reader.api.post(`${other}/answer/`, { text: 'Not mine' })).status).toBe(403);
  const shown = (await api.get(`${other}/`)).body['digest'];
  const acts = await Promise.all([
    api.post(`${other}/approve/`, { digest: shown }),
    api.post(`${other}/answer/`, { text: 'Or that', digest: shown }),
    api.post(`${other}/reject/`, { note: 'Or nothing' }),
  ]);
  expect(acts.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  const [isApproved, isAnswered] = acts.map(({ status }) => status === 200);
  await sentTimes(isApproved ? 1 : 0, '"Either this"');
  await sentTimes(isAnswered ? 1 : 0, '"Or that"');
  expect(sentWith('Not mine')).toBe(0);

  await agent.call('send_message', { to: ben.phone, text: 'We give you a discount' });
  const lou = await dashboardBrowser(desk, { scripts: false, name: 'Lou Again' });
  await lou.open('/dashboard/approvals/');
  await lou.page.getByRole('link', { name: /Reject with a reason/ }).click();
  await lou.page.getByLabel('Reason').fill(`We give none. ${hostile}`);
  await lou.page.getByRole('button', { name: 'Reject' }).click();
  await lou.page.getByText('Rejected. Nothing was sent.').waitFor();
  await lou.page.getByRole('link', { name: 'Rejected', exact: true }).click();
  await lou.page.getByText(`Because: We give none. ${hostile}`).waitFor();
});

test('a move shows whom it reaches and what they read, and is approved as it was shown', async () => {
  const byTitle = {
    body: { '1': { source: 'field', field: 'name' }, '2': { source: 'ticket', field: 'title' } },
  };
  const pipeline = await createPipeline(desk.workspace, ['New']);
  const { body: stage } = await desk.api.post(`${pipelinesPath}${pipeline.id}/stages/`, {
    name: 'Told',
    notify_template_id: templateId(desk.workspace, 'ticket_update'),
    notify_template_variables: byTitle,
  });
  const ben = createCustomer(desk.workspace, { name: 'Be\u202en' });
  await ben.writes('Hello');
  const idOf = async ({ handle }: TestCustomer): Promise<unknown> =>
    (await desk.api.get(`/api/v1/contacts/${handle}/`)).body['id'];
  const ticket = await createTicket(desk.workspace, {
    pipeline: pipeline.id,
    title: 'Lamp',
    receiver: await idOf(anna),
    affected_contact_ids: [await idOf(ben)],
  });
  const { json } = await agent.call('update_ticket', { id: ticket.id, stage: stage['id'] });
  const sam = await dashboardBrowser(desk);
  await sam.open('/dashboard/approvals/');
  const card = sam.page.getByRole('article');
  expect(await card.getByRole('listitem').allTextContents()).toEqual([
    expect.stringMatching(
      /Told \(sends ticket_update\)\. Reaches 2 people: Anna Approver, Be\[U\+202E\]n\. The first.*Anna .* stage Lamp/,
    ),
  ]);
  await expectAccessible(sam.page);
  await sam.picture('approval-move');
  // Somebody whom the page still names is erased: what would be sent is not what was seen.
  await desk.api.delete(`/api/v1/contacts/${ben.handle}/`);
  await card.getByRole('button', { name: /Approve/ }).click();
  await sam.page.getByRole('alert').filter({ hasText: 'not what was shown' }).waitFor();
  await card.filter({ hasText: 'Reaches one person: Anna Approver.' }).waitFor();
  await card.getByRole('button', { name: /Approve/ }).click();
  await sam.page.getByText('Approved.').waitFor();
  await sentTimes(1, 'Lamp');

  // Whoever may not move tickets sees the call without the buttons.
  await agent.call('update_ticket', {
    id: (await createTicket(desk.workspace, { pipeline: pipeline.id, receiver: await idOf(anna) })).id,
    stage: stage['id'],
  });
  expect(json['decision']).toContain('get_ticket');
  const kim = await dashboardBrowser(desk, { scripts: false, permissions: ['chat.view', 'chat.send_message'] });
  await kim.open('/dashboard/approvals/');
  await kim.page
    .getByText('Members with these permissions decide about it: View conversations · Create, update and delete tickets')
    .waitFor();
  expect(await kim.page.getByRole('button', { name: /Approve|Reject/ }).count()).toBe(0);
  await desk.runtime.db.rows(`DELETE FROM approvals WHERE workspace_id = $id AND status = 'pending'`, {
    id: desk.workspace.id,
  });
});

test('a macro is shown step by step, and what cannot be done any more says why', async () => {
  const macro = await createMacro(desk.workspace, [
    step('add_tags', { tags: ['late'] }),
    step('send_message', { body: `Sorry! ${hostile}` }),
  ]);
  const chat = (await desk.api.get(`/api/v1/conversations/${anna.handle}/`)).body['id'];
  await agent.call('run_macro', { macro_id: macro, chat_id: chat });
  const sam = await dashboardBrowser(desk, { scripts: false });
  await sam.open('/dashboard/approvals/');
  const card = sam.page.getByRole('article');
  expect(await card.locator('.parked-steps > li').allTextContents()).toEqual([
    'Add tags: late',
    `Send a messageSorry! ${hostile}`,
  ]);
  expect(await sam.page.locator('main img').count()).toBe(0);
  await desk.runtime.db.rows('UPDATE api_keys SET revoked_at = now() WHERE id = $id', { id: key.id });
  await card.getByRole('button', { name: /Approve/ }).click();
  await sam.page.getByRole('alert').filter({ hasText: 'not active any more' }).waitFor();
  await sam.page.getByRole('button', { name: /Reject/ }).click();
  await sam.page.getByText('Rejected. Nothing was sent.').waitFor();
});
