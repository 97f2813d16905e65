import { languages } from '../../api/core/text/language';
import { snoozeTimerStart } from '../../workflows/starts';
import { createConversation } from '../factories/contacts';
import { createMember, createSession } from '../factories/members';
import { createWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { dashboardBrowser, expectAccessible, sends } from '../support/dashboard';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('no sandbox');
});
afterAll(() => desk.close());

async function session(): Promise<{ cookie: string; csrf: string }> {
  const { token } = await createSession(await createMember(desk.workspace, { role: 'admin' }));
  const cookie = `token=${token}`;
  const { body } = await desk.anonymous.get<string>('/dashboard/nowhere/', { cookie });
  return { cookie, csrf: /name="csrf" value="([^"]+)"/.exec(body)?.[1] ?? '' };
}

test('the origin says where everything is, and each of it is there', async () => {
  const { status, body } = await desk.anonymous.get<string>('/');
  expect(status).toBe(200);
  expect(body).toContain(`${desk.url}/mcp`);
  const paths = [...body.matchAll(/<a href="([^"]+)"/g)].map(([, path]) => path ?? '');
  expect(paths).toEqual([
    '/dashboard/',
    '/docs/',
    '/api/v1/openapi.json',
    '/docs/api',
    '/docs/webhooks',
    '/docs/connect-an-agent',
    '/llms.txt',
  ]);
  for (const path of paths) expect([path, (await desk.anonymous.get(path)).status < 400]).toEqual([path, true]);
});

test('who finds a weakness is told whom to write to, for the next days (RFC 9116)', async () => {
  const { status, headers, body } = await desk.anonymous.get<string>('/.well-known/security.txt');
  expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  const fields = body.trimEnd().split('\n');
  expect(fields.filter((field) => !field.startsWith('Expires: '))).toEqual([
    'Contact: mailto:security@desk.test',
    'Contact: https://desk.test/security',
    `Canonical: ${desk.url}/.well-known/security.txt`,
  ]);
  const days = (new Date(/^Expires: (.+)$/m.exec(body)?.[1] ?? '').getTime() - Date.now()) / 86_400_000;
  expect(Math.round(days)).toBe(30);
});

test('a page asks for the sign-in that comes back to it', async () => {
  for (const cookie of ['', 'token=nonsense']) {
    const { status, headers } = await desk.anonymous.get('/dashboard/', { cookie });
    expect([status, headers.location]).toEqual([303, '/dashboard/sign-in/']);
  }
  const deep = await desk.anonymous.get('/dashboard/inbox/?status=open');
  expect(deep.headers.location).toBe(`/dashboard/sign-in/?next=${encodeURIComponent('/dashboard/inbox/?status=open')}`);
  const part = await desk.anonymous.get('/dashboard/inbox/?part=list', {
    'hx-request': 'true',
    'hx-current-url': `${desk.url}/dashboard/inbox/`,
  });
  expect([part.status, part.headers['hx-redirect']]).toEqual([401, '/dashboard/sign-in/?next=%2Fdashboard%2Finbox%2F']);
});

test('an API key opens no page', async () => {
  expect((await desk.api.get('/dashboard/nowhere/')).headers.location).toContain('/dashboard/sign-in/');
});

test('pages run our own files only, and nothing keeps or frames them', async () => {
  const { cookie } = await session();
  const { status, headers, body } = await desk.anonymous.get<string>('/dashboard/nowhere/', { cookie });
  expect(status).toBe(404);
  expect(body).toContain('Page not found');
  const policy = String(headers['content-security-policy']);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).not.toMatch(/unsafe|\*|https?:/);
  expect(headers['cache-control']).toBe('no-store');
  expect(headers['x-frame-options']).toBe('DENY');
  expect(body).not.toMatch(/<script(?![^>]* src=)|\son\w+=|<style|\sstyle=/);
  for (const [, address] of body.matchAll(/(?:src|href)="(\/dashboard\/assets\/[^"#]+)/g)) {
    const asset = await desk.anonymous.get(address ?? '');
    expect([address, asset.status, asset.headers['cache-control']]).toEqual([
      address,
      200,
      'public, max-age=31536000, immutable',
    ]);
  }
});

