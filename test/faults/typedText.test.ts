import type { Page } from 'playwright-core';
import { createShowcase, type Showcase } from '../factories/showcase';
import { startApi, type TestApi } from '../support/api';
import { controlsOf } from '../support/controls';
import { dashboardBrowser, type DashboardBrowser } from '../support/dashboard';
import { startLatency, type Latency } from '../support/latency';
import { addressesOf, routeOf, shownRoutes } from '../support/pages';

/*
 * What is typed or chosen stays, whatever comes meanwhile, 600 ms away from the server: into each field of each form of
 * each page something is put while news of everything are on their way, and while the answer to each thing is that the
 * page asks for without being left. It has to be there still, or sent, or asked about.
 */
const msAway = 600;
/** By then everything that was asked for has come, on a full machine, too. */
const idleMs = 60_000;
/** What is selected in the field that has the focus. */
const caret = [2, 3];

/** So many look at a time, since most of it is waiting for the server; each has a workspace of its own. */
const atOnce = 3;

interface Walker {
  readonly show: Showcase;
  readonly sam: DashboardBrowser;
  readonly latency: Latency;
}

let desk: TestApi;
const walkers: Walker[] = [];
beforeAll(async () => {
  desk = await startApi({ worker: true, env: { WEBHOOK_ALLOW_PRIVATE: '1' } });
  for (let index = 0; index < atOnce; index += 1) {
    const [latency, show] = [await startLatency(), await createShowcase(desk, (text) => text)];
    const sam = await dashboardBrowser(desk, { workspace: show.workspace, role: 'owner', proxy: latency.url });
    walkers.push({ show, sam, latency });
  }
});
afterAll(async () => {
  await desk.close();
  await Promise.all(walkers.map(({ latency }) => latency.close()));
});

/** What a page knows of its fields, and how to fill them in. */
const typist = `(() => {
  const types = { email: 'who@example.com', url: 'https://example.com/typed', number: '7', date: '2031-02-03',
    'datetime-local': '2031-02-03T04:05', time: '04:05', color: '#123456', tel: '49301234567' };
  const placeOf = (field) => [field.form.getAttribute('action') ?? '', field.form.id, field.name,
    /^(checkbox|radio)$/.test(field.type) ? field.value : ''].join(' ');
  const valueOf = (field) => /^(checkbox|radio)$/.test(field.type) ? field.checked : field.value;
  const isOpen = (field) => field.checkVisibility({ visibilityProperty: true }) ||
    field.closest('[popover]:not(:popover-open), dialog:not([open]), details:not([open])');
  const every = () => [...document.querySelectorAll('input:not([type=hidden], [type=file]), textarea, select')]
    .filter((field) => field.form && field.name);
  const all = () => every().filter((field) => !field.disabled && !field.readOnly && isOpen(field))
    // Where a choice asks for other fields, it is something that is done, and tried as that.
    .filter((field) => !field.closest('.unscripted, [hidden], #confirm'))
    .filter((field) => !field.matches('.pick, [hx-get], [hx-post]'));
  let typed = new Map();
  window.typist = {
    count: () => all().length,
    /* The forms with something to fill in, and whether it is. */
    forms: () => [...document.forms].flatMap((form) => {
      const isOf = (field) => field.form === form;
      if (!every().some(isOf)) return [];
      return [[new URL(form.getAttribute('action') ?? '', location.href).pathname, all().some(isOf)]];
    }),
    // In a row of choices what is chosen says what the others are, or takes the row away.
    type(except, row) {
      typed = new Map();
      const groups = new Set();
      for (const [index, field] of all().entries()) {
        if (field === except || (row && field.closest('.rule-row') === row)) continue;
        if (field.localName === 'select') {
          const other = [...field.options].findLast((option) => !option.selected && !option.disabled && option.value);
          if (!other) continue;
          other.selected = true;
        } else if (field.type === 'checkbox') field.checked = !field.checked;
        else if (field.type === 'radio') {
          // One of each group.
          if (field.checked || groups.has(field.name)) continue;
          groups.add(field.name);
          field.checked = true;
        } else field.value = types[field.type] ?? 'typed' + index;
        typed.set(placeOf(field), valueOf(field));
        field.dispatchEvent(new Event('input', { bubbles: true }));
      }
      const focused = all()
        .findLast((field) => field !== except && field.checkVisibility() && /^(text|textarea)$/.test(field.type));
      focused?.focus();
      focused?.setSelectionRange(${caret});
      window.typist.focused = focused ? placeOf(focused) : null;
    },
    /* Types when the request of an element is on its way; says whether there was one. */
    typeDuring: (element, act) => new Promise((resolve) => {
      const type = ({ detail: { elt } }) => {
        if (elt !== element && !elt.contains(element)) return;
        document.removeEventListener('htmx:beforeRequest', type);
        const [field, row] = [element.matches('button, a') ? null : element, element.closest('.rule-row')];
        setTimeout(() => resolve(window.typist.type(field, row) ?? true));
      };
      document.addEventListener('htmx:beforeRequest', type);
      act();
      setTimeout(() => document.querySelector('#confirm[open] #confirm-yes')?.click(), 100);
      setTimeout(() => resolve(false), 2_000);
    }),
    lost() {
      const now = new Map(every().map((field) => [placeOf(field), valueOf(field)]));
      return [...typed].filter(([place, value]) => now.get(place) !== value)
        .map(([place, value]) => [place, String(value), String(now.get(place) ?? 'gone')]);
    },
    /* A dialog that was asked for has the focus, and a field that was taken away has none. */
    focus: () => {
      const field = document.activeElement;
      const isThere = every().some((each) => placeOf(each) === window.typist.focused);
      if (document.querySelector('dialog[open]') || !isThere) return [];
      const { selectionStart, selectionEnd } = field;
      return [window.typist.focused, field.form ? placeOf(field) : field.localName, selectionStart, selectionEnd];
    },
    isAsking: () => document.querySelector('#confirm[open]') !== null,
    /* Nothing was on its way for a while; what never comes is a fault. */
    idle: () => new Promise((resolve, reject) => {
      let looks = 0;
      const begun = Date.now();
      const timer = setInterval(() => {
        const waits = document.querySelector('.htmx-request');
        looks = waits ? 0 : looks + 1;
        if (looks > 5) resolve(clearInterval(timer));
        else if (Date.now() - begun > ${idleMs})
          reject(clearInterval(timer) ?? new Error('still waits: ' + waits?.outerHTML.slice(0, 100)));
      }, 50);
    }),
  };
})();`;

