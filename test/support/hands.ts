/*
 * What somebody does with their hands in the dashboard: counted, and without a mouse.
 *
 *   const hands = await countHands(sam.context);     // before its first page
 *   await tabTo(page, page.getByRole('link', { name: 'Contacts' }));
 */
import type { BrowserContext, ElementHandle, Locator, Page } from 'playwright-core';

/** Presses so far. */
export interface Hands {
  clicks: number;
  keys: number;
}

/**
 * Counts the presses of the pages that are opened from now on. Letters of a text are what a job is about, and count
 * nothing; keys that are held beside another one are one with it.
 */
export async function countHands(context: BrowserContext): Promise<Hands> {
  const hands: Hands = { clicks: 0, keys: 0 };
  await context.exposeFunction('pressed', (kind: keyof Hands) => void (hands[kind] += 1));
  await context.addInitScript(counter);
  return hands;
}

// In the page's own language: the compiler knows no document here.
const counter = `(() => {
  const isText = (element) => element.matches('textarea, input:not([type=checkbox], [type=radio], [type=submit])');
  addEventListener('pointerdown', ({ isTrusted }) => isTrusted && window.pressed('clicks'), true);
  addEventListener('keydown', (event) => {
    if (!event.isTrusted || /^(Control|Shift|Alt|Meta)$/.test(event.key)) return;
    const isLetter = event.key.length === 1 && !event.ctrlKey && isText(event.target);
    if (!isLetter) window.pressed('keys');
  }, true);
})()`;

/** The list of a select is the browser's own, and sees no page: it is opened and one is taken. */
export async function choose(hands: Hands, select: Locator, label: string | RegExp): Promise<void> {
  const labels = await select.getByRole('option', { includeHidden: true }).allTextContents();
  const found = labels.find((each) => (typeof label === 'string' ? each.trim() === label : label.test(each)));
  await select.selectOption({ label: found?.trim() ?? String(label) });
  hands.clicks += 1;
}

/** What a page has, by what it is and how it is called. */
export const button = (page: Page, name: string | RegExp): Locator => page.getByRole('button', { name, exact: true });
export const link = (page: Page, name: string | RegExp): Locator => page.getByRole('link', { name, exact: true });
/** What is said of what was just done. */
export const said = (page: Page, text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor();
/** A message of the open conversation. */
export const written = (page: Page, text: string): Promise<void> =>
  page.getByRole('log').getByText(text).first().waitFor();
/** A message of one's own that has reached the platform. */
export const sent = (page: Page, text: string): Promise<void> =>
  page
    .getByRole('log')
    .getByRole('listitem')
    .filter({ hasText: text })
    .getByRole('img', { name: /^(Sent|Delivered|Read)$/ })
    .waitFor();

const hasFocus = (element: { readonly ownerDocument: { readonly activeElement: unknown } }): boolean =>
  element === element.ownerDocument.activeElement;

/** More presses of Tab than anything is away from anything else. */
const furthest = 120;

/** Presses Tab until something has the focus, `mostTabs` times at most. */
export async function tabTo(page: Page, wanted: Locator | ElementHandle, mostTabs = furthest): Promise<void> {
  if ('waitFor' in wanted) await wanted.waitFor();
  for (let presses = 0; presses <= mostTabs; presses += 1) {
    if (await ('waitFor' in wanted ? wanted.evaluate(hasFocus) : wanted.evaluate(hasFocus))) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${String(wanted)}`);
}
