import { createContact } from '../factories/contacts';
import { templateId, twoValues } from '../factories/broadcasts';
import { createPipeline, createTicket } from '../factories/tickets';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { dashboardBrowser, expectAccessible, problemsBeside, type DashboardBrowser } from '../support/dashboard';

const hostile = `<img src=x onerror="alert(1)">"'</script>{{7*7}}`;

let desk: TestApi;
let anna: DashboardBrowser;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  anna = await dashboardBrowser(desk, { name: 'Anna Admin' });
});
afterEach(() => {
  expect(problemsBeside(anna.problems, 405, 409, 422)).toEqual([]);
});
afterAll(() => desk.close());

const read = async (
  id: number,
): Promise<{ name: string; stages: { id: number; name: string; ticket_count: string }[] }> =>
  (await desk.api.get(`/api/v1/ticket-pipelines/${id}/`)).body;

test('a pipeline is created with its stages, ordered and deleted; tickets go where it is said', async () => {
  const { page } = anna;
  await anna.open('/dashboard/pipelines/');
  await page.keyboard.press('n');
  await page.getByLabel('Name').fill(hostile);
  await page.getByLabel('Stages').fill(`${'x'.repeat(256)}\nDone`);
  await page.getByRole('button', { name: 'Create pipeline' }).click();
  await page.locator('#field-stages[aria-invalid=true]').waitFor();
  await page.getByLabel('Stages').fill(`New\n${hostile}\n\nDone`);
  await page.getByRole('button', { name: 'Create pipeline' }).click();
  await page.getByText('The pipeline is created.').waitFor();
  const id = Number(/(\d+)\/$/.exec(page.url())?.[1]);
  expect((await read(id)).stages.map(({ name }) => name)).toEqual(['New', hostile, 'Done']);
  await page.getByRole('button', { name: `Move ${hostile} up` }).click();
  await page
    .getByRole('button', { name: `Move ${hostile} up` })
    .and(page.locator(':disabled'))
    .waitFor();
  expect((await read(id)).stages.map(({ name }) => name)).toEqual([hostile, 'New', 'Done']);

  await createTicket(desk.workspace, { pipeline: id });
  await anna.open(`/dashboard/pipelines/${id}/`);
  await page.getByRole('link', { name: `Delete ${hostile}` }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('alert').waitFor();
  await expectAccessible(page);
  await anna.picture('pipeline stage delete refused');
  await page.getByLabel('Where its tickets go').selectOption({ label: 'New' });
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('The stage is deleted.').waitFor();
  expect((await read(id)).stages).toMatchObject([{ name: 'New', ticket_count: '1' }, { name: 'Done' }]);
  await anna.open(`/dashboard/pipelines/${id}/delete/`);
  await page.getByLabel('Where its tickets go').selectOption({ index: 1 });
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('The pipeline is deleted.').waitFor();
});

test('a stage maps the placeholders of its template, shows a preview, and asks before a move sends it', async () => {
  const { page } = anna;
  const pipeline = await createPipeline(desk.workspace, ['New', 'Told']);
  const [first, told] = pipeline.stages;
  const path = `/dashboard/pipelines/${pipeline.id}/stages/${told?.id}/`;
  await anna.open(path);
  await page.getByLabel('Template').selectOption(templateId(desk.workspace, 'ticket_update'));
  await page.getByLabel('Text {{1}}').selectOption({ label: 'Ticket: number' });
  await page.getByText('Your ticket 1042 is now in stage').waitFor();
  await page.getByLabel('Text {{2}}').selectOption({ label: 'A fixed text' });
  await page.getByLabel('Text for {{2}}').fill(hostile);
  await page.getByLabel('Text for {{2}}').press('Tab');
  await page.locator('.bubble', { hasText: hostile }).waitFor();
  expect(await page.locator('img').count()).toBe(0);
  await page.getByLabel('Name').fill('');
  await page.evaluate(`document.querySelector('#field-name').required = false`);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('#field-name[aria-invalid=true]').waitFor();
  expect(await page.getByLabel('Text for {{2}}').inputValue()).toBe(hostile);
  await page.getByLabel('Name').fill('Told');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The stage is saved.').waitFor();
  expect((await read(pipeline.id)).stages[1]).toMatchObject({
    notify_template_variables: {
      body: { '1': { source: 'ticket', field: 'id' }, '2': { source: 'static', value: hostile } },
    },
  });

  // A template that is chosen and never mapped is not saved.
  const form = { csrf: await page.locator('[name=csrf]').first().inputValue() };
  const unmapped = { ...form, name: 'Told', notify_template_id: templateId(desk.workspace, 'ticket_update') };
  const refused = await page.request.post(path, { form: unmapped });
  expect([refused.status(), await refused.text()]).toEqual([422, expect.stringContaining('Choose what stands')]);

  const contact = await createContact(desk.workspace);
  const ticket = await createTicket(desk.workspace, {
    title: 'Tell them',
    pipeline: pipeline.id,
    receiver: contact.id,
    // The customer is told once, however often they are named.
    affected_contact_ids: [contact.id],
  });
  const stageOf = async (): Promise<unknown> => (await desk.api.get(`/api/v1/tickets/${ticket.id}/`)).body['stage'];
  await anna.open(`/dashboard/tickets/?pipeline=${pipeline.id}`);
  const move = async (): Promise<void> => {
    await page.getByRole('link', { name: 'Tell them' }).focus();
    await page.keyboard.press('Shift+ArrowRight');
    await page.getByText('“ticket_update” is sent to one contact.').waitFor();
  };
  await move();
  await page.getByRole('button', { name: 'Cancel' }).click();
  expect(await stageOf()).toBe(first?.id);
  await move();
  await page.keyboard.press('Escape');
  // The page of a ticket asks as the board does.
  await anna.open(`/dashboard/tickets/${ticket.id}/`);
  await page.getByLabel('Add an affected contact').fill(`+${contact.receiver_id}`);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('This is the customer of the ticket already.').waitFor();
  await page.locator(`.stage-bar button[value="${told?.id}"]`).click();
  // The refused number in the other form would be lost.
  await page.locator('#confirm').getByRole('button', { name: 'Leave' }).click();
  await page.getByText('“ticket_update” is sent to one contact.').waitFor();
  expect(await stageOf()).toBe(first?.id);
  await anna.picture('move and send');
  await page.getByRole('button', { name: 'Move and send' }).click();
  await page.getByText('The ticket is saved.').waitFor();
  expect(await stageOf()).toBe(told?.id);

  await anna.open(path);
  await page.getByLabel('Template').selectOption('');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The stage is saved.').waitFor();
  expect((await read(pipeline.id)).stages[1]).toMatchObject({ notify_template_id: null });
});

test('a form saves what was changed in it, and keeps what a colleague saved meanwhile', async () => {
  const { page } = anna;
  const notify_template_id = templateId(desk.workspace, 'ticket_update');
  const { id, stages } = await createPipeline(desk.workspace, [
    { name: 'Done', color: '#A855F7', notify_template_id, notify_template_variables: twoValues },
  ]);
  const api = `/api/v1/ticket-pipelines/${id}/`;
  await anna.open(`/dashboard/pipelines/${id}/stages/${stages[0]?.id}/`);
  const text = { source: 'static', value: 'Hello' };
  const theirs = { is_terminal: true, color: '#22C55E', notify_template_variables: { body: { '1': text } } };
  await desk.api.patch(`${api}stages/${stages[0]?.id}/`, theirs);
  await page.getByLabel('Name').fill('Told');
  await page.getByLabel('Deadlines stand still').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The stage is saved.').waitFor();
  expect((await read(id)).stages[0]).toMatchObject({ name: 'Told', pauses_sla: true, ...theirs });
  await desk.api.patch(api, { name: 'Renamed' });
  await page.getByLabel('Description').fill('Ours');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The pipeline is saved.').waitFor();
  expect(await read(id)).toMatchObject({ name: 'Renamed', description: 'Ours' });
});

test('without scripts a stage is added with the placeholders of its template', async () => {
  const pipeline = await createPipeline(desk.workspace, ['New', 'Told']);
  const sam = await dashboardBrowser(desk, { scripts: false });
  await sam.open(`/dashboard/pipelines/${pipeline.id}/stages/new/`);
  await sam.page.getByLabel('Name').fill('Third');
  await sam.page.getByLabel('Template').selectOption(templateId(desk.workspace, 'ticket_update'));
  await sam.page.getByRole('button', { name: 'Show its placeholders' }).click();
  await sam.page.getByLabel('Text {{1}}').selectOption('ticket:title');
  // Nothing goes out as a dash that nobody chose: neither what the form leaves open nor what it does not show.
  expect(await sam.page.locator('#mapping select:invalid').getAttribute('id')).toBe('map-body-2');
  await sam.page.getByLabel('Text {{2}}').selectOption({ label: 'Nothing (a dash)' });
  await sam.page.getByRole('button', { name: 'Add stage' }).click();
  await sam.page.getByText('The stage is added.').waitFor();
  expect((await read(pipeline.id)).stages[2]).toMatchObject({
    name: 'Third',
    notify_template_variables: { body: { '1': { source: 'ticket', field: 'title' } } },
  });
});
