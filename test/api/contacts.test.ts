import { createContact } from '../factories/contacts';
import { createCustomer } from '../factories/customers';
import { createSession } from '../factories/members';
import { unique, uniquePhone } from '../factories/unique';
import { createWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

const path = '/api/v1/contacts/';
const bsuid = (): string => `DE.${String(unique())}9988`;
const found = async (query: string, api = desk.api): Promise<unknown[]> => {
  const { status, body } = await api.get(`${path}?${query}`);
  expect(status).toBe(200);
  expect(body.count).toBe(body.results.length);
  return body.results.map((item) => item['receiver_id']);
};

describe('create (C5)', () => {
  it('by phone, whatever parts its digits', async () => {
    const digits = uniquePhone().slice(1);
    const written = `+${digits.slice(0, 2)} (${digits.slice(2, 5)}) ${digits.slice(5, 8)}-${digits.slice(8)}`;
    const { status, body } = await desk.api.post(path, {
      phone: written,
      name: ' Ada ',
      email: 'ada@example.com',
      company: 'A & B',
      notes: 'n',
      tags: ['vip', 7, { any: null }],
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      receiver_id: digits,
      phone: `+${digits}`,
      name: 'Ada',
      email: 'ada@example.com',
      company: 'A & B',
      notes: 'n',
      tags: ['vip', 7, { any: null }],
      bsuid: null,
      username: null,
      first_message_at: null,
      marketing_opt_out: false,
      custom_fields: {},
      attributes: {},
    });
    expect((await desk.api.get(`${path}${digits}/`)).body).toEqual(body);
    expect((await desk.api.get(`${path}+${digits}/`)).body).toEqual(body);
    expect((await desk.api.get(`${path}${encodeURIComponent(written)}/`)).body).toEqual(body);
    expect((await desk.api.get(`/api/v1/conversations/${digits}/`)).body).toMatchObject({
      conv_status: 'open',
      priority: 'normal',
      unread_count: 0,
      first_message_at: null,
      contact_id: body['id'],
    });
  });

  it('by bsuid: the handle and the shown phone are it', async () => {
    const id = bsuid();
    const { status, body } = await desk.api.post(path, { bsuid: id });
    expect([status, body['receiver_id'], body['phone'], body['bsuid']]).toEqual([201, id, id, id]);
    expect((await desk.api.get(`${path}${id}/`)).status).toBe(200);
    const both = await desk.api.post(path, { bsuid: bsuid(), phone: uniquePhone() });
    expect((await desk.api.get(`${path}${String(both.body['bsuid'])}/`)).body['id']).toBe(both.body['id']);
  });

  it.each([['12345'], ['+0151234567'], ['abc'], ['+49151x234567'], ['+4915123456789012345'], ['٠١٢٣٤٥٦٧']])(
    'refuses the phone %j',
    async (phone) => {
      expect(await desk.api.post(path, { phone })).toMatchObject({
        status: 400,
        body: {
          phone: [expect.stringMatching(/^Enter a valid phone number in E\.164 format, for example \+15551230001\./)],
        },
      });
    },
  );

  it.each([['de.1'], ['DE1'], ['DE.'], ['DE.a-b'], ['DEU.12'], [`DE.${'1'.repeat(129)}`]])(
    'refuses the bsuid %j',
    async (id) => {
      expect(Object.keys((await desk.api.post(path, { bsuid: id })).body)).toEqual(['bsuid']);
    },
  );

  it('an existing phone or bsuid is a 400, in another workspace it is free', async () => {
    const contact = await createContact(desk.workspace, { phone: uniquePhone(), bsuid: bsuid() });
    expect(await desk.api.post(path, { phone: contact.body['phone'] })).toMatchObject({
      status: 400,
      body: { phone: ['contact with this phone already exists.'] },
    });
    expect(await desk.api.post(path, { bsuid: contact.body['bsuid'] })).toMatchObject({
      status: 400,
      body: { bsuid: ['contact with this bsuid already exists.'] },
    });
    expect(
      (await (await createWorkspace(desk, { connected: false })).api.post(path, { phone: contact.body['phone'] }))
        .status,
    ).toBe(201);
  });

  it('twenty at once make one', async () => {
    const phone = uniquePhone();
    const answers = await Promise.all(Array.from({ length: 20 }, () => desk.api.post(path, { phone })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(19).fill(400)]);
  });

  it('custom fields that the workspace does not define are a 400, and no contact is made', async () => {
    const phone = uniquePhone();
    expect(await desk.api.post(path, { phone, custom_fields: { plan: 'gold', __proto__x: 1 } })).toMatchObject({
      status: 400,
      body: { custom_fields: expect.any(Array) as unknown },
    });
    expect((await desk.api.get(`${path}${phone}/`)).status).toBe(404);
  });
});

describe('PATCH (contract 6.1, 5.4)', () => {
  it('changes what is given and answers the state view', async () => {
    const contact = await createContact(desk.workspace, { name: 'Before', company: 'Stays', tags: ['a'] });
    const { status, body } = await desk.api.patch(`${path}${contact.receiver_id}/`, {
      email: 'x@y.test',
      notes: 'N',
      priority: 'urgent',
      calling_permission: true,
      assigned_member: desk.workspace.owner.id,
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'Before',
      company: 'Stays',
      tags: ['a'],
      email: 'x@y.test',
      notes: 'N',
      priority: 'urgent',
      calling_permission: true,
      assigned_member: desk.workspace.owner.id,
      conv_status: 'open',
      snoozed_until: null,
    });
  });

  it.each([[['b', 'c']], [{ any: { shape: [1] } }], ['text'], [7], [null], [[]]])(
    'tags %j replace the whole value',
    async (tags) => {
      const contact = await createContact(desk.workspace, { tags: ['a'] });
      expect((await desk.api.patch(`${path}${contact.receiver_id}/`, { tags })).body['tags']).toEqual(tags);
      expect((await desk.api.get(`${path}${contact.receiver_id}/`)).body['tags']).toEqual(tags);
    },
  );

  it('null and an empty text clear a text', async () => {
    const contact = await createContact(desk.workspace, { email: 'a@b.test', company: 'C', notes: 'N' });
    expect(
      (await desk.api.patch(`${path}${contact.receiver_id}/`, { email: null, company: '', notes: null })).body,
    ).toMatchObject({ email: '', company: '', notes: '' });
  });

  it('records what changed with its actor, texts cut at 1,000 characters', async () => {
    const contact = await createContact(desk.workspace, { company: 'Old' });
    await desk.api.patch(`${path}${contact.receiver_id}/`, { company: 'New', notes: 'ß'.repeat(1_500) });
    const trail = await desk.api.get(`/api/v1/conversations/${contact.receiver_id}/activity/`);
    expect(trail.body.results[0]).toMatchObject({
      kind: 'contact_updated',
      actor_type: 'api_key',
      actor: { id: desk.workspace.owner.id },
      changes: { company: { from: 'Old', to: 'New' }, notes: { from: '', to: 'ß'.repeat(1_000) } },
    });
  });
});

describe('opt-out (C5)', () => {
  it('is set and cleared with its time and source', async () => {
    const { receiver_id: handle } = await createContact(desk.workspace);
    await desk.api.patch(`${path}${handle}/`, { marketing_opt_out: true });
    expect((await desk.api.get(`${path}${handle}/`)).body).toMatchObject({
      marketing_opt_out: true,
      marketing_opt_out_source: 'api',
      marketing_opt_out_at: expect.any(String) as unknown,
    });
    const session = await createSession(desk.workspace.owner);
    await session.api.patch(`${path}${handle}/`, { marketing_opt_out: false });
    expect((await desk.api.get(`${path}${handle}/`)).body).toMatchObject({
      marketing_opt_out: false,
      marketing_opt_out_source: null,
      marketing_opt_out_at: null,
    });
    await session.api.patch(`${path}${handle}/`, { marketing_opt_out: true });
    expect((await desk.api.get(`${path}${handle}/`)).body['marketing_opt_out_source']).toBe('member');
  });

  it('outlives the contact as a keyed hash, and comes back with the person', async () => {
    const contact = await createContact(desk.workspace, { marketing_opt_out: true });
    expect((await desk.api.delete(`${path}${contact.receiver_id}/`)).status).toBe(204);
    const marks = await desk.runtime.db.row<{ marks: string }>(
      `SELECT string_agg(opt_out_marks::text, ' ') AS marks FROM opt_out_marks`,
    );
    expect(marks?.marks).not.toContain(contact.receiver_id);
    expect((await createContact(desk.workspace, { phone: contact.body['phone'] })).body).toMatchObject({
      marketing_opt_out: true,
      marketing_opt_out_source: 'api',
    });
    expect(
      (await createContact(await createWorkspace(desk, { connected: false }), { phone: contact.body['phone'] })).body[
        'marketing_opt_out'
      ],
    ).toBe(false);
  });

  it('comes back also where an import gives the phone to somebody who is known by a user id', async () => {
    const { receiver_id: phone } = await createContact(desk.workspace, { marketing_opt_out: true });
    await desk.api.delete(`${path}${phone}/`);
    const { receiver_id: bsuid } = await createContact(desk.workspace, { bsuid: `DE.${unique()}55` });
    expect((await desk.api.post(`${path}bulk/`, [{ phone, bsuid, name: 'Known' }])).body).toMatchObject({ created: 0 });
    expect((await desk.api.get(`${path}${phone}/`)).body).toMatchObject({ name: 'Known', marketing_opt_out: true });
  });
});

describe('DELETE (C5)', () => {
  it('erases the contact, its conversation, messages and trail; once', async () => {
    const customer = createCustomer(desk.workspace);
    await customer.writes('Erase me please');
    expect((await desk.api.delete(`${path}${customer.handle}/`)).status).toBe(204);
    for (const target of [
      `${path}${customer.handle}/`,
      `/api/v1/conversations/${customer.handle}/`,
      `/api/v1/conversations/${customer.handle}/messages/`,
    ])
      expect((await desk.api.get(target)).status).toBe(404);
    expect((await desk.api.delete(`${path}${customer.handle}/`)).status).toBe(404);
    const left = await desk.runtime.db.rows(`SELECT id FROM messages WHERE body::text LIKE '%Erase me%'`);
    expect(left).toEqual([]);
  });

  it('a person who writes again is a new contact', async () => {
    const customer = createCustomer(desk.workspace);
    await customer.writes('One');
    const before = (await desk.api.get(`${path}${customer.handle}/`)).body['id'];
    await desk.api.delete(`${path}${customer.handle}/`);
    await customer.writes('Two');
    const after = (await desk.api.get(`${path}${customer.handle}/`)).body['id'];
    expect(after).not.toBe(before);
    expect((await desk.api.get(`/api/v1/conversations/${customer.handle}/messages/`)).body['count']).toBe(1);
  });
});

describe('list and search (contract 3.1, 3)', () => {
  it('search finds a part of each of the six fields, in any case, and nothing else', async () => {
    const space = await createWorkspace(desk);
    const customer = createCustomer(space, { username: 'wonder.anna' });
    await customer.writes('The word unsearchable is in a message');
    await space.api.patch(`${path}${customer.handle}/`, {
      name: 'Änna Ünique',
      email: 'Mixed.Case@Example.com',
      company: '100%_\\Corp',
      notes: 'unsearchable',
      tags: ['unsearchable'],
    });
    await createContact(space, { name: 'Somebody else', company: '100 Corp' });
    const { body } = await space.api.get(`${path}${customer.handle}/`);
    for (const term of [
      customer.handle.slice(5),
      customer.phone,
      'änna ü',
      'ÄNNA',
      'mixed.case@EXAMPLE',
      'wonder.anna',
      '@wonder.anna',
      '@Wonder',
      '100%_\\c',
      '%_\\',
      String(body['bsuid']).toLowerCase().slice(0, 8),
    ]) {
      expect([term, await found(`search=${encodeURIComponent(term)}`, space.api)]).toEqual([term, [customer.handle]]);
    }
    for (const term of ['unsearchable', '100__corp', 'änna%ünique', "' OR 1=1 --"])
      expect([term, await found(`search=${encodeURIComponent(term)}`, space.api)]).toEqual([term, []]);
    expect(await found('search=', space.api)).toHaveLength(2);
    expect(await found(`search=${encodeURIComponent('  ')}`, space.api)).toHaveLength(2);
  });

  it('search takes a phone as people write it', async () => {
    const contact = await createContact(desk.workspace);
    const digits = contact.receiver_id;
    for (const term of [
      `+${digits.slice(0, 2)} ${digits.slice(2, 5)} ${digits.slice(5)}`,
      `(${digits.slice(2, 6)}) ${digits.slice(6)}`,
      `${digits.slice(0, 6)}-${digits.slice(6)}`,
      `+${digits}`,
    ]) {
      expect([term, await found(`search=${encodeURIComponent(term)}`)]).toEqual([term, [digits]]);
    }
  });

  it('a match never crosses two fields', async () => {
    const space = await createWorkspace(desk, { connected: false });
    await createContact(space, { name: 'ends-here', email: 'begins@here.test' });
    expect(await found(`search=${encodeURIComponent('here begins')}`, space.api)).toEqual([]);
    expect(await found(`search=${encodeURIComponent('herebegins')}`, space.api)).toEqual([]);
  });

  it('is ordered as was asked for', async () => {
    const space = await createWorkspace(desk, { connected: false });
    const [first, second] = [
      (await createContact(space, { name: 'Early' })).receiver_id,
      (await createContact(space, { name: 'Late' })).receiver_id,
    ];
    await space.api.patch(`${path}${first}/`, { company: 'Moved' });
    const expected: [string, string[]][] = [
      ['ordering=name', [first, second]],
      ['ordering=-name', [second, first]],
      ['ordering=updated_at', [second, first]],
      ['tag=nobody', []],
    ];
    for (const [query, handles] of expected) expect([query, await found(query, space.api)]).toEqual([query, handles]);
  });

  it('refuses filters that cannot be', async () => {
    for (const query of ['assigned_member=0', 'assigned_member=all']) {
      const { status, body } = await desk.api.get(`${path}?${query}`);
      expect([status, Object.keys(body)]).toEqual([400, [query.split('=')[0]]]);
    }
  });
});
