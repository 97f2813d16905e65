import type { Route } from 'playwright-core';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { createSession } from '../factories/members';
import { updateWorkspace } from '../../api/services/identity/workspaces/service';
import { createTicket } from '../factories/tickets';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { counts, dashboardBrowser, holds, isIdle } from '../support/dashboard';
import { eventually } from '../support/eventually';
import { startLatency, type Latency } from '../support/latency';

let desk: TestApi;
let latency: Latency;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  latency = await startLatency();
});
beforeEach(() => {
  latency.ms = 0;
  latency.losesAnswers = false;
});
afterAll(async () => {
  await desk.close();
  await latency.close();
});

async function writing(name: string, text = 'Hello'): Promise<TestCustomer> {
  const customer = createCustomer(desk.workspace, { name });
  await customer.writes(text);
  return customer;
}
const stored = async (customer: TestCustomer) => (await desk.api.get(`/api/v1/conversations/${customer.handle}/`)).body;

test('the panel about a person stays open, whatever is done in it', async () => {
  const will = await writing('Will Panel');
  const sam = await dashboardBrowser(desk, { name: 'Sam Able' });
  const { page } = sam;
  await sam.open(`/dashboard/inbox/${will.handle}/`);
  await page.getByRole('button', { name: 'About this person' }).click();
  const panel = page.locator('#details:popover-open');
  await panel.getByRole('link', { name: 'Show what happened' }).click();
  await panel.locator('#activity ol li').first().waitFor();
  await panel.getByRole('button', { name: 'Opt out of marketing' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Opt out' }).click();
  await panel.getByRole('button', { name: 'Opt in to marketing' }).waitFor();
  expect(sam.problems).toEqual([]);
});

test('what is typed into a panel or menu just after it was opened goes where the member put it', async () => {
  const quick = await writing('Quick Quentin');
  const { page, open } = await dashboardBrowser(desk);
  await open(`/dashboard/inbox/${quick.handle}/`);
  for (const [opens, field] of [
    ['details', 'person-notes'],
    ['assign', 'handover-note'],
  ])
    expect(
      await page.evaluate(`new Promise((resolve) => {
        document.addEventListener('toggle', () => setTimeout(() => resolve(document.activeElement.id)),
          { capture: true, once: true });
        // What opens a menu says so in a task of its own, which comes late on a busy machine.
        document.querySelector('[popovertarget=${opens}]').click();
        document.querySelector('#${field}').focus();
      })`),
    ).toBe(field);
});

test('what was typed into the panel stays while another field is being saved, and when its saving failed', async () => {
  const [pia] = [await writing('Pia Panel'), await writing('Other Otto')];
  const { page, open } = await dashboardBrowser(desk, { proxy: latency.url });
  await open(`/dashboard/inbox/${pia.handle}/`);
  await page.getByRole('button', { name: 'About this person' }).click();
  const field = (id: string) => page.locator(`#person-${id}`);
  latency.ms = 250;
  await field('name').fill('Pia');
  await field('email').fill('pia@example.com');
  await field('email').blur();
  await eventually(async () => expect(await stored(pia)).toMatchObject({ name: 'Pia', email: 'pia@example.com' }));
  await isIdle(page);
  latency.ms = 0;
  await page.route('**/details/**', async (route) => route.fulfill({ status: 503 }));
  await field('company').fill('Shop');
  const [failed, refreshed] = [page.waitForResponse('**/details/**'), page.waitForResponse(/part=thread/)];
  await field('company').blur();
  await failed;
  await page.evaluate(`document.dispatchEvent(new CustomEvent('live', { detail: { type: 'all' } }))`);
  await refreshed;
  await isIdle(page);
  expect(await field('company').inputValue()).toBe('Shop');
  // Another conversation waits until it is saved, and asks where it cannot be.
  await page.getByRole('link', { name: /Other Otto/ }).click();
  await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Cancel' }).click();
  await page.unroute('**/details/**');
  await page.getByRole('button', { name: 'About this person' }).click();
  await field('notes').fill('Calls back');
  await page.getByRole('link', { name: /Other Otto/ }).click();
  await page.locator('#thread-title', { hasText: 'Other Otto' }).waitFor();
  expect(await stored(pia)).toMatchObject({ company: 'Shop', notes: 'Calls back' });
});

test('a form that says nothing changes nothing, and no toast says that it did', async () => {
  const quiet = await writing('Quiet Quin');
  const { token } = await createSession(desk.workspace.owner);
  const cookie = `token=${token}`;
  const path = `/dashboard/inbox/${quiet.handle}/`;
  const { body } = await desk.anonymous.get<string>(path, { cookie });
  const csrf = /name="csrf" value="([^"]+)"/.exec(body)?.[1] ?? '';
  const before = await stored(quiet);
  for (const action of ['state', 'macro']) {
    const answer = await desk.anonymous.post(`${path}${action}/`, new URLSearchParams({ csrf }), {
      cookie,
      'hx-request': 'true',
    });
    expect(JSON.parse(String(answer.headers['hx-trigger']))).toMatchObject({
      toast: { kind: 'bad', text: 'Nothing was chosen, so nothing was changed.' },
    });
  }
  expect(await stored(quiet)).toEqual(before);
});

