/*
 * Every control of a page: found by what it does, and used as people do it.
 *
 *   for (const control of await controlsOf(page)) …        // what is there, opened or not
 *   await useControl(page, 'POST plan/', 'keyboard');       // by mouse, by touch, or by Tab and Enter
 */
import type { ElementHandle, Page } from 'playwright-core';
import { eventually } from './eventually';
import { tabTo } from './hands';
import { fileRoutes, routePatterns } from './pages';

/** Ways in which people use a control. */
export const ways = ['mouse', 'touch', 'keyboard'] as const;
export type Way = (typeof ways)[number];

/**
 * What is to be seen of a control's work: a `link` or `look` asks for its address, a `file` is saved, `elsewhere` opens
 * another tab, an `anchor` leads down the page, a `popover`, `dialog` or `fold` opens, `copy` says so; `send` and
 * `change` write, and the stored row tells.
 */
type Kind =
  | 'link'
  | 'look'
  | 'file'
  | 'elsewhere'
  | 'anchor'
  | 'popover'
  | 'dialog'
  | 'close'
  | 'fold'
  | 'copy'
  | 'send'
  | 'change';

/** A control as it stands in a page. */
export interface Control {
  /** Equal for controls that do the same: `POST inbox/:receiver/state/ priority=high`. */
  readonly does: string;
  readonly kind: Kind;
  /** The address that it asks for, or the part of the page that it opens. */
  readonly address: string;
}

const prefix = '/dashboard/';
/** Patterns of the pages' addresses with what they are called. */
const patterns = routePatterns.map(({ path, pattern }) => [pattern.source, path.slice(prefix.length)]);

