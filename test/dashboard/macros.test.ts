import type { Request } from 'playwright-core';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { createMacro, macrosPath, ownerSession, step } from '../factories/macros';
import { createPipeline } from '../factories/tickets';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { dashboardBrowser, expectAccessible, isIdle, pageShows } from '../support/dashboard';

const hostile = `<img src=x onerror="alert(1)">"'</textarea>`;

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('worker');
});
afterAll(() => desk.close());

const macros = async () => (await (await ownerSession(desk.workspace)).api.get(macrosPath)).body;

test('a macro is built step by step; a wrong step says what is wrong beside its field', async () => {
  const sam = await dashboardBrowser(desk);
  await sam.open('/dashboard/macros/');
  await sam.page.getByRole('heading', { name: 'No macros yet' }).waitFor();
  await sam.page.keyboard.press('n');
  await sam.page.getByLabel('Name').fill(`Thanks ${hostile}`);
  const add = async (label: string) => {
    await sam.page.getByLabel('Add a step').selectOption({ label });
    await sam.page.getByRole('button', { name: 'Add', exact: true }).click();
    await sam.page.getByRole('listitem', { name: label }).waitFor();
  };
  await add('Send a message');
  await add('Add tags');
  // The page stays where it is: the next step is added from the same button.
  const focused = `(({ textContent }, { top, bottom }) => textContent.trim() + ' ' +
    (top >= 0 && bottom <= innerHeight))(document.activeElement, document.activeElement.getBoundingClientRect())`;
  await pageShows(sam.page, `${focused} === 'Add true'`);
  await sam.page.getByRole('button', { name: 'Check the steps' }).click();
  await sam.page
    .getByRole('listitem', { name: /Add tags/ })
    .locator('.field-error')
    .waitFor();
  await sam.page.getByRole('textbox', { name: 'Tags' }).fill('solved, thanked');
  // What a customer would read follows what is typed, before the field is left.
  const told = sam.page.getByRole('region', { name: 'What it does' });
  await told.getByText('Send a message: not complete yet').waitFor();
  await sam.page.getByRole('textbox', { name: 'Message' }).pressSequentially('Thank you');
  await told.getByText('Thank you', { exact: true }).waitFor();
  await sam.page.getByRole('textbox', { name: 'Message' }).fill(`Thank you, {{name}}! ${hostile}`);
  await sam.page.getByRole('textbox', { name: 'Tags' }).focus();
  await sam.page.getByRole('button', { name: 'Move up step 2' }).click();
  await sam.page.getByRole('listitem', { name: 'Step 1: Add tags' }).waitFor();
  await sam.page.getByRole('button', { name: 'Check the steps' }).click();
  await sam.page.getByText('Every step is fine.').waitFor();
  await told.getByText('Add tags: solved, thanked').waitFor();
  await told.getByText('Thank you, [name]!').waitFor();
  await sam.page.getByRole('button', { name: 'Save' }).click();
  await sam.page.getByText('The macro is saved.').waitFor();
  expect(await sam.page.locator('main img').count()).toBe(0);
  expect((await macros()).map(({ name, actions }) => [name, actions])).toEqual([
    [
      `Thanks ${hostile}`,
      [
        step('add_tags', { tags: ['solved', 'thanked'] }),
        step('send_message', {
          body: `Thank you, {{1}}! ${hostile}`,
          template_variables: { body: { 1: { source: 'field', field: 'name' } } },
        }),
      ],
    ],
  ]);
});

