import { createSession } from '../factories/members';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import type { ApiClient } from '../support/client';

const list = '/api/v1/contacts/';
const ranges = ['203.0.113.0/24', '198.51.100.7', '2001:DB8:7::/48'];

let desk: TestApi;
let owner: ApiClient;
beforeAll(async () => {
  desk = await sharedDesk('no sandbox');
  owner = (await createSession(desk.workspace.owner)).api;
});
afterAll(() => desk.close());

it.each([
  ['203.0.113.255', 200],
  ['203.0.114.1', 403],
  ['198.51.100.7', 200],
  ['198.51.100.8', 403],
  ['::ffff:203.0.113.9', 200],
  ['::ffff:203.0.114.9', 403],
  ['2001:db8:7:ffff::1', 200],
  ['2001:db8:8::1', 403],
  // Only the last proxy is ours: what a client says before it counts for nothing.
  ['203.0.113.1, 192.0.2.1', 403],
  ['nonsense', 403],
])('a key of three networks is answered to %s with %i, over REST and /mcp', async (address, status) => {
  const { body } = await owner.post('/api/v1/api-keys/', {
    name: 'Shop',
    scopes: ['contact.view'],
    allowed_addresses: ranges,
  });
  expect(body['allowed_addresses']).toEqual(['203.0.113.0/24', '198.51.100.7', '2001:db8:7::/48']);
  const from = { authorization: `Bearer ${String(body['api_key'])}`, 'x-forwarded-for': address };
  const listed = await desk.anonymous.get(list, from);
  expect(listed.status).toBe(status);
  if (status === 403)
    expect(listed).toMatchObject({
      headers: { 'x-error-code': 'address_not_allowed' },
      body: { error: expect.stringMatching(/^This API key may not be used from the address /) },
    });
  expect((await desk.anonymous.post('/mcp', {}, from)).status).toBe(status === 403 ? 403 : 400);
});

it('without a trusted proxy the header says nothing', async () => {
  const direct = await sharedDesk('no sandbox', { env: { TRUST_PROXY: '0' } });
  const key = await direct.workspace.key(['contact.view'], { allowedAddresses: ['203.0.113.0/24'] });
  expect((await key.api.get(list, { 'x-forwarded-for': '203.0.113.1' })).status).toBe(403);
  await direct.close();
});

it.each(['203.0.113.0/33', '2001:db8::/129', '203.0.113', 'fe80::1%eth0', 'example.com', '1.2.3.4/24/24', '/24', 7])(
  'refuses %j as a network',
  async (range) => {
    const given = { name: 'Shop', scopes: ['contact.view'], allowed_addresses: [range] };
    expect(await owner.post('/api/v1/api-keys/', given)).toMatchObject({
      status: 400,
      body: { allowed_addresses: ['0: Enter an IPv4 or IPv6 address or network, like 203.0.113.0/24.'] },
    });
  },
);
