import { patiently } from '../support/patiently';
import { fc, runs } from '../support/properties';
import { FormData } from 'undici';
import { readCsv } from '../../api/services/resources/contacts/import/csv';
import { rehearseImport } from '../../api/services/resources/contacts/import/rehearse';
import { importContacts, type ImportResult } from '../../api/services/resources/contacts/import/service';
import { applyPreference } from '../../api/services/resources/contacts/preference';
import type { SourceRow } from '../../api/services/resources/contacts/import/rows';
import { createContact } from '../factories/contacts';
import { unique, uniquePhone } from '../factories/unique';
import { createWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import type { ApiAnswer } from '../support/client';

type Json = Record<string, unknown>;

const path = '/api/v1/contacts/bulk/';
let desk: TestApi;

beforeAll(async () => {
  desk = await sharedDesk('no sandbox', { env: { DATABASE_POOL: '40' } });
  for (const definition of [
    { name: 'plan', field_type: 'select', options: ['free', 'pro'] },
    { name: 'seats', field_type: 'number' },
    { name: 'topics', field_type: 'multi_select', options: ['a', 'b'] },
  ])
    expect((await desk.api.post('/api/v1/custom-fields/', definition)).status).toBe(201);
});
afterAll(() => desk.close());

const digits = (phone: string): string => phone.slice(1);
const read = async (handle: string): Promise<Json> => (await desk.api.get(`/api/v1/contacts/${handle}/`)).body;
function csv(text: string, more: Record<string, string> = {}, fields: Record<string, string> = {}): Promise<ApiAnswer> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob([text], { type: 'text/csv' }), 'contacts.csv');
  return desk.api.post(path, form, more);
}

it('creates contacts with fields, attributes, conversation and event; the same rows again create nothing', async () => {
  const [first, second] = [uniquePhone(), uniquePhone()];
  const rows = [
    {
      phone: first,
      name: 'Ada',
      email: 'ada@example.com',
      tags: ['vip'],
      plan: 'pro',
      seats: '12',
      topics: 'a;b',
      shoe: 43,
    },
    { phone: second, custom_fields: { plan: 'free' } },
  ];
  expect(await desk.api.post(path, { contacts: rows })).toMatchObject({
    status: 200,
    body: { received: 2, created: 2, updated: 0, failed: 0, errors: [] },
  });
  expect(await read(digits(first))).toMatchObject({
    name: 'Ada',
    email: 'ada@example.com',
    tags: ['vip'],
    custom_fields: { plan: 'pro', seats: 12, topics: ['a', 'b'] },
    attributes: { shoe: 43 },
  });
  expect((await desk.api.get(`/api/v1/conversations/${digits(second)}/`)).body).toMatchObject({
    conv_status: 'open',
    custom_fields: { plan: 'free' },
  });
  const kinds = async (): Promise<Json[]> =>
    desk.runtime.db.rows(
      `SELECT e.kind, e.data FROM events e JOIN contacts c ON c.id = e.subject_id
        WHERE c.receiver_id = $id AND e.subject_type = 'contact'`,
      { id: digits(first) },
    );
  expect(await kinds()).toEqual([{ kind: 'contact_created', data: { source: 'import' } }]);

  const before = await read(digits(first));
  expect(await desk.api.post(path, rows)).toMatchObject({
    status: 200,
    body: { received: 2, created: 0, updated: 2, failed: 0 },
  });
  expect(await read(digits(first))).toEqual(before);
  expect(await kinds()).toHaveLength(1);
});

it('merges: keys of a row replace, all other values stay, and the change is recorded', async () => {
  const phone = uniquePhone();
  await createContact(desk.workspace, {
    phone,
    name: 'Old',
    company: 'Stays',
    custom_fields: { plan: 'free', seats: 1 },
  });
  expect((await desk.api.post(path, [{ phone, name: 'New', seats: '2', a: 'x' }])).body).toMatchObject({
    created: 0,
    updated: 1,
  });
  expect((await desk.api.post(path, [{ phone, name: '', b: 'y' }])).body).toMatchObject({ created: 0, updated: 1 });
  expect(await read(digits(phone))).toMatchObject({
    name: 'New',
    company: 'Stays',
    custom_fields: { plan: 'free', seats: 2 },
    attributes: { a: 'x', b: 'y' },
  });
  const events = await desk.runtime.db.rows<{ changes: Json }>(
    `SELECT e.changes FROM events e JOIN contacts c ON c.id = e.subject_id
      WHERE c.receiver_id = $id AND e.kind = 'contact_updated' ORDER BY e.id`,
    { id: digits(phone) },
  );
  expect(events.map(({ changes }) => changes)).toEqual([
    {
      name: { from: 'Old', to: 'New' },
      custom_fields: { from: { seats: 1 }, to: { seats: 2 } },
      attributes: { from: { a: null }, to: { a: 'x' } },
    },
    { attributes: { from: { b: null }, to: { b: 'y' } } },
  ]);
});

