import { fc, runs } from '../support/properties';
import { createContact, createConversation } from '../factories/contacts';
import { createCustomer } from '../factories/customers';
import { createTeamInbox } from '../factories/inboxes';
import { createMember } from '../factories/members';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

type Json = Record<string, unknown>;

const path = '/api/v1/contacts/';
const statuses = ['open', 'pending', 'resolved', 'converted', 'spam'];
const priorities = ['low', 'normal', 'high', 'urgent'];
const tags = ['vip', 'b2b', 'VIP', 'a,b', '50%'];
const plans = ['free', 'pro'];
const total = 36;

let desk: TestApi;
let space: TestWorkspace;
let foreign: TestWorkspace;
let inboxes: number[];
let members: number[];
/** Every contact as the API shows it, in the order of creation. */
let everybody: Json[];

/** The same people with the same attributes in any workspace. */
async function fill(workspace: TestWorkspace): Promise<{ inboxes: number[]; members: number[]; contacts: Json[] }> {
  await workspace.api.post('/api/v1/custom-fields/', { name: 'plan', field_type: 'select', options: plans });
  const made = {
    inboxes: [await createTeamInbox(workspace), await createTeamInbox(workspace)],
    members: [workspace.owner.id, (await createMember(workspace)).id],
    contacts: [] as Json[],
  };
  const contacts: string[] = [];
  for (let index = 0; index < total; index += 1) {
    const state = {
      conv_status: statuses[index % 5],
      priority: priorities[index % 4],
      assigned_member: [null, ...made.members][index % 3],
      assigned_team_inbox: [null, ...made.inboxes][(index + 1) % 3],
    };
    const { receiver_id } = await createConversation(workspace, state, {
      name: `${['Anna', 'Ben', 'anna', 'Zoë'][index % 4]} ${index % 6}`,
      tags: tags.filter((_tag, place) => (index >> place) % 2 === 1),
      marketing_opt_out: index % 7 === 0,
      custom_fields: index % 3 === 2 ? {} : { plan: plans[index % 2] },
    });
    contacts.push(receiver_id);
  }
  // Touched in another order than they were created.
  for (const index of [3, 30, 11, 19]) await workspace.api.patch(`${path}${contacts[index]}/`, { company: 'Moved' });
  for (const handle of contacts) {
    const contact = await workspace.api.get(`${path}${handle}/`);
    const conversation = await workspace.api.get(`/api/v1/conversations/${handle}/`);
    made.contacts.push({ ...conversation.body, ...contact.body });
  }
  return made;
}

beforeAll(async () => {
  desk = await sharedDesk('plain');
  space = await createWorkspace(desk, { connected: false });
  foreign = await createWorkspace(desk, { connected: false });
  ({ inboxes, members, contacts: everybody } = await fill(space));
  await fill(foreign);
}, 120_000);
afterAll(() => desk.close());

type Test = (contact: Json) => boolean;
type Filter = readonly [query: string, test: Test];
const id = (value: unknown): unknown => (typeof value === 'object' && value !== null ? (value as Json)['id'] : value);
const parameter = (name: string, value: string): string => `${name}=${encodeURIComponent(value)}`;

/** A filter in the query's words and as a condition on what the API shows. */
function filters(): fc.Arbitrary<Filter>[] {
  const instants = [everybody[0], everybody[11], everybody[20], everybody[35]].flatMap((contact) => [
    String(contact?.['created_at']),
    String(contact?.['updated_at']),
  ]);
  const words = <V extends string>(name: string, field: string, values: readonly V[]): fc.Arbitrary<Filter> =>
    fc
      .tuple(fc.subarray([...values], { minLength: 1 }), fc.boolean())
      .map(([chosen, isRepeated]): Filter => [
        isRepeated ? chosen.map((value) => parameter(name, value)).join('&') : parameter(name, chosen.join(',')),
        (contact) => chosen.includes(contact[field] as V),
      ]);
  const holder = (name: string, ids: readonly number[]): fc.Arbitrary<Filter> =>
    fc
      .constantFrom('none', ...ids.map(String))
      .map((value): Filter => [
        parameter(name, value),
        (contact) => (value === 'none' ? id(contact[name]) === null : String(id(contact[name])) === value),
      ]);
  const instant = (name: string, test: (contact: Json, at: string) => boolean): fc.Arbitrary<Filter> =>
    fc.constantFrom(...instants).map((at): Filter => [parameter(name, at), (contact) => test(contact, at)]);
  return [
    fc
      .constantFrom('anna', 'BEN', 'zoë', ' a 1 ', 'nobody')
      .map((term): Filter => [
        parameter('search', term),
        (contact) => String(contact['name']).toLowerCase().includes(term.trim().toLowerCase()),
      ]),
    fc
      .constantFrom(...tags, 'none of them')
      .map((tag): Filter => [parameter('tag', tag), (contact) => (contact['tags'] as string[]).includes(tag)]),
    words('conv_status', 'conv_status', statuses),
    words('priority', 'priority', priorities),
    holder('assigned_member', members),
    holder('assigned_team_inbox', inboxes),
    fc
      .boolean()
      .map((out): Filter => [parameter('opted_out', String(out)), (contact) => contact['marketing_opt_out'] === out]),
    instant('created_after', (contact, at) => String(contact['created_at']) > at),
    instant('created_before', (contact, at) => String(contact['created_at']) < at),
    instant('updated_after', (contact, at) => String(contact['updated_at']) > at),
    fc
      .constantFrom(...plans)
      .map((plan): Filter => [
        parameter('custom_field.plan', plan),
        (contact) => (contact['custom_fields'] as Json)['plan'] === plan,
      ]),
  ];
}

