import type { ElementHandle, Response } from 'playwright-core';
import { createShowcase, type Showcase } from '../factories/showcase';
import { insertContacts } from '../factories/broadcasts';
import { insertEarlier } from '../factories/customers';
import { startApi, type TestApi } from './api';
import {
  change,
  controlsOf,
  describeControl,
  fill,
  press,
  reachControl,
  ways,
  type Control,
  type Way,
} from './controls';
import { controlWrites } from './controlWrites';
import type { Place } from './storedRows';
import { dashboardBrowser, problemsBeside, type DashboardBrowser } from './dashboard';
import { eventually } from './eventually';
import { startLatency, type Latency } from './latency';
import { addressesOf, shownRoutes } from './pages';

/*
 * Everything that can be clicked in every page of the dashboard, in a workspace with a broadcast to 2,000 and a thread
 * of 5,000: what is looked at is asked for and comes, and what is written is stored.
 */
const recipients = 2_000;
const messages = 5_000;

/** How everything is used: in which way, from how far (each in its turn), and whether what only shows is used, too. */
interface Manner {
  readonly way: Way;
  readonly msAway: readonly number[];
  readonly reads: boolean;
}

let desk: TestApi;
const closing: Latency[] = [];

/** Declares a test for each manner. Each has a workspace of its own, and all go on at a time. */
export function walkControls(manners: readonly Manner[]): void {
  const walks: Promise<readonly string[]>[] = [];
  beforeAll(async () => {
    desk = await startApi({
      worker: true,
      env: { WEBHOOK_ALLOW_PRIVATE: '1', TEMPORAL_UI_URL: 'http://127.0.0.1:8233' },
    });
    const prepared = await Promise.all(manners.map(prepare));
    const [first] = prepared;
    if (!first) throw new Error('there is no way');
    const found = await collect(first);
    for (const walk of prepared) {
      const faults = walkAll(walk, found);
      // The test of the way says what is wrong.
      faults.catch(() => undefined);
      walks.push(faults);
    }
  }, 900_000);
  afterAll(async () => {
    await desk.close();
    await Promise.all(closing.map((latency) => latency.close()));
  });

  test.each(manners.map(({ way, msAway }, index) => [way, msAway.join(' and '), index] as const))(
    'every control of every page does what it says, by %s, %s ms away',
    async (_way, _msAway, index) => expect(await walks[index]).toEqual([]),
    // For what never ends: it takes about a minute.
    1_800_000,
  );
}

interface Walk extends Manner {
  readonly show: Showcase;
  readonly sam: DashboardBrowser;
  readonly latency: Latency;
  readonly faults: string[];
}

/** A control, and the first page that has it. */
interface Found extends Control {
  readonly path: (show: Showcase) => string;
}

/** Makes a workspace for a way, and a browser that can be far from it. */
async function prepare(manner: Manner): Promise<Walk> {
  const { way } = manner;
  const show = await createShowcase(desk, (text) => text);
  await fillUp(show);
  const latency = await startLatency();
  closing.push(latency);
  const sam = await dashboardBrowser(desk, {
    workspace: show.workspace,
    role: 'owner',
    proxy: latency.url,
    touch: way === 'touch',
    viewport: { width: 1280, height: 800 },
  });
  return { ...manner, show, sam, latency, faults: [] };
}

/** What opens something does so in every way; what only leads somewhere is used in one of them, each in its turn. */
function isReadBy(way: Way, control: Control, index: number): boolean {
  if (isWrite(control)) return false;
  // What leads past the navigation is there for the keyboard alone.
  if (control.kind === 'anchor') return way === 'keyboard';
  return !['link', 'look', 'file', 'elsewhere'].includes(control.kind) || ways[index % ways.length] === way;
}

const isWrite = ({ kind }: Control): boolean => kind === 'send' || kind === 'change';

