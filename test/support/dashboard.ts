/*
 * Members in a real browser.
 *
 *   const anna = await dashboardBrowser(desk, { permissions: ['chat.view'] });   // signed in; no options: an admin
 *   await anna.open('/dashboard/inbox/');
 *   await anna.page.getByRole('link', { name: 'Ben' }).click();
 *   await expectAccessible(anna.page);          // axe-core in light and dark, nothing serious
 * await anna.picture('inbox'); // where TEST_SCREENSHOTS names a folder: three widths, light and dark
 *   expect(anna.problems).toEqual([]);          // errors of scripts, refusals by the policy, files that were not there
 *
 * Each is closed with the test that asked for it, or with the desk where none ran.
 */
import { readFileSync } from 'node:fs';
import type { Browser, BrowserContext, Locator, Page, Request } from 'playwright-core';
import type { Scope } from '../../api/core/http/access';
import { createMember, createSession, type TestMember } from '../factories/members';
import type { TestWorkspace } from '../factories/workspaces';
import type { TestApi } from './api';
import { openChromium, picture } from './browser';
import { endWithFile, endWithTest } from './endings';

interface DashboardOptions {
  /** Permissions of an agent; without them the member is an admin, or what `role` says. */
  readonly permissions?: readonly Scope[];
  readonly role?: 'owner';
  readonly name?: string;
  /** Without scripts, as some members browse. */
  readonly scripts?: boolean;
  /** Whose member it is; the first workspace's unless told. */
  readonly workspace?: TestWorkspace;
  readonly viewport?: { readonly width: number; readonly height: number };
  /** On a phone, by finger. */
  readonly touch?: boolean;
  /** Goes through this proxy (`startLatency`). */
  readonly proxy?: string;
}

export interface DashboardBrowser {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly member: TestMember;
  /** The session's token, for requests beside the browser. */
  readonly token: string;
  /** What went wrong in the page so far. */
  readonly problems: string[];
  open(path: string): Promise<void>;
  picture(name: string): Promise<void>;
}

/** How long a page is waited for, for what never comes. */
const patienceMs = 60_000;

let browser: Promise<Browser> | undefined;

/** Signs a new member in to a browser of their own. */
export async function dashboardBrowser(desk: TestApi, options: DashboardOptions = {}): Promise<DashboardBrowser> {
  if (!browser) {
    browser = openChromium();
    endWithFile(closeBrowser);
  }
  const member = await createMember(options.workspace ?? desk.workspace, {
    ...(options.permissions ? { role: 'agent', permissions: options.permissions } : { role: options.role ?? 'admin' }),
    ...(options.name === undefined ? {} : { name: options.name }),
  });
  const { token } = await createSession(member);
  const context = await (
    await browser
  ).newContext({
    baseURL: desk.url,
    viewport: options.viewport ?? (options.touch ? phone : desktop),
    hasTouch: options.touch ?? false,
    ...(options.proxy === undefined ? {} : { proxy: { server: options.proxy } }),
    javaScriptEnabled: options.scripts ?? true,
    reducedMotion: 'reduce',
  });
  await context.addCookies([{ name: 'token', value: token, url: desk.url, httpOnly: true, sameSite: 'Lax' }]);
  // A page that stays open asks anew for its parts whenever a later test changes something.
  const close = () => context.close();
  if (!endWithTest(close)) desk.test.onClose(close);
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    // A search that a next letter overtook is no fault.
    if (message.type() === 'error' && !/^htmx:(sendAbort|afterRequest)/.test(message.text()))
      problems.push(message.text());
  });
  return {
    page,
    context,
    member,
    token,
    problems,
    async open(path) {
      await page.goto(path);
    },
    async picture(name) {
      if (!process.env['TEST_SCREENSHOTS']) return;
      for (const [size, viewport] of Object.entries(pictured)) {
        await page.setViewportSize(viewport);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          await picture(page, `${name} ${size} ${colorScheme}`);
        }
      }
      await page.emulateMedia({ colorScheme: null });
      await page.setViewportSize(options.viewport ?? desktop);
    },
  };
}

