import { fc, runs } from '../support/properties';
import { createContact } from '../factories/contacts';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

type Json = Record<string, unknown>;

let desk: TestApi;
const path = '/api/v1/custom-fields/';

beforeAll(async () => {
  desk = await sharedDesk('no sandbox');
  for (const definition of [
    { name: 'plan', field_type: 'select', options: ['free', 'pro'] },
    { name: 'seats', field_type: 'number' },
    { name: 'vip', field_type: 'boolean' },
    { name: 'since', field_type: 'date' },
    { name: 'topics', field_type: 'multi_select', options: ['a', 'b', 'c'] },
    { name: 'nick', field_type: 'text', label: 'Nickname', applies_to: ['contacts'] },
    { name: 'mood', field_type: 'text', applies_to: ['conversations'] },
  ]) {
    expect((await desk.api.post(path, definition)).status).toBe(201);
  }
});
afterAll(() => desk.close());

const values = async (handle: string): Promise<Json> =>
  (await desk.api.get(`/api/v1/contacts/${handle}/`)).body['custom_fields'] as Json;

describe('definitions (contract 5)', () => {
  it('gives what was written, with the defaults', async () => {
    const { body } = await desk.api.get(path);
    expect(body.map(({ name }) => name)).toEqual(['mood', 'nick', 'plan', 'seats', 'since', 'topics', 'vip']);
    expect(body[2]).toMatchObject({
      name: 'plan',
      label: 'plan',
      field_type: 'select',
      applies_to: ['contacts', 'conversations'],
      options: ['free', 'pro'],
    });
  });

  it.each<[string, Json, Json]>([
    [
      'a name that is no slug',
      { name: 'My Plan', field_type: 'text' },
      { name: [expect.stringContaining('lower-case')] },
    ],
    ['a taken name', { name: 'plan', field_type: 'text' }, { name: ['custom field with this name already exists.'] }],
    [
      'a select without options',
      { name: 'x', field_type: 'select' },
      { options: ['This field is required for select and multi_select.'] },
    ],
    [
      'a text with options',
      { name: 'x', field_type: 'text', options: ['a'] },
      { options: ['Only select and multi_select take options.'] },
    ],
    [
      'an option twice',
      { name: 'x', field_type: 'select', options: ['a', 'a'] },
      { options: ['"a" is given more than once.'] },
    ],
    [
      'an empty applies_to',
      { name: 'x', field_type: 'text', applies_to: [] },
      { applies_to: ['This list may not be empty.'] },
    ],
  ])('refuses %s', async (_what, body, errors) => {
    expect(await desk.api.post(path, body)).toMatchObject({ status: 400, body: errors });
  });

  it('keeps the name, and the type once a value exists', async () => {
    const { body } = await desk.api.post(path, { name: 'fixed', field_type: 'text' });
    expect(
      (await desk.api.patch(`${path}${String(body['id'])}/`, { name: 'other', label: 'Fixed' })).body,
    ).toMatchObject({ name: 'fixed', label: 'Fixed' });
    expect(
      (await desk.api.patch(`${path}${String(body['id'])}/`, { field_type: 'select', options: ['x'] })).body,
    ).toMatchObject({ field_type: 'select', options: ['x'] });
    const { receiver_id } = await createContact(desk.workspace, { custom_fields: { fixed: 'x' } });
    expect(await desk.api.patch(`${path}${String(body['id'])}/`, { field_type: 'text' })).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('type') },
    });
    expect((await desk.api.patch(`${path}${String(body['id'])}/`, { options: ['x', 'y'] })).status).toBe(200);

    expect((await desk.api.delete(`${path}${String(body['id'])}/`)).status).toBe(204);
    expect((await desk.api.get(`${path}${String(body['id'])}/`)).status).toBe(404);
    expect(await values(receiver_id)).toEqual({});
    const stored = await desk.runtime.db.row('SELECT custom_fields FROM contacts WHERE receiver_id = $id', {
      id: receiver_id,
    });
    expect(stored).toEqual({ custom_fields: {} });
    expect((await desk.api.post(path, { name: 'fixed', field_type: 'number' })).status).toBe(201);
  });
});

