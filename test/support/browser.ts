import path from 'node:path';
import { chromium as playwright, type Browser, type Page } from 'playwright-core';

/** Returns a real Chromium without a window, with its own rules between sites switched on. Close it when done. */
export async function openChromium(): Promise<Browser> {
  // Not the package's own arguments: they are for a place with one process, and switch off what is to be tested.
  return playwright.launch({
    executablePath: browserPath(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    headless: true,
  });
}

function browserPath(): string {
  const file = process.env['TEST_CHROMIUM'];
  if (!file) throw new Error('no browser was prepared: run `npm test`');
  return file;
}

/** Keeps a picture of the page in the folder `TEST_SCREENSHOTS`, where that is set: for a person to look at. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['TEST_SCREENSHOTS'];
  if (folder) await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true });
}

/**
 * Returns what a page lacks for people who cannot see it well or do not use a mouse: language, title, one h1,
 * landmarks, labels, names of buttons, unique ids, nothing wider than the window, and a contrast of 4.5 to 1 (WCAG 2.2
 * AA).
 */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(checks);
}

// In the page's own language: the compiler knows no document here.
const checks = `(() => {
  const faults = [];
  if (!document.documentElement.lang) faults.push('no language');
  if (!document.title) faults.push('no title');
  if (document.querySelectorAll('h1').length !== 1) faults.push('not exactly one h1');
  if (!document.querySelector('main')) faults.push('no main landmark');
  const ids = [...document.querySelectorAll('[id]')].map((element) => element.id);
  if (new Set(ids).size !== ids.length) faults.push('ids are repeated');
  for (const input of document.querySelectorAll('input:not([type=hidden])'))
    if (!input.labels || input.labels.length === 0) faults.push('input ' + input.name + ' has no label');
  for (const control of document.querySelectorAll('button, a'))
    if (!control.textContent.trim()) faults.push('a control has no name');
  for (const element of document.querySelectorAll('[aria-describedby]'))
    if (!document.getElementById(element.getAttribute('aria-describedby'))) faults.push('describedby leads nowhere');
  if (document.documentElement.scrollWidth > window.innerWidth)
    faults.push('wider than the window: ' + document.documentElement.scrollWidth);
  if (document.querySelector('script')) faults.push('a script');
  const parse = (text) => { const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number); return { r, g, b, a }; };
  const linear = (v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  const light = ({ r, g, b }) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.a > 0.99) return colour;
    }
    return { r: 255, g: 255, b: 255 };
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim();
    const element = walker.currentNode.parentElement;
    if (!text || !element) continue;
    const [a, b] = [light(parse(getComputedStyle(element).color)), light(ground(element))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) faults.push('contrast ' + ratio.toFixed(2) + ': ' + text.slice(0, 40));
  }
  return faults;
})()`;