async function walkAll(walk: Walk, found: ReadonlyMap<string, Found>): Promise<readonly string[]> {
  const { way, msAway, reads, show, sam, faults } = walk;
  let step = ways.indexOf(way);
  const far = (): number => msAway[(step += 1) % msAway.length] ?? 0;
  for (const [index, control] of [...found.values()].entries())
    if (reads && isReadBy(way, control, index))
      await attempt(walk, control.does, far(), (place) => look(walk, control, place));
  for (const [name] of controlWrites) {
    const does = name.replace(/ \(.*\)$/, '');
    await attempt(walk, name, far(), (place) => write(walk, name, does, found.get(does)?.path(show), place));
  }
  const named = new Set([...controlWrites.keys()].map((name) => name.replace(/ \(.*\)$/, '')));
  for (const control of found.values())
    if (isWrite(control) && !named.has(control.does))
      faults.push(`${control.does}: test/support/controlWrites.ts does not say what it stores`);
  // A form that is refused is answered so, a page may ask for a part of what was just deleted in it, and one whose
  // session was ended may ask for its news before it is left. Where a control is refused, its row tells.
  return [...faults, ...problemsBeside(sam.problems, 401, 404, 422)];
}

/** Makes the thread long and the broadcast large. */
async function fillUp({ workspace, receiver, completed }: Showcase): Promise<void> {
  await insertEarlier(workspace, receiver, messages);
  await insertContacts(workspace, recipients, 4_930_000_000_000 + workspace.id * 10_000);
  await desk.runtime.db.rows(
    `INSERT INTO broadcast_recipients (broadcast_id, position, workspace_id, contact_id, state)
     SELECT $broadcast, 1000 + row_number() OVER (ORDER BY id), workspace_id, id, CASE id % 20 WHEN 0 THEN 'failed'
       ELSE 'sent' END FROM contacts WHERE workspace_id = $w AND name LIKE 'Contact %'`,
    { w: workspace.id, broadcast: completed },
  );
}

/** Returns each control once, with the first page that has it. */
async function collect({ show, sam }: Walk): Promise<Map<string, Found>> {
  const found = new Map<string, Found>();
  for (const route of shownRoutes)
    for (const [index, path] of addressesOf(route, show).entries()) {
      await open(sam, path);
      for (const control of await controlsOf(sam.page))
        if (!found.has(control.does))
          found.set(control.does, { ...control, path: (other) => addressesOf(route, other)[index] ?? path });
    }
  return found;
}

