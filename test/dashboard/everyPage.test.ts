import { operations } from '../../api/operations';
import { createShowcase, type Showcase } from '../factories/showcase';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { dashboardBrowser, expectAccessible, type DashboardBrowser } from '../support/dashboard';
import { addressesOf, shownRoutes } from '../support/pages';

/** What somebody would write who wants a page to run it; each way in has a mark of its own. */
const hostile = `<img src=x onerror="window.ran=1">"'</textarea></script>{{7*7}}<%= 7*7 %>`;
const write = (text: string, max = 255): string => `${text} ${hostile}`.slice(0, max);

let desk: TestApi;
let show: Showcase;
let sam: DashboardBrowser;
beforeAll(async () => {
  desk = await sharedDesk('worker');
  show = await createShowcase(desk, write);
  sam = await dashboardBrowser(desk, { workspace: show.workspace, role: 'owner', name: write('Sam Able') });
});
afterAll(() => desk.close());

/** Marks of scripts that ran, and elements that can only come from a text that was taken for HTML. */
const strays = `[
  ...(window.ran ? ['a script ran'] : []),
  ...[...document.querySelectorAll(
    'img[src="x"], [onerror], script:not([src]), a[href^="javascript:" i], [style*="expression"]',
  )].map((element) => element.outerHTML.slice(0, 200)),
]`;
/** What a page shows: its texts, and what its fields hold. */
const shown = `document.querySelector('main').textContent +
  [...document.querySelectorAll('main :is(input, textarea)')].map(({ value }) => value).join(' ')`;

test.each(shownRoutes)('accessible, without a fault, and what people wrote is text: %s', async (route) => {
  for (const path of addressesOf(route, show)) {
    sam.problems.length = 0;
    const answer = await sam.page.goto(path);
    expect([path, answer?.status()]).toEqual([path, 200]);
    await sam.page.waitForLoadState('load');
    expect([path, await sam.page.evaluate(strays)]).toEqual([path, []]);
    // Whatever names one thing shows what was written about it.
    if (route.includes(':'))
      expect([path, await sam.page.evaluate<string>(shown)]).toEqual([
        path,
        expect.stringContaining('onerror="window.ran=1"'),
      ]);
    await expectAccessible(sam.page);
    for (const width of [820, 390]) {
      await sam.page.setViewportSize({ width, height: 844 });
      const wider = await sam.page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
      expect([path, width, wider]).toEqual([path, width, 0]);
    }
    await sam.page.setViewportSize({ width: 1280, height: 800 });
    // A picture of an address that nobody serves any more is not a fault of the page.
    expect([path, sam.problems]).toEqual([path, []]);
    await sam.picture(path.replace(/\W+/g, ' ').trim());
  }
});

/** The language of a page, by how much it is wider than the window, and what stands out of it. */
const tooWide = `[
  document.documentElement.lang,
  document.documentElement.scrollWidth - window.innerWidth,
  [...document.querySelectorAll('main *')]
    .filter((element) => element.getBoundingClientRect().right > window.innerWidth)
    .map(({ tagName, id, className }) => [tagName, id, className].join(' ')),
]`;

test('German, which is longest, has room on every page', async () => {
  const kim = await dashboardBrowser(desk, { workspace: show.workspace, role: 'owner', name: 'Kim Able' });
  await desk.runtime.db.models.Member.update({ locale: 'de' }, { where: { id: kim.member.id } });
  const tight: unknown[] = [];
  // Each is opened on a phone, where it is tightest, and then made wide.
  for (const route of shownRoutes)
    for (const path of addressesOf(route, show).slice(0, 1)) {
      await kim.page.setViewportSize({ width: 390, height: 844 });
      await kim.page.goto(path);
      for (const width of [390, 1440]) {
        await kim.page.setViewportSize({ width, height: 844 });
        const [lang, wider, which] = await kim.page.evaluate<[string, number, string[]]>(tooWide);
        if (lang !== 'de' || wider > 0) tight.push([path, width, lang, wider, which]);
      }
    }
  expect(tight).toEqual([]);
}, 360_000);

/** What pages read from their address: texts; and all that the operations behind them take, with words of their own. */
const asked: readonly (readonly string[])[] = [
  ['search', 'q', 'tag', 'tool'],
  [
    ...new Set(operations.flatMap(({ query }) => Object.keys(query?.fields ?? {}))),
    ...['view', 'copy', 'reply_to', 'compose', 'next', 'receiver_id', 'parent_ticket', 'at', 'since'],
  ],
];

test.each(asked)('what stands in an address is text, and breaks no page (%s and others)', async (...names) => {
  const words = '<img src=x onerror="window.ran=1">';
  const query = new URLSearchParams(names.map((name): [string, string] => [name, words])).toString();
  const shows: string[] = [];
  for (const path of [...shownRoutes.flatMap((route) => addressesOf(route, show)[0] ?? []), '/dashboard/nowhere/']) {
    const answer = await fetch(`${desk.url}${path}?${query}`, { headers: { cookie: `token=${sam.token}` } });
    const html = await answer.text();
    expect([path, answer.status < 500, html.includes('<img src=x')]).toEqual([path, true, false]);
    if (html.includes('&lt;img src=x')) shows.push(path);
  }
  expect(shows).toEqual(expect.arrayContaining(['/dashboard/inbox/', '/dashboard/contacts/', '/dashboard/audit-log/']));
});
