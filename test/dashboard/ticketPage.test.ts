import { updateWorkspace } from '../../api/services/identity/workspaces/service';
import { createPipeline, createTicket } from '../factories/tickets';
import { startApi, type TestApi } from '../support/api';
import { closeBrowsers, dashboardBrowser, expectAccessible } from '../support/dashboard';

let desk: TestApi;
beforeAll(async () => {
  desk = await startApi({ sandbox: false, worker: true });
  await updateWorkspace(desk.workspace.ctx, { ticketing: true });
});
afterAll(async () => {
  await closeBrowsers();
  await desk.close();
});

const read = async (id: number): Promise<Record<string, unknown>> =>
  (await desk.api.get(`/api/v1/tickets/${id}/`)).body;

test.each(['mouse', 'touch', 'keyboard'])('a ticket moves by its bar of stages, by %s', async (way) => {
  const { id, stages } = await createPipeline(desk.workspace, ['New', 'Waiting', 'Done']);
  const ticket = await createTicket(desk.workspace, { title: 'Parcel is late', pipeline: id });
  const sam = await dashboardBrowser(desk, { touch: way === 'touch' });
  const { page } = sam;
  await sam.open(`/dashboard/tickets/${ticket.id}/`);
  const current = page.locator('.stage-bar [aria-current=step]');
  expect(await current.textContent()).toBe('New');
  const step = page.getByRole('button', { name: 'Waiting', exact: true });
  expect(await step.getAttribute('title')).toBe('Move to Waiting');
  if (way === 'mouse') await step.click();
  else if (way === 'touch') await step.tap();
  else await step.press('Enter');
  await current.getByText('Waiting', { exact: true }).waitFor();
  expect(await read(ticket.id)).toMatchObject({ stage: stages[1]?.id });
  if (way === 'mouse') {
    await expectAccessible(page);
    await sam.picture('ticket bar');
  }
  await page.getByRole('button', { name: 'Undo' }).click();
  await current.getByText('New', { exact: true }).waitFor();
  expect(await read(ticket.id)).toMatchObject({ stage: stages[0]?.id });
  expect(sam.problems).toEqual([]);
});

test('another pipeline puts the ticket into its first stage, and is taken back', async () => {
  const from = await createPipeline(desk.workspace, ['New', 'Done']);
  const to = await createPipeline(desk.workspace, ['Arrived', 'Gone']);
  const ticket = await createTicket(desk.workspace, { pipeline: from.id, stage: from.stages[1]?.id });
  const { page, open } = await dashboardBrowser(desk);
  await open(`/dashboard/tickets/${ticket.id}/`);
  await page.getByLabel('Pipeline').selectOption(String(to.id));
  await page.getByRole('button', { name: 'Save fields' }).click();
  await page.locator('.stage-bar [aria-current=step]').getByText('Arrived').waitFor();
  expect(await read(ticket.id)).toMatchObject({ pipeline: to.id, stage: to.stages[0]?.id });
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.locator('.stage-bar [aria-current=step]').getByText('Done').waitFor();
  expect(await read(ticket.id)).toMatchObject({ pipeline: from.id, stage: from.stages[1]?.id });
});

test('an empty circle in the list takes the ticket, and the list stays as it was filtered', async () => {
  const { id } = await createPipeline(desk.workspace, ['New', 'Done']);
  const ticket = await createTicket(desk.workspace, { title: 'Nobody has it', pipeline: id });
  const sam = await dashboardBrowser(desk, { name: 'Sam Taker' });
  const { page, member } = sam;
  await sam.open(`/dashboard/tickets/?view=list&pipeline=${id}`);
  await page.getByRole('button', { name: `Take #${ticket.id}` }).click();
  await page.locator('.row-who', { hasText: 'Sam Taker' }).waitFor();
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ view: 'list', pipeline: String(id) });
  expect(await read(ticket.id)).toMatchObject({ assigned_to: member.id });
  await expectAccessible(page);
  expect(sam.problems).toEqual([]);
});
