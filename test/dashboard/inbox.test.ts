import { updateWorkspace } from '../../api/services/identity/workspaces/service';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { createMacro } from '../factories/macros';
import { createSession } from '../factories/members';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import {
  dashboardBrowser,
  expectAccessible,
  holds,
  isIdle,
  pageShows,
  problemsBeside,
  sends,
} from '../support/dashboard';
import { eventually } from '../support/eventually';

const hostile = `<img src=x onerror="alert(1)">"'</textarea></script>`;

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('worker');
});
afterAll(() => desk.close());

interface Stored {
  readonly conv_status: string;
  readonly priority: string;
  readonly assigned_member: number | null;
  readonly snoozed_until: string | null;
  readonly unread_count: number;
  readonly tags: unknown;
  readonly email: string;
  readonly marketing_opt_out: boolean;
}

const stored = async (customer: TestCustomer): Promise<Stored> =>
  (await desk.api.get(`/api/v1/conversations/${customer.handle}/`)).body;
const messagesOf = async (customer: TestCustomer) =>
  (await desk.api.get(`/api/v1/conversations/${customer.handle}/messages/`)).body.results;

async function writing(name: string, text = 'Hello'): Promise<TestCustomer> {
  const customer = createCustomer(desk.workspace, { name });
  await customer.writes(text);
  return customer;
}