// JavaScript as text, run in the page: the compiler's types know no `document` here.
const finder = `(() => {
  const patterns = ${JSON.stringify(patterns)};
  const files = ${JSON.stringify(fileRoutes.map((path) => path.slice(prefix.length)))};
  const routeOf = (path) => patterns.find(([pattern]) => new RegExp(pattern).test(path))?.[1] ?? path;
  /* Words stay, ids and what people wrote do not. */
  const plain = (value) => (/^[a-z_]*(:\\d+)?$/.test(value) ? value.replace(/\\d+/, '#') : '#');
  const telling = ['mode', 'form', 'watch', 'marketing_opt_out', 'conv_status', 'again', 'state', 'on'];
  const queryOf = (url) => [...new Set(url.searchParams.keys())].filter((key) => key !== 'view').sort().join(' ');
  function ofLink(element) {
    const url = new URL(element.href);
    if (/^(data|blob):$/.test(url.protocol)) return { kind: 'file', does: 'save a file', address: '' };
    const isOurs = url.origin === location.origin;
    if (!isOurs || element.target === '_blank')
      return {
        kind: 'elsewhere',
        does: 'open ' + (isOurs ? routeOf(url.pathname) : 'another site'),
        address: url.href,
      };
    if (url.hash && url.pathname === location.pathname && url.search === location.search)
      return { kind: 'anchor', does: 'go to ' + url.hash.replace(/\\d+/, '#'), address: url.hash };
    const to = new URL(element.getAttribute('hx-get') ?? url, location.href);
    const does = 'GET ' + [routeOf(to.pathname), queryOf(to)].filter(Boolean).join('?');
    // Exports ask who one is first, where that was long ago: they are links.
    const isFile = element.hasAttribute('download') || files.includes(routeOf(to.pathname));
    return { kind: isFile ? 'file' : 'link', does, address: to.pathname + to.search };
  }
  function ofForm(element) {
    const form = element.form;
    // A field with suggestions that saves itself writes.
    const looks = element.hasAttribute('hx-get') && !element.matches('[data-submit]');
    const own = element.getAttribute('hx-post') ?? (looks ? element.getAttribute('hx-get') : null);
    const { pathname } = new URL(own ?? form.getAttribute('action') ?? location.href, location.href);
    const isPost = element.hasAttribute('hx-post') || (form.method === 'post' && !looks);
    const isButton = element.matches('button');
    const marks = [...form.elements].filter(
      ({ type, name, value }) => isPost && type === 'hidden' && telling.includes(name) && value,
    );
    const does = [
      (isPost ? 'POST ' : 'LOOK ') + routeOf(pathname),
      ...marks.map(({ name, value }) => name + '=' + plain(value)),
      element.name && (isButton ? element.name + '=' + plain(element.value) : element.name.replace(/\\d+/, '#')),
    ];
    const kind = !isPost ? 'look' : isButton ? 'send' : 'change';
    return { kind, does: does.filter(Boolean).join(' '), address: pathname };
  }
  function describe(element) {
    const { dataset } = element;
    if (element.matches('a')) return ofLink(element);
    if (element.matches('summary')) return { kind: 'fold', does: 'fold', address: '' };
    const popover = element.getAttribute('popovertarget');
    if (popover) return { kind: 'popover', does: 'open #' + popover, address: '#' + popover };
    if (dataset.open) return { kind: 'dialog', does: 'open ' + dataset.open, address: dataset.open };
    if (dataset.copy) return { kind: 'copy', does: 'copy', address: dataset.copy };
    if (!element.form) return { kind: 'close', does: 'press ' + (element.closest('[id]')?.id ?? ''), address: '' };
    if (element.form.method === 'dialog') {
      const dialog = '#' + element.form.closest('dialog').id;
      return { kind: 'close', does: 'close ' + dialog, address: dialog };
    }
    return ofForm(element);
  }
  const closed = '[popover]:not(:popover-open), dialog:not([open]), details:not([open])';
  function isThere(element) {
    if (element.disabled || element.closest('.unscripted, [hidden], #toasts')) return false;
    if (element.checkVisibility({ visibilityProperty: true })) return true;
    // What a window of this width does not show is not there when its box is opened, either.
    return insideOf(element) !== null && getComputedStyle(element).display !== 'none';
  }
  function insideOf(element) {
    if (element.checkVisibility({ visibilityProperty: true })) return null;
    return element.parentElement.closest(closed);
  }
  const all = () => [...document.querySelectorAll('a[href], button, summary, [data-submit], [hx-post], [hx-get]')]
    .filter((element) => element.matches('a, button, summary, select, input, textarea') && isThere(element))
    // Not the menu that the key m opens on a card, nor the question whether one is sure: these are used with the
    // control that opens them.
    // Nor the bar for selected conversations, which has a test of its own (teamwork.test.ts).
    // Nor what asks the browser to print (printing.test.ts), the menu of a message, which the page has already
    // (messageMenu.test.ts), or what types into a field for who has no key.
    .filter((element) => !element.closest('#confirm, #stages, #bulk, [data-print], .message-more, [data-type]'));
  window.controls = {
    all: () => all().map(describe),
    describe: (does) => all().map(describe).find((control) => control.does === does),
    find: (does) => all().find((element) => describe(element).does === does) ?? null,
    insideOf,
    /* Puts the focus before an element, as a Tab away from it as can be told. */
    before(element) {
      const fields = 'input:not([type=hidden]), select, textarea';
      const stops = [...document.querySelectorAll('a[href], button, summary, [tabindex="0"], ' + fields)]
        .filter((each) => !each.disabled && each.checkVisibility({ visibilityProperty: true }));
      const before = stops[stops.indexOf(element) - 1];
      if (before) before.focus({ preventScroll: true });
      else document.activeElement?.blur();
    },
  };
})();`;

/** Returns the controls of the page that is open. */
export async function controlsOf(page: Page): Promise<readonly Control[]> {
  await page.evaluate(finder);
  return page.evaluate<readonly Control[]>('window.controls.all()');
}

/** Returns a control of the page that is open, with the address that it has there. */
export async function describeControl(page: Page, does: string): Promise<Control> {
  await page.evaluate(finder);
  return page.evaluate<Control>(`window.controls.describe(${JSON.stringify(does)})`);
}