const sentTo = async ({ handle }: TestCustomer): Promise<string[]> =>
  (
    await desk.api.get<{ results: { direction: string; body: { text?: { body: string } } }[] }>(
      `/api/v1/conversations/${handle}/messages/`,
    )
  ).body.results
    .filter(({ direction }) => direction === 'outbound')
    .map(({ body }) => body.text?.body ?? '')
    .reverse();

test.each([0, 250])('the conversation that was clicked last is the open one, %i ms away', async (ms) => {
  for (const name of ['First Fay', 'Second Sue', 'Third Tom']) await writing(`${name} ${ms}`);
  const { page, open } = await dashboardBrowser(desk, { proxy: latency.url });
  await open('/dashboard/inbox/?view=all');
  latency.ms = ms;
  const row = (name: string) => page.getByRole('link', { name: new RegExp(`${name} ${ms}\\b`) });
  const marked = page.locator('.conversation[aria-current] .conversation-name');
  await row('Third Tom').click();
  await row('First Fay').click();
  await row('Second Sue').click();
  expect(await marked.allTextContents()).toEqual([`Second Sue ${ms}`]);
  await page.locator('#thread-title', { hasText: `Second Sue ${ms}` }).waitFor();
  await page.keyboard.press('k');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  const last = await page.locator('.conversation[aria-current]').getAttribute('href');
  const name = (await marked.textContent()) ?? '';
  await page.locator('#thread-title', { hasText: name }).waitFor();
  await page.waitForURL(({ href }) => href.includes(String(last).split('?')[0] ?? ''));
  // What was asked for before does not come after it.
  await isIdle(page);
  expect(await page.locator('#thread-title').textContent()).toBe(name);
});

