import { readFile } from 'node:fs/promises';
import type { Scope } from '../../api/core/http/access';
import { sumUpReports } from '../../api/services/resources/reports/dailySums';
import { getInbox } from '../../api/services/resources/inboxes/service';
import { reportGroups } from '../../api/services/resources/reports/figures';
import { createCustomer } from '../factories/customers';
import { createTeamInbox } from '../factories/inboxes';
import { createMacro, step } from '../factories/macros';
import { createMember, createSession } from '../factories/members';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { dashboardBrowser, expectAccessible, type DashboardBrowser } from '../support/dashboard';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

test('a team lead sees how quickly the team is, by what they choose, and takes it along as a file', async () => {
  const workspace = await createWorkspace(desk);
  const inbox = await createTeamInbox(workspace);
  const people = [createCustomer(workspace), createCustomer(workspace)];
  for (const { handle, phone, writes } of people) {
    await writes('Hello');
    await workspace.api.patch(`/api/v1/conversations/${handle}/`, { assigned_team_inbox: inbox, tags: ['=cmd()'] });
    await workspace.api.post('/api/v1/messages/', { to: phone, body: 'Hi' });
  }
  await workspace.api.patch(`/api/v1/conversations/${people[0]?.handle}/`, { conv_status: 'resolved' });
  await sumUpReports(desk.runtime);

  const lena = await dashboardBrowser(desk, { workspace, permissions: ['report.view'] });
  await lena.open('/dashboard/reports/');
  const figure = (label: string) =>
    lena.page.locator('.report-figures > div', { has: lena.page.getByText(label, { exact: true }) }).locator('dd');
  await expect(figure('Began').textContent()).resolves.toBe('2');
  await expect(figure('Resolved').textContent()).resolves.toBe('1');
  await expect(figure('Open at the end').textContent()).resolves.toBe('1');
  await lena.page.getByRole('img', { name: 'Conversations that began, at most 2' }).waitFor();
  expect(await lena.page.locator('.report-bar').count()).toBe(30);
  // Where only the last day is named, the first one is what the operation takes: 29 days before it.
  await lena.open('/dashboard/reports/?to=2026-03-10');
  expect(await lena.page.getByLabel('From', { exact: true }).inputValue()).toBe('2026-02-09');
  await lena.open('/dashboard/reports/');
  await lena.page.getByLabel('Sums').selectOption('tag');
  await lena.page
    .getByRole('row', { name: /^=cmd\(\) .*: Began: 2 conversations .*: Answered: 2 conversations / })
    .waitFor();
  await lena.page.getByLabel('Sums').selectOption('hour');
  await lena.page.getByRole('row', { name: /^23:00/ }).waitFor();
  expect(await lena.page.locator('.report-bar').count()).toBe(24);

  const [download] = await Promise.all([
    lena.page.waitForEvent('download'),
    lena.page.getByRole('link', { name: 'Export as CSV' }).click(),
  ]);
  const [head, ...rows] = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
  expect(head).toMatch(/contact,began,first_answer,/);
  expect(rows).toHaveLength(2);
  for (const row of rows) expect(row).toContain(`"'=cmd()"`);
  expect(rows[0]).toMatch(new RegExp(`^${people[0]?.handle},.*,resolved,\\d+,`));
  // Every page asks for news by itself, also of who is told none.
  expect((await lena.page.request.get('/dashboard/notices/')).status()).toBe(200);
  expect(lena.problems).toEqual([]);
});

const dayMs = 86_400_000;
const dayAgo = (days: number): string => new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);

interface Began {
  readonly days: number;
  readonly count?: number;
  /** After how many minutes. */
  readonly answered?: number;
  readonly resolved?: number;
  readonly rating?: 'good' | 'poor';
  readonly tags?: readonly string[];
  readonly inbox?: number;
  readonly member?: number;
  readonly broadcast?: number;
}

