import { FormData } from 'undici';
import { mergeRows, patchOf } from '../../api/services/resources/contacts/import/merge';
import type { ReadRow } from '../../api/services/resources/contacts/import/rows';
import { importContacts } from '../../api/services/resources/contacts/import/service';
import { inTurn } from '../../api/services/resources/contacts/import/importTurns';
import { lockIdentities } from '../../api/services/resources/contacts/locks';
import { adoptPlatformPhone } from '../../api/services/resources/contacts/aliases';
import { AppError } from '../../api/core/http/errors';
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
  desk = await sharedDesk('no sandbox');
  for (const name of ['seats', 'rooms'])
    expect((await desk.api.post('/api/v1/custom-fields/', { name, field_type: 'number' })).status).toBe(201);
});
afterAll(() => desk.close());

const digits = (phone: string): string => phone.slice(1);
const read = async (handle: string): Promise<Json> => (await desk.api.get(`/api/v1/contacts/${handle}/`)).body;
function csv(text: string): Promise<ApiAnswer> {
  const form = new FormData();
  form.append('file', new Blob([text], { type: 'text/csv' }), 'contacts.csv');
  return desk.api.post(path, form);
}
const keys = (count: number, name = 'k'): Json =>
  Object.fromEntries(Array.from({ length: count }, (_unused, index) => [`${name}${index}`, 1]));

describe('rows of one person', () => {
  it('are each looked at once, however many there are', () => {
    let reads = 0;
    const rows = Array.from({ length: 50 }, (_unused, number): ReadRow => {
      const attributes = Object.defineProperties(
        {},
        Object.fromEntries(
          Array.from({ length: 100 }, (_none, index) => [
            `r${number}k${index}`,
            { enumerable: true, get: () => (reads += 1) },
          ]),
        ),
      );
      return {
        number,
        phone: '4915112345678',
        bsuid: null,
        otherKeys: [],
        patch: { texts: {}, custom: {}, attributes },
      };
    });
    const { targets } = mergeRows(rows, []);
    expect(targets.map((target) => Object.keys(patchOf(target).attributes).length)).toEqual([200]);
    expect(reads).toBe(50 * 100);
  });

  it('fill a contact up to 200 attributes of 64 kB; what has no room is dropped with an error', async () => {
    const phone = uniquePhone();
    const { body } = await desk.api.post(path, [
      { phone, ...keys(150) },
      { phone, ...keys(100, 'm') },
    ]);
    expect(body).toMatchObject({ received: 2, created: 1, updated: 1, failed: 0 });
    expect((body['errors'] as Json[]).length).toBe(50);
    expect((body['errors'] as Json[])[0]).toEqual({
      row: 2,
      receiver_id: digits(phone),
      field: 'm50',
      value: 1,
      message: 'A contact may have at most 200 attributes.',
      dropped: true,
    });
    expect(Object.keys((await read(digits(phone)))['attributes'] as Json)).toHaveLength(200);
    // A key that is there already can always be written.
    expect((await desk.api.post(path, [{ phone, k0: 2, another: 1 }])).body).toMatchObject({
      errors: [{ field: 'another', dropped: true }],
    });
    expect((await read(digits(phone)))['attributes']).toMatchObject({ k0: 2 });

    const wide = uniquePhone();
    const texts = Object.fromEntries(Array.from({ length: 8 }, (_unused, index) => [`t${index}`, 'x'.repeat(10_000)]));
    expect((await desk.api.post(path, [{ phone: wide, ...texts }])).body['errors']).toMatchObject([
      { field: 't6', message: 'The attributes of a contact may have at most 65536 bytes.' },
      { field: 't7' },
    ]);
  });
});

