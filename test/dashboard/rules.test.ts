import { createMacro, ownerSession, step } from '../factories/macros';
import { rulesPath, saveRule, storeRun } from '../factories/rules';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import { createContact } from '../factories/contacts';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { dashboardBrowser, expectAccessible, problemsBeside, type DashboardBrowser } from '../support/dashboard';

const hostile = `<img src=x onerror="alert(1)">"'</textarea>`;

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('no sandbox');
});
afterAll(() => desk.close());

interface Rule {
  readonly id: number;
  readonly name: string;
  readonly state: string;
  readonly on: unknown;
  readonly conditions: unknown;
  readonly wait: unknown;
  readonly unless: unknown;
  readonly macro_id: number;
}

const stored = async (workspace: TestWorkspace): Promise<readonly Rule[]> =>
  (await (await ownerSession(workspace)).api.get<Rule[]>(rulesPath)).body;

/** A team lead in a workspace of their own. */
async function lead(options: object = {}): Promise<{ kim: DashboardBrowser; workspace: TestWorkspace }> {
  const workspace = await createWorkspace(desk);
  const kim = await dashboardBrowser(desk, { workspace, role: 'owner', ...options });
  return { kim, workspace };
}

const told = (kim: DashboardBrowser) => kim.page.getByRole('region', { name: 'It reads' });

test('the five rules that are ready are taken one by one, each off until it is switched on', async () => {
  const { kim, workspace } = await lead();
  await kim.open('/dashboard/rules/');
  await kim.page.getByRole('heading', { name: 'No rules yet' }).waitFor();
  await expectAccessible(kim.page);
  await kim.picture('rules ready');
  for (let left = 5; left > 0; left -= 1) {
    const taken = kim.page.getByRole('link', { name: /^Take it/ });
    expect(await taken.count()).toBe(left);
    await taken.first().click();
    await kim.page.getByRole('button', { name: 'Save, switched off' }).click();
    await kim.page.getByText('The rule is saved, and off.').waitFor();
    await kim.open('/dashboard/rules/');
  }
  await kim.picture('rules list');
  await expectAccessible(kim.page);
  const sentences = await kim.page.locator('.rule-sentence').allTextContents();
  expect(sentences.sort()).toEqual([
    'When a call is missed, if the window is open: run We missed your call',
    'When a customer rates us, if the message says exactly “Dissatisfied”: run Look at it again',
    'When a customer writes, if the customer waits for an answer, after 10 minutes of working time, unless somebody ' +
      'answers: run Make it urgent',
    'When somebody answers, 1 hour before the window closes, unless the customer writes: run Still there?',
    'When somebody answers, after 3 days, unless the customer writes: run Resolve',
  ]);
  expect((await stored(workspace)).map(({ state }) => state)).toEqual(['off', 'off', 'off', 'off', 'off']);
  expect(kim.problems).toEqual([]);
});

test('a rule is built by choosing; what is wrong stands at its part', async () => {
  const { kim, workspace } = await lead();
  const { page } = kim;
  await createMacro(workspace, [step('add_tags', { tags: ['late'] })], `We are away ${hostile}`);
  await kim.open('/dashboard/rules/');
  await page.keyboard.press('n');
  await page.getByLabel('Name').fill(`Away ${hostile}`);
  await page.getByRole('button', { name: 'Add a condition' }).click();
  await told(kim).getByText('When a customer writes, if the team is closed: run …').waitFor();
  await page.getByLabel('It waits').selectOption({ label: 'so long, by the clock' });
  await page.getByLabel('somebody answers').check();
  await page.getByRole('button', { name: 'Save, switched off' }).click();
  await page.locator('.rule-part .field-error').first().waitFor();
  await page.getByLabel('How long').fill('10');
  await page.getByLabel('Macro').selectOption({ index: 1 });
  const sentence =
    'When a customer writes, if the team is closed, after 10 minutes, unless somebody answers: run We are away';
  await told(kim).getByText(sentence).waitFor();
  await page.getByLabel('What it is for').fill('Nobody wonders');
  await page.getByRole('button', { name: 'Rehearse as it stands here' }).click();
  await page.getByText('It would not have started once.').waitFor();
  expect(await stored(workspace)).toEqual([]);
  await expectAccessible(page);
  await kim.picture('rules form');
  await page.getByRole('button', { name: 'Save, switched off' }).click();
  await page.getByText('The rule is saved, and off.').waitFor();
  expect(await page.locator('main img').count()).toBe(0);
  const [rule] = await stored(workspace);
  expect(rule).toMatchObject({
    description: 'Nobody wonders',
    state: 'off',
    on: [{ event: 'message.received' }],
    conditions: { all: [{ field: 'hours', op: 'is', value: 'closed' }], any: [] },
    wait: { minutes: 10, by: 'clock' },
    unless: [{ event: 'conversation.answered' }],
  });
  expect(problemsBeside(kim.problems, 422)).toEqual([]);
});

