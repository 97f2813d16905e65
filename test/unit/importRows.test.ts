import { fc } from '../support/properties';
import { csvCell } from '../../api/core/http/csv';
import { readCsv } from '../../api/services/resources/contacts/import/csv';
import { reason } from '../../api/services/resources/reasons';
import { Reason } from '../../api/core/http/reasons';
import { readRow, type SourceRow } from '../../api/services/resources/contacts/import/rows';
import type { FieldDefinition } from '../../api/services/resources/customFields/values';

const definition = (
  name: string,
  field_type: FieldDefinition['field_type'],
  options: string[] = [],
): [string, FieldDefinition] => [name, { name, field_type, options, applies_to: ['contacts'] }];
const definitions = new Map([
  definition('seats', 'number'),
  definition('vip', 'boolean'),
  definition('since', 'date'),
  definition('plan', 'select', ['free', 'pro']),
  definition('topics', 'multi_select', ['a', 'b', 'c']),
  definition('nick', 'text'),
]);
const row = (values: Record<string, unknown>): ReturnType<typeof readRow> =>
  readRow({ number: 1, entries: Object.entries({ phone: '+4915112345678', ...values }) }, definitions);

describe('coercion of imported values (contract 5.5)', () => {
  it.each<[string, unknown, unknown]>([
    ['seats', '42', 42],
    ['seats', ' -1.5e2 ', -150],
    ['seats', 7, 7],
    ...(['true', 'YES', '1', true, 1] as const).map((raw): [string, unknown, unknown] => ['vip', raw, true]),
    ...(['false', 'No', '0', false, 0] as const).map((raw): [string, unknown, unknown] => ['vip', raw, false]),
    ['since', '2024-02-29', '2024-02-29'],
    ['plan', 'pro', 'pro'],
    ['topics', 'a; b;a', ['a', 'b']],
    ['topics', ['c'], ['c']],
    ['nick', ' Al ', ' Al '],
    ['nick', 12, '12'],
  ])('%s takes %j as %j', (name, raw, value) => {
    expect(row({ [name]: raw })).toMatchObject({ row: { patch: { custom: { [name]: value } } }, errors: [] });
  });

  it.each<[string, unknown]>([
    ['seats', 'many'],
    ['seats', 'Infinity'],
    ['seats', '0x1f'],
    ['vip', 'on'],
    ['vip', 2],
    ['since', '2023-02-29'],
    ['since', '29.02.2024'],
    ['plan', 'gold'],
    ['topics', 'a;z'],
    ['nick', { a: 1 }],
  ])('%s drops %j, names the field and keeps the contact', (name, raw) => {
    const { row: read, errors } = row({ [name]: raw, name: 'Al' });
    expect(read).toMatchObject({ phone: '4915112345678', patch: { custom: {}, texts: { name: 'Al' } } });
    expect(errors).toEqual([
      { row: 1, receiver_id: '4915112345678', field: name, value: raw, message: expect.any(Reason), dropped: true },
    ]);
  });

  it('leaves out keys with an empty text or null', () => {
    expect(row({ seats: '', plan: null, name: '', shoe: '' })).toMatchObject({
      row: { patch: { custom: {}, texts: {}, attributes: {} } },
      errors: [],
    });
  });

  it('keeps other keys as free-form attributes, whatever they are called', () => {
    const { row: read } = readRow(
      {
        number: 1,
        entries: [
          ['phone', '+4915112345678'],
          ['shoe', '43'],
          ['__proto__', 'x'],
          ['nested', { deep: [1] }],
        ],
      },
      definitions,
    );
    expect(Object.entries(read?.patch.attributes ?? {})).toEqual([
      ['shoe', '43'],
      ['__proto__', 'x'],
      ['nested', { deep: [1] }],
    ]);
  });

  it('refuses a row that names nobody', () => {
    expect(readRow({ number: 3, entries: [['name', 'Al']] }, definitions)).toEqual({
      row: null,
      errors: [
        {
          row: 3,
          receiver_id: null,
          field: 'phone',
          value: null,
          message: reason('noIdentity'),
          dropped: false,
        },
      ],
      truncated: false,
    });
    expect(readRow({ number: 3, entries: [['phone', 'abc']] }, definitions)).toMatchObject({
      row: null,
      errors: [{ field: 'phone', value: 'abc', dropped: false }],
    });
  });

  it('what goes in comes out typed or is reported, never both and never lost', () => {
    const typed: Record<FieldDefinition['field_type'], (value: unknown) => boolean> = {
      text: (value) => typeof value === 'string',
      number: (value) => typeof value === 'number' && Number.isFinite(value),
      boolean: (value) => typeof value === 'boolean',
      date: (value) =>
        typeof value === 'string' &&
        /^\d{4}-\d{2}-\d{2}$/.test(value) &&
        new Date(`${value}T00:00:00Z`).toISOString().startsWith(value),
      select: (value) => ['free', 'pro'].includes(value as string),
      multi_select: (value) =>
        Array.isArray(value) &&
        value.every((item) => ['a', 'b', 'c'].includes(item as string)) &&
        new Set(value).size === value.length,
    };
    const raw = fc.oneof(
      fc.jsonValue(),
      fc.string(),
      fc.constantFrom(
        'yes',
        'NO',
        '1',
        '0',
        'true',
        'pro',
        'a;b',
        ';',
        '2024-02-29',
        '2023-02-29',
        '1e5',
        '.5',
        '-',
        'constructor',
      ),
      fc.double().map(String),
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10)),
    );
    fc.assert(
      fc.property(fc.record(Object.fromEntries([...definitions.keys()].map((name) => [name, raw]))), (values) => {
        const { row: read, errors } = row(values);
        for (const [name, value] of Object.entries(values)) {
          const stored = read?.patch.custom[name];
          const reported = errors.some(({ field }) => field === name);
          if (value === '' || value === null) expect([stored, reported]).toEqual([undefined, false]);
          else
            expect(
              stored === undefined ? reported : !reported && typed[definitions.get(name)?.field_type ?? 'text'](stored),
            ).toBe(true);
        }
      }),
    );
  });
});