/**
 * Does what makes the page send a form to a path that has this part, and returns once that is answered. `said` is for
 * what a page sends by itself, too: only a form that has this text counts.
 */
export async function sends(page: Page, part: string, act: () => Promise<unknown>, said = ''): Promise<void> {
  const isMeant = (request: Request) =>
    request.method() === 'POST' && request.url().includes(part) && (request.postData() ?? '').includes(said);
  await Promise.all([page.waitForResponse((answer) => isMeant(answer.request())), act()]);
}

/**
 * Waits until an expression of the page is true. Not by Playwright's `waitForFunction`: the policy of the pages refuses
 * what that evaluates.
 */
export const pageShows = (page: Page, expression: string): Promise<void> =>
  page.evaluate(`new Promise((resolve, reject) => {
    const until = Date.now() + ${patienceMs};
    const look = () => {
      if (${expression}) resolve();
      else if (Date.now() > until)
        reject(new Error('the page does not come to this: ' + ${JSON.stringify(expression)}));
      else setTimeout(look, 20);
    };
    look();
  })`);

/** Waits until the field of a selector has this text. */
export const holds = (page: Page, selector: string, text: string): Promise<void> =>
  pageShows(page, `document.querySelector(${JSON.stringify(selector)})?.value === ${JSON.stringify(text)}`);

/** Waits until the page has this many elements of a selector. */
export const counts = (page: Page, selector: string, count: number): Promise<void> =>
  pageShows(page, `document.querySelectorAll(${JSON.stringify(selector)}).length === ${count}`);

/** Waits until the page asks for nothing and puts in nothing any more. */
export const isIdle = (page: Page): Promise<void> =>
  page.locator('.htmx-request, .htmx-swapping').first().waitFor({ state: 'detached' });

/**
 * Returns what went wrong in a page beside answers of these statuses, which its test asks for: the browser notes each
 * answer that refuses, and htmx again what it does not show.
 */
export function problemsBeside(problems: readonly string[], ...statuses: readonly number[]): string[] {
  const isAskedFor = new RegExp(`(status of|Status Error Code) (${statuses.join('|')}) `);
  return problems.filter((problem) => !isAskedFor.test(problem));
}

/** Sends a form with these fields two times at once, as browsers without scripts do. Returns where each led. */
export async function sentTwice(form: Locator, fields: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const own = async (name: string) => form.locator(`[name="${name}"]`).inputValue();
  const sent = { csrf: await own('csrf'), once: await own('once'), ...fields };
  const to = (await form.getAttribute('action')) ?? form.page().url();
  return Promise.all([1, 2].map(async () => (await form.page().request.post(to, { form: sent })).url()));
}

/** Closes the browser that all tests of a file share. */
async function closeBrowser(): Promise<void> {
  const open = await browser;
  browser = undefined;
  await open?.close();
}

const desktop = { width: 1280, height: 800 };
const phone = { width: 390, height: 844 };
/** The windows in which pictures are taken. */
const pictured = { desktop: { width: 1440, height: 900 }, tablet: { width: 820, height: 1180 }, phone };
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

/**
 * Fails on any serious or critical finding of axe-core, in light and dark, and where the page is wider than its window.
 */
export async function expectAccessible(page: Page): Promise<void> {
  const found: string[] = [];
  await page.evaluate(axe);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    // Only colours differ in the dark. No rule that is told here needs the style sheets a second time.
    const rules = colorScheme === 'dark' ? `runOnly: ['color-contrast']` : '';
    const violations = await page.evaluate<Finding[]>(
      `axe.run(document, { reporter: 'no-passes', preload: false, ${rules} }).then(({ violations }) =>
        violations.filter(({ impact }) => /serious|critical/.test(impact)))`,
    );
    for (const { id, impact, nodes } of violations)
      for (const { target, failureSummary } of nodes)
        found.push(`${colorScheme}: ${id} (${impact}) at ${target.join(' ')}: ${failureSummary}`);
  }
  await page.emulateMedia({ colorScheme: null });
  const wide = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
  if (wide > 0) found.push(`the page is ${wide} px wider than its window`);
  expect(found).toEqual([]);
}
