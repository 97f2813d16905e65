/*
 * Draws twelve pages of running installations side by side: how the dashboard looked before a change, and after it.
 *
 *   node dev/pictures.cjs FOLDER before=http://127.0.0.1:41000,../old/.data after=http://127.0.0.1:3000,.data
 *
 * Each is a name, an address and the data folder of its `npm start`, whose demo member signs in. FOLDER gets a sheet
 * for each page at 1440, 768 and 390 px, light and dark: for a person to look at. TEST_CHROMIUM names the browser;
 * PAGES, WIDTHS and LANGUAGE choose less, or another language.
 */
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { chromium } = require('playwright-core');

const desk = '/dashboard/';
/** Where a page is; a pattern: the first link on a list that it fits. */
const pages = {
  inbox: 'inbox/?view=open',
  thread: { on: 'inbox/?view=all', link: /^\/dashboard\/inbox\/\d+\//, text: 'Anna' },
  panel: { on: 'inbox/?view=all', link: /^\/dashboard\/inbox\/\d+\//, text: 'Anna', open: ['details', 'more'] },
  ticket: { on: 'tickets/?view=list', link: /^\/dashboard\/tickets\/\d+\// },
  board: 'tickets/',
  tickets: 'tickets/?view=list',
  contacts: 'contacts/',
  contact: { on: 'contacts/', link: /^\/dashboard\/contacts\/\d+\// },
  broadcast: { on: 'broadcasts/', link: /^\/dashboard\/broadcasts\/\d+\// },
  reports: 'reports/',
  webhook: { on: 'webhooks/', link: /^\/dashboard\/webhooks\/\d+\// },
  members: 'members/',
};
const { PAGES, WIDTHS = '1440,768,390', LANGUAGE = 'en', TEST_CHROMIUM: executablePath } = process.env;
const wanted = PAGES ? PAGES.split(',') : Object.keys(pages);
const widths = WIDTHS.split(',').map(Number);

/** Signs the demo member of an installation in; gives what a browser keeps of that. */
async function signIn(browser, { address, data }) {
  const { email, password } = JSON.parse(fs.readFileSync(path.join(data, 'demo.json'), 'utf8'));
  const context = await browser.newContext({ baseURL: address });
  const page = await context.newPage();
  await page.goto(`${desk}inbox/`);
  await page.fill('[name=email]', email);
  await page.fill('[name=password]', password);
  await page.press('[name=password]', 'Enter');
  await page.waitForURL((url) => !url.pathname.includes('sign-in'));
  const state = await context.storageState();
  await context.close();
  return state;
}

/** Goes to a page of the list above. Throws where nothing on its list fits. */
async function visit(page, where) {
  if (typeof where === 'string') return page.goto(desk + where);
  await page.goto(desk + where.on);
  const links = await page
    .locator('main a')
    .evaluateAll((all) => all.map((link) => [link.getAttribute('href') ?? '', link.textContent]));
  const found = links.find(([href, text]) => where.link.test(href) && text.includes(where.text ?? ''));
  if (!found) throw new Error(`nothing on ${where.on} fits`);
  return page.goto(found[0].split('?')[0]);
}

/** Opens the panel of a conversation where it is not in sight: by its button, else by the menu that has it. */
async function openPanel(page, [panel, menu]) {
  if (await page.locator(`#${panel}`).isVisible()) return;
  const button = (id) => page.locator(`[popovertarget="${id}"]:visible`).first();
  if ((await button(panel).count()) === 0) await button(menu).click();
  await button(panel).click();
}

async function draw(browser, folder, { name, address, state }, width) {
  const context = await browser.newContext({
    ...{ baseURL: address, storageState: state, locale: LANGUAGE, reducedMotion: 'reduce' },
    ...{ viewport: { width, height: width < 500 ? 844 : 900 }, hasTouch: width < 500 },
  });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  for (const key of wanted) {
    await visit(page, pages[key]);
    if (pages[key].open) await openPanel(page, pages[key].open);
    await page.waitForTimeout(300);
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: path.join(folder, `${key} ${width} ${colorScheme} ${name}.png`) });
    }
  }
  await context.close();
}

/** Puts the pictures of a page beside each other, and takes the single ones away. */
async function sheet(browser, folder, names, what) {
  const page = await browser.newPage();
  const files = names.map((name) => path.join(folder, `${what} ${name}.png`));
  const images = files.map((file) => `<img src="data:image/png;base64,${fs.readFileSync(file, 'base64')}">`);
  await page.setContent(`<body style="display:flex;gap:8px;margin:8px;width:max-content">${images.join('')}</body>`);
  await page.locator('body').screenshot({ path: path.join(folder, `${what}.png`) });
  await page.close();
  for (const file of files) fs.rmSync(file);
}

async function main([folder, ...given]) {
  if (!folder || given.length === 0) throw new Error('node dev/pictures.cjs FOLDER NAME=ADDRESS,DATA …');
  fs.mkdirSync(folder, { recursive: true });
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  const installations = [];
  for (const one of given) {
    const [, name, address, data] = /^(\w+)=([^,]+),(.+)$/.exec(one) ?? [];
    installations.push({ name, address, state: await signIn(browser, { address, data }) });
  }
  for (const installation of installations)
    for (const width of widths) await draw(browser, folder, installation, width);
  const names = installations.map(({ name }) => name);
  for (const key of wanted)
    for (const width of widths)
      for (const scheme of ['light', 'dark']) await sheet(browser, folder, names, `${key} ${width} ${scheme}`);
  await browser.close();
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