describe('CSV (contract 5)', () => {
  const names = new Set(definitions.keys());
  const read = async (text: string): Promise<SourceRow[]> => {
    const rows: SourceRow[] = [];
    for await (const item of readCsv(text, names)) rows.push(item);
    return rows;
  };

  it('reads quotes, line breaks, a byte order mark, and columns in any case', async () => {
    expect(await read('\uFEFFPhone,Name,Seats,Shoe\r\n+49151,"Doe, ""Al""\nJr",3,\n')).toEqual([
      {
        number: 1,
        entries: [
          ['phone', '+49151'],
          ['name', 'Doe, "Al"\nJr'],
          ['seats', '3'],
          ['Shoe', ''],
        ],
        text: true,
      },
    ]);
  });

  it.each([',', ';', '\t'])('finds out that %j parts the columns', async (delimiter) => {
    expect((await read(['phone', 'name'].join(delimiter) + '\n' + ['1', 'Al'].join(delimiter)))[0]?.entries).toEqual([
      ['phone', '1'],
      ['name', 'Al'],
    ]);
  });

  it.each(['', '\uFEFF'])('reads the line that says what parts the columns, after %j', async (mark) => {
    const [row] = await read(`${mark}sep=|\r\nphone|name\r\n+49151|"a,b"\r\n`);
    expect(row?.entries).toEqual([
      ['phone', '+49151'],
      ['name', 'a,b'],
    ]);
  });

  it('knows the columns of other programs, the first of two that mean the same', async () => {
    const [row] = await read('Phone 1 - Value,Mobile,Full name\n+49151,2,Al');
    expect(row?.entries).toEqual([
      ['phone', '+49151'],
      ['Mobile', '2'],
      ['name', 'Al'],
    ]);
  });

  it('counts what it cannot read as a row', async () => {
    expect(await read('phone,name\n1,Al,extra\n2,Bo\n3,"open\n4,x')).toEqual([
      { number: 1, entries: [], problem: reason('tooManyCells', { cells: 3, columns: 2 }) },
      {
        number: 2,
        entries: [
          ['phone', '2'],
          ['name', 'Bo'],
        ],
        text: true,
      },
      { number: 3, entries: [], problem: reason('quoteOpen') },
    ]);
  });

  it.each([
    ['name\nAl', 'The header row must name'],
    ['phone,phone\n1,2', 'more than once'],
    ['', 'empty'],
  ])('refuses %j', async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });

  it('gives back what was written', async () => {
    const sign = fc.string({ unit: 'binary', minLength: 1, maxLength: 1 });
    const cell = fc
      .string({ unit: fc.oneof(fc.constantFrom("'", '=', '-', '1'), sign), maxLength: 12 })
      .filter((text) => text.isWellFormed() && text !== '\uFEFF');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 6 }), async (cells) => {
        const written = cells.map((pair) => ['1', ...pair].map(csvCell).join(',')).join('\n');
        const rows = await read(`phone,one,two\n${written}\n`);
        expect(rows.map(({ entries }) => entries.map(([, value]) => value))).toEqual(
          cells.map((pair) => ['1', ...pair]),
        );
      }),
    );
  });
});