test('what is chosen is asked again as it fits, and read back as it was', async () => {
  const { kim, workspace } = await lead();
  const { page } = kim;
  const macro = await createMacro(workspace, [step('set_priority', { priority: 'high' })]);
  const parts = {
    on: [
      { event: 'conversation.updated', changed: 'conv_status', to: 'open' },
      { event: 'conversation.updated', changed: 'tags' },
    ],
    conditions: {
      all: [{ field: 'priority', op: 'any_of', value: ['low', 'high'] }],
      any: [
        { field: 'tags', op: 'has_any', value: ['vip', 'gold'] },
        { field: 'inbound_count', op: 'above', value: 3 },
        { field: 'assigned_member', op: 'not_set' },
        { field: 'opted_out', op: 'is', value: true },
      ],
    },
    wait: { until: 'opening', plus_minutes: 90 },
    unless: [{ event: 'conversation.updated', changed: 'assigned_member' }, { event: 'message.received' }],
  };
  const { id } = await saveRule(workspace, { name: 'All of it', macro_id: macro, ...parts });
  await kim.open(`/dashboard/rules/${id}/`);
  await expectAccessible(page);
  await kim.picture('rules long');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('The rule is saved.').waitFor();
  const [rule] = await stored(workspace);
  expect(rule).toMatchObject({ ...parts, unless: expect.arrayContaining(parts.unless) as unknown });
  // Another field offers its own comparisons and values.
  await page.getByLabel('What', { exact: true }).first().selectOption({ label: 'Text of the message' });
  await page.getByLabel('Compared').first().selectOption({ label: 'contains' });
  await page.getByLabel('With').first().fill('refund');
  await told(kim).getByText('the message contains “refund”').waitFor();
  await page.getByRole('button', { name: 'Remove: condition 5' }).click();
  await page.getByLabel('What', { exact: true }).nth(4).waitFor({ state: 'detached' });
  expect(kim.problems).toEqual([]);
});

test('switched on, paused and off; waits that end are told before', async () => {
  const { kim, workspace } = await lead();
  const { page } = kim;
  const { id } = await saveRule(workspace, { name: 'Quick' });
  await kim.open(`/dashboard/rules/${id}/`);
  expect(await page.getByRole('button', { name: 'Switch on' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Rehearse', exact: true }).click();
  await page.getByText('It would not have started once.').waitFor();
  await page.getByRole('button', { name: 'Switch on' }).click();
  await page.getByText('The rule is on.').waitFor();
  await storeRun(workspace, id, Number((await createContact(workspace)).id));
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('The rule is paused.').waitFor();
  await page.getByText('1 conversation waits for this rule.').waitFor();
  await page.getByRole('button', { name: 'Switch off' }).click();
  await page.getByRole('dialog').getByText('1 conversation waits for it: these waits end.').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Switch off' }).click();
  await page.getByText('The rule is off.').waitFor();
  await page.getByRole('link', { name: 'Runs' }).click();
  await page.getByRole('cell', { name: /left out.*the rule was switched off/ }).waitFor();
  await expectAccessible(page);
  await kim.picture('rules runs');
  await page.getByLabel('State').selectOption({ label: 'applied' });
  await page.getByRole('heading', { name: 'No runs yet' }).waitFor();
  expect(kim.problems).toEqual([]);
});

test('the brake stops all of them, every page says so, and who may lets them go on', async () => {
  const { kim, workspace } = await lead();
  const { page } = kim;
  await saveRule(workspace, { name: 'Quick' });
  await kim.open('/dashboard/rules/');
  await page.locator('summary', { hasText: 'Stop all rules' }).click();
  await page.getByLabel('Why').fill(`Something is off ${hostile}`);
  await page.getByRole('button', { name: 'Stop all rules' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stop all rules' }).click();
  await page.getByText('All rules stand still.').waitFor();
  const agent = await dashboardBrowser(desk, { workspace, permissions: ['chat.view'] });
  for (const { page: own, path } of [
    { page, path: '/dashboard/account/' },
    { page: agent.page, path: '/dashboard/inbox/' },
  ]) {
    await own.goto(path);
    await own.getByText(`All rules stand still since`).waitFor();
    await own.getByText('Something is off <img').waitFor();
    expect(await own.locator('main img').count()).toBe(0);
  }
  expect(await agent.page.getByRole('button', { name: 'Let them go on' }).count()).toBe(0);
  await kim.picture('rules brake');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Let them go on' }).click();
  await page.getByText('Rules go on.').waitFor();
  expect(await page.getByText('All rules stand still').count()).toBe(0);
});

test('works without scripts, and on a phone', async () => {
  const { kim, workspace } = await lead({ scripts: false, viewport: { width: 390, height: 844 } });
  const { page } = kim;
  await createMacro(workspace, [step('set_priority', { priority: 'high' })], 'Urgent');
  await kim.open('/dashboard/rules/new/');
  await page.getByLabel('Name').fill('By hand');
  await page.getByRole('button', { name: 'Add a condition' }).click();
  await page.getByLabel('What', { exact: true }).selectOption({ label: 'Waits for an answer' });
  await page.getByRole('button', { name: 'Show what fits' }).click();
  await page.getByLabel('With').selectOption({ label: 'Yes' });
  await page.getByLabel('Macro').selectOption({ label: 'Urgent' });
  await page.getByRole('button', { name: 'Save, switched off' }).click();
  await page.getByText('The rule is saved, and off.').waitFor();
  expect(await stored(workspace)).toMatchObject([
    { name: 'By hand', conditions: { all: [{ field: 'waiting', op: 'is', value: true }] } },
  ]);
});

test('who may only read rules changes none', async () => {
  const { workspace } = await lead();
  const { id } = await saveRule(workspace, { name: 'Quick' });
  const kim = await dashboardBrowser(desk, { workspace, permissions: ['macro.view'] });
  await kim.open('/dashboard/rules/');
  await kim.page.getByRole('link', { name: 'Quick' }).click();
  await told(kim).getByText('When a customer writes').waitFor();
  for (const name of [/Save/, /Switch/, /Delete/, /Add/]) {
    expect(await kim.page.getByRole('main').getByRole('button', { name }).count()).toBe(0);
  }
  const { page } = kim;
  const refused = await page.request.post(`/dashboard/rules/${id}/state/`, { form: { state: 'on' } });
  expect(refused.status()).toBe(403);
});