test('a step that is moved right after typing is moved, with its text, however late an answer comes', async () => {
  const steps = [step('send_message', { body: 'Old' }), step('add_tags', { tags: ['x'] })];
  const id = await createMacro(desk.workspace, steps, 'Moved at once');
  const { page, open } = await dashboardBrowser(desk);
  await open(`/dashboard/macros/${id}/`);
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  const said = (request: Request, text: string) => request.postData()?.includes(text) ?? false;
  // What the field asks for as it is typed in, and left.
  await page.route(`**/macros/${id}/`, async (route) => {
    const response = await route.fetch();
    if (said(route.request(), 'do=refresh')) await held;
    await route.fulfill({ response });
  });
  await page.getByRole('textbox', { name: 'Message' }).fill('New');
  const moved = page.waitForResponse((response) => said(response.request(), 'do=up%3A1'));
  // By a key: what is shown of the text may move the button away from under a pointer.
  await page.getByRole('button', { name: 'Move up step 2' }).press('Enter');
  // An older answer that comes after its own.
  await Promise.race([moved, page.waitForTimeout(1_000)]);
  letGo();
  await moved;
  await isIdle(page);
  await page.getByRole('listitem', { name: 'Step 1: Add tags' }).waitFor();
  expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('New');
});

test('a button that is pressed again before the answer means the step that it stood in', async () => {
  const steps = ['a', 'b', 'c'].map((tag) => step('add_tags', { tags: [tag] }));
  const id = await createMacro(desk.workspace, steps, 'Pressed twice');
  const { page, open } = await dashboardBrowser(desk);
  await open(`/dashboard/macros/${id}/`);
  const becomes = async (name: string, tags: string): Promise<void> => {
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    await page.route(`**/macros/${id}/`, (route) => held.then(() => route.continue()));
    const button = page.getByRole('button', { name });
    await button.press('Enter');
    await button.press('Enter');
    letGo();
    const are = `[...document.querySelectorAll('.step [name$=-tags]')].map(({ value }) => value).join() === '${tags}'`;
    await pageShows(page, are);
    // The second one was asked for by now, if it is.
    await isIdle(page);
    expect(await page.evaluate(are)).toBe(true);
  };
  await becomes('Move up step 3', 'c,a,b');
  await becomes('Remove step 2', 'c,b');
});

test('what the editor has no fields for stays, without scripts too; a macro is deleted after a question', async () => {
  const odd = [step('send_message', { type: 'image', image: { link: 'https://files.example/a.png' } })];
  const id = await createMacro(desk.workspace, odd, 'Picture');
  const sam = await dashboardBrowser(desk, { scripts: false });
  await sam.open(`/dashboard/macros/${id}/`);
  await sam.page.getByLabel('Name').fill('Renamed');
  await sam.page.getByRole('button', { name: 'Save' }).click();
  const remove = sam.page
    .getByRole('listitem')
    .filter({ hasText: 'Renamed' })
    .getByRole('button', { name: /Delete/ });
  await remove.waitFor();
  expect((await macros()).find(({ name }) => name === 'Renamed')?.actions).toEqual(odd);
  await remove.click();
  await sam.page.getByRole('heading', { name: 'Delete this macro?' }).waitFor();
  await sam.page.getByRole('button', { name: 'Delete' }).click();
  await sam.page.getByText('The macro is deleted.').waitFor();
  expect((await macros()).some(({ name }) => name === 'Renamed')).toBe(false);
});

const greeting = [
  step('add_tags', { tags: ['greeted'] }),
  step('send_message', {
    body: 'Welcome, {{1}}!',
    template_variables: { body: { 1: { source: 'field', field: 'name' } } },
  }),
];