/** Conversations that began so many days ago, and what became of them. */
async function began(workspace: TestWorkspace, given: Began): Promise<void> {
  const { days, count = 1, answered = null, resolved = null, rating = null, tags = [] } = given;
  const { inbox = null, member = null, broadcast = null } = given;
  await desk.runtime.db.rows(
    `INSERT INTO conversation_episodes (workspace_id, started_at, first_response_at, ended_at, ended_as, rating,
       asked_at, rated_at, tags, team_inbox_id, answered_by_id, ended_by_id, broadcast_id)
     SELECT $workspaceId, s.at, s.at + $answered::int * interval '1 minute',
       s.at + $resolved::int * interval '1 minute', CASE WHEN $resolved::int IS NULL THEN '' ELSE 'resolved' END,
       $rating::varchar, CASE WHEN $rating::varchar IS NOT NULL THEN s.at END,
       CASE WHEN $rating::varchar IS NOT NULL THEN s.at END, $tags::jsonb, $inbox::bigint, $member::bigint,
       CASE WHEN $resolved::int IS NOT NULL THEN $member::bigint END, $broadcast::bigint
     FROM (SELECT date_trunc('day', now(), 'UTC') - $days::int * interval '1 day'
         + interval '9 hours' AS at) s, generate_series(1, $count::int)`,
    {
      ...{ workspaceId: workspace.id, days, count, answered, resolved, rating, inbox, member, broadcast },
      tags: JSON.stringify(tags),
    },
  );
}

/** Follows the pages of a list to its end. Returns how many rows they have. */
async function rowsOf(member: DashboardBrowser): Promise<number> {
  const rows = await member.page.locator('tbody tr').count();
  const next = member.page.getByRole('link', { name: 'Next' });
  if ((await next.count()) === 0) return rows;
  await member.open((await next.getAttribute('href')) ?? '');
  return rows + (await rowsOf(member));
}

test('each number of conversations opens exactly these, and the chart says how many began', async () => {
  const workspace = await createWorkspace(desk);
  const anna = createCustomer(workspace, { name: 'Anna Counted' });
  await anna.writes('Hello');
  await workspace.api.patch(`/api/v1/conversations/${anna.handle}/`, { conv_status: 'resolved' });
  // The same conversation began twice, which a list of conversations by their states would not show.
  await anna.writes('Again');
  await began(workspace, { days: 3, count: 51, answered: 5, resolved: 60 });
  await began(workspace, { days: 4, count: 2 });
  await sumUpReports(desk.runtime);

  const lena = await dashboardBrowser(desk, { workspace, permissions: ['report.view', 'chat.view'] });
  await lena.open('/dashboard/reports/');
  const links = await lena.page.locator('main a[href*="/reports/conversations/"]').all();
  const numbers = await Promise.all(
    links.map(async (link) => [await link.textContent(), (await link.getAttribute('href')) ?? ''] as const),
  );
  const rows = [['2', '1', '3'], ['2'], ['2'], ['51', '51', '51', '2'], ['2', '2']];
  expect(numbers.map(([number]) => number)).toEqual(['55', '52', '3', ...rows.flat()]);
  for (const [number, href] of numbers) {
    await lena.open(href);
    await lena.page.getByText(new RegExp(`^${number} conversations? · `)).waitFor();
    expect([href, await rowsOf(lena)]).toEqual([href, Number(number)]);
  }
  // The way back is to the same days.
  await lena.page.locator('.page-head').getByRole('link', { name: 'Reports' }).click();
  await lena.page.getByText('Open at the end').first().waitFor();
  expect(await lena.page.getByLabel('From', { exact: true }).inputValue()).toBe(
    await lena.page.getByLabel('To', { exact: true }).inputValue(),
  );
  await lena.open('/dashboard/reports/');
  await lena.page.getByRole('link', { name: /^Began: 55 conversations/ }).click();
  await lena.page
    .getByRole('row', { name: /^Contact erased .* 5 min Resolved 1 h –$/ })
    .first()
    .waitFor();
  await expectAccessible(lena.page);
  await lena.picture('reported conversations');
  await lena.page.getByRole('link', { name: 'Next' }).click();
  await lena.page
    .getByRole('row', { name: /Not ended/ })
    .getByRole('link', { name: 'Anna Counted' })
    .click();
  await lena.page.getByText('Again', { exact: true }).first().waitFor();

  await lena.open('/dashboard/reports/');
  await expectAccessible(lena.page);
  await lena.picture('reports');
  expect(await lena.page.locator('.report-axis span').allTextContents()).toEqual(['60', '40', '20', '0']);
  const middles = (selector: string) =>
    lena.page.evaluate<number[]>(`[...document.querySelectorAll(${JSON.stringify(selector)})]
      .map((element) => element.getBoundingClientRect()).map(({ top, height }) => Math.round(top + height / 2))`);
  expect(await middles('.report-axis span')).toEqual(await middles('.report-bars line'));
  const bar = lena.page.locator('.report-bars g', { hasText: ': 51 conversations' });
  expect(Number(await bar.locator('.report-bar').getAttribute('height'))).toBe(85);

  // Of days whose conversations are kept no more the sums are left, and lead nowhere.
  await desk.runtime.db.rows(
    `INSERT INTO report_days (workspace_id, kind, day, key, started, answered, first_response_seconds, resolved,
       resolution_seconds) VALUES ($id, 'day', $day, '', 7, 0, 0, 0, 0)`,
    { id: workspace.id, day: dayAgo(800) },
  );
  await lena.open(`/dashboard/reports/?from=${dayAgo(801)}&to=${dayAgo(799)}`);
  await lena.page.getByRole('cell', { name: '7', exact: true }).first().waitFor();
  expect(await lena.page.locator('a[href*="/reports/conversations/"]').count()).toBe(0);
  expect(lena.problems).toEqual([]);
  await lena.open('/dashboard/reports/conversations/?from=2026-10-02&to=2026-10-01');
  await lena.page.getByRole('alert').getByText('From may not be after to.').waitFor();
});

