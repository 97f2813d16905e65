import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { accessibilityFaults, openChromium, picture } from '../support/browser';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { createMember, createSession, type TestMember } from '../factories/members';
import { createWorkspace } from '../factories/workspaces';
import {
  authorizePath,
  codeForm,
  createBrowser,
  hiddenFields,
  pkce,
  postForm,
  registerClient,
  tokensOf,
  tryMcp,
  type TestClient,
} from './support';

const password = 'correct horse battery';
let desk: TestApi;
let chromium: Browser;
let app: TestClient;
let member: TestMember;
let callback: http.Server;
let callbackUrl: string;
beforeAll(async () => {
  desk = await sharedDesk('no sandbox');
  chromium = await openChromium();
  member = await createMember(desk.workspace, {
    name: 'Robin Field',
    permissions: ['chat.view', 'chat.send_message', 'contact.view', 'template.view'],
  });
  await member.update({ password });
  // The application: another origin, so that the policy of the consent page has to let the browser go there.
  callback = http.createServer((_request, response) => {
    response
      .setHeader('content-type', 'text/html')
      .end(
        '<title>back</title><h1>Back in the application</h1><script>document.title = window.opener ? "opener kept" ' +
          ': "no opener"</script>',
      );
  });
  await new Promise<void>((resolve) => callback.listen(0, '127.0.0.1', resolve));
  callbackUrl = `http://127.0.0.1:${(callback.address() as AddressInfo).port}/callback`;
  app = await registerClient(desk.workspace, { name: 'Claude Code', redirectUris: [callbackUrl] });
});
afterAll(async () => {
  await chromium.close();
  await new Promise((resolve) => callback.close(resolve));
  await desk.close();
});

async function inContext<T>(
  options: Parameters<Browser['newContext']>[0],
  work: (page: Page, context: BrowserContext) => Promise<T>,
): Promise<T> {
  const context = await chromium.newContext(options);
  try {
    return await work(await context.newPage(), context);
  } finally {
    await context.close();
  }
}

const start = (challenge: string, scope = 'chat.view chat.send_message contact.view macro.view'): string =>
  `${desk.url}${authorizePath(app, challenge, { scope })}`;

test.each([
  ['desktop, without scripts', { javaScriptEnabled: false, viewport: { width: 1_100, height: 800 } }],
  ['a phone', { viewport: { width: 360, height: 700 } }],
])(
  'in Chromium on %s: sign-in, consent with a subset, back to the application across origins',
  async (name, options) => {
    await inContext(options, async (page) => {
      const { verifier, challenge } = pkce();
      await page.goto(start(challenge));
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await picture(page, `sign-in ${name}`);
      await page.getByLabel('Email').fill(member.email);
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();

      await page.getByRole('heading', { name: 'Connect Claude Code?' }).waitFor();
      await picture(page, `consent ${name}`);
      await page.getByText('This program runs on your own device.').waitFor();
      expect(await page.getByLabel('List and run macros.').isDisabled()).toBe(true);
      await page.getByLabel('View contacts.').uncheck();
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.waitForURL(`${callbackUrl}?**`);
      const answer = new URL(page.url()).searchParams;
      expect([answer.get('state'), answer.get('iss')]).toEqual(['st', desk.url]);
      const tokens = tokensOf(await postForm(desk, 'token', codeForm(app, answer.get('code') ?? '', verifier)));
      expect(tokens.scope).toBe('chat.view chat.send_message');
      expect(await tryMcp(desk, tokens.access)).toBe(200);
    });
  },
);

