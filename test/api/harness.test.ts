import { createCustomer } from '../factories/customers';
import { createSession } from '../factories/members';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

it('answers a customer who wrote', async () => {
  const anna = createCustomer(desk.workspace, { name: 'Anna' });
  await anna.writes('Hi');
  const read = await desk.api.get(`/api/v1/conversations/${anna.handle}/`);
  expect([read.status, read.body['unread_count']]).toEqual([200, 1]);
  const page = await createSession(desk.workspace.owner);
  expect((await page.api.get('/api/v1/contacts/')).body['count']).toBe(1);
  const sent = await desk.api.post('/api/v1/messages/', {
    to: anna.phone,
    body: 'Hello',
    phone_number_id: desk.workspace.account.phoneNumberId,
  });
  expect([sent.status, sent.body['message_status']]).toEqual([201, 'queued']);
});