describe('reading and answering', () => {
  test('a member finds a customer, reads, answers by keyboard, and the message goes out once', async () => {
    const anna = await writing('Anna Main', 'Where is my order?');
    await writing('Ben Beside');
    const sam = await dashboardBrowser(desk, { name: 'Sam' });
    await sam.open('/dashboard/');
    await sam.page.getByRole('link', { name: /Anna Main/ }).waitFor();
    await sam.page.locator('#search').fill('Anna Main');
    await sam.page.getByRole('link', { name: /Ben Beside/ }).waitFor({ state: 'detached' });
    await sam.page.keyboard.press('Escape');
    await sends(sam.page, '/read/', () => sam.page.keyboard.press('j'));
    await sam.page.getByRole('heading', { name: 'Anna Main' }).first().waitFor();
    await sam.page.getByRole('log').getByText('Where is my order?').waitFor();
    await sam.page.waitForURL(`**/dashboard/inbox/${anna.handle}/**`);
    expect(await sam.page.locator('.conversation[aria-current]').textContent()).toContain('Anna Main');
    expect((await stored(anna)).unread_count).toBe(0);

    await sam.page.keyboard.press('r');
    await sam.page.keyboard.type('On its *way*.');
    await sam.page.keyboard.press('Control+Enter');
    await sam.page.getByRole('log').getByText('On its way.').waitFor();
    await holds(sam.page, '#reply', '');
    await sam.page.locator('#sending li').first().waitFor({ state: 'detached' });
    await sam.page.locator('#reply:focus').waitFor();
    const sent = (await messagesOf(anna)).filter(({ direction }) => direction === 'outbound');
    expect(sent.map(({ body }) => body)).toEqual([
      { type: 'text', text: { body: 'On its *way*.', preview_url: true } },
    ]);
    expect(sam.problems).toEqual([]);
  });

  test('the same form sent twice sends one message', async () => {
    const twice = await writing('Twice');
    const { token } = await createSession(desk.workspace.owner);
    const cookie = `token=${token}`;
    const path = `/dashboard/inbox/${twice.handle}/`;
    const { body } = await desk.anonymous.get<string>(path, { cookie });
    const field = (name: string): string => new RegExp(`name="${name}" value="([^"]+)"`).exec(body)?.[1] ?? '';
    const form = { csrf: field('csrf'), once: field('once'), mode: 'text', body: 'Only once' };
    const send = () => desk.anonymous.post(`${path}messages/`, new URLSearchParams(form), { cookie });
    expect((await send()).status).toBe(303);
    expect((await send()).status).toBe(303);
    expect((await messagesOf(twice)).filter(({ direction }) => direction === 'outbound')).toHaveLength(1);
  });

  test('send and done: by button and keys, taken back, and on to the next one where a member wants that', async () => {
    const [dora, nora] = [await writing('Duo Dora'), await writing('Duo Nora')];
    const sam = await dashboardBrowser(desk);
    const { page } = sam;
    const end = async (customer: TestCustomer) => [
      (await stored(customer)).conv_status,
      (await messagesOf(customer)).filter(({ direction }) => direction === 'outbound').length,
    ];
    await sam.open(`/dashboard/inbox/${nora.handle}/?search=Duo`);
    await page.getByLabel('Reply', { exact: true }).fill('That is all.');
    await page.getByRole('button', { name: 'More ways to send' }).click();
    await sends(page, '/messages/', () => page.getByRole('button', { name: 'Send and done' }).click());
    await page.getByText('Duo Nora is done.').waitFor();
    expect(await end(nora)).toEqual(['resolved', 1]);
    expect(page.url()).toContain(nora.handle);
    await page.keyboard.press('Escape');
    await sends(page, '/undo/', () => page.keyboard.press('z'));
    expect(await end(nora)).toEqual(['open', 1]);

    await (await createSession(sam.member)).api.patch('/api/v1/own-settings/', { opens_next: true });
    await sam.open(`/dashboard/inbox/${nora.handle}/?search=Duo`);
    await page.getByLabel('Reply', { exact: true }).fill('Now it is.');
    await page.keyboard.press('Control+Shift+Enter');
    await page.waitForURL(`**/dashboard/inbox/${dora.handle}/**`);
    expect(await end(nora)).toEqual(['resolved', 2]);
    // After the last one of the list comes the one before.
    await page.locator('#thread-title', { hasText: 'Duo Dora' }).waitFor();
    await page.keyboard.press('e');
    await page.waitForURL(`**/dashboard/inbox/${nora.handle}/**`);
    expect(await end(dora)).toEqual(['resolved', 0]);
    expect(sam.problems).toEqual([]);
  });

  test('what is refused is not done', async () => {
    const rita = await writing('Refused Rita');
    const { token } = await createSession(desk.workspace.owner);
    const cookie = `token=${token}`;
    const path = `/dashboard/inbox/${rita.handle}/`;
    const { body } = await desk.anonymous.get<string>(path, { cookie });
    const field = (name: string): string => new RegExp(`name="${name}" value="([^"]+)"`).exec(body)?.[1] ?? '';
    const form = { csrf: field('csrf'), once: field('once'), mode: 'text', body: '', then: 'done' };
    expect((await desk.anonymous.post(`${path}messages/`, new URLSearchParams(form), { cookie })).status).toBe(422);
    expect((await stored(rita)).conv_status).toBe('open');
  });

  test('without scripts a member answers, too, and a refusal stands at the form with the text kept', async () => {
    const plain = await writing('Plain Pete');
    const sam = await dashboardBrowser(desk, { scripts: false });
    await sam.open('/dashboard/inbox/');
    await sam.page.getByRole('link', { name: /Plain Pete/ }).click();
    await sam.page.getByLabel('Reply', { exact: true }).fill('No scripts here');
    await sam.page.getByRole('button', { name: 'Send', exact: true }).click();
    await sam.page.getByRole('log').getByText('No scripts here').waitFor();

    await sam.page.getByRole('link', { name: 'Buttons and lists' }).click();
    await sam.page.getByLabel('Question').fill('When?');
    await sam.page.getByLabel('Answers').fill('On Monday\nOn a day that is much too long for it');
    await sam.page.getByRole('button', { name: 'Send', exact: true }).click();
    await sam.page.getByText('Ensure this field has no more than 20 characters.').waitFor();
    expect(await sam.page.getByLabel('Question').inputValue()).toBe('When?');
    expect((await messagesOf(plain)).filter(({ direction }) => direction === 'outbound')).toHaveLength(1);
  });

  test('where the window is closed only a template goes out, previewed with its values', async () => {
    const late = await writing('Late Lea');
    await desk.runtime.db.rows(
      `UPDATE conversation_windows SET open_until = now() - interval '1 hour' WHERE conversation_id = (
         SELECT v.id FROM conversations v JOIN contacts c ON c.id = v.contact_id WHERE c.receiver_id = $handle)`,
      { handle: late.handle },
    );
    await desk.runtime.db.rows(
      `UPDATE conversations SET active_till = now() - interval '1 hour'
        WHERE contact_id = (SELECT id FROM contacts WHERE receiver_id = $handle)`,
      { handle: late.handle },
    );
    const sam = await dashboardBrowser(desk);
    await sam.open(`/dashboard/inbox/${late.handle}/`);
    await sam.page.getByText('Window closed').waitFor();
    await sam.page.getByLabel('Template', { exact: true }).selectOption({ label: 'ticket update · en_US' });
    await sam.page.getByLabel('{{1}}').fill('T-<b>7</b>');
    await sam.page.getByRole('group', { name: 'Preview' }).getByText('Your ticket T-<b>7</b> is now').waitFor();
    await expectAccessible(sam.page);
    await sam.picture('template');
    await sam.page.getByLabel('{{2}}').fill('Resolved');
    await sam.page.getByRole('button', { name: 'Send template' }).click();
    await sam.page.getByRole('log').getByText('Your ticket T-<b>7</b> is now in stage Resolved').waitFor();
    const [sent] = await messagesOf(late);
    expect(sent?.body).toMatchObject({
      type: 'template',
      template: { name: 'ticket_update', components: [{ type: 'body' }] },
    });
    expect(sam.problems).toEqual([]);
  });

  test('an answer to a certain message carries it', async () => {
    const quoting = createCustomer(desk.workspace, { name: 'Quote Quinn' });
    const wamid = await quoting.writes('Two questions: when, and how much?');
    const sam = await dashboardBrowser(desk);
    await sam.open(`/dashboard/inbox/${quoting.handle}/`);
    await sam.page.getByRole('link', { name: 'Answer this message' }).click();
    await sam.page.getByText('Answering: Two questions').waitFor();
    await sam.page.getByLabel('Reply', { exact: true }).fill('Tomorrow, ten euros');
    await sends(sam.page, '/messages/', () => sam.page.getByRole('button', { name: 'Send', exact: true }).click());
    await sam.page.getByRole('log').getByText('Tomorrow, ten euros').waitFor();
    expect((await messagesOf(quoting))[0]?.reply_to_wamid).toBe(wamid);
  });
});

