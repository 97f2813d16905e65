import { createCustomer } from '../factories/customers';
import { ownerSession } from '../factories/macros';
import { createMember } from '../factories/members';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

const given = 'Clau\u202ede\u200b';
const shown = 'Clau[U+202E]de[U+200B]';

test('a name that others choose shows what it hides: of customers, members and applications', async () => {
  const { api, token } = await ownerSession(desk.workspace);
  const customer = createCustomer(desk.workspace, { name: given });
  await customer.writes('Hi');
  await (await createMember(desk.workspace)).update({ name: given });
  const client = await api.post('/api/v1/oauth-clients/', {
    name: given,
    client_type: 'public',
    redirect_uris: ['https://agent.example/cb'],
  });
  expect([client.status, client.body['name']]).toEqual([201, shown]);
  for (const path of ['inbox/?view=all', `inbox/${customer.handle}/`, 'members/', 'agents/']) {
    const { status, body } = await desk.anonymous.get<string>(`/dashboard/${path}`, { cookie: `token=${token}` });
    // A field that is to be changed holds what is stored.
    const read = body.replace(/ value="[^"]*"/g, '');
    expect([path, status, read.includes(shown), read.includes('\u202e')]).toEqual([path, 200, true, false]);
  }
});