async function handleOf(page: Page, expression: string): Promise<ElementHandle | null> {
  return (await page.evaluateHandle(expression)).asElement() as ElementHandle | null;
}

/** Opens what a control stands in, and returns the control. Throws where the page has none. */
export async function reachControl(page: Page, does: string, way: Way): Promise<ElementHandle> {
  await page.evaluate(finder);
  const find = `window.controls.find(${JSON.stringify(does)})`;
  const control = await handleOf(page, find);
  if (!control) throw new Error(`${new URL(page.url()).pathname} has no control that does: ${does}`);
  const box = await handleOf(page, `window.controls.insideOf(${find})`);
  if (!box) return control;
  const [tag = '', id = ''] = await box.evaluate((element) => [element.localName, element.id]);
  if (tag === 'details') {
    await press(page, (await box.$('summary')) ?? box, way);
  } else {
    const opener = await page.$(`[popovertarget="${id}"]:visible`);
    // A dialog of the page is opened by an entry of a menu.
    await press(page, opener ?? (await reachControl(page, `open #${id}`, way)), way);
  }
  await control.waitForElementState('visible');
  // A menu that a key opens takes the focus a moment later: who presses Tab before that is put back to its beginning.
  if (way === 'keyboard' && tag !== 'details' && id !== 'nav')
    await eventually(async () =>
      expect(await box.evaluate((element) => element.contains(element.ownerDocument.activeElement))).toBe(true),
    );
  return control;
}

/** Presses something in one of the ways. */
export async function press(page: Page, element: ElementHandle, way: Way): Promise<void> {
  if (way === 'mouse') await element.click();
  else if (way === 'touch') await element.tap();
  else {
    await tabFromBefore(page, element);
    await page.keyboard.press('Enter');
  }
}

/** Most presses of Tab from the place before an element to it: menus and groups lie out of the order of the page. */
const maxTabs = 40;

/** Goes by Tab from the place before an element to it. */
async function tabFromBefore(page: Page, element: ElementHandle): Promise<void> {
  if (await element.evaluate((each) => each === each.ownerDocument.activeElement)) return;
  await page.evaluate(finder);
  await element.evaluate((each) => each.ownerDocument.defaultView.controls.before(each));
  await tabTo(page, element, maxTabs);
}

/** Gives a field that saves itself, or that looks at once, another value in one of the ways. */
export async function change(page: Page, field: ElementHandle, way: Way, value?: string): Promise<void> {
  const isSelect = await field.evaluate((element) => element.localName === 'select');
  if (isSelect && way !== 'keyboard') {
    const other = await field.evaluate((select) => [...select.options].find((option) => !option.selected)?.value ?? '');
    await field.selectOption(value ?? other);
    return;
  }
  if (way === 'keyboard') await tabFromBefore(page, field);
  if (isSelect) {
    const isLast = await field.evaluate((select) => select.selectedIndex === select.options.length - 1);
    await page.keyboard.press(isLast ? 'ArrowUp' : 'ArrowDown');
    return;
  }
  await field.fill(value ?? 'vip');
  await page.keyboard.press('Tab');
}

/** Fills in the form of a button: fields by their names, boxes and choices by their values. */
export async function fill(page: Page, button: ElementHandle, values: Readonly<Record<string, string>>): Promise<void> {
  const form = (await button.evaluateHandle((each) => each.form)).asElement() as ElementHandle | null;
  for (const [name, value] of Object.entries(values)) {
    const fields = (await form?.$$(`[name="${name}"]:not([type=hidden])`)) ?? [];
    const [field] = fields;
    if (!field) throw new Error(`the form has no field ${name}`);
    const [tag, type] = await field.evaluate((each) => [each.localName, each.type]);
    if (tag === 'select') await field.selectOption(value);
    else if (type === 'file') {
      await field.setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from(value) });
      // The page shows a preview of the file first.
      await page.waitForSelector('#start:not(:disabled)');
    } else if (type === 'checkbox' || type === 'radio') {
      for (const each of fields) if ((await each.getAttribute('value')) === value) await each.check();
    } else await field.fill(value);
  }
}