test('whatever a report is by, each of its numbers is a link, which opens as many conversations', async () => {
  const workspace = await createWorkspace(desk);
  const inbox = await createTeamInbox(workspace);
  const member = workspace.owner.id;
  await began(workspace, {
    days: 3,
    count: 3,
    answered: 5,
    resolved: 60,
    rating: 'good',
    inbox,
    member,
    tags: ['a b', 'vip'],
  });
  await began(workspace, { days: 2, count: 2, answered: 5, resolved: 60, rating: 'poor', tags: ['vip'], broadcast: 7 });
  await began(workspace, { days: 2, count: 4, answered: 5, inbox, member });
  await began(workspace, { days: 1, count: 1 });
  await sumUpReports(desk.runtime);

  const lena = await dashboardBrowser(desk, { workspace, permissions: ['report.view'] });
  for (const group of reportGroups) {
    await lena.open(`/dashboard/reports/?group_by=${group}`);
    // Columns of durations and shares count nothing.
    const found = await lena.page.evaluate<{ counts: string[]; links: [string, string, string][] }>(`(() => {
      const table = document.querySelector('.report-table');
      const heads = [...table.querySelectorAll('th')].map((head) => head.textContent);
      const cells = [...table.querySelectorAll('tbody tr')].flatMap((row) =>
        [...row.children].filter((cell, at) => at > 0 && !/after|Satisfied/.test(heads[at])));
      const links = cells.flatMap((cell) => [...cell.querySelectorAll('a')]);
      return {
        counts: cells.map((cell) => cell.textContent).filter((text) => !['0', '–'].includes(text)),
        links: links.map((a) => [a.textContent, a.getAttribute('href'), a.getAttribute('aria-label')]),
      };
    })()`);
    expect([group, found.links.map(([number]) => number)]).toEqual([group, found.counts]);
    expect([group, found.counts.length > 3]).toEqual([group, true]);
    expect(new Set(found.links.map(([, , label]) => label)).size).toBe(found.links.length);
    for (const [number, href] of found.links) {
      const page = await (await lena.page.request.get(href)).text();
      expect([href, page.match(/<tr/g)?.length]).toEqual([href, Number(number) + 1]);
    }
  }
  await lena.open('/dashboard/reports/?group_by=inbox');
  await lena.page.getByRole('link', { name: /: Resolved: 3 conversations$/ }).click();
  await lena.page.getByRole('heading', { name: 'Conversations that were resolved' }).waitFor();
  await lena.page.getByText(/^3 conversations · Team inbox: .+ · /).waitFor();
  await lena.picture('reported conversations of a team inbox');
  // What has changed since it was counted is said.
  const behind = lena.page.getByText('Conversations have changed since they were counted');
  expect(await behind.count()).toBe(0);
  await began(workspace, { days: 1 });
  await lena.open('/dashboard/reports/conversations/');
  await behind.waitFor();
  await lena.page.getByRole('link', { name: 'Reports' }).first().waitFor();
  expect(lena.problems).toEqual([]);
});

