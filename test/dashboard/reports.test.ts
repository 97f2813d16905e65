import { readFile } from 'node:fs/promises';
import { sumUpReports } from '../../api/services/resources/reports/dailySums';
import { createCustomer } from '../factories/customers';
import { createTeamInbox } from '../factories/inboxes';
import { createWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { dashboardBrowser } from '../support/dashboard';

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
  expect(await lena.page.locator('.report-bars rect').count()).toBe(30);
  // Where only the last day is named, the first one is what the operation takes: 29 days before it.
  await lena.open('/dashboard/reports/?to=2026-03-10');
  expect(await lena.page.getByLabel('From', { exact: true }).inputValue()).toBe('2026-02-09');
  await lena.open('/dashboard/reports/');
  await lena.page.getByLabel('Sums').selectOption('tag');
  await lena.page.getByRole('row', { name: /=cmd\(\) 2 2/ }).waitFor();
  await lena.page.getByLabel('Sums').selectOption('hour');
  await lena.page.getByRole('row', { name: /^23:00/ }).waitFor();
  expect(await lena.page.locator('.report-bars rect').count()).toBe(24);

  const [download] = await Promise.all([
    lena.page.waitForEvent('download'),
    lena.page.getByRole('link', { name: 'Export as CSV' }).click(),
  ]);
  const [head, ...rows] = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
  expect(head).toMatch(/contact,began,first_answer,/);
  expect(rows).toHaveLength(2);
  for (const row of rows) expect(row).toContain(`"'=cmd()"`);
  expect(rows[0]).toMatch(new RegExp(`^${people[0]?.handle},.*,resolved,\\d+,`));
  expect(lena.problems).toEqual([]);
});