it('drops a wrong value, keeps its contact, refuses a row that names nobody, and says so row by row', async () => {
  const [first, second] = [uniquePhone(), uniquePhone()];
  const long = 'x'.repeat(300);
  const { body } = await desk.api.post(path, [
    { phone: first, seats: 'many', plan: 'gold', email: 'no' },
    { name: 'Nobody' },
    'text',
    { phone: second, company: long },
  ]);
  expect(body).toEqual({
    received: 4,
    created: 2,
    updated: 0,
    failed: 2,
    errors: [
      {
        row: 2,
        receiver_id: null,
        field: 'phone',
        value: null,
        message: 'This field is required unless bsuid is given.',
        dropped: false,
      },
      {
        row: 3,
        receiver_id: null,
        field: 'non_field_errors',
        value: null,
        message: 'Invalid data. Expected a dictionary.',
        dropped: false,
      },
      {
        row: 1,
        receiver_id: digits(first),
        field: 'seats',
        value: 'many',
        message: 'A valid number is required.',
        dropped: true,
      },
      {
        row: 1,
        receiver_id: digits(first),
        field: 'plan',
        value: 'gold',
        message: '"gold" is not a valid choice.',
        dropped: true,
      },
      {
        row: 1,
        receiver_id: digits(first),
        field: 'email',
        value: 'no',
        message: 'Enter a valid email address.',
        dropped: true,
      },
      {
        row: 4,
        receiver_id: digits(second),
        field: 'company',
        value: `${'x'.repeat(200)}…`,
        message: 'Ensure this field has no more than 255 characters.',
        dropped: true,
      },
    ],
  });
  expect(await read(digits(first))).toMatchObject({ custom_fields: {}, email: '' });
});

it('knows one person by phone and by bsuid, in the file and in the database', async () => {
  const [phone, bsuid, other] = [uniquePhone(), `DE.${unique()}`, `DE.${unique()}`];
  const known = await createContact(desk.workspace, { bsuid: other });
  const { body } = await desk.api.post(path, [
    { phone, name: 'One' },
    { phone, bsuid, company: 'Two' },
    { bsuid, notes: 'Three' },
    { phone, bsuid: other },
    { bsuid: other, name: 'Known' },
  ]);
  expect(body).toMatchObject({
    received: 5,
    created: 1,
    updated: 4,
    failed: 0,
    errors: [{ row: 4, field: 'bsuid', value: other, dropped: true }],
  });
  expect(await read(digits(phone))).toMatchObject({ bsuid, name: 'One', company: 'Two', notes: 'Three' });
  expect(await read(known.receiver_id)).toMatchObject({ id: known.id, name: 'Known' });
});

it("keeps an erased contact's opt-out", async () => {
  const contact = await createContact(desk.workspace, { marketing_opt_out: true });
  expect((await desk.api.delete(`/api/v1/contacts/${contact.receiver_id}/`)).status).toBe(204);
  expect((await desk.api.post(path, [{ phone: contact.receiver_id }])).body).toMatchObject({ created: 1 });
  expect(await read(contact.receiver_id)).toMatchObject({ marketing_opt_out: true });
});