test('the Temporal Web UI links to a conversation by its id, and its phone number stays out of the link', async () => {
  const { cookie } = await session();
  const mine = await createConversation(desk.workspace);
  const foreign = await createConversation(await createWorkspace(desk));
  const { page } = snoozeTimerStart(desk.workspace.id, mine.id);
  const { status, headers } = await desk.anonymous.get(page ?? '', { cookie });
  expect([status, headers.location]).toEqual([303, `/dashboard/inbox/${mine.receiver_id}/`]);
  for (const id of [foreign.id, 'x', '1.5', '9'.repeat(30)])
    expect([id, (await desk.anonymous.get(`/dashboard/conversations/${id}/`, { cookie })).status]).toEqual([id, 404]);
});

test('a form without the token of its session is refused, from another site also with it', async () => {
  const { cookie, csrf } = await session();
  const leave = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    desk.anonymous.post<string>('/dashboard/sign-out/', new URLSearchParams(fields), { cookie, ...headers });
  const { csrf: foreign } = await session();
  for (const fields of [{}, { csrf: '' }, { csrf: 'AAAA' }, { csrf: foreign }] as Record<string, string>[])
    expect((await leave(fields)).status).toBe(403);
  const elsewhere = await leave({ csrf }, { origin: 'https://evil.example' });
  expect([elsewhere.status, elsewhere.body]).toEqual([403, expect.stringContaining(`installation is at ${desk.url}`)]);
  expect((await leave({}, { 'x-csrf-token': foreign })).status).toBe(403);
  expect((await desk.anonymous.get('/dashboard/nowhere/', { cookie })).status).toBe(404);

  const left = await leave({ csrf });
  expect([left.status, left.headers.location]).toEqual([303, '/dashboard/sign-in/']);
  expect((await desk.anonymous.get('/dashboard/nowhere/', { cookie })).status).toBe(303);
});

test('the token of a page is masked anew each time', async () => {
  const { cookie, csrf } = await session();
  const { body } = await desk.anonymous.get<string>('/dashboard/nowhere/', { cookie });
  expect(/name="csrf" value="([^"]+)"/.exec(body)?.[1]).not.toBe(csrf);
});

test('a toast that we did not write is not shown, and only a page takes one from the browser', async () => {
  const { cookie } = await session();
  const text = Buffer.from(JSON.stringify({ toast: { text: 'Call this number' } })).toString('base64url');
  const headers = { cookie: `${cookie}; flash=forged.${text}` };
  const page = await desk.anonymous.get<string>('/dashboard/nowhere/', headers);
  expect(page.body).not.toContain('Call this number');
  expect(String(page.headers['set-cookie'])).toContain('flash=;');
  const stopped = new AbortController();
  const stream = await fetch(`${desk.url}/dashboard/live/`, { headers, signal: stopped.signal });
  expect([stream.status, stream.headers.get('set-cookie')]).toEqual([200, null]);
  stopped.abort();
});