describe('every kind of message', () => {
  test('is shown as the customer sees it', async () => {
    const all = createCustomer(desk.workspace, { name: 'All Kinds' });
    const first = await all.writes('Look at *this*: https://shop.example/a?b=1.');
    for (const type of ['image', 'audio', 'document', 'sticker', 'video', 'location', 'order', 'unsupported'])
      await all.writes({ type });
    const card = { name: { formatted_name: hostile }, phones: [{ phone: hostile }] };
    await all.writes({ type: 'contacts', contacts: [card] });
    await all.writes({
      type: 'interactive',
      interactive: { type: 'button_reply', button_reply: { id: 'y', title: 'Yes!' } },
    });
    await all.writes({ type: 'reaction', reaction: { message_id: first, emoji: '👍' } });
    const sam = await dashboardBrowser(desk);
    await sam.open(`/dashboard/inbox/${all.handle}/`);
    const thread = sam.page.getByRole('log');
    for (const text of ['Alexanderplatz', hostile, 'Please deliver after 5 pm', 'Yes!', 'Tapped a button'])
      await thread.getByText(text).first().waitFor();
    expect(await thread.getByRole('link', { name: 'https://shop.example/a?b=1' }).getAttribute('rel')).toContain(
      'noopener',
    );
    expect(await thread.locator('strong').first().textContent()).toBe('this');
    expect(await thread.locator('.reactions').textContent()).toBe('👍');
    await pageShows(sam.page, `document.querySelector('.media-image')?.naturalWidth > 0`);
    const href = await thread.locator('a.file').first().getAttribute('href');
    const file = await desk.anonymous.get(href ?? '', { cookie: `token=${sam.token}` });
    expect([file.status, file.headers['content-disposition']]).toEqual([200, expect.stringContaining('attachment')]);
    expect(file.headers['content-security-policy']).toBe("default-src 'none'; sandbox");
    expect(sam.problems).toEqual([]);
  });

  test('a very long text is cut, and shown to its end where that is asked for, through news as well', async () => {
    const long = await writing('Long', `${' *a'.repeat(5_000)} the end`);
    const sam = await dashboardBrowser(desk, { name: 'Sam' });
    await sam.open(`/dashboard/inbox/${long.handle}/`);
    const text = sam.page.locator('.bubble-text').first();
    expect(await text.textContent()).not.toContain('the end');
    await sam.page.getByRole('link', { name: 'Show all' }).click();
    await sam.page.getByRole('log').getByText('the end').waitFor();
    await long.writes('And more');
    await sam.page.getByRole('log').getByText('And more').waitFor();
    expect(await text.textContent()).toContain('the end');
    expect(sam.problems).toEqual([]);
  });

  test('a failed one says why and what to do', async () => {
    const failed = await writing('Fail Fay');
    const { body } = await desk.api.post('/api/v1/messages/', {
      to: failed.phone,
      body: 'Never arrives',
      phone_number_id: desk.workspace.account.phoneNumberId,
    });
    // The sandbox's last word: no status comes after the one that is put in here.
    await desk.work();
    const message = await desk.api.get(`/api/v1/messages/${body.id}/`);
    expect(message.body.message_status).toBe('read');
    await desk.runtime.db.rows(
      `UPDATE messages SET message_status = 'failed', delivery_state = 'settled', error_code = 131049,
        error_title = $title::text, error_message = $title::text WHERE id = $id`,
      { id: body.id, title: hostile },
    );
    const sam = await dashboardBrowser(desk);
    await sam.open(`/dashboard/inbox/${failed.handle}/`);
    await sam.page
      .getByText('Try another day', { exact: false })
      .or(sam.page.getByText('Try again another day'))
      .waitFor();
    expect(await sam.page.locator('.failure').textContent()).toContain(hostile);
    expect(sam.problems).toEqual([]);
  });
});