it('takes a CSV file', async () => {
  const [first, second] = [uniquePhone(), uniquePhone()];
  const { status, body } = await csv(
    `Phone;Name;plan;topics;tags;Shoe size\n${first};"Doe; Jane";pro;"a;b";"vip;new";43\n${second};;gold;;;\n` +
      `${first};Jane;;;;\n`,
  );
  expect([status, body]).toEqual([
    200,
    {
      received: 3,
      created: 2,
      updated: 1,
      failed: 0,
      errors: [
        {
          row: 2,
          receiver_id: digits(second),
          field: 'plan',
          value: 'gold',
          message: '"gold" is not a valid choice.',
          dropped: true,
        },
      ],
      attributes_kept: ['Shoe size'],
    },
  ]);
  expect(await read(digits(first))).toMatchObject({
    name: 'Jane',
    tags: ['vip', 'new'],
    custom_fields: { plan: 'pro', topics: ['a', 'b'] },
    attributes: { 'Shoe size': '43' },
  });
});

it.each<[string, () => Promise<ApiAnswer>, Json]>([
  ['nothing', () => desk.api.post(path, {}), { contacts: ['This field is required.'] }],
  [
    'no list',
    () => desk.api.post(path, { contacts: {} }),
    { contacts: ['Expected a list of items but got type "dict".'] },
  ],
  [
    '1001 rows',
    () =>
      desk.api.post(
        path,
        Array.from({ length: 1_001 }, () => ({})),
      ),
    { contacts: [expect.stringContaining('1000')] },
  ],
  ['an empty file', () => csv(''), { file: ['The submitted file is empty.'] }],
  ['a file without a column that names people', () => csv('name\nAl'), { file: [expect.stringContaining('phone')] }],
  ['50,001 rows', () => csv(`phone\n${'1\n'.repeat(50_001)}`), { file: [expect.stringContaining('50000')] }],
  [
    'a file that is not UTF-8',
    () =>
      desk.api.request(
        'POST',
        path,
        Buffer.concat([
          Buffer.from('--x\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\nphone\n'),
          Buffer.from([0xe9]),
          Buffer.from('\r\n--x--\r\n'),
        ]),
        { 'content-type': 'multipart/form-data; boundary=x' },
      ),
    { file: [expect.stringContaining('“CSV UTF-8 (Comma delimited)”')] },
  ],
])('refuses %s and imports nothing', async (_what, send, errors) => {
  const count = async (): Promise<unknown> => (await desk.api.get('/api/v1/contacts/?page_size=1')).body['count'];
  const before = await count();
  expect(await send()).toMatchObject({ status: 400, body: errors });
  expect(await count()).toBe(before);
});

it('answers 413 to more than 10 MiB', async () => {
  expect((await csv(`phone\n${'1'.repeat(11 * 1024 * 1024)}`)).status).toBe(413);
});

it('never makes two of one customer when imports, creations and each other meet', async () => {
  const other = await createWorkspace(desk, { connected: false });
  const people = Array.from({ length: 400 }, () => ({ phone: uniquePhone(), bsuid: `US.${unique()}` }));
  const shuffled = (seed: number): Json[] =>
    people
      .map((person, index) => ({
        at: (index * 7919 + seed * 104_729) % 400,
        row:
          seed % 3 === 0
            ? person
            : seed % 3 === 1
              ? { phone: person.phone, seats: String(seed) }
              : { bsuid: person.bsuid, name: `n${seed}` },
      }))
      .sort((left, right) => left.at - right.at)
      .map(({ row }) => row);
  const send = (to: string, body: unknown): Promise<ApiAnswer> => patiently(() => other.api.post(to, body));
  // Both handles are known before they are used one by one: else two rows would be right.
  const answers = await Promise.all([
    ...[0, 3, 6].map((seed) => send(path, shuffled(seed))),
    ...people.slice(0, 20).map((person) => send('/api/v1/contacts/', person)),
  ]);
  expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
  const created = answers.reduce(
    (sum, { status, body }) => sum + (status === 201 ? 1 : Number(body['created'] ?? 0)),
    0,
  );
  expect(created).toBe(400);
  const more = await Promise.all([1, 2, 4, 5].map((seed) => send(path, shuffled(seed))));
  for (const [index, { status, body }] of more.entries())
    expect([status, body]).toEqual([
      200,
      // The second workspace has no field `seats`.
      {
        received: 400,
        created: 0,
        updated: 400,
        failed: 0,
        errors: [],
        ...(index % 2 === 0 ? { attributes_kept: ['seats'] } : {}),
      },
    ]);
  expect((await other.api.get('/api/v1/contacts/?page_size=1')).body['count']).toBe(400);
});