describe('sizes of an import', () => {
  it('a header of more than 1,000 columns is refused, one of 1,000 is read', async () => {
    const columns = (count: number): string => Array.from({ length: count }, (_unused, index) => `c${index}`).join(',');
    expect(await csv(`phone,${columns(1_000)}\n${uniquePhone()}\n`)).toMatchObject({
      status: 400,
      body: { file: ['The header row may name at most 1000 columns.'] },
    });
    expect(await csv(`phone,${columns(999)}\n${uniquePhone()}\n`)).toMatchObject({ status: 200, body: { created: 1 } });
    expect(await csv(`phone,twice,other,twice\n${uniquePhone()}\n`)).toMatchObject({
      status: 400,
      body: { file: ['The header row names the column "twice" more than once.'] },
    });
  });

  it('a row of more than 1,000 keys is refused, an object of as many in it dropped', async () => {
    const phone = uniquePhone();
    const { body } = await desk.api.post(path, [
      { phone: uniquePhone(), ...keys(1_000) },
      { phone, custom_fields: keys(1_001), attributes: keys(1_001) },
    ]);
    expect(body).toMatchObject({
      created: 1,
      failed: 1,
      errors: [
        { row: 1, field: 'non_field_errors', message: 'A row may have at most 1000 keys.', dropped: false },
        { row: 2, field: 'custom_fields', message: 'Ensure this field has no more than 1000 keys.', dropped: true },
        { row: 2, field: 'attributes', dropped: true },
      ],
    });
  });

  it('an answer lists at most 1,000 errors, the first ones, and says that there are more', async () => {
    const rows = Array.from({ length: 600 }, () => ({ phone: uniquePhone(), seats: 'many', rooms: 'many' }));
    const { body } = await desk.api.post(path, rows);
    const errors = body['errors'] as { row: number }[];
    expect(body).toMatchObject({ received: 600, created: 600, errors_truncated: true });
    expect(errors).toHaveLength(1_000);
    expect(errors.at(-1)?.row).toBe(500);
    const few = await desk.api.post(path, rows.slice(0, 500));
    expect(few.body['errors']).toHaveLength(1_000);
    expect(few.body).not.toHaveProperty('errors_truncated');
  });

  it('a thousand unknown names in each row make no more errors than an answer holds', async () => {
    const rows = Array.from({ length: 20 }, () => ({ phone: uniquePhone(), custom_fields: keys(1_000) }));
    const { body } = await desk.api.post(path, rows);
    expect(body).toMatchObject({ created: 20, errors_truncated: true });
    expect(body['errors']).toHaveLength(1_000);
  });

  it('says which columns it kept as attributes', async () => {
    const phone = uniquePhone();
    const { body } = await desk.api.post(path, [
      { phone, 'shoe size': 43, seats: 1, attributes: { known: 1 } },
      { phone, 'shoe size': 44, colour: 'red' },
    ]);
    expect(body).toMatchObject({ errors: [], attributes_kept: ['shoe size', 'colour'] });
    expect((await desk.api.post(path, [{ phone, name: 'Al' }])).body).not.toHaveProperty('attributes_kept');
  });
});

describe('values of a contact', () => {
  const large = ['x'.repeat(65_536)];
  const message = 'Ensure this field has no more than 65536 bytes.';

  it('tags take 64 kB, wherever they are written', async () => {
    const { receiver_id: handle } = await createContact(desk.workspace);
    for (const where of ['contacts', 'conversations'])
      expect(await desk.api.patch(`/api/v1/${where}/${handle}/`, { tags: large })).toMatchObject({
        status: 400,
        body: { tags: [message] },
      });
    expect(await desk.api.post('/api/v1/contacts/', { phone: uniquePhone(), tags: large })).toMatchObject({
      status: 400,
      body: { tags: [message] },
    });
    expect(await desk.api.post('/api/v1/tickets/', { title: 'x', tags: large })).toMatchObject({
      status: 400,
      body: { tags: [message] },
    });
    expect((await desk.api.post(path, [{ phone: uniquePhone(), tags: large }])).body).toMatchObject({
      created: 1,
      errors: [{ field: 'tags', message, dropped: true }],
    });
    const fits = ['x'.repeat(65_532)];
    expect((await desk.api.patch(`/api/v1/contacts/${handle}/`, { tags: fits })).status).toBe(200);
  });

  it('custom values of one write take 64 kB', async () => {
    const names = Array.from({ length: 7 }, () => `text_${unique()}`);
    for (const name of names) await desk.api.post('/api/v1/custom-fields/', { name, field_type: 'text' });
    const { receiver_id: handle } = await createContact(desk.workspace);
    const values = Object.fromEntries(names.map((name) => [name, 'x'.repeat(10_000)]));
    expect(await desk.api.patch(`/api/v1/contacts/${handle}/`, { custom_fields: values })).toMatchObject({
      status: 400,
      body: { custom_fields: [message] },
    });
    expect((await desk.api.post(path, [{ phone: uniquePhone(), ...values }])).body).toMatchObject({
      created: 1,
      errors: [{ field: names.sort().at(-1), message: 'The custom_fields of a contact may have at most 65536 bytes.' }],
    });
  });
});

it('a customer whom the platform knows under other digits is imported again without a complaint', async () => {
  const dialled = `55119${String(unique()).padStart(8, '0').slice(-8)}`;
  const contact = await createContact(desk.workspace, { phone: `+${dialled}` });
  const platform = `5511${dialled.slice(5)}`;
  await desk.runtime.db.transaction(() =>
    adoptPlatformPhone(desk.workspace.ctx, Number(contact.id), dialled, platform),
  );
  for (const phone of [dialled, platform])
    expect((await desk.api.post(path, [{ phone, name: `As ${phone}` }])).body).toEqual({
      received: 1,
      created: 0,
      updated: 1,
      failed: 0,
      errors: [],
    });
  expect(await read(dialled)).toMatchObject({ id: contact.id, phone: `+${platform}`, name: `As ${platform}` });
});