const faults: string[] = [];

/** Opens a page anew, near the server, and closes it afterwards whatever is typed into it. */
async function withPage(
  { sam, latency }: Walker,
  path: string,
  name: string,
  work: (page: Page) => Promise<void>,
): Promise<void> {
  latency.ms = 0;
  let page: Page | undefined;
  try {
    page = await within('opening', sam.context.newPage());
    await page.goto(path, { waitUntil: 'load', timeout: 60_000 });
    await within('preparing', page.evaluate(typist));
    await within('loading', page.evaluate('window.typist.idle()'));
    await within('checking', work(page));
  } catch (error) {
    faults.push(`${path} ${name}: ${String(error)}`);
  }
  await within('closing', page?.close() ?? Promise.resolve()).catch((error: unknown) =>
    faults.push(`${path} ${name}: ${String(error)}`),
  );
}

/** Gives up what never ends: the browser sets no limit to most that it is asked for. */
async function within<T>(what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} does not end`)), 2 * idleMs);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}

/** Puts something into each field while something is on its way, and looks for it when that has come. */
async function check({ latency }: Walker, page: Page, name: string, begin: () => Promise<unknown>): Promise<void> {
  const sent: string[] = [];
  let isAsked = false;
  page.on('request', (request) => sent.push(request.postData() ?? ''));
  const asks = new Promise<void>((resolve) => {
    page.on('dialog', (dialog) => {
      isAsked = true;
      dialog.dismiss().catch(() => undefined);
      resolve();
    });
  });
  // A browser asks nobody who has not touched the page.
  await page.keyboard.press('F9');
  latency.ms = msAway;
  if ((await begin()) === false) return;
  await Promise.race([page.evaluate('window.typist.idle()'), asks]);
  if (isAsked || (await page.evaluate('window.typist.isAsking()'))) return;
  const bodies = sent.map((body) => decodeURIComponent(body.replaceAll('+', ' '))).join('\n');
  for (const [place, value, now] of await page.evaluate<[string, string, string][]>('window.typist.lost()'))
    if (isTick(value) || !bodies.includes(value)) faults.push(`${name}: ${place}: ${value} became ${now}`);
  const [focused, ...now] = await page.evaluate<unknown[]>('window.typist.focus()');
  if (focused && String(now) !== String([focused, ...caret]))
    faults.push(`${name}: the focus of ${String(focused)} is now ${now.join(' ')}`);
}

const isTick = (value: string): boolean => value === 'true' || value === 'false';

/** Everything is asked for anew, and something typed before it comes. */
const news = `document.dispatchEvent(new CustomEvent('live', { detail: { type: 'all' } })), window.typist.type()`;

/** Whether a control asks for a part of the page, and stays in it. */
const isPart = (does: string): string => `Boolean(window.controls.find(${JSON.stringify(does)})
  ?.matches('[hx-get], [hx-post], [hx-boost] a, form[hx-post]:not([hx-trigger]) :is(button, [data-submit])'))`;

/** What loads the page anew: the browser asks whoever has typed something, and its tab cannot be closed meanwhile. */
const loadsAnew = 'POST account/away/';

/** Uses a control, and types while its answer is on its way. */
const use = (does: string): string => `(() => {
  const element = window.controls.find(${JSON.stringify(does)});
  return element ? window.typist.typeDuring(element, () => {
    if (element.matches('a, button')) return element.click();
    if (element.localName === 'select') element.selectedIndex = element.options.length - 1 - element.selectedIndex;
    else element.value = 'changed';
    for (const type of ['input', 'change']) element.dispatchEvent(new Event(type, { bubbles: true }));
  }) : false;
})()`;

/** A route, and which of its addresses. */
interface Place {
  readonly route: string;
  readonly index: number;
}
const pathOf = ({ show }: Walker, { route, index }: Place): string => addressesOf(route, show)[index] ?? '';

/** Forms that are there, and into which nothing is put: why. */
const untyped: Readonly<Record<string, string>> = {
  '/dashboard/contacts/:receiver_id/merge/': 'its field asks for contacts, and is tried as what the page asks for',
  '/dashboard/contacts/bulk/': 'shown once something is selected',
  '/dashboard/inbox/:receiver/': 'choosing a template asks for its fields, which are filled in',
  '/dashboard/inbox/bulk/': 'shown once something is selected',
  '/dashboard/tickets/:id/contacts/': 'its field asks for contacts, and is tried as what the page asks for',
  '/dashboard/tickets/bulk/': 'shown once something is selected',
};

test('into each form of each page something is put', async () => {
  const [walker] = walkers as [Walker];
  const typed = new Map<string, boolean>();
  for (const route of shownRoutes)
    for (const path of addressesOf(route, walker.show))
      await withPage(walker, path, 'by its forms', async (page) => {
        for (const [action, isTyped] of await page.evaluate<[string, boolean][]>('window.typist.forms()')) {
          const form = routeOf(action);
          typed.set(form, isTyped || (typed.get(form) ?? false));
        }
      });
  const left = [...typed].flatMap(([form, isTyped]) => (isTyped ? [] : [form]));
  expect(left.sort()).toEqual(Object.keys(untyped).sort());
  expect(typed.size).toBeGreaterThan(60);
  expect(faults).toEqual([]);
}, 600_000);

test('what is typed or chosen in any form of any page is never replaced', async () => {
  const [{ show }] = walkers as [Walker];
  const places = shownRoutes.flatMap((route) => addressesOf(route, show).map((_path, index) => ({ route, index })));
  const found = new Map<Place, readonly string[]>();
  await forAll(places, async (walker, place) => void found.set(place, await checkNews(walker, pathOf(walker, place))));
  // Each thing that a page asks for once, in the first page that has it.
  const acts = new Map<string, Place>();
  for (const place of places) for (const does of found.get(place) ?? []) if (!acts.has(does)) acts.set(does, place);
  await forAll([...acts], (walker, [does, place]) => {
    const path = pathOf(walker, place);
    return withPage(walker, path, `after ${does}`, async (page) => {
      await controlsOf(page);
      await check(walker, page, `${path} after ${does}`, () => page.evaluate(use(does)));
    });
  });
  expect(faults).toEqual([]);
}, 1_800_000);

/** Does something for each: whoever is ready takes the next. */
async function forAll<T>(all: readonly T[], work: (walker: Walker, one: T) => Promise<unknown>): Promise<void> {
  const left = [...all];
  await Promise.all(
    walkers.map(async (walker) => {
      for (let one = left.shift(); one !== undefined; one = left.shift()) await work(walker, one);
    }),
  );
}

/** Looks at a page while news come; gives what it asks for without being left. */
async function checkNews(walker: Walker, path: string): Promise<string[]> {
  const acts: string[] = [];
  await withPage(walker, path, 'while news come', async (page) => {
    if ((await page.evaluate('window.typist.count()')) === 0) return;
    for (const { does } of await controlsOf(page))
      if (!does.startsWith(loadsAnew) && (await page.evaluate(isPart(does)))) acts.push(does);
    await check(walker, page, `${path} while news come`, () => page.evaluate(news));
  });
  return acts;
}
