import { readCsv } from '../../api/services/resources/contacts/import/csv';
import type { SourceRow } from '../../api/services/resources/contacts/import/rows';
import { importContacts } from '../../api/services/resources/contacts/import/service';
import { uniquePhone } from '../factories/unique';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

type Json = Record<string, unknown>;

const path = '/api/v1/contacts/bulk/';
let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('no sandbox');
  await desk.api.post('/api/v1/custom-fields/', { name: 'seats', field_type: 'number' });
});
afterAll(() => desk.close());

const keys = (count: number, name: string): Json =>
  Object.fromEntries(Array.from({ length: count }, (_unused, index) => [`${name}${index}`, 1]));
const read = async (phone: string): Promise<number> =>
  (await desk.api.get(`/api/v1/contacts/${phone.slice(1)}/`)).status;

it('others have their turn while many rows of one person are read, and no error is made that nobody sees', async () => {
  let turn = 0;
  let counting: NodeJS.Immediate | undefined;
  const count = (): void => {
    turn += 1;
    counting = setImmediate(count);
  };
  const keysOfTurn = new Map<number, number>();
  let texts = 0;
  const value = { toJSON: () => (texts += 1) };
  const phone = uniquePhone();
  function* rows(): Generator<SourceRow> {
    for (let number = 1; number <= 1_000; number += 1) {
      keysOfTurn.set(turn, (keysOfTurn.get(turn) ?? 0) + 96);
      const more = Array.from({ length: 95 }, (_unused, index) => [`r${number}k${index}`, value] as const);
      yield { number, entries: [['phone', phone], ...more] };
    }
  }
  count();
  const result = await importContacts(desk.workspace.ctx, rows());
  clearImmediate(counting);
  expect(result).toMatchObject({ received: 1_000, created: 1, updated: 999, errors_truncated: true });
  expect(result.errors).toHaveLength(1_000);
  expect(keysOfTurn.size).toBeGreaterThan(4);
  expect(Math.max(...keysOfTurn.values())).toBeLessThan(20_000 + 1_000);
  // Each value is written out to be measured, and those that are stored or shown once or twice more.
  expect(texts).toBeLessThan(2 * 95_000 + 3_000);
});

it('of a file of short lines others wait for a few thousand at most', async () => {
  let turn = 0;
  let counting: NodeJS.Immediate | undefined;
  const count = (): void => {
    turn += 1;
    counting = setImmediate(count);
  };
  const rowsOfTurn = new Map<number, number>();
  count();
  for await (const row of readCsv(`phone\n${'1\n'.repeat(100_000)}`, new Set())) {
    if (row.problem === undefined) rowsOfTurn.set(turn, (rowsOfTurn.get(turn) ?? 0) + 1);
  }
  clearImmediate(counting);
  expect([...rowsOfTurn.values()].reduce((sum, rows) => sum + rows, 0)).toBe(100_000);
  expect(Math.max(...rowsOfTurn.values())).toBeLessThan(10_000);
});

it('a body of more than 100,000 keys is refused, wherever they stand', async () => {
  const phone = uniquePhone();
  for (const rows of [
    Array.from({ length: 200 }, () => ({ phone, ...keys(500, 'k') })),
    Array.from({ length: 200 }, () => ({ phone, attributes: keys(500, 'k') })),
  ])
    expect(await desk.api.post(path, rows)).toMatchObject({
      status: 400,
      body: { contacts: ['Ensure this field has no more than 100000 keys in all its rows.'] },
    });
  expect(await read(phone)).toBe(404);
});

it('a text in place of a file is read a piece at a time', async () => {
  let turns = 0;
  let counting: NodeJS.Immediate | undefined;
  const count = (): void => {
    turns += 1;
    counting = setImmediate(count);
  };
  const file = `phone,${Array.from({ length: 999 }, (_unused, index) => `c${index}`).join(',')}\n`;
  count();
  const answer = await desk.api.post(path, { file: `${file}${`${','.repeat(999)}\n`.repeat(1_000)}` });
  clearImmediate(counting);
  expect(answer).toMatchObject({ status: 200, body: { received: 1_000, failed: 1_000 } });
  expect(turns).toBeGreaterThan(15);
});

it.each<[unknown]>([[{ toString: null }], [[{ toString: 1 }]], [['+4930047306009']], [true], [4930047306009.5]])(
  'a receiver_id of %j is no name: its row is refused, the others are imported',
  async (handle) => {
    const phone = uniquePhone();
    expect(await desk.api.post(path, [{ phone }, { receiver_id: handle }])).toMatchObject({
      status: 200,
      body: {
        created: 1,
        failed: 1,
        errors: [{ row: 2, field: 'receiver_id', message: 'Not a valid string.', dropped: false }],
      },
    });
    expect(await read(phone)).toBe(200);
  },
);

it('refused rows come first, however many values were dropped before them', async () => {
  const rows: Json[] = Array.from({ length: 700 }, () => ({
    phone: uniquePhone(),
    seats: 'many',
    email: 'no',
    custom_fields: { none: 1 },
  }));
  rows.splice(650, 0, { name: 'Nobody' });
  rows.push({ phone: 'x', seats: 'many' });
  const { body } = await desk.api.post(path, rows);
  const errors = body['errors'] as Json[];
  expect(body).toMatchObject({ created: 700, failed: 2, errors_truncated: true });
  expect(errors).toHaveLength(1_000);
  expect(errors.slice(0, 3)).toMatchObject([
    { row: 651, field: 'phone', dropped: false },
    { row: 702, field: 'phone', dropped: false },
    { row: 1, field: 'seats', dropped: true },
  ]);
});