test('each figure is beside that of as many days before, with what is better or worse about it', async () => {
  const workspace = await createWorkspace(desk);
  await began(workspace, { days: 9, answered: 30, resolved: 60, rating: 'good' });
  await began(workspace, { days: 4, answered: 10, resolved: 120, rating: 'good' });
  await began(workspace, { days: 3, answered: 10, resolved: 120, rating: 'poor' });
  await began(workspace, { days: 2, answered: 10 });
  await sumUpReports(desk.runtime);

  const lena = await dashboardBrowser(desk, { workspace, permissions: ['report.view'] });
  const open = (from: number, to: number) => lena.open(`/dashboard/reports/?from=${dayAgo(from)}&to=${dayAgo(to)}`);
  const before = lena.page.locator('.report-before');
  await open(6, 0);
  expect(await before.allTextContents()).toEqual([
    'Before: 1 · +2',
    'Before: 30 min · −20 min, better',
    'Before: 1 · +1, better',
    'Before: 1 h · +1 h, worse',
    'Before: 100 % · −50 points, worse',
    'Before: 0 · +1, worse',
  ]);
  await lena.page.getByText(/^Compared with .+ – .+, as many days before\.$/).waitFor();
  await expectAccessible(lena.page);
  await lena.picture('reports of a week');
  await open(3, 3);
  expect(await before.allTextContents()).toEqual([
    'Before: 1 · unchanged',
    'Before: 10 min · unchanged',
    'Before: 1 · unchanged',
    'Before: 2 h · unchanged',
    'Before: 100 % · −100 points, worse',
    'Before: 0 · unchanged',
  ]);
  // A figure that is missing now or then is compared with nothing.
  await open(2, 2);
  expect(await before.nth(3).textContent()).toBe('Before: 2 h');
  await open(13, 7);
  expect(await lena.page.locator('.report-figures dd').first().textContent()).toBe('1');
  expect(await before.count()).toBe(0);
  expect(await lena.page.getByText('Compared with').count()).toBe(0);
  expect(lena.problems).toEqual([]);
});

test('who may not list the team reads its names where something is given to them', async () => {
  const workspace = await createWorkspace(desk);
  const inbox = await createTeamInbox(workspace);
  const { name } = await getInbox(workspace.ctx, inbox);
  const sam = await createMember(workspace, { role: 'agent', permissions: ['report.view', 'macro.view'] });
  const mia = await createMember(workspace, { name: 'Mia Named' });
  const macro = await createMacro(workspace, [
    step('assign_inbox', { assigned_team_inbox: inbox }),
    step('assign_member', { assigned_member: mia.id }),
  ]);
  const { token } = await createSession(sam);
  const read = async (path: string): Promise<string> =>
    (await fetch(`${desk.url}/dashboard/${path}`, { headers: { cookie: `token=${token}` } })).text();
  const day = desk.runtime.clock.now().toISOString().slice(0, 10);
  const days = `from=${day}&to=${day}`;
  expect(await read(`reports/conversations/?${days}&group_by=inbox&key=${inbox}`)).toContain(`Team inbox: ${name}`);
  expect(await read(`reports/conversations/?${days}&group_by=member&key=${mia.id}`)).toContain('Member: Mia Named');
  const steps = await read(`macros/${macro}/`);
  expect(steps).toContain(`Assign to ${name}`);
  expect(steps).toContain('Assign to Mia Named');
});

test('reported conversations name people as the inbox does', async () => {
  const workspace = await createWorkspace(desk);
  const [named, handled, numbered] = [
    createCustomer(workspace, { name: 'Nora Named' }),
    createCustomer(workspace, { name: 'x' }),
    createCustomer(workspace, { name: 'y' }),
  ];
  for (const { writes } of [named, handled, numbered]) await writes('Hello');
  const { Contact } = desk.runtime.db.models;
  const call = (receiver: string, values: { name: string; username: string | null }) =>
    Contact.update(values, { where: { workspace_id: workspace.id, receiver_id: receiver } });
  await call(handled.handle, { name: '', username: 'hank' });
  await call(numbered.handle, { name: '', username: null });
  await sumUpReports(desk.runtime);
  const read = async (permissions: readonly Scope[]) => {
    const { token } = await createSession(await createMember(workspace, { role: 'agent', permissions }));
    const headers = { cookie: `token=${token}` };
    const html = await (await fetch(`${desk.url}/dashboard/reports/conversations/`, { headers })).text();
    return [...html.matchAll(/<bdi>([^<]*)<\/bdi>/g)].map(([, name]) => name);
  };
  expect(await read(['report.view', 'chat.view'])).toEqual(['Nora Named', '@hank', `+${numbered.handle}`]);
  // Who may not read conversations is told the numbers alone, as before.
  expect(await read(['report.view'])).toEqual([named, handled, numbered].map(({ handle }) => `+${handle}`));
});