describe('what is done with a conversation', () => {
  test('by keyboard: assign, priority, snooze, macro, done and open again', async () => {
    await updateWorkspace(desk.workspace.ctx, { timezone: 'Asia/Kolkata' });
    const work = await writing('Work Will');
    await createMacro(desk.workspace, [{ type: 'add_tags', params: { tags: ['vip'] } }], 'Mark as VIP');
    const sam = await dashboardBrowser(desk, { name: 'Sam Able' });
    await sam.open(`/dashboard/inbox/${work.handle}/`);
    await sam.page.keyboard.press('a');
    await sam.page.getByRole('button', { name: 'Me', exact: true }).press('Enter');
    await sam.page.getByText('Yours').waitFor();
    expect((await stored(work)).assigned_member).toBe(sam.member.id);

    await sam.page.keyboard.press('p');
    await sam.page.getByRole('button', { name: 'Urgent' }).click();
    await sam.page.locator('.thread-state').getByText('urgent').waitFor();

    await sam.page.keyboard.press('m');
    await sam.page.getByRole('button', { name: 'Mark as VIP' }).click();
    await eventually(async () => expect((await stored(work)).tags).toEqual(['vip']));

    await sam.page.keyboard.press('s');
    await sam.page.getByLabel('Another time').fill('2031-03-02T09:30');
    await sam.page.getByRole('button', { name: 'Snooze', exact: true }).last().click();
    await sam.page.getByText('Snoozed until Sun, 2 Mar 2031, 09:30').first().waitFor();
    expect((await stored(work)).snoozed_until).toBe('2031-03-02T04:00:00.000Z');

    await sam.page.keyboard.press('e');
    await sam.page.getByRole('button', { name: 'Done', exact: true }).waitFor();
    expect((await stored(work)).conv_status).toBe('open');
    await sam.page.keyboard.press('e');
    await sam.page.getByRole('button', { name: 'Open', exact: true }).waitFor();
    expect((await stored(work)).conv_status).toBe('resolved');
    await updateWorkspace(desk.workspace.ctx, { timezone: 'UTC' });
    expect(sam.problems).toEqual([]);
  });

  test('one key takes status, assignment, snooze, priority and tags back, from another conversation too', async () => {
    const oops = await writing('Oops Olaf');
    const next = await writing('Next Nora');
    await desk.api.patch(`/api/v1/conversations/${oops.handle}/`, {
      tags: ['vip', 'a,b'],
      priority: 'high',
      assigned_member: desk.workspace.owner.id,
    });
    const before = await stored(oops);
    const sam = await dashboardBrowser(desk, { viewport: { width: 1440, height: 900 } });
    const { page } = sam;
    const undone = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Undo' }).waitFor();
      await page.keyboard.press('Escape');
      await sends(page, `/inbox/${oops.handle}/undo/`, () => page.keyboard.press('z'));
      // Else it would be taken for that of the next change.
      await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });
      const { conv_status, snoozed_until, priority, assigned_member, tags } = before;
      expect(await stored(oops)).toMatchObject({ conv_status, snoozed_until, priority, assigned_member, tags });
    };
    await sam.open(`/dashboard/inbox/${oops.handle}/`);
    await page.keyboard.press('s');
    await page.getByRole('button', { name: /^Tomorrow morning/ }).click();
    await page
      .getByText(/^Snoozed until/)
      .first()
      .waitFor();
    await undone();
    await page.getByText('Snoozed until').first().waitFor({ state: 'detached' });

    await page.keyboard.press('a');
    await page.getByRole('button', { name: 'Me', exact: true }).click();
    await page.locator('.toast', { hasText: /^Assigned to/ }).waitFor();
    await undone();
    await page.keyboard.press('p');
    await page.getByRole('button', { name: 'Low' }).click();
    await page.getByText('Priority: low.').waitFor();
    await undone();
    const tags = page.getByLabel('Tags, with commas');
    // What was taken back can be typed again.
    for (const key of ['Enter', 'Tab']) {
      await tags.fill('vip');
      await tags.press(key);
      await undone();
      await holds(page, '#tags', 'vip, a,b');
    }

    await page.keyboard.press('e');
    await page.getByText('Oops Olaf is done.').waitFor();
    await page.getByRole('link', { name: /Next Nora/ }).click();
    // Not any heading: her row of the list has one, too.
    await page.locator('#thread-title', { hasText: 'Next Nora' }).waitFor();
    await undone();
    expect(await page.locator('#thread-title').textContent()).toBe('Next Nora');
    expect((await stored(next)).conv_status).toBe('open');
    expect(sam.problems).toEqual([]);
  });

  test('what a colleague changed is not taken back; without scripts the next page offers it', async () => {
    const both = await writing('Both Bo');
    const sam = await dashboardBrowser(desk, { scripts: false });
    await sam.open(`/dashboard/inbox/${both.handle}/`);
    await sam.page.getByRole('button', { name: 'Done', exact: true }).click();
    await sam.page.getByText('Both Bo is done.').waitFor();
    await desk.api.patch(`/api/v1/conversations/${both.handle}/`, { conv_status: 'spam' });
    await sam.page.getByRole('button', { name: 'Undo' }).click();
    await sam.page.getByText('It was changed again meanwhile').waitFor();
    expect((await stored(both)).conv_status).toBe('spam');
    await sam.page.getByRole('button', { name: 'Open', exact: true }).click();
    await sam.page.getByRole('button', { name: 'Undo' }).click();
    await sam.page.getByText('Taken back.').waitFor();
    expect((await stored(both)).conv_status).toBe('spam');
  });

  test('the panel saves profile and tags, and says beside the field what is wrong', async () => {
    const panel = await writing('Panel Pat');
    const sam = await dashboardBrowser(desk, { viewport: { width: 1440, height: 900 } });
    await sam.open(`/dashboard/inbox/${panel.handle}/`);
    await sam.page.getByLabel('Tags, with commas').fill('vip, new, vip');
    await sends(sam.page, '/details/', () => sam.page.getByLabel('Tags, with commas').press('Enter'));
    expect((await stored(panel)).tags).toEqual(['vip', 'new']);
    await sam.page.getByText('Saved.').first().waitFor();
    await sam.page.getByLabel('Email').fill('pat@nowhere');
    await sam.page.getByLabel('Company').focus();
    await sam.page.getByText('Enter a valid email address.').waitFor();
    expect(await sam.page.getByLabel('Email').getAttribute('aria-invalid')).toBe('true');
    await sam.page.getByLabel('Email').fill('pat@example.com');
    await sends(sam.page, '/details/', () => sam.page.getByLabel('Company').focus());
    expect((await stored(panel)).email).toBe('pat@example.com');
    await sam.page.getByRole('button', { name: 'Opt out of marketing' }).click();
    await sam.page
      .getByRole('dialog', { name: 'Opt out of marketing?' })
      .getByRole('button', { name: 'Cancel' })
      .click();
    expect((await stored(panel)).marketing_opt_out).toBe(false);
    await sam.page.getByRole('button', { name: 'Opt out of marketing' }).click();
    const sure = sam.page.getByRole('dialog').getByRole('button', { name: 'Opt out' });
    await sends(sam.page, '/details/', () => sure.click());
    expect((await stored(panel)).marketing_opt_out).toBe(true);
    expect(problemsBeside(sam.problems, 422)).toEqual([]);
  });

  test('the panel saves what was changed in it alone, each field where it belongs', async () => {
    const { handle } = await writing('Team Tess');
    const change = (what: object) => desk.api.patch(`/api/v1/contacts/${handle}/`, what);
    for (const [name, subject] of Object.entries({ district: 'contacts', channel: 'conversations' }))
      await desk.api.post('/api/v1/custom-fields/', { name, label: name, field_type: 'text', applies_to: [subject] });
    const sam = await dashboardBrowser(desk, { viewport: { width: 1440, height: 900 } });
    const field = (id: string) => sam.page.locator(`#${id}`);
    const read = async (kind: string) => (await desk.api.get(`/api/v1/${kind}/${handle}/`)).body;
    await change({ tags: ['Berlin, Germany', 'old'] });
    await sam.open(`/dashboard/inbox/${handle}/`);
    await field('tags').fill('Berlin, Germany, vip');
    await change({ tags: ['Berlin, Germany', 'old', 'macro'] });
    await sends(sam.page, '/details/', () => field('tags').press('Enter'));
    expect((await read('contacts'))['tags']).toEqual(['Berlin, Germany', 'macro', 'vip']);
    await field('person-notes').fill('Likes roses');
    await change({ email: 'tess@example.com' });
    await sends(sam.page, '/details/', () => field('person-notes').blur());
    expect(await read('contacts')).toMatchObject({ notes: 'Likes roses', email: 'tess@example.com' });
    // What was saved is not taken for what is being typed: news come in.
    await change({ email: 'tess@example.org' });
    await holds(sam.page, '#person-email', 'tess@example.org');
    await field('field-custom-channel').fill('Chat');
    await change({ custom_fields: { district: 'North' } });
    await sends(sam.page, '/details/', () => field('field-custom-channel').blur());
    expect((await read('conversations'))['custom_fields']).toEqual({ channel: 'Chat' });
    await holds(sam.page, '#field-custom-district', 'North');
    // What is taken back while it is being saved is saved as that.
    const company = field('person-company');
    await sam.page.route(
      '**/details/**',
      async (route) => {
        const response = await route.fetch();
        await company.fill('');
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    await company.fill('Shop');
    await Promise.all([sam.page.waitForResponse('**/details/**'), company.blur()]);
    await isIdle(sam.page);
    await company.blur();
    await eventually(async () => expect((await read('contacts'))['company']).toBe(''));
    expect(sam.problems).toEqual([]);
    const editor = await dashboardBrowser(desk, { permissions: ['chat.view', 'contact.view', 'contact.edit'] });
    await editor.open(`/dashboard/inbox/${handle}/`);
    await editor.page.locator('#details .pairs').getByText('Chat').waitFor({ state: 'attached' });
  });

  test('who may only read is told so', async () => {
    const quiet = await writing('Quiet Quin');
    const reader = await dashboardBrowser(desk, { permissions: ['chat.view'] });
    await reader.open(`/dashboard/inbox/${quiet.handle}/`);
    await reader.page.getByText('you need the permission chat.send_message').waitFor();
  });
});