const byText = (left: unknown, right: unknown): number =>
  String(left) < String(right) ? -1 : String(left) > String(right) ? 1 : 0;
const orderings: Readonly<Record<string, (contact: Json) => string>> = {
  created_at: (contact) => String(contact['created_at']),
  updated_at: (contact) => String(contact['updated_at']),
};

it('any filters together find those on whom all of them agree, of this workspace alone (contract 5)', async () => {
  const seen = new Map<string, Set<boolean>>();
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(...filters().map((filter) => fc.option(filter, { freq: 2 }))),
      fc.constantFrom('created_at', '-created_at', 'updated_at', '-updated_at'),
      async (given, ordering) => {
        const chosen = given.filter((filter) => filter !== null);
        const query = [...chosen.map(([text]) => text), `ordering=${ordering}`, 'page_size=200'].join('&');
        const { status, body } = await space.api.get(`${path}?${query}`);
        const key = orderings[ordering.replace('-', '')]!;
        const expected = everybody
          .filter((contact) => chosen.every(([, test]) => test(contact)))
          .sort((left, right) => byText(key(left), key(right)) || Number(left['id']) - Number(right['id']));
        if (ordering.startsWith('-')) expected.reverse();
        expect([query, status, body.count, body.results.map((contact) => contact['receiver_id'])]).toEqual([
          query,
          200,
          expected.length,
          expected.map((contact) => contact['receiver_id']),
        ]);
        for (const [text] of chosen)
          seen.set(text.split('=')[0]!, (seen.get(text.split('=')[0]!) ?? new Set<boolean>()).add(expected.length > 0));
      },
    ),
    { numRuns: runs(80) },
  );
  // Each filter was tried where it finds somebody and where it does not.
  expect([...seen.values()].every((outcomes) => outcomes.size === 2)).toBe(true);
  expect(seen.size).toBe(11);
});

it("another workspace's members, inboxes and fields are found by nobody", async () => {
  const theirs = await createTeamInbox(foreign);
  await foreign.api.post('/api/v1/custom-fields/', { name: 'theirs', field_type: 'text' });
  for (const query of [`assigned_member=${foreign.owner.id}`, `assigned_team_inbox=${theirs}`])
    expect((await space.api.get(`${path}?${query}`)).body).toMatchObject({ count: 0, results: [] });
  expect(await space.api.get(`${path}?custom_field.theirs=x`)).toMatchObject({
    status: 400,
    body: { 'custom_field.theirs': ['This is not a custom field of this workspace.'] },
  });
});

describe('POST …/read/ (contract 6)', () => {
  let customers: TestWorkspace;
  const read = (workspace: TestWorkspace, handle: string) =>
    workspace.api.post(`/api/v1/conversations/${handle}/read/`);
  let live: TestApi;
  beforeAll(async () => {
    live = await sharedDesk('plain');
    customers = live.workspace;
  });
  afterAll(() => live.close());

  it('clears the count once and changes nothing else, by any handle, with and without the slash', async () => {
    const customer = createCustomer(customers);
    for (const text of ['One', 'Two', 'Three']) await customer.writes(text);
    const before = (await customers.api.get(`/api/v1/conversations/${customer.handle}/`)).body;
    expect(before['unread_count']).toBe(3);
    const answer = await customers.api.post(`/api/v1/conversations/+${customer.handle}/read`);
    const { updated_at: _changed, ...rest } = before;
    const unread = { ...rest, unread_count: 0, last_message: { ...(before['last_message'] as Json), read: true } };
    expect(answer).toMatchObject({
      status: 200,
      body: {
        unread_count: 0,
        conv_status: before['conv_status'],
        last_message_at: before['last_message_at'],
        active_till: before['active_till'],
      },
    });
    expect(Object.keys(answer.body).sort()).toEqual(Object.keys({ ...unread, updated_at: '' }).sort());
    expect(
      (await customers.api.get(`/api/v1/conversations/${customer.handle}/messages/`)).body.results.map(
        (message) => message['read'],
      ),
    ).toEqual([true, true, true]);
    // The second time there is nothing to change, the time of the last change included.
    const again = await read(customers, customer.handle);
    expect([again.status, again.body['updated_at']]).toEqual([200, answer.body['updated_at']]);
    expect(
      (await customers.api.get('/api/v1/conversations/?unread=true')).body.results.map((item) => item['receiver_id']),
    ).not.toContain(customer.handle);
    // The next message counts from one.
    await customer.writes('Four');
    expect((await customers.api.get(`/api/v1/conversations/${customer.handle}/`)).body['unread_count']).toBe(1);
  });

  it('takes the user id of somebody without a phone, and a body that says nothing', async () => {
    const { receiver_id } = await createContact(customers, { bsuid: 'US.4455' });
    expect((await read(customers, receiver_id)).status).toBe(200);
    expect(
      (await customers.api.post('/api/v1/conversations/US.4455/read/', { unread_count: 5 })).body['unread_count'],
    ).toBe(0);
  });

  it('and messages that come at the same time are never both lost and counted', async () => {
    const customer = createCustomer(customers);
    await customer.writes('First');
    const writes = Array.from({ length: 8 }, (_unused, index) => customer.writes(`More ${index}`));
    const reads = Array.from({ length: 8 }, () => read(customers, customer.handle));
    await Promise.all([...writes, ...reads]);
    const { unread_count: count } = (await customers.api.get(`/api/v1/conversations/${customer.handle}/`)).body;
    const messages = (await customers.api.get(`/api/v1/conversations/${customer.handle}/messages/`)).body.results;
    expect(messages).toHaveLength(9);
    expect(messages.filter((message) => message['read'] === false)).toHaveLength(Number(count));
    expect((await read(customers, customer.handle)).body['unread_count']).toBe(0);
  });
});
