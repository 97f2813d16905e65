import type { Browser } from 'playwright-core';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { openChromium } from '../support/browser';
import { expectAccessible } from '../support/dashboard';

let desk: TestApi;
let browser: Browser;
beforeAll(async () => {
  desk = await sharedDesk('no sandbox');
  browser = await openChromium();
});
afterAll(async () => {
  await browser.close();
  await desk.close();
});

describe('the API reference (contract 1)', () => {
  it('loads nothing from elsewhere, breaks no policy, and tries a request with a key', async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const hosts = new Set<string>();
    const problems: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith('data:')) hosts.add(new URL(request.url()).origin);
    });
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(`${desk.url}/docs`, { waitUntil: 'networkidle' });
    if (process.env['DOCS_SCREENSHOT']) await page.screenshot({ path: `${process.env['DOCS_SCREENSHOT']}-top.png` });
    for (const tag of ['Messages', 'Contacts']) await page.locator(`.opblock-tag[data-tag="${tag}"]`).click();
    await page.getByText('Send a message').first().waitFor({ timeout: 60_000 });
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    // The one credential that a page can be given.
    expect(await page.locator('.auth-container').count()).toBe(1);
    await page.locator('.auth-container input').first().fill(desk.workspace.token);
    await page.locator('.auth-container').first().getByRole('button', { name: 'Apply credentials' }).click();
    await page.locator('.modal-ux .close-modal').click();
    await page.getByText('List and search contacts').first().click();
    await page.locator('.opblock.is-open button.execute').click();
    await page.locator('.live-responses-table .response-col_status').filter({ hasText: '200' }).first().waitFor();
    if (process.env['DOCS_SCREENSHOT']) await page.screenshot({ path: `${process.env['DOCS_SCREENSHOT']}.png` });
    expect([...hosts]).toEqual([desk.url]);
    expect(problems).toEqual([]);
    await page.close();
  });

  it('gives its own files only', async () => {
    expect((await fetch(`${desk.url}/docs/package.json`)).status).toBe(404);
    expect((await fetch(`${desk.url}/docs/..%2fpackage.json`)).status).toBe(404);
    const answer = await fetch(`${desk.url}/docs/`);
    expect(answer.headers.get('content-security-policy')).toContain("script-src 'self';");
  });
});

const guides = [
  ['connect-an-agent', 'Connect an agent', '/mcp'],
  ['api', 'The API in short', '/api/v1/'],
  ['webhooks', 'Receive webhooks', '/docs/api'],
  ['tour', 'The rest of the tour', '/docs/webhooks'],
  ['client', '@msgdesk/client', ''],
  ['changelog', 'Changelog', ''],
] as const;

describe('the guides', () => {
  it('are named in llms.txt, whose every link leads somewhere', async () => {
    const answer = await fetch(`${desk.url}/llms.txt`);
    const text = await answer.text();
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(text).toMatch(/^# Msgdesk\n\n> /);
    const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
    for (const [name] of guides) expect(links).toContain(`${desk.url}/docs/${name}`);
    for (const link of links) expect([link, (await fetch(link)).status]).toEqual([link, 200]);
  });

  it.each(guides)('%s is a page for people and Markdown for programs', async (name, title, address) => {
    const page = await browser.newPage({ viewport: { width: 390, height: 800 } });
    const problems: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    await page.goto(`${desk.url}/docs/${name}`);
    await page.getByRole('heading', { name: title, level: 1 }).waitFor();
    await expectAccessible(page);
    const wide = await page.evaluate('document.documentElement.scrollWidth');
    expect(wide).toBe(390);
    if (process.env['DOCS_SCREENSHOT'])
      await page.screenshot({ path: `${process.env['DOCS_SCREENSHOT']}-${name}.png`, fullPage: true });
    await page.goto(`${desk.url}/`);
    await expectAccessible(page);
    if (process.env['DOCS_SCREENSHOT']) await page.screenshot({ path: `${process.env['DOCS_SCREENSHOT']}-home.png` });
    expect(problems).toEqual([]);
    await page.close();

    const answer = await fetch(`${desk.url}/docs/${name}`);
    expect([answer.headers.get('content-type'), answer.headers.get('vary')]).toEqual([
      'text/plain; charset=utf-8',
      'Accept, Accept-Encoding',
    ]);
    const text = await answer.text();
    expect(text.startsWith(`# ${title}\n`)).toBe(true);
    expect(text).toContain(address && desk.url + address);
    // Links to other guides lead to them here.
    const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
    for (const link of links) expect(link).toMatch(/^https?:/);
    for (const link of links.filter((one) => one.startsWith(desk.url)))
      expect([link, (await fetch(link)).status]).toEqual([link, 200]);
  });
});
