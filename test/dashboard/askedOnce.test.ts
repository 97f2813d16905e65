import { createCustomer } from '../factories/customers';
import { createBroadcast } from '../factories/broadcasts';
import { createTeamInbox } from '../factories/inboxes';
import { createMacro, step } from '../factories/macros';
import { createMember, createSession } from '../factories/members';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { captureStatements } from '../support/statements';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

/** A page is made of many operations, of which each finds its conversation and its contact by itself. */
test.each([
  ['the page of a conversation', '', undefined],
  ['what is drawn anew after a change of its state', 'state/', { priority: 'urgent' }],
  ['what is drawn anew after a change of its details', 'details/', { form: 'tags', tag: 'vip' }],
])('%s asks the database nothing twice', async (_what, path, form) => {
  await createCustomer(desk.workspace).writes('Another conversation of the list');
  const customer = createCustomer(desk.workspace, { name: 'Once Ona' });
  await customer.writes('Hello');
  const { token } = await createSession(await createMember(desk.workspace, { role: 'admin' }));
  const page = `${desk.url}/dashboard/inbox/${customer.handle}/`;
  const headers = { cookie: `token=${token}` };
  const csrf = /name="csrf" value="([^"]+)"/.exec(await (await fetch(page, { headers })).text())?.[1] ?? '';
  const partly = { ...headers, 'hx-request': 'true' };
  const sent = form ? { method: 'POST', body: new URLSearchParams({ ...form, csrf }), headers: partly } : { headers };
  const { result, statements } = await captureStatements(() => fetch(`${page}${path}`, sent));
  expect(result.status).toBe(200);
  // What is written is read for the answer of the change, before the page is drawn.
  const written = form ? statements.findLastIndex(({ text }) => /^\s*COMMIT/.test(text)) : 0;
  const after = statements.slice(written).filter(({ text }) => /^\s*SELECT/.test(text));
  const reads = after.slice(form ? 1 : 0);
  expect(reads.length).toBeGreaterThan(10);
  const asked = reads.map(({ text, values }) => `${text} ${JSON.stringify(values)}`);
  expect(asked.filter((text, index) => asked.indexOf(text) < index)).toEqual([]);
});

test('pages of one thing ask the database nothing twice, whatever their parts are made of', async () => {
  const customer = createCustomer(desk.workspace, { name: 'Twice Tom' });
  await customer.writes('Hello');
  const colleague = await createMember(desk.workspace, { role: 'agent', name: 'Cleo' });
  const inbox = await createTeamInbox(desk.workspace, [colleague.id]);
  const { token } = await createSession(await createMember(desk.workspace, { role: 'owner' }));
  const twice: unknown[] = [];
  for (const path of [
    `inbox/${customer.handle}/print/`,
    `contacts/${customer.handle}/`,
    `members/${colleague.id}/`,
    `team-inboxes/${inbox}/`,
    `broadcasts/${await createBroadcast(desk.workspace)}/`,
  ]) {
    const { result, statements } = await captureStatements(() =>
      fetch(`${desk.url}/dashboard/${path}`, { headers: { cookie: `token=${token}` } }),
    );
    const asked = statements.map(({ text, values }) => `${text} ${JSON.stringify(values)}`);
    const again = asked.filter((text, index) => /^\s*SELECT/.test(text) && asked.indexOf(text) < index);
    if (result.status !== 200 || again.length > 0) twice.push([path, result.status, again]);
  }
  expect(twice).toEqual([]);
});

test('what macros name is read from each table once', async () => {
  const macro = await createMacro(desk.workspace, [step('set_priority', { priority: 'high' })]);
  const { token } = await createSession(await createMember(desk.workspace, { role: 'owner' }));
  const { statements } = await captureStatements(() =>
    fetch(`${desk.url}/dashboard/macros/${macro}/`, { headers: { cookie: `token=${token}` } }),
  );
  // The page itself asks for the member, whose row their session names.
  const lists = statements.filter(
    ({ text }) => /FROM "?(members|team_inboxes)"?/.test(text) && !/\bm\.id = /.test(text),
  );
  expect(lists.map(({ text }) => /FROM "?(\w+)/.exec(text)?.[1]).toSorted()).toEqual(['members', 'team_inboxes']);
});