test('what is typed while a text is being sent stays, and each text goes out once, in order', async () => {
  const chat = await writing('Chat Chris');
  const { page, open } = await dashboardBrowser(desk, { proxy: latency.url });
  await open(`/dashboard/inbox/${chat.handle}/`);
  const field = page.getByLabel('Reply', { exact: true });
  await field.evaluate((element) => element.setAttribute('data-same', 'yes'));
  latency.ms = Infinity;
  await field.focus();
  for (const text of ['one', 'two']) {
    await page.keyboard.type(text);
    await page.keyboard.press('Control+Enter');
    expect(await field.inputValue()).toBe('');
  }
  await page.keyboard.type('three');
  expect(await page.locator('#sending').textContent()).toContain('Sending');
  latency.ms = 0;
  await page.locator('#sending li').first().waitFor({ state: 'detached' });
  expect(await sentTo(chat)).toEqual(['one', 'two']);
  await page.getByRole('log').getByText('two', { exact: true }).waitFor();
  expect([await field.inputValue(), await field.getAttribute('data-same')]).toEqual(['three', 'yes']);

  // An answer that is lost: the text waits in its place, and goes by itself, once.
  latency.losesAnswers = true;
  await page.keyboard.press('Control+Enter');
  await page.locator('#sending').getByText('Waits for the connection').waitFor();
  expect(await field.inputValue()).toBe('');
  latency.losesAnswers = false;
  await page.locator('#sending li').first().waitFor({ state: 'detached' });
  expect(await sentTo(chat)).toEqual(['one', 'two', 'three']);

  // A refusal brings the text back in front of what was typed meanwhile.
  await desk.runtime.db.rows(
    `UPDATE conversations SET active_till = now() - interval '1 hour'
      WHERE contact_id = (SELECT id FROM contacts WHERE receiver_id = $handle)`,
    { handle: chat.handle },
  );
  await desk.runtime.db.rows(
    `UPDATE conversation_windows SET open_until = now() - interval '1 hour' WHERE conversation_id = (
       SELECT v.id FROM conversations v JOIN contacts c ON c.id = v.contact_id WHERE c.receiver_id = $handle)`,
    { handle: chat.handle },
  );
  latency.ms = Infinity;
  await page.keyboard.type('four');
  await page.keyboard.press('Control+Enter');
  await page.keyboard.type('five');
  latency.ms = 0;
  await page.locator('.toast', { hasText: 'messaging window is closed' }).waitFor();
  await holds(page, '#reply', 'four\nfive');
  expect(await sentTo(chat)).toEqual(['one', 'two', 'three']);
});

test('what was lost waits where it was written, and is sent once however often it is tried', async () => {
  const [lou] = [await writing('Lost Lou'), await writing('Other Ola')];
  const { page, open } = await dashboardBrowser(desk);
  await open(`/dashboard/inbox/${lou.handle}/?view=all`);
  const [field, note] = [page.getByLabel('Reply', { exact: true }), page.locator('#note')];
  const title = (name: string) => page.locator('#thread-title', { hasText: name }).waitFor();
  /** The next request is done, and its answer lost while a conversation is open. */
  const losesAnswer = (to: string, name: string) => {
    const lose = async (route: Route): Promise<void> => {
      await route.fetch();
      await title(name);
      await route.abort();
    };
    return page.route(to, lose, { times: 1 });
  };
  const other = () => page.getByRole('link', { name: /Other Ola/ }).click();
  const back = async (): Promise<void> => {
    await page.getByRole('link', { name: /Lost Lou/ }).click();
    await title('Lost Lou');
  };

  // With its file, though another conversation is open by then, and after a reload.
  await losesAnswer('**/messages/?*', 'Other Ola');
  await page.setInputFiles('#attach', { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('Dear all') });
  await field.fill('With it');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await other();
  await title('Other Ola');
  await page.reload();
  await back();
  await page.locator('#sending li').waitFor({ state: 'detached' });
  expect([await field.inputValue(), await sentTo(lou)]).toEqual(['', ['']]);

  // A note comes back into its field.
  await losesAnswer('**/notes/?*', 'Other Ola');
  await page.getByRole('link', { name: 'Note', exact: true }).click();
  await note.fill('Kept');
  await note.press('Control+Enter');
  await other();
  await page.locator('.toast-bad', { hasText: 'We could not tell' }).waitFor();
  await back();
  await page.getByRole('link', { name: 'Note', exact: true }).click();
  await holds(page, '#note', 'Kept');
  await note.press('Control+Enter');
  await holds(page, '#note', '');
  expect(await page.getByRole('log').getByText('Kept', { exact: true }).count()).toBe(1);
});

