import { createMacro, macrosPath, ownerSession, step } from '../factories/macros';
import { startApi, type TestApi } from '../support/api';
import { closeBrowsers, dashboardBrowser, expectAccessible } from '../support/dashboard';

const hostile = `<img src=x onerror="alert(1)">"'</textarea>`;

let desk: TestApi;
beforeAll(async () => {
  desk = await startApi({ sandbox: false });
});
afterAll(async () => {
  await closeBrowsers();
  await desk.close();
});

const macros = async () =>
  (await (await ownerSession(desk.workspace)).api.get<{ name: string; actions: unknown }[]>(macrosPath)).body;

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
  await sam.page.getByRole('button', { name: 'Check the steps' }).click();
  await sam.page
    .getByRole('listitem', { name: /Add tags/ })
    .locator('.field-error')
    .waitFor();
  await sam.page.getByRole('textbox', { name: 'Tags' }).fill('solved, thanked');
  await sam.page.getByRole('textbox', { name: 'Message' }).fill(`Thank you, {{1}}! ${hostile}`);
  await sam.page.getByRole('textbox', { name: 'Tags' }).focus();
  await sam.page.getByLabel('{{1}}', { exact: true }).selectOption('name');
  await sam.page.getByRole('button', { name: 'Move up step 2' }).click();
  await sam.page.getByRole('listitem', { name: 'Step 1: Add tags' }).waitFor();
  await sam.page.getByRole('button', { name: 'Check the steps' }).click();
  await sam.page.getByText('Every step is fine.').waitFor();
  await expectAccessible(sam.page);
  await sam.picture('macro');
  await sam.page.getByRole('button', { name: 'Save' }).click();
  await sam.page.getByText('The macro is saved.').waitFor();
  await sam.picture('macros');
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

test('what the editor has no fields for stays, without scripts too; a macro is deleted after a question', async () => {
  const odd = [step('send_message', { type: 'image', image: { link: 'https://files.example/a.png' } })];
  const id = await createMacro(desk.workspace, odd, 'Picture');
  const sam = await dashboardBrowser(desk, { scripts: false });
  await sam.open(`/dashboard/macros/${id}/`);
  await sam.page.getByLabel('Name').fill('Renamed');
  await sam.page.getByRole('button', { name: 'Save' }).click();
  expect((await macros()).find(({ name }) => name === 'Renamed')?.actions).toEqual(odd);
  await sam.page
    .getByRole('listitem')
    .filter({ hasText: 'Renamed' })
    .getByRole('button', { name: /Delete/ })
    .click();
  await sam.page.getByRole('heading', { name: 'Delete this macro?' }).waitFor();
  await sam.page.getByRole('button', { name: 'Delete' }).click();
  await sam.page.getByText('The macro is deleted.').waitFor();
  expect((await macros()).some(({ name }) => name === 'Renamed')).toBe(false);
});