test('by keyboard alone; the visible focus goes through every control in order', async () => {
  await inContext({}, async (page) => {
    await page.goto(start(pkce().challenge));
    // The first field has the focus already.
    await page.getByLabel('Email').and(page.locator(':focus')).waitFor();
    await page.keyboard.type(member.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Connect' }).waitFor();
    const visited: string[] = [];
    for (let step = 0; step < 6; step += 1) {
      await page.keyboard.press('Tab');
      visited.push(
        await page.evaluate<string>('document.activeElement.value || document.activeElement.textContent.trim()'),
      );
      expect(await page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
    }
    expect(visited).toEqual(['Not you?', 'chat.view', 'chat.send_message', 'contact.view', 'deny', 'allow']);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${callbackUrl}?code=**`);
  });
});

test('cancel leads back with access_denied', async () => {
  await inContext({}, async (page, context) => {
    await context.addCookies([{ name: 'token', value: (await createSession(member)).token, url: desk.url }]);
    await page.goto(start(pkce().challenge));
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.waitForURL(`${callbackUrl}?error=access_denied**`);
  });
});

test('an application that opened us in a window is still its opener afterwards', async () => {
  await inContext({}, async (page, context) => {
    await context.addCookies([{ name: 'token', value: (await createSession(member)).token, url: desk.url }]);
    await page.goto(callbackUrl);
    const [popup] = await Promise.all([
      context.waitForEvent('page'),
      page.evaluate(`void window.open(${JSON.stringify(start(pkce().challenge))})`),
    ]);
    await popup.getByRole('button', { name: 'Allow' }).click();
    await popup.waitForURL(`${callbackUrl}?**`);
    await popup.waitForFunction('document.title !== "back"');
    expect(await popup.title()).toBe('opener kept');
  });
});

test('every page is accessible: names, labels, landmarks, contrast, no sideways scrolling', async () => {
  const foreign = await createWorkspace(desk, { connected: false });
  await inContext({ viewport: { width: 320, height: 640 } }, async (page, context) => {
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    const check = async (name: string): Promise<void> => {
      await picture(page, name);
      expect([name, await accessibilityFaults(page)]).toEqual([name, []]);
    };
    await page.goto(`${desk.url}/dashboard/sign-in/`);
    await check('sign-in narrow');
    await page.getByLabel('Email').fill('nobody@desk.test');
    await page.getByLabel('Password').fill('wrong password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toBe('The email or the password is wrong.');
    expect(await page.title()).toMatch(/^Error: /);
    // What was typed stays, but for the password.
    expect([await page.getByLabel('Email').inputValue(), await page.getByLabel('Password').inputValue()]).toEqual([
      'nobody@desk.test',
      '',
    ]);
    await check('sign-in refused');
    await page.goto(`${desk.url}${authorizePath(app, 'x', { client_id: 'client_nobody' })}`);
    await check('unknown application');
    await context.addCookies([{ name: 'token', value: (await createSession(member)).token, url: desk.url }]);
    await page.goto(
      start(
        pkce().challenge,
        'chat.view chat.send_message chat.assign contact.view contact.edit template.view macro.view',
      ),
    );
    await check('consent narrow');
    await page.goto(start(pkce().challenge, 'macro.view'));
    await check('nothing to grant');
    await context.addCookies([{ name: 'token', value: (await createSession(foreign.owner)).token, url: desk.url }]);
    await page.goto(start(pkce().challenge));
    await check('another workspace');
    // A refused sign-in and a page about a refusal are answers with such a status; nothing else may be complained
    // about.
    expect(
      complaints.filter((text) => !text.startsWith('Failed to load resource: the server responded with a status of 4')),
    ).toEqual([]);
  });
});

describe('sign-in page', () => {
  const signIn = '/dashboard/sign-in/';
  async function submit(
    fields: Record<string, string>,
    next = '',
  ): Promise<Awaited<ReturnType<ReturnType<typeof createBrowser>['submit']>>> {
    const browser = createBrowser(desk);
    const page = await browser.get(`${signIn}?next=${encodeURIComponent(next)}`);
    return browser.submit(
      signIn,
      Object.entries({ ...hiddenFields(page.text), email: member.email, password, ...fields }),
    );
  }

  test.each([
    ['/oauth/mcp/consent?request=1', '/oauth/mcp/consent?request=1'],
    ['/dashboard/inbox/?a=1#b', '/dashboard/inbox/?a=1#b'],
    ['', '/dashboard/'],
    ['https://evil.example/', '/dashboard/'],
    ['//evil.example/', '/dashboard/'],
    ['/\\evil.example/', '/dashboard/'],
    ['/\\/evil.example', '/dashboard/'],
    ['/\t/evil.example', '/dashboard/'],
    ['/%0d%0aset-cookie:x=1', '/%0d%0aset-cookie:x=1'],
    ['/\r\nset-cookie:x=1', '/dashboard/'],
    ['javascript:alert(1)', '/dashboard/'],
    ['dashboard/', '/dashboard/'],
    ['/..//evil.example', '/dashboard/'],
  ])('next=%j leads to %s and never to another site', async (next, target) => {
    const answer = await submit({}, next);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, target]);
    const cookie = answer.headers.getSetCookie().find((line) => line.startsWith('token='));
    expect(cookie).toMatch(/; HttpOnly/);
    expect(cookie).toMatch(/; SameSite=Lax/);
  });

  test('the next page in the form itself is checked as well', async () => {
    expect((await submit({ next: 'https://evil.example/' })).headers.get('location')).toBe('/dashboard/');
  });

  test('a form that this browser was not given, or that another site sends, signs nobody in', async () => {
    const [mine, other] = [createBrowser(desk), createBrowser(desk)];
    const page = await other.get(signIn);
    await mine.get(signIn);
    const fields = Object.entries({ ...hiddenFields(page.text), email: member.email, password });
    expect((await mine.submit(signIn, fields)).status).toBe(403);
    expect((await createBrowser(desk).submit(signIn, fields)).status).toBe(403);
    expect((await other.submit(signIn, fields, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect(mine.cookies.has('token') || other.cookies.has('token')).toBe(false);
    expect((await other.submit(signIn, fields)).status).toBe(303);
  });

  test('wrong password, unknown email, inactive member: the same words; what was typed is shown as text', async () => {
    const inactive = await createMember(desk.workspace);
    await inactive.update({ password, isActive: false });
    const answers = [
      await submit({ password: 'wrong password' }),
      await submit({ email: 'nobody@desk.test' }),
      await submit({ email: inactive.email }),
      await submit({ email: '' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    for (const { text } of answers) expect(text).toContain('The email or the password is wrong.');
    expect((await submit({ email: '"><script>alert(1)</script>', password: 'x' })).text).not.toContain('<script>');
  });

  test('too many attempts are told with Retry-After', async () => {
    const target = `throttled${Date.now()}@desk.test`;
    // The service counts before it looks, so the rows are written directly: eleven password hashes would take seconds.
    await submit({ email: target, password: 'wrong password' });
    await desk.runtime.db.rows(`UPDATE rate_limits SET hits = 10 WHERE key LIKE 'sign-in:%'`);
    const answer = await submit({ email: target });
    expect([answer.status, Number(answer.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect(answer.text).toContain('Too many attempts');
    await desk.runtime.db.rows(`DELETE FROM rate_limits WHERE key LIKE 'sign-in:%'`);
  });

  test('headers: nothing is kept, framed or scripted', async () => {
    const { headers } = await createBrowser(desk).get(signIn);
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action " +
        "'self'",
    );
    expect([headers.get('cache-control'), headers.get('x-frame-options')]).toEqual(['no-store', 'DENY']);
  });
});