test('a refresh that fails says nothing and is tried again', async () => {
  const calm = await writing('Calm Cleo');
  const { page, open } = await dashboardBrowser(desk);
  await open(`/dashboard/inbox/${calm.handle}/`);
  await page.waitForLoadState('load');
  let [asked, isAnswered] = [0, (): void => undefined];
  const answered = new Promise<void>((resolve) => (isAnswered = resolve));
  await page.route(/part=thread/, async (route) => {
    asked += 1;
    if (asked === 1) await route.abort();
    else if (asked === 2) await route.fulfill({ status: 503, headers: { 'HX-Trigger': '{"toast":{"text":"No"}}' } });
    // The third one is never answered.
    else if (asked > 3) {
      await route.continue();
      isAnswered();
    }
  });
  expect(await page.evaluate('[htmx.config.timeout, (htmx.config.timeout = 1_000)]')).toEqual([60_000, 1_000]);
  await page.evaluate(`document.dispatchEvent(new CustomEvent('live', { detail: { type: 'all' } }))`);
  await answered;
  expect(await page.locator('.toast').count()).toBe(0);
});

test('a text that is too long is told so, Enter sends no template, names begin with a whole sign', async () => {
  const zoe = await writing('😀 Zoë', 'مرحبا');
  const { page, open } = await dashboardBrowser(desk);
  await open(`/dashboard/inbox/${zoe.handle}/`);
  expect(await page.locator('.details-who .face').textContent()).toBe('😀');
  // A person has one colour, wherever they are shown.
  const hueOf = async (face: string) => /hue-\d/.exec((await page.locator(face).getAttribute('class')) ?? '')?.[0];
  expect(await hueOf('.details-who .face')).toBe(await hueOf('.conversation[aria-current] > .face'));
  const text = page.locator('.bubble-text').first();
  expect(await text.evaluate((element) => element.ownerDocument.defaultView?.getComputedStyle(element).direction)).toBe(
    'rtl',
  );
  const field = page.getByLabel('Reply', { exact: true });
  await field.fill('x'.repeat(4_100));
  await page.getByText('4 characters too many').waitFor();
  await field.press('Control+Enter');
  expect((await field.inputValue()).length).toBe(4_100);
  await field.fill('');
  await page.getByRole('link', { name: 'Template' }).click();
  await page.locator('#template:focus').waitFor();
  await page.getByLabel('Template', { exact: true }).selectOption({ label: 'ticket update · en_US' });
  await page.getByLabel('{{1}}').fill('7');
  await page.getByLabel('{{2}}').fill('Done');
  await page.getByLabel('{{2}}').press('Enter');
  await page.locator(':focus', { hasText: /^\s*Send template\s*$/ }).waitFor();
  expect(await sentTo(zoe)).toEqual([]);

  const kim = await dashboardBrowser(desk);
  await desk.runtime.db.models.Member.update({ locale: 'de' }, { where: { id: kim.member.id } });
  await kim.open(`/dashboard/inbox/${zoe.handle}/`);
  await kim.page.locator('#reply').fill('x'.repeat(4_097));
  await kim.page.getByText('1 Zeichen zu viel', { exact: true }).waitFor();
});

test('a comment goes by Ctrl+Enter and a colleague sees it; the search of contacts follows the typing', async () => {
  await updateWorkspace(desk.workspace.ctx, { ticketing: true });
  await writing('Sought Sofia');
  const { id } = await createTicket(desk.workspace, { title: 'Late' });
  const [one, two] = [await dashboardBrowser(desk), await dashboardBrowser(desk)];
  for (const each of [one, two]) await each.open(`/dashboard/tickets/${id}/`);
  await one.page.getByLabel('New comment').fill('Called them');
  await one.page.getByLabel('New comment').press('Control+Enter');
  await two.page.locator('#stream').getByText('Called them').waitFor();
  await one.open('/dashboard/contacts/');
  await one.page.getByPlaceholder('Name, number').pressSequentially('Sofia');
  await counts(one.page, '#found .people > li', 1);
  expect([...one.problems, ...two.problems]).toEqual([]);
});