async function attempt(walk: Walk, name: string, ms: number, work: (place: Place) => Promise<void>): Promise<void> {
  const { way, show, sam, latency, faults } = walk;
  const { page, member } = sam;
  const mark = `by-${way}-${Math.random().toString(36).slice(2, 8)}`;
  try {
    await work({ show, page, member, mark, made: 0, setLatency: () => void (latency.ms = ms) });
  } catch (error) {
    const what = (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ').slice(0, 300);
    const says = await page
      .locator('.field-error, [role=alert], .toast')
      .allTextContents()
      .catch(() => []);
    faults.push(`${name} (${ms} ms away): ${what}; the page says: ${says.join(' ').replaceAll(/\s+/g, ' ')}`);
  }
  latency.ms = 0;
}

/**
 * Opens a page, after one that may still be on its way: where both meet, the browser refuses the second, or never
 * begins with it.
 */
async function open({ page }: DashboardBrowser, path: string): Promise<void> {
  await eventually(() => page.goto(path, { waitUntil: 'domcontentloaded', timeout: 15_000 }));
}

/** Uses a control, and waits for the page that follows, where it leads to another one. */
async function follow({ page }: DashboardBrowser, element: ElementHandle, use: () => Promise<unknown>): Promise<void> {
  const isPart = await element.evaluate((each) =>
    Boolean(each.closest('[hx-get], [hx-post], [hx-boost]') ?? each.form?.matches('[hx-post], #import')),
  );
  const loaded = isPart ? undefined : page.waitForEvent('domcontentloaded');
  loaded?.catch(() => undefined);
  await use();
  await loaded;
}

/** Uses a control that writes nothing, and looks for what it says. */
async function look({ way: own, show, sam }: Walk, { kind, does, path }: Found, place: Place): Promise<void> {
  const { page, context } = sam;
  await open(sam, path(show));
  const element = await reachControl(page, does, own);
  // What Tab passes over has the same in a menu that it reaches.
  const way = own === 'keyboard' && (await element.getAttribute('tabindex')) === '-1' ? 'mouse' : own;
  const { address } = await describeControl(page, does);
  place.setLatency();
  const use = () => press(page, element, way);
  if (kind === 'link') {
    const [answer] = await Promise.all([
      answerOf(sam, (url) => url.pathname + url.search === address),
      follow(sam, element, use),
    ]);
    expect(answer.status()).toBeLessThan(400);
  } else if (kind === 'look') {
    const isButton = await element.evaluate((each) => each.localName === 'button');
    const name = isButton ? '' : ((await element.getAttribute('name')) ?? '');
    const asked = answerOf(
      sam,
      ({ pathname, searchParams }) => pathname === address && (isButton || searchParams.has(name)),
    );
    const [answer] = await Promise.all([
      asked,
      follow(sam, element, isButton ? use : () => change(page, element, way)),
    ]);
    // A filter by somebody who is not there is answered so, beside its field.
    expect([200, 422]).toContain(answer.status());
  } else if (kind === 'file') {
    const [file] = await Promise.all([page.waitForEvent('download'), use()]);
    expect(await file.failure()).toBeNull();
  } else if (kind === 'elsewhere') {
    const [tab] = await Promise.all([context.waitForEvent('page'), use()]);
    await tab.close();
  } else {
    await use();
    const holds: Readonly<Record<string, () => Promise<boolean>>> = {
      anchor: () => page.evaluate<boolean>(`location.hash === ${JSON.stringify(address)}`),
      popover: () => page.locator(address).evaluate((each) => each.matches(':popover-open')),
      dialog: () => page.locator(address).evaluate((each) => each.open),
      close: () => page.locator(address).evaluate((each) => !each.open),
      fold: () => element.evaluate((each) => each.parentElement.open),
      copy: async () => (await page.locator('.toast').count()) > 0,
    };
    await eventually(async () => expect(await holds[kind]?.()).toBe(true));
  }
}

function answerOf({ page }: DashboardBrowser, fits: (url: URL) => boolean): Promise<Response> {
  return page.waitForResponse((answer) => fits(new URL(answer.url())));
}

/** Uses a control that writes, and reads what it stored. */
async function write(
  { way, sam }: Walk,
  name: string,
  does: string,
  found: string | undefined,
  place: Place,
): Promise<void> {
  const entry = controlWrites.get(name);
  const { page } = sam;
  await entry?.prepare?.(place);
  const path = (await entry?.at?.(place)) ?? found;
  if (!entry || path === undefined) throw new Error('no page has it');
  await open(sam, path);
  const before = await entry.row(place);
  if ('is' in entry && entry.is !== undefined && JSON.stringify(before) === JSON.stringify(entry.is))
    throw new Error(`it was ${JSON.stringify(before)} before`);
  const element = await reachControl(page, does, way);
  const values = typeof entry.fill === 'function' ? entry.fill(place) : (entry.fill ?? {});
  const isField = await element.evaluate((each) => each.localName !== 'button');
  if (isField) {
    place.setLatency();
    await follow(sam, element, () => change(page, element, way, Object.values(values)[0]));
  } else {
    await fill(page, element, values);
    place.setLatency();
    await follow(sam, element, async () => {
      const isAsked = await element.evaluate((each) => Boolean(each.dataset.confirm ?? each.form?.dataset.confirm));
      await press(page, element, way);
      if (isAsked) await press(page, await page.waitForSelector('#confirm[open] #confirm-yes'), way);
    });
  }
  await eventually(async () => {
    const after = await entry.row(place);
    if ('is' in entry && entry.is !== undefined) expect(after).toEqual(entry.is);
    else expect(after).not.toEqual(before);
  });
}