test('the frame is usable by screen reader and keyboard, on a phone too', async () => {
  const sam = await dashboardBrowser(desk);
  await sam.open('/dashboard/nowhere/');
  await expectAccessible(sam.page);
  await sam.picture('frame');
  await sam.page.keyboard.press('?');
  await sam.page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
  await expectAccessible(sam.page);
  await sam.page.keyboard.press('Escape');
  await sam.page.locator('#keys').waitFor({ state: 'hidden' });

  await sam.page.setViewportSize({ width: 390, height: 800 });
  await sam.page.getByRole('button', { name: 'More' }).click();
  await sam.page.getByRole('button', { name: 'Your account' }).click();
  await sam.page.getByRole('button', { name: 'Sign out' }).waitFor();
  await expectAccessible(sam.page);
  await sam.page.getByRole('button', { name: 'Sign out' }).click();
  await sam.page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('on a phone words have their room in every language, and the open one of the tabs is in sight', async () => {
  const kim = await dashboardBrowser(desk, { touch: true });
  const { Member } = desk.runtime.db.models;
  for (const locale of languages) {
    await Member.update({ locale }, { where: { id: kim.member.id } });
    await kim.open('/dashboard/inbox/');
    const tooWide = await kim.page.evaluate<string[]>(
      `[...document.querySelectorAll('.bar-place')].filter((place) => place.scrollWidth > place.clientWidth)
        .map((place) => place.textContent)`,
    );
    expect([locale, tooWide]).toEqual([locale, []]);
    await kim.open('/dashboard/account/');
    const tab = await kim.page.locator('.settings-places > [aria-current]').boundingBox();
    expect([locale, tab && tab.x >= 0 && tab.x + tab.width <= 390]).toEqual([locale, true]);
  }
  await kim.open('/dashboard/contacts/');
  await kim.page.locator('[popovertarget="filters"]').click();
  const [menu, field] = [
    await kim.page.locator('#filters').boundingBox(),
    await kim.page.locator('#filters select').first().boundingBox(),
  ];
  expect(menu && field && menu.x + menu.width - field.x - field.width).toBeGreaterThanOrEqual(12);
  expect(kim.problems).toEqual([]);
});

test.each([768, 390])('the pages of the settings stand in one line, which moves, at %s px', async (width) => {
  const kim = await dashboardBrowser(desk, { viewport: { width, height: 844 } });
  await kim.open('/dashboard/members/');
  const [tops, wider, shade] = await kim.page.evaluate<[number[], boolean, string]>(`(() => {
    const tabs = document.querySelector('.settings-places');
    const links = [...tabs.querySelectorAll('a')];
    return [
      [...new Set(links.map((link) => Math.round(link.getBoundingClientRect().top)))],
      tabs.scrollWidth > tabs.clientWidth,
      getComputedStyle(tabs).backgroundAttachment,
    ];
  })()`);
  // The shade at an end that goes on stands still; what hides it at the last one moves along.
  expect([tops.length, wider, shade]).toEqual([1, true, 'local, local, scroll, scroll']);
  await expectAccessible(kim.page);
});

test('on a phone the head of a conversation is one line, and what it folds opens from below', async () => {
  const { receiver_id: anna } = await createConversation(desk.workspace, {}, { name: 'Anna Anderssen von Hohenstein' });
  const kim = await dashboardBrowser(desk, { touch: true, name: 'Kim Thumb' });
  const { page } = kim;
  await kim.open(`/dashboard/inbox/${anna}/`);
  const head = await page.locator('#thread-head').boundingBox();
  expect(head?.height).toBeLessThanOrEqual(64);
  const seen = page.locator('#thread-head :is(button, a):visible');
  expect(
    await seen.evaluateAll((all: { ariaLabel: string; textContent: string }[]) =>
      all.map((one) => one.ariaLabel || one.textContent.trim()),
    ),
  ).toEqual(['Back to the list', 'Done', 'More']);
  for (const box of await Promise.all((await seen.all()).map((one) => one.boundingBox())))
    expect(box && Math.min(box.width, box.height)).toBeGreaterThanOrEqual(44);
  const more = page.getByRole('button', { name: 'More', exact: true }).first();
  await more.tap();
  const sheet = await page.locator('#more').boundingBox();
  expect(sheet && [sheet.x, sheet.width, Math.round(sheet.y + sheet.height)]).toEqual([0, 390, 844]);
  await expectAccessible(page);
  await page.locator('#more').getByRole('button', { name: 'Assign' }).tap();
  expect(await page.locator(':popover-open').evaluateAll((open: { id: string }[]) => open.map(({ id }) => id))).toEqual(
    ['assign'],
  );
  await expectAccessible(page);
  await sends(page, '/state/', () => page.locator('#assign').getByRole('button', { name: 'Me', exact: true }).tap());
  await page.locator('#thread-head').getByText('Yours').waitFor();
  expect(await page.locator(':popover-open').count()).toBe(0);
  // A narrow window may have a keyboard: its letters open what is folded, and the focus comes back.
  await more.focus();
  await page.keyboard.press('p');
  await page.locator('#priority').waitFor();
  await page.keyboard.press('Escape');
  await more.tap();
  await page.locator('#more').getByRole('button', { name: 'About this person' }).tap();
  await page.locator('#details').getByText('Person').waitFor();
  // No keyboard comes up.
  expect(await page.locator('#details :focus').count()).toBe(0);
  await page.keyboard.press('Escape');
  expect(await more.evaluate((button: { matches(selector: string): boolean }) => button.matches(':focus'))).toBe(true);
  expect(kim.problems).toEqual([]);
});
