import { createContact, createConversation } from '../factories/contacts';
import { createCustomer } from '../factories/customers';
import { createTeamInbox } from '../factories/inboxes';
import { createMember } from '../factories/members';
import { createWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { patiently } from '../support/patiently';
import { sharedDesk } from '../support/sharedDesk';
import type { ApiAnswer } from '../support/client';

type Json = Record<string, unknown>;
let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

const path = '/api/v1/conversations/';
const patch = (handle: string, body: Json, root = path): Promise<ApiAnswer> =>
  desk.api.patch(`${root}${handle}/`, body);
const read = async (handle: string): Promise<Json> => (await desk.api.get(`${path}${handle}/`)).body;
const trail = async (handle: string): Promise<Json[]> =>
  (await desk.api.get(`${path}${handle}/activity/`)).body.results;
const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
const inTwoHours = new Date(Date.now() + 7_200_000).toISOString();
const needsFuture = { snoozed_until: ['A future datetime is required to snooze.'] };

describe.each([['/api/v1/conversations/'], ['/api/v1/contacts/']])('PATCH %s (contract 6.2, 3)', (root) => {
  it.each(['open', 'resolved', 'pending', 'spam', 'converted'].map((status) => [status]))(
    'any status goes to %s, and the snooze is over',
    async (status) => {
      const { receiver_id: handle } = await createConversation(desk.workspace, {
        status: 'snoozed',
        snoozed_until: inAnHour,
      });
      expect((await patch(handle, { conv_status: status }, root)).body).toMatchObject({
        conv_status: status,
        snoozed_until: null,
      });
      expect(await read(handle)).toMatchObject({ conv_status: status, snoozed_until: null });
    },
  );

  it.each([['conv_status'], ['conversation_status'], ['status']])('takes %s', async (name) => {
    const { receiver_id: handle } = await createContact(desk.workspace);
    expect((await patch(handle, { [name]: 'pending' }, root)).body['conv_status']).toBe('pending');
  });

  it('refuses names that disagree, and takes ones that agree', async () => {
    const { receiver_id: handle } = await createContact(desk.workspace);
    expect(await patch(handle, { conv_status: 'open', status: 'resolved' }, root)).toMatchObject({
      status: 400,
      body: { conv_status: [expect.stringContaining('different things') as unknown] },
    });
    expect(
      (await patch(handle, { conv_status: 'spam', status: 'spam', conversation_status: 'spam' }, root)).status,
    ).toBe(200);
  });

  it('snoozes with a future time only', async () => {
    const { receiver_id: handle } = await createContact(desk.workspace);
    const past = new Date(Date.now() - 1_000).toISOString();
    for (const body of [
      { status: 'snoozed' },
      { status: 'snoozed', snoozed_until: null },
      { status: 'snoozed', snoozed_until: past },
      { snoozed_until: inAnHour },
    ]) {
      expect(await patch(handle, body, root)).toMatchObject({ status: 400, body: needsFuture });
    }
    // No time where there is none asks for nothing, also as a form writes it.
    for (const none of [{ snoozed_until: null }, new URLSearchParams({ snoozed_until: '' })])
      expect((await desk.api.patch(`${root}${handle}/`, none)).status).toBe(200);
    expect(await read(handle)).toMatchObject({ conv_status: 'open', snoozed_until: null });
    expect((await patch(handle, { status: 'snoozed', snoozed_until: inAnHour }, root)).body).toMatchObject({
      conv_status: 'snoozed',
      snoozed_until: inAnHour,
    });
    expect((await patch(handle, { snoozed_until: inTwoHours }, root)).body).toMatchObject({
      conv_status: 'snoozed',
      snoozed_until: inTwoHours,
    });
    expect(await patch(handle, { snoozed_until: past }, root)).toMatchObject({ status: 400, body: needsFuture });
    expect(await patch(handle, { snoozed_until: null }, root)).toMatchObject({ status: 400, body: needsFuture });
    expect(await read(handle)).toMatchObject({ snoozed_until: inTwoHours });
    expect(await patch(handle, { status: 'resolved', snoozed_until: inAnHour }, root)).toMatchObject({
      headers: { 'x-ignored-fields': 'snoozed_until' },
      body: { conv_status: 'resolved', snoozed_until: null },
    });
  });

  it('assigns and unassigns people and inboxes of the workspace', async () => {
    const { receiver_id: handle } = await createContact(desk.workspace);
    const [member, inbox] = [await createMember(desk.workspace), await createTeamInbox(desk.workspace)];
    expect((await patch(handle, { assigned_member: member.id, assigned_team_inbox: inbox }, root)).body).toMatchObject({
      assigned_member: member.id,
      assigned_team_inbox: inbox,
    });
    expect((await patch(handle, { assigned_member: null }, root)).body).toMatchObject({
      assigned_member: null,
      assigned_team_inbox: inbox,
    });
    await member.update({ isActive: false });
    expect(await patch(handle, { assigned_member: member.id }, root)).toMatchObject({
      status: 400,
      body: { assigned_member: [`Invalid pk "${member.id}" - object does not exist.`] },
    });
  });

  it('an empty body changes nothing', async () => {
    const { receiver_id: handle } = await createContact(desk.workspace);
    const before = await read(handle);
    expect((await patch(handle, {}, root)).status).toBe(200);
    expect(await read(handle)).toEqual(before);
  });

  it('a refused field undoes the whole request', async () => {
    const { receiver_id: handle } = await createContact(desk.workspace, { tags: ['before'] });
    const before = await read(handle);
    expect(
      (await patch(handle, { status: 'resolved', tags: ['after'], assigned_member: 2_000_000_000 }, root)).status,
    ).toBe(400);
    expect(await read(handle)).toEqual(before);
  });
});

describe('activity trail (C6)', () => {
  it('names the change, the member behind the key and the time; newest first', async () => {
    const { receiver_id: handle } = await createContact(desk.workspace);
    await patch(handle, { status: 'pending' });
    await patch(handle, { assigned_member: desk.workspace.owner.id });
    await patch(handle, { priority: 'high' });
    const entries = await trail(handle);
    expect(entries.map((entry) => entry['kind'])).toEqual([
      'priority_changed',
      'assignment_changed',
      'status_changed',
      'contact_created',
    ]);
    expect(entries[2]).toMatchObject({
      actor_type: 'api_key',
      actor: { id: desk.workspace.owner.id },
      changes: { conv_status: { from: 'open', to: 'pending' } },
    });
  });

  it('a write that changes nothing leaves no entry', async () => {
    const { receiver_id: handle } = await createConversation(desk.workspace, { status: 'pending', priority: 'low' });
    const before = (await trail(handle)).length;
    await patch(handle, { status: 'pending', priority: 'low', assigned_member: null });
    expect((await trail(handle)).length).toBe(before);
  });
});

describe('inbound messages (contract 6.2, 3)', () => {
  it.each(['resolved', 'pending', 'converted', 'spam'].map((status) => [status]))(
    'open a %s conversation, recorded without an actor',
    async (status) => {
      const customer = createCustomer(desk.workspace);
      await customer.writes('Hi');
      await patch(customer.handle, { status });
      await customer.writes('Again');
      expect(await read(customer.handle)).toMatchObject({ conv_status: 'open', resolved_at: null, unread_count: 2 });
      const [entry] = await trail(customer.handle);
      expect(entry).toMatchObject({ actor: null, changes: { conv_status: { from: status, to: 'open' } } });
      expect(entry?.['actor_type']).not.toBe('api_key');
    },
  );

  it('leave an open one without an entry and a snoozed one asleep', async () => {
    const customer = createCustomer(desk.workspace);
    await customer.writes('Hi');
    const before = (await trail(customer.handle)).length;
    await customer.writes('Hi again');
    expect((await trail(customer.handle)).length).toBe(before);
    await patch(customer.handle, { status: 'snoozed', snoozed_until: inAnHour });
    await customer.writes('Are you there?');
    expect(await read(customer.handle)).toMatchObject({
      conv_status: 'snoozed',
      snoozed_until: inAnHour,
      unread_count: 3,
    });
  });

  it('reactions and button replies open too', async () => {
    const customer = createCustomer(desk.workspace);
    const wamid = await customer.writes('Hi');
    for (const message of [
      { type: 'reaction', reaction: { message_id: wamid, emoji: '👍' } },
      { type: 'button', button: { payload: 'yes', text: 'Yes' } },
    ]) {
      await patch(customer.handle, { status: 'resolved' });
      await customer.writes(message);
      expect((await read(customer.handle))['conv_status']).toBe('open');
    }
  });

  it('set first_message_at once, the window, the last message and the unread count; read clears it', async () => {
    const customer = createCustomer(desk.workspace);
    await customer.writes('First');
    const first = await read(customer.handle);
    expect(first).toMatchObject({
      chat_status: 'active',
      unread_count: 1,
      last_message: {
        direction: 'inbound',
        type: 'text',
        message_status: 'received',
        body: { type: 'text', text: { body: 'First' } },
      },
    });
    const window = Date.parse(String(first['active_till'])) - Date.parse(String(first['first_message_at']));
    expect(window).toBe(24 * 3_600_000);
    await customer.writes('Second');
    const second = await read(customer.handle);
    expect(second['first_message_at']).toBe(first['first_message_at']);
    expect([second['unread_count'], (second['last_message'] as Json)['body']]).toEqual([
      2,
      { type: 'text', text: { body: 'Second' } },
    ]);
    const done = await desk.api.post(`${path}${customer.handle}/read/`);
    expect([done.status, done.body['unread_count']]).toEqual([200, 0]);
    const messages = await desk.api.get(`${path}${customer.handle}/messages/`);
    expect(messages.body.results.map((message) => message['read'])).toEqual([true, true]);
    expect((await desk.api.post(`${path}${customer.handle}/read/`)).status).toBe(200);
  });
});

describe('list (C6)', () => {
  it('each filter keeps what it says; the newest message comes first', async () => {
    const space = await createWorkspace(desk);
    const [anna, ben] = [createCustomer(space, { name: 'Anna' }), createCustomer(space, { name: 'Ben' })];
    await anna.writes('Hi');
    await ben.writes('Hello');
    const silent = await createContact(space, { name: 'Silent', tags: ['quiet'] });
    const inbox = await createTeamInbox(space);
    await space.api.patch(`${path}${anna.handle}/`, {
      status: 'pending',
      priority: 'urgent',
      assigned_member: space.owner.id,
      assigned_team_inbox: inbox,
      tags: ['vip'],
    });
    await space.api.post(`${path}${ben.handle}/read/`);
    const found = async (query: string): Promise<unknown[]> => {
      const { status, body } = await space.api.get(`${path}?${query}`);
      expect([status, body.count]).toEqual([200, body.results.length]);
      return body.results.map((item) => item['name']);
    };
    const expected: [string, string[]][] = [
      ['', ['Ben', 'Anna', 'Silent']],
      ['status=pending', ['Anna']],
      ['status=open,pending', ['Ben', 'Anna', 'Silent']],
      ['conv_status=open', ['Ben', 'Silent']],
      ['status=spam', []],
      [`assigned_member=${space.owner.id}`, ['Anna']],
      ['assigned_member=none', ['Ben', 'Silent']],
      [`assigned_team_inbox=${inbox}`, ['Anna']],
      ['assigned_team_inbox=none', ['Ben', 'Silent']],
      ['priority=urgent', ['Anna']],
      ['tag=vip', ['Anna']],
      ['tag=quiet', ['Silent']],
      ['unread=true', ['Anna']],
      ['unread=false', ['Ben', 'Silent']],
      ['window_open=true', ['Ben', 'Anna']],
      ['window_open=false', ['Silent']],
      ['has_messages=true', ['Ben', 'Anna']],
      ['has_messages=false', ['Silent']],
      ['has_exchange=true', ['Ben', 'Anna']],
      ['has_exchange=false', ['Silent']],
      ['waiting=true', ['Anna', 'Ben']],
      ['ordering=-last_exchange_at', ['Ben', 'Anna', 'Silent']],
      ['updated_after=2200-01-01T00:00:00Z', []],
      ['updated_after=2020-01-01T00:00:00Z', ['Ben', 'Anna', 'Silent']],
      ['search=ann', ['Anna']],
      [`search=${silent.receiver_id}`, ['Silent']],
      ['ordering=last_message_at', ['Silent', 'Anna', 'Ben']],
      ['ordering=created_at', ['Anna', 'Ben', 'Silent']],
      ['status=pending&unread=1&tag=vip&search=an', ['Anna']],
      ['status=open&tag=vip', []],
    ];
    for (const [query, names] of expected) expect([query, await found(query)]).toEqual([query, names]);
  });

  it('tells who waits for an answer, the longest wait first', async () => {
    const space = await createWorkspace(desk);
    const customers = ['Anna', 'Ben'].map((name) => createCustomer(space, { name }));
    const [anna, ben] = customers as [(typeof customers)[0], (typeof customers)[0]];
    await createContact(space, { name: 'Silent' });
    const of = ({ handle }: { handle: string }): string => `${path}${handle}/`;
    const since = async (who: { handle: string }) => (await space.api.get(of(who))).body['waiting_since'];
    const waiting = async (): Promise<unknown[]> =>
      (await space.api.get(`${path}?waiting=true`)).body.results.map(({ name }) => name);
    const set = (who: { handle: string }, body: Json) => space.api.patch(of(who), body);
    // The platform tells whole seconds: each message is written one later than the one before.
    let seconds = Math.floor(Date.now() / 1000) - 60;
    const writes = (who: (typeof customers)[0], text: string) => who.writes(text, { timestamp: (seconds += 1) });
    await writes(anna, 'Hi');
    await writes(ben, 'Hello');
    const first = await since(ben);
    await writes(ben, 'Anybody?');
    expect([await waiting(), await since(ben)]).toEqual([['Anna', 'Ben'], first]);
    const answer = { to: anna.handle, body: 'Here' };
    expect((await space.api.post('/api/v1/messages/', answer)).status).toBe(201);
    expect([await waiting(), await since(anna)]).toEqual([['Ben'], null]);
    await writes(anna, 'Thanks');
    expect(await waiting()).toEqual(['Ben', 'Anna']);

    // Whoever is snoozed waits again once they write; asleep anew, no more.
    await set(ben, { conv_status: 'snoozed', snoozed_until: inAnHour });
    expect(await waiting()).toEqual(['Anna']);
    await writes(ben, 'Still there?');
    expect([await waiting(), (await space.api.get(of(ben))).body['conv_status']]).toEqual([['Ben', 'Anna'], 'snoozed']);
    await set(ben, { snoozed_until: inTwoHours });
    expect(await waiting()).toEqual(['Anna']);

    // What was done by mistake waits on when it is taken back; a new message after that begins anew.
    await set(ben, { conv_status: 'resolved' });
    expect(await waiting()).toEqual(['Anna']);
    await set(ben, { conv_status: 'pending' });
    expect([await waiting(), await since(ben)]).toEqual([['Ben', 'Anna'], first]);
    await set(ben, { conv_status: 'spam' });
    await writes(ben, 'One more thing');
    expect(await waiting()).toEqual(['Anna', 'Ben']);
    const rest = await space.api.get(`${path}?waiting=false`);
    expect(rest.body.results.map(({ name }) => name)).toEqual(['Silent']);
  });
});

it('forty changes at once of one conversation all go through', async () => {
  const customer = createCustomer(desk.workspace);
  await customer.writes('Hi');
  const changes: (() => ReturnType<typeof patch>)[] = [
    ...Array.from(
      { length: 15 },
      (_unused, index) => () => patch(customer.handle, { status: index % 2 ? 'pending' : 'open', tags: [`t${index}`] }),
    ),
    ...Array.from({ length: 10 }, () => () => desk.api.post(`${path}${customer.handle}/read/`)),
    ...Array.from(
      { length: 10 },
      (_unused, index) => () => patch(customer.handle, { notes: `n${index}` }, '/api/v1/contacts/'),
    ),
    ...Array.from(
      { length: 5 },
      (_unused, index) => () =>
        desk.api.post(
          '/api/v1/messages/',
          { to: customer.phone, body: `m${index}`, phone_number_id: desk.workspace.account.phoneNumberId },
          { 'Idempotency-Key': `forty-${index}` },
        ),
    ),
  ];

  const answers = await Promise.all(changes.map(patiently));
  expect(answers.filter(({ status }) => status >= 300).map(({ status, body }) => [status, body])).toEqual([]);
});
