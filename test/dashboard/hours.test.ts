import { templateId } from '../factories/broadcasts';
import { createCustomer } from '../factories/customers';
import { createTeamInbox } from '../factories/inboxes';
import { ownerSession } from '../factories/macros';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { dashboardBrowser, expectAccessible } from '../support/dashboard';

type Json = Record<string, unknown>;

let desk: TestApi;
let workspace: TestWorkspace;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  workspace = await createWorkspace(desk, { timezone: 'Europe/Berlin' });
});
afterAll(() => desk.close());

const calendars = async (): Promise<Json[]> =>
  (await (await ownerSession(workspace)).api.get('/api/v1/calendars/')).body;

test('a calendar is made from a week of texts, says what is wrong by the day, and is changed and deleted', async () => {
  const inbox = await createTeamInbox(workspace);
  const sam = await dashboardBrowser(desk, { workspace });
  await sam.open('/dashboard/hours/');
  await sam.page.getByText('No calendars yet').waitFor();
  await sam.page.getByRole('link', { name: 'New calendar' }).click();
  await sam.page.getByLabel('Name').fill('Support');
  for (const day of ['Monday', 'Tuesday']) await sam.page.getByLabel(day).fill('9-12:30, 13:30 – 18:00');
  await sam.page.getByLabel('Friday').fill('9-12, 11-14');
  await sam.page.getByLabel('Saturday').fill('noon');
  await sam.page.getByLabel('Holidays').fill('2026-12-25 Christmas Day\n\n2027-01-01');
  await sam.page.getByLabel('Text').fill('Back on Monday, {{name}}');
  await sam.page.getByRole('button', { name: 'Create' }).click();
  await sam.page.locator('#field-saturday-error').waitFor();
  await sam.page.getByLabel('Saturday').fill('');
  await sam.page.getByRole('button', { name: 'Create' }).click();
  await sam.page.locator('#field-friday-error').getByText('It overlaps with another period of this day.').waitFor();
  expect(await sam.page.getByLabel('Monday').inputValue()).toBe('9-12:30, 13:30 – 18:00');
  await expectAccessible(sam.page);
  await sam.page.getByLabel('Friday').fill('22-24:00');

  // What fills the placeholders of a template is asked for once it is chosen.
  await sam.page.getByLabel('Template').selectOption(templateId(workspace, 'ticket_update'));
  await sam.page.getByRole('button', { name: 'Create' }).click();
  await sam.page.locator('[name=away_body_1_source]').selectOption({ label: 'Name of the contact' });
  await sam.page.locator('[name=away_body_2_source]').selectOption({ label: 'This text:' });
  await sam.page.locator('[name=away_body_2_value]').fill('tomorrow');
  await sam.page.getByRole('button', { name: 'Create' }).click();
  await sam.page.getByText('The calendar is made.').waitFor();
  await sam.page.getByText('Mon–Tue 09:00-12:30, 13:30-18:00').waitFor();
  await sam.page.getByText('2 holidays · Customers get an away reply').waitFor();
  const day = (weekday: string): Json[] => [
    { weekday, opens: '09:00', closes: '12:30' },
    { weekday, opens: '13:30', closes: '18:00' },
  ];
  expect(await calendars()).toMatchObject([
    {
      name: 'Support',
      is_default: true,
      periods: [...day('monday'), ...day('tuesday'), { weekday: 'friday', opens: '22:00', closes: '24:00' }],
      holidays: [
        { date: '2026-12-25', name: 'Christmas Day' },
        { date: '2027-01-01', name: '' },
      ],
      team_inbox_ids: [],
      away_text: 'Back on Monday, {{name}}',
      away_template_variables: {
        body: { 1: { source: 'field', field: 'name' }, 2: { source: 'static', value: 'tomorrow' } },
      },
    },
  ]);

  await sam.page.getByRole('link', { name: 'Edit Support' }).click();
  expect(await sam.page.getByLabel('Holidays').inputValue()).toBe('2026-12-25 Christmas Day\n2027-01-01');
  await sam.page.getByLabel('The workspace’s own').uncheck();
  await sam.page.locator(`[name=team_inbox_ids][value="${inbox}"]`).check();
  await sam.page.getByRole('button', { name: 'Save' }).click();
  await sam.page.getByText('The calendar is saved.').waitFor();
  expect(await calendars()).toMatchObject([
    { is_default: false, team_inbox_ids: [inbox], away_template_id: expect.any(String) as string },
  ]);

  await sam.open('/dashboard/sla-policies/new/');
  await sam.page.getByLabel('Name').fill('Gold');
  await sam.page.getByLabel('First answer').fill('30');
  await sam.page.getByLabel('The minutes are of').selectOption({ label: 'Working time of Support' });
  await sam.page.getByRole('button', { name: 'Create' }).click();
  await sam.page.getByText('The policy is made.').waitFor();
  await sam.page.getByText('tickets and conversations · in working time').waitFor();
  const { body: policies } = await (await ownerSession(workspace)).api.get('/api/v1/sla-policies/');
  expect(policies).toMatchObject([{ name: 'Gold', calendar_id: (await calendars())[0]?.['id'] }]);

  await sam.open('/dashboard/hours/');
  await sam.page.getByRole('link', { name: 'Edit Support' }).click();
  await sam.page.getByRole('button', { name: 'Delete this calendar' }).click();
  await sam.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await sam.page.getByText('The calendar is deleted.').waitFor();
  expect(await calendars()).toEqual([]);
});

test('an away reply is in the activity of its conversation', async () => {
  const { api } = await ownerSession(workspace);
  const [today, tomorrow] = [0, 1].map((days) =>
    new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'Europe/Berlin' }).format(
      Date.now() + days * 86_400_000,
    ),
  );
  const periods = ['monday', 'wednesday', 'friday', 'sunday']
    .filter((weekday) => weekday !== today?.toLowerCase() && weekday !== tomorrow?.toLowerCase())
    .map((weekday) => ({ weekday, opens: '09:00', closes: '10:00' }));
  expect((await api.post('/api/v1/calendars/', { name: 'Rare', periods, away_text: 'We are away.' })).status).toBe(201);
  const anna = createCustomer(workspace, { name: 'Anna' });
  await anna.writes('Hello?');
  const sam = await dashboardBrowser(desk, { workspace });
  await sam.open(`/dashboard/inbox/${anna.handle}/activity/`);
  await sam.page.getByText('answered that the team is away').waitFor();
});