describe('values', () => {
  it('merge on PATCH, clear by null, and stay typed', async () => {
    const { receiver_id } = await createContact(desk.workspace, {
      custom_fields: { plan: 'pro', seats: 3, vip: true, since: '2026-02-28', topics: ['a', 'b'] },
    });
    const patched = await desk.api.patch(`/api/v1/contacts/${receiver_id}/`, {
      custom_fields: { seats: null, nick: 'Al' },
    });
    expect(patched.body['custom_fields']).toEqual({
      plan: 'pro',
      vip: true,
      since: '2026-02-28',
      topics: ['a', 'b'],
      nick: 'Al',
    });
    expect(await values(receiver_id)).toEqual(patched.body['custom_fields']);
  });

  it.each<[Json, string]>([
    [{ plan: 'gold' }, 'plan: "gold" is not a valid choice.'],
    [{ seats: '3' }, 'seats: A valid number is required.'],
    [{ vip: 'yes' }, 'vip: Must be a valid boolean.'],
    [{ since: '2026-02-31' }, 'since: Date has wrong format. Use one of these formats instead: YYYY-MM-DD.'],
    [{ topics: ['a', 'z'] }, 'topics: "z" is not a valid choice.'],
    [{ topics: 'a' }, 'topics: Expected a list of items but got type "str".'],
    [{ nick: 5 }, 'nick: Not a valid string.'],
    [{ nope: 1 }, 'nope: is not a custom field of this workspace.'],
    [{ constructor: 1 }, 'constructor: is not a custom field of this workspace.'],
    [{ mood: 'x' }, 'mood: does not apply to contacts.'],
  ])('refuses %j and changes nothing', async (fields, message) => {
    const { receiver_id } = await createContact(desk.workspace);
    expect(
      await desk.api.patch(`/api/v1/contacts/${receiver_id}/`, {
        company: 'Changed',
        custom_fields: { vip: true, ...fields },
      }),
    ).toMatchObject({ status: 400, body: { custom_fields: [message] } });
    expect((await desk.api.get(`/api/v1/contacts/${receiver_id}/`)).body).toMatchObject({
      company: '',
      custom_fields: {},
    });
  });

  it('are shared by a contact and its conversation, and shown by applies_to', async () => {
    const { receiver_id } = await createContact(desk.workspace, { custom_fields: { plan: 'pro', nick: 'Al' } });
    const conversation = await desk.api.patch(`/api/v1/conversations/${receiver_id}/`, {
      custom_fields: { mood: 'calm' },
    });
    expect(conversation.body['custom_fields']).toEqual({ plan: 'pro', mood: 'calm' });
    expect(await values(receiver_id)).toEqual({ plan: 'pro', nick: 'Al' });
  });

  it('filter the contact list', async () => {
    const contact = await createContact(desk.workspace, {
      custom_fields: { plan: 'free', seats: 7_001, topics: ['b', 'c'], since: '2020-01-01' },
    });
    const found = async (query: string): Promise<unknown[]> =>
      ((await desk.api.get(`/api/v1/contacts/?${query}`)).body['results'] as Json[]).map(({ id }) => id);
    expect(await found('custom_field.seats=7001')).toEqual([contact.id]);
    expect(await found('custom_field.seats=7001&custom_field.topics=c&custom_field.plan=free')).toEqual([contact.id]);
    expect(await found('custom_field.seats=7001&custom_field.topics=a')).toEqual([]);
    expect(await found('custom_field.since=2020-01-01')).toEqual([contact.id]);
    expect(await desk.api.get('/api/v1/contacts/?custom_field.nope=1')).toMatchObject({
      status: 400,
      body: { 'custom_field.nope': ['This is not a custom field of this workspace.'] },
    });
    expect(await desk.api.get('/api/v1/contacts/?custom_field.seats=x')).toMatchObject({
      status: 400,
      body: { 'custom_field.seats': ['A valid number is required.'] },
    });
  });

  it('lose no key, whoever writes at the same time', async () => {
    const names = Array.from({ length: 12 }, (_unused, index) => `key${index}`);
    for (const name of names) expect((await desk.api.post(path, { name, field_type: 'number' })).status).toBe(201);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }), {
          minLength: 2,
          maxLength: 8,
        }),
        async (writers) => {
          const { receiver_id } = await createContact(desk.workspace);
          const answers = await Promise.all(
            writers.map((keys, index) =>
              desk.api.patch(`/api/v1/${index % 2 === 0 ? 'contacts' : 'conversations'}/${receiver_id}/`, {
                custom_fields: Object.fromEntries(keys.map((key) => [key, index])),
              }),
            ),
          );
          expect(answers.map(({ status }) => status)).toEqual(writers.map(() => 200));
          const stored = await values(receiver_id);
          expect(new Set(Object.keys(stored))).toEqual(new Set(writers.flat()));
          // Each key carries the number of one who wrote it.
          for (const [key, index] of Object.entries(stored)) expect(writers[Number(index)]).toContain(key);
        },
      ),
      { numRuns: runs(10) },
    );
  });

  it('never outlive a definition that is deleted while they are written', async () => {
    for (let round = 0; round < 5; round += 1) {
      const name = `brief${round}`;
      const { body } = await desk.api.post(path, { name, field_type: 'text' });
      const contacts = await Promise.all(Array.from({ length: 6 }, () => createContact(desk.workspace)));
      const [deleted] = await Promise.all([
        desk.api.delete(`${path}${String(body['id'])}/`),
        ...contacts.map(({ receiver_id }) =>
          desk.api.patch(`/api/v1/contacts/${receiver_id}/`, { custom_fields: { [name]: 'x' } }),
        ),
      ]);
      expect(deleted?.status).toBe(204);
      const left = await desk.runtime.db.rows('SELECT id FROM contacts WHERE jsonb_exists(custom_fields, $name)', {
        name,
      });
      expect(left).toEqual([]);
    }
  });
});