describe('an import that is cut off', () => {
  const first = 4_910_000_000_000;
  async function* rows(count: number, failAt = Infinity): AsyncGenerator<SourceRow> {
    for (let index = 0; index < count; index += 1) {
      if (index === failAt) throw new Error('the file broke off');
      yield { number: index + 1, entries: [['phone', `+${first + index}`]], text: true };
      if (index % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  }
  const stored = async (id: number): Promise<number> =>
    Number(
      (
        await desk.runtime.db.row<{ count: number }>(
          'SELECT count(*) AS count FROM contacts WHERE workspace_id = $id',
          { id },
        )
      )?.count,
    );

  it('by its source leaves whole chunks', async () => {
    const other = await createWorkspace(desk, { connected: false });
    await expect(importContacts(other.ctx, rows(1_200, 700))).rejects.toThrow('the file broke off');
    expect(await stored(other.id)).toBe(500);
  });

  it('by whoever hears of its progress ends with that error, and writes nothing after it', async () => {
    const other = await createWorkspace(desk, { connected: false });
    const seen: ImportResult[] = [];
    const onProgress = (result: ImportResult): void => {
      seen.push({ ...result });
      if (seen.length === 2) throw new Error('nobody wants to know');
    };
    await expect(importContacts(other.ctx, rows(2_000), { onProgress })).rejects.toThrow('nobody wants to know');
    expect(seen.map(({ received, created }) => [received, created])).toEqual([
      [500, 500],
      [1_000, 1_000],
    ]);
    expect(await stored(other.id)).toBe(1_000);
  });
});

it('counts add up whatever the rows are', async () => {
  const phones = Array.from({ length: 6 }, uniquePhone);
  const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('', 'pro', '12', 'a;b', 'x@y.z'));
  const line = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record(
        {
          phone: fc.oneof(fc.constantFrom(...phones), fc.string({ maxLength: 5 })),
          bsuid: fc.constantFrom('US.1a', 'US.2b', '', 'bad'),
          name: value,
          plan: value,
          seats: value,
          topics: value,
          tags: value,
          extra: value,
        },
        { requiredKeys: [] },
      ),
    },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 1 }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 20 }), async (rows) => {
      const text = JSON.stringify(rows);
      fc.pre(!text.includes('\\u0000') && !text.includes('\\ud'));
      const { status, body } = await desk.api.post(path, rows);
      expect(status).toBe(200);
      const { received, created, updated, failed, errors } = body as {
        received: number;
        created: number;
        updated: number;
        failed: number;
        errors: { row: number; dropped: boolean }[];
      };
      expect(received).toBe(rows.length);
      expect(created + updated + failed).toBe(received);
      // A refused row has its reason, and only refused rows say so.
      expect(new Set(errors.filter(({ dropped }) => !dropped).map(({ row }) => row)).size).toBe(failed);
      expect((await desk.api.post(path, rows)).body).toMatchObject({ created: 0, updated: created + updated, failed });
    }),
    { numRuns: runs(15) },
  );
});

it('reads the numbers of a file as they are written, and those of its country', async () => {
  const text = 'phone;name\n4915199990001.0;Ada\n"+49 (0)151 99990002";Bo\n0049 151 99990003;Cy\n0151 99990004;Di\n';
  expect(await csv(text)).toMatchObject({
    status: 200,
    body: { created: 3, failed: 1, errors: [{ row: 4, field: 'phone', value: '0151 99990004', dropped: false }] },
  });
  expect((await csv(text, {}, { country: 'DE' })).body).toMatchObject({
    created: 1,
    updated: 2,
    errors: [{ row: 1, message: expect.stringContaining('+494915199990001 or +4915199990001') }],
  });
  for (const last of [1, 2, 3, 4]) expect((await read(`491519999000${last}`))['phone']).toBe(`+491519999000${last}`);
  expect((await csv('phone\n(415) 555-2696')).body).toMatchObject({ failed: 1 });
  // The workspace says where a file does not; rows of JSON are international.
  await desk.runtime.db.models.Workspace.update({ country: 'US' }, { where: { id: desk.workspace.id } });
  expect((await csv('phone\n(415) 555-2696')).body).toMatchObject({ created: 1 });
  expect((await csv('phone\n(415) 555-2696', {}, { country: '' })).body).toMatchObject({ failed: 1 });
  expect((await read('14155552696'))['phone']).toBe('+14155552696');
  expect((await desk.api.post(path, [{ phone: '4155552696' }])).body).toMatchObject({ created: 1 });
  await desk.runtime.db.models.Workspace.update({ country: null }, { where: { id: desk.workspace.id } });
});

