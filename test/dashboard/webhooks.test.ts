import { createContact } from '../factories/contacts';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { dashboardBrowser, expectAccessible, problemsBeside, sends } from '../support/dashboard';
import { startReceiver, type Receiver } from '../support/receiver';

const hostile = `<img src=x onerror="alert(1)">"'</script>`;
const path = '/api/v1/webhooks/';

let desk: TestApi;
let receiver: Receiver;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  receiver = await startReceiver();
});
afterAll(async () => {
  await desk.close();
  await receiver.close();
});

async function subscribe(): Promise<number> {
  const { body } = await desk.api.post(path, { url: receiver.url, events: ['contact.created'] });
  return body.id;
}

test('a webhook is made, its secret shown once; a test event arrives signed, and the log says so', async () => {
  const sam = await dashboardBrowser(desk);
  await sam.open('/dashboard/webhooks/');
  await sam.page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
  await sam.page.keyboard.press('n');
  await sam.page.getByLabel('Address').fill('ftp://example.com/hook');
  await sam.page.getByLabel('Description').fill(hostile);
  await sam.page.getByRole('checkbox', { name: /^A ticket is made/ }).check();
  await sam.page.getByRole('button', { name: 'Create' }).click();
  await sam.page.locator('#field-url-error').waitFor();
  expect(await sam.page.getByRole('checkbox', { name: /^A ticket is made/ }).isChecked()).toBe(true);
  await expectAccessible(sam.page);
  await sam.page.getByLabel('Address').fill(receiver.url);
  await sam.page.getByRole('button', { name: 'Create' }).click();
  const secret = await sam.page.getByLabel('Signing secret').inputValue();
  await expectAccessible(sam.page);

  await sam.page.getByRole('link', { name: 'I have copied it' }).click();
  await sam.page.getByRole('heading', { name: hostile }).waitFor();
  expect(await sam.page.content()).not.toContain(secret);
  expect(await sam.page.locator('main img').count()).toBe(0);
  await sends(sam.page, '/webhooks/', () => sam.page.getByRole('button', { name: 'Send a test event' }).click());
  await desk.work();
  const log = sam.page.getByRole('region', { name: 'Log', exact: true });
  await log.getByText('delivered', { exact: true }).waitFor();
  const [received] = receiver.received;
  if (!received) throw new Error('no test event came');
  receiver.verify(received, secret);
  expect(problemsBeside(sam.problems, 422)).toEqual([]);
});

test('the log is filtered, a delivery is sent again, and a range is replayed', async () => {
  const id = await subscribe();
  await createContact(desk.workspace);
  await desk.work();
  const event = await receiver.awaits('contact.created');
  const times = () => receiver.received.filter((one) => one.event.id === event.id).length;
  const sam = await dashboardBrowser(desk);
  const log = sam.page.getByRole('region', { name: 'Log', exact: true });
  await sam.open(`/dashboard/webhooks/${id}/`);
  expect(await log.getByText('delivered', { exact: true }).count()).toBe(1);
  await sam.page.getByLabel('State').selectOption('failed');
  await log.getByText('None fits.').waitFor();
  await log.getByRole('link', { name: 'Show all' }).click();
  await log.getByRole('button', { name: /^Send again/ }).click();
  await sam.page.getByText('The event goes out again, with the same id.').waitFor();
  await desk.work();
  expect(times()).toBe(2);

  await sam.page.getByLabel('From').fill('2031-05-04T09:00');
  await sam.page.getByLabel('To', { exact: false }).last().fill('2031-05-04T08:00');
  await sam.page.getByRole('button', { name: 'Replay' }).click();
  await sam.page.locator('#field-to-error').waitFor();
  await sam.page.getByLabel('From').fill('2020-05-04T09:00');
  await sam.page.getByLabel('To', { exact: false }).last().fill('');
  await sam.page.getByRole('button', { name: 'Replay' }).click();
  await sam.page.getByText('One event goes out again.').waitFor();
  await desk.work();
  expect(times()).toBe(3);
});

test('without scripts: all events, a new secret, and why a subscription was switched off', async () => {
  const id = await subscribe();
  const sam = await dashboardBrowser(desk, { scripts: false });
  await sam.open(`/dashboard/webhooks/${id}/`);
  await sam.page.getByRole('link', { name: 'Edit' }).click();
  await sam.page.getByRole('checkbox', { name: /^All events/ }).check();
  await sam.page.getByRole('button', { name: 'Save' }).click();
  await sam.page.getByText('The subscription is saved.').waitFor();
  expect((await desk.api.get(`${path}${id}/`)).body.events).toEqual(['*']);
  await sam.open(`/dashboard/webhooks/${id}/`);
  await sam.page.getByRole('button', { name: 'New secret' }).click();
  await sam.page.getByRole('button', { name: 'Make a new secret' }).click();
  expect(await sam.page.getByLabel('Signing secret').inputValue()).toMatch(/^whsec_/);
  await desk.runtime.db.rows(
    `UPDATE webhook_subscriptions SET is_active = false, disabled_at = now(), disabled_reason = $reason WHERE id = $id`,
    { id, reason: 'The endpoint answered 410.' },
  );
  await sam.open(`/dashboard/webhooks/${id}/`);
  await sam.page.getByText('The endpoint answered 410.').waitFor();
  await sam.page.getByText('Activate the subscription first.').waitFor();
});