test('a macro that sends is shown first, and runs by mouse, key and without scripts', async () => {
  await createMacro(desk.workspace, greeting, 'Greet them');
  const writing = async (name: string): Promise<TestCustomer> => {
    const customer = createCustomer(desk.workspace, { name });
    await customer.writes('Hello');
    return customer;
  };
  const tagsOf = async ({ handle }: TestCustomer): Promise<unknown> =>
    (await desk.api.get(`/api/v1/conversations/${handle}/`)).body['tags'];
  const mia = await writing('Mia Mouse');
  const sam = await dashboardBrowser(desk, { name: 'Sam Able' });
  const { page } = sam;
  const asked = (name: string) => page.getByRole('dialog', { name: `Run “Greet them” for ${name}?` });
  await sam.open(`/dashboard/inbox/${mia.handle}/`);
  await page.getByRole('button', { name: 'Run a macro' }).click();
  await page.getByRole('button', { name: 'Greet them' }).click();
  const dialog = asked('Mia Mouse');
  await dialog.getByText('Welcome, Mia Mouse!').waitFor();
  await dialog.getByText('Add tags: greeted').waitFor();
  await sam.picture('macro preview');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'hidden' });
  expect(await tagsOf(mia)).toEqual([]);
  await page.getByRole('button', { name: 'Run a macro' }).click();
  await page.getByRole('button', { name: 'Greet them' }).click();
  await dialog.getByRole('button', { name: 'Run' }).click();
  await page.getByRole('log').getByText('Welcome, Mia Mouse!').waitFor();
  await dialog.waitFor({ state: 'hidden' });
  expect(await tagsOf(mia)).toEqual(['greeted']);

  const kay = await writing('Kay Key');
  await sam.open(`/dashboard/inbox/${kay.handle}/`);
  await page.keyboard.press('m');
  await page.locator('#macros button:focus').waitFor();
  await page.getByRole('button', { name: 'Greet them' }).press('Enter');
  await asked('Kay Key').locator('button:focus').getByText('Run').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('log').getByText('Welcome, Kay Key!').waitFor();
  expect(await tagsOf(kay)).toEqual(['greeted']);

  const nell = await writing('Nell None');
  const plain = await dashboardBrowser(desk, { name: 'Paul Plain', scripts: false });
  await plain.open(`/dashboard/inbox/${nell.handle}/`);
  await plain.page.getByRole('button', { name: 'Run a macro' }).click();
  await plain.page.getByRole('button', { name: 'Greet them' }).click();
  await plain.page.getByRole('heading', { name: 'Run “Greet them” for Nell None?' }).waitFor();
  await plain.picture('macro preview plain');
  expect(await tagsOf(nell)).toEqual([]);
  await plain.page.getByRole('button', { name: 'Run' }).click();
  await plain.page.getByRole('log').getByText('Welcome, Nell None!').waitFor();
  expect([...sam.problems, ...plain.problems]).toEqual([]);
});

test('what is shown names no number for a ticket that the macro creates only when it runs', async () => {
  const pipeline = await createPipeline(desk.workspace, ['New']);
  const { body: ticket } = await desk.api.post('/api/v1/tickets/', { title: 'There before', pipeline: pipeline.id });
  const source = (field: string) => ({ source: 'ticket', field });
  const steps = [
    step('create_ticket', { title: `Lamp ${Number(ticket['id'])}`, pipeline: pipeline.id }),
    step('send_message', {
      body: 'Ticket {{1}} is about {{2}}.',
      template_variables: { body: { 1: source('id'), 2: source('title') } },
    }),
  ];
  await createMacro(desk.workspace, steps, 'Open a ticket');
  const customer = createCustomer(desk.workspace, { name: 'Tia Ticket' });
  await customer.writes('My lamp is broken');
  const { page, open, problems } = await dashboardBrowser(desk);
  await open(`/dashboard/inbox/${customer.handle}/`);
  await page.getByRole('button', { name: 'Run a macro' }).click();
  await page.getByRole('button', { name: 'Open a ticket' }).click();
  const dialog = page.getByRole('dialog', { name: /^Run “Open a ticket”/ });
  await dialog
    .getByText(`Ticket [number of the new ticket] is about Lamp ${Number(ticket['id'])}.`, { exact: true })
    .waitFor();
  await dialog.getByRole('button', { name: 'Run' }).click();
  await page
    .getByRole('log')
    .getByText(/^Ticket \d+ is about Lamp \d+\.$/)
    .waitFor();
  expect(problems).toEqual([]);
});