it('opts out, but never in who opted out themselves', async () => {
  const people = [uniquePhone(), uniquePhone(), uniquePhone()];
  const sources = ['keyword', 'platform', 'api'] as const;
  for (const [index, phone] of people.entries()) {
    const { id } = (await desk.api.post('/api/v1/contacts/', { phone })).body;
    await applyPreference(desk.workspace.ctx, Number(id), true, new Date(), sources[index] ?? 'api');
  }
  const rows = people.map((phone) => ({ phone, marketing_opt_out: false, name: 'Ada' }));
  expect((await desk.api.post(path, rows)).body).toMatchObject({
    updated: 3,
    errors: [1, 2].map((row) => ({ row, field: 'marketing_opt_out', value: false, dropped: true })),
  });
  for (const [index, phone] of people.entries())
    expect(await read(digits(phone))).toMatchObject({ name: 'Ada', marketing_opt_out: index < 2 });
  expect((await desk.api.post(path, [{ phone: people[2], marketing_opt_out: true }])).body).toMatchObject({
    errors: [],
  });
  expect(await read(digits(people[2] ?? ''))).toMatchObject({ marketing_opt_out: true });
});

const columns = ['(first_name)', '(last_name)', 'phone', 'tags', '', '(attribute)'];
const mapped = 'Vorname;Nachname;Telefon;Gruppen;Geheim;phone\n';

it('what the columns are may be told: parts of a name, what is kept and what is left out', async () => {
  const phone = uniquePhone();
  const text = `${mapped}Ada;Lovelace;${phone};a ::: b;x;old\n`;
  expect((await csv(text, {}, { columns: JSON.stringify(columns) })).body).toMatchObject({ created: 1, errors: [] });
  const { name, tags, attributes } = await read(digits(phone));
  expect([name, tags, attributes]).toEqual(['Ada Lovelace', ['a', 'b'], { phone: 'old' }]);
  expect(await csv(text, {}, { columns: JSON.stringify(['phone']) })).toMatchObject({ status: 400 });
  const body = { contacts: [{ phone }], columns };
  expect(await desk.api.post(path, body)).toMatchObject({
    status: 400,
    body: { columns: ['Only a file has columns.'] },
  });
});

it('a rehearsal says what the import does then, and changes nothing', async () => {
  const workspace = await createWorkspace(desk, { connected: false });
  const ctx = workspace.ctx;
  const own = await createContact(workspace, { marketing_opt_out: true });
  const [out, known, fresh] = [uniquePhone(), uniquePhone(), uniquePhone()];
  for (const phone of [out, known]) await createContact(workspace, { phone });
  const stopped = await createContact(workspace, {});
  await applyPreference(ctx, stopped.id, true, new Date(), 'keyword');
  const text = [
    'Telefon,Raus',
    `${out},yes`,
    `${known},`,
    `${fresh},yes`,
    `${fresh},yes`,
    `+${own.receiver_id},yes`,
    `+${stopped.receiver_id},no`,
    ...Array.from({ length: 3 }, (_, index) => `017155500${index},`),
    'nobody,',
  ].join('\n');
  const told = ['phone', 'marketing_opt_out'];
  const count = async (): Promise<unknown> => (await workspace.api.get('/api/v1/contacts/')).body['count'];
  const before = await count();
  const rehearsal = await rehearseImport(ctx, text, told, null);
  expect(await count()).toBe(before);
  expect(rehearsal).toMatchObject({ created: 1, updated: 5, failed: 4, optedOut: 2, keptOut: 1 });
  expect(rehearsal.problems.map(({ count: rows, dropped }) => [rows, dropped])).toEqual([
    [3, false],
    [1, false],
    [1, true],
  ]);
  const done = await importContacts(ctx, readCsv(text, new Set(), null, undefined, told));
  expect(done).toMatchObject({ created: 1, updated: 5, failed: 4 });
});