describe('many imports at once', () => {
  it('the people of an import share 256 locks', async () => {
    const locks = await desk.runtime.db.transaction(async () => {
      await lockIdentities(
        desk.workspace.ctx,
        Array.from({ length: 5_000 }, (_unused, index) => String(index)),
      );
      return desk.runtime.db.row<{ count: number }>(
        "SELECT count(*)::int AS count FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()",
      );
    });
    expect(locks?.count).toBe(256);
  });

  it('a process writes two chunks at a time, one of a workspace, in their order', async () => {
    const other = await createWorkspace(desk, { connected: false });
    const third = await createWorkspace(desk, { connected: false });
    let running = 0;
    let most = 0;
    const order: string[] = [];
    const chunk = (of: typeof other, name: string): Promise<void> =>
      inTurn(of.ctx, async () => {
        order.push(name);
        most = Math.max(most, (running += 1));
        await new Promise((resolve) => setTimeout(resolve, 5));
        running -= 1;
      });
    await Promise.all([
      chunk(other, 'a1'),
      chunk(other, 'a2'),
      chunk(other, 'a3'),
      chunk(third, 'b1'),
      chunk(desk.workspace, 'c1'),
    ]);
    expect(most).toBe(2);
    expect(order.slice(0, 2)).toEqual(['a1', 'b1']);
    expect(order.filter((name) => name.startsWith('a'))).toEqual(['a1', 'a2', 'a3']);
    // A chunk that fails gives its turn on.
    await expect(inTurn(other.ctx, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await chunk(other, 'a4');
  });

  it.each<[string, () => Error, number]>([
    ['a pool without a free connection', () => new AppError('unavailable', 'The service is busy.'), 1],
    ['a statement that took too long', () => Object.assign(new Error('x'), { code: '57014' }), 2],
  ])('%s is waited for: the chunk is tried again', async (_what, fault, chunksAfter) => {
    const other = await createWorkspace(desk, { connected: false });
    const transaction = jest.spyOn(desk.runtime.db, 'transaction').mockRejectedValueOnce(fault());
    const rows = Array.from({ length: 80 }, (_unused, index) => ({
      number: index + 1,
      entries: [['phone', uniquePhone()]] as const,
    }));
    const result = await importContacts(other.ctx, rows);
    const calls = transaction.mock.calls.length;
    transaction.mockRestore();
    expect([result, calls]).toEqual([
      { received: 80, created: 80, updated: 0, failed: 0, errors: [] },
      1 + chunksAfter,
    ]);
  });
});

describe('forms', () => {
  it('a list may be 2,500 repeated keys; more than 5,000 values are a 413 before they are parsed', async () => {
    const ids = new URLSearchParams({ title: 'Outage' });
    const { id } = await createContact(desk.workspace);
    for (let index = 0; index < 2_500; index += 1) ids.append('affected_contact_ids', String(id));
    expect((await desk.api.post('/api/v1/tickets/', ids)).status).toBe(201);
    expect(
      await desk.api.request('POST', path, 'a&'.repeat(5_000), { 'content-type': 'application/x-www-form-urlencoded' }),
    ).toMatchObject({ status: 413, body: { error: 'A form may have at most 5000 values.' } });
    const many = new FormData();
    for (let index = 0; index <= 5_000; index += 1) many.append('tags', 'x');
    expect((await desk.api.post('/api/v1/contacts/', many)).status).toBe(413);
  });
});

describe('custom fields', () => {
  it('cannot have the name of a built-in column', async () => {
    for (const name of ['email', 'phone', 'receiver_id', 'custom_fields', 'marketing_opt_out'])
      expect(await desk.api.post('/api/v1/custom-fields/', { name, field_type: 'text' })).toMatchObject({
        status: 400,
        body: { name: [`"${name}" is the name of a built-in field.`] },
      });
  });

  it('options are a list in JSON; in a form, one key is a list of one', async () => {
    const body = { name: `pick_${unique()}`, field_type: 'select', options: 'a' };
    expect(await desk.api.post('/api/v1/custom-fields/', body)).toMatchObject({
      status: 400,
      body: { options: ['Expected a list of items but got type "str".'] },
    });
    expect(await desk.api.post('/api/v1/custom-fields/', new URLSearchParams(body))).toMatchObject({
      status: 201,
      body: { options: ['a'] },
    });
  });
});