describe('the list', () => {
  test('views, filters, empty states and what is not there', async () => {
    const mine = await writing('Filter Fred');
    const sam = await dashboardBrowser(desk);
    await desk.api.patch(`/api/v1/conversations/${mine.handle}/`, {
      assigned_member: sam.member.id,
      tags: ['filtered'],
    });
    await sam.open('/dashboard/inbox/?view=mine');
    await sam.page.getByRole('link', { name: /Filter Fred/ }).waitFor();
    expect(await sam.page.locator('.conversation').count()).toBe(1);
    await sam.page.getByRole('link', { name: /^Mine\s*1$/ }).waitFor();
    await sam.page.getByRole('link', { name: /Snoozed/ }).click();
    await sam.page.waitForURL('**view=snoozed');
    await sam.page.waitForLoadState('load');
    await sam.page.keyboard.press('f');
    await sam.page.getByLabel('Tag', { exact: true }).fill('nobody-has-this');
    await sam.page.getByRole('button', { name: 'Show', exact: true }).click();
    await sam.page.getByRole('heading', { name: 'Nothing found' }).waitFor();
    await sam.open('/dashboard/inbox/?view=all&tag=filtered&unread=true&window_open=true');
    await sam.page.getByRole('link', { name: /Filter Fred/ }).waitFor();
    const chips = sam.page.getByRole('list', { name: 'Filters in use' }).getByRole('link');
    expect(await chips.allTextContents()).toEqual(['Tag filtered', 'Unread', 'Can be answered freely']);
    await expectAccessible(sam.page);
    await sam.picture('list');
    await chips.first().click();
    await sam.page.waitForURL('**/inbox/?view=all&unread=true&window_open=true');
    await sam.open('/dashboard/inbox/4999999999999/');
    await sam.page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await sam.open('/dashboard/inbox/?status=nonsense');
    await sam.page.getByText('"nonsense" is not a valid choice').waitFor();
  });

  test('the first page with a thread is small, in one answer', async () => {
    const { token } = await createSession(desk.workspace.owner);
    const small = await writing('Small Sue');
    const cookie = `token=${token}`;
    const sizes: number[] = [];
    const weigh = async (path: string): Promise<string> => {
      const answer = await fetch(desk.url + path, { headers: { cookie, 'accept-encoding': 'gzip' } });
      const length = answer.headers.get('content-length');
      const text = await answer.text();
      sizes.push(length === null ? text.length : Number(length));
      return text;
    };
    const html = await weigh(`/dashboard/inbox/${small.handle}/`);
    expect(html).toContain('Small Sue');
    const files = [...html.matchAll(/(?:src|href)="(\/dashboard\/assets\/[^"#]+)/g)].map((match) => match[1] ?? '');
    for (const file of new Set(files)) await weigh(file);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(100_000);
  });
});
