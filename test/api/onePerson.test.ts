import { createContact } from '../factories/contacts';
import { createCustomer } from '../factories/customers';
import { createMacro, step } from '../factories/macros';
import { createTicket, ticketsPath } from '../factories/tickets';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

type Json = Record<string, unknown>;

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('worker');
  // A contact that is refused uses up a number: the two would drift apart if they were counted each for itself.
  const { receiver_id: phone } = await createContact(desk.workspace);
  await desk.api.post('/api/v1/contacts/', { phone: `+${phone}` });
});
afterAll(() => desk.close());

it('a conversation has the id of its contact, whoever made it', async () => {
  const made = await createContact(desk.workspace);
  const anna = createCustomer(desk.workspace);
  await anna.writes('Hi');
  await desk.api.post('/api/v1/contacts/bulk/', { contacts: [{ phone: '+4915100000777', name: 'Bulk' }] });
  for (const handle of [made.receiver_id, anna.handle, '4915100000777']) {
    const contact = await desk.api.get(`/api/v1/contacts/${handle}/`);
    const conversation = await desk.api.get(`/api/v1/conversations/${handle}/`);
    expect(conversation.body['id']).toBe(contact.body['id']);
  }
});

describe('receiver_id says whom, wherever an integer does', () => {
  it('in tickets', async () => {
    const [one, two] = [await createContact(desk.workspace), await createContact(desk.workspace)];
    const ticket = await createTicket(desk.workspace, {
      receiver_id: `+${one.receiver_id}`,
      affected_receiver_ids: [two.receiver_id, one.receiver_id],
    });
    expect(ticket['receiver']).toBe(one.id);
    expect((ticket['affected_contacts'] as Json[]).map(({ id }) => id)).toEqual([two.id, one.id]);
    const patch = (body: Json) => desk.api.patch(`${ticketsPath}${ticket.id}/`, body);
    expect((await patch({ receiver_id: two.receiver_id })).body['receiver']).toBe(two.id);
    expect((await patch({ receiver: two.id, receiver_id: two.receiver_id })).status).toBe(200);
    expect((await patch({ receiver: one.id, receiver_id: two.receiver_id })).body).toEqual({
      receiver_id: ['receiver and receiver_id name different contacts. Send one of them.'],
    });
    expect((await patch({ affected_contact_ids: [], affected_receiver_ids: [one.receiver_id] })).status).toBe(400);
    expect((await patch({ receiver_id: '4900000000' })).body).toEqual({
      receiver_id: ['Invalid pk "4900000000" - object does not exist.'],
    });
    expect((await patch({ receiver_id: null, affected_receiver_ids: [] })).body).toMatchObject({
      receiver: null,
      affected_contacts: [],
    });
  });

  it('in macro runs and their tickets', async () => {
    const [one, two] = [await createContact(desk.workspace), await createContact(desk.workspace)];
    const macro = await createMacro(desk.workspace, [
      step('create_ticket', { title: 'Late', receiver_id: two.receiver_id }),
    ]);
    const run = (body: Json) => desk.api.post(`/api/v1/macros/${macro}/run/`, body);
    expect((await run({ receiver_id: one.receiver_id })).status).toBe(200);
    expect((await desk.api.get<Json[]>(`${ticketsPath}?receiver=${two.id}`)).body).toHaveLength(1);
    expect((await run({ chat_id: two.id, receiver_id: one.receiver_id })).status).toBe(400);
    expect((await run({ chat_id: null, receiver_id: null })).status).toBe(400);
    expect((await run({ receiver_id: 'nobody' })).body).toEqual({
      receiver_id: ['Invalid pk "nobody" - object does not exist.'],
    });
  });
});

it('one message is read as the list shows it', async () => {
  const anna = createCustomer(desk.workspace);
  await anna.writes('Hi');
  const { body } = await desk.api.get<{ results: Json[] }>(`/api/v1/conversations/${anna.handle}/messages/`);
  const [message] = body.results;
  expect((await desk.api.get(`/api/v1/messages/${String(message?.['id'])}/`)).body).toEqual(message);
  expect((await desk.api.get('/api/v1/messages/2000000001/')).body).toEqual({ error: 'Not found.' });
});

it('an answer reads the conversation', async () => {
  const anna = createCustomer(desk.workspace);
  await anna.writes('Hi');
  await anna.writes('Anybody?');
  const path = `/api/v1/conversations/${anna.handle}/`;
  expect((await desk.api.get(path)).body['unread_count']).toBe(2);
  expect((await desk.api.post('/api/v1/messages/', { to: anna.phone, body: 'Here' })).status).toBe(201);
  expect((await desk.api.get(path)).body['unread_count']).toBe(0);
  const { body } = await desk.api.get<{ results: Json[] }>(`${path}messages/`);
  const inbound = body.results.filter(({ direction }) => direction === 'inbound');
  expect(inbound.map(({ read }) => read)).toEqual([true, true]);
});
