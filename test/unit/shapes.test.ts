import { fc } from '../support/properties';
import { from, isoTime, shapeOf, wire, type Fits, type Wire } from '../../api/core/http/shapes';

/** Whether two types are the same. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

interface Row {
  readonly id: number;
  readonly owner_id: number | null;
  readonly title: string;
  readonly seen_at: Date | null;
  readonly secret: string;
}

const stored: Row = { id: 4, owner_id: null, title: 'Parcel', seen_at: new Date('2027-01-04T09:00:00Z'), secret: 's' };

describe('an answer is declared in one list', () => {
  const parcel = shapeOf<Row>('Parcel').with({
    id: wire.integer(),
    owner: from(wire.nullable(wire.integer('Id of a member.')), (row) => row.owner_id),
    title: wire.text(),
    seen_at: wire.nullable(wire.datetime()),
  });

  it('that names what is written, in its order, and nothing else', () => {
    expect(Object.entries(parcel.serialize(stored))).toEqual([
      ['id', 4],
      ['owner', null],
      ['title', 'Parcel'],
      ['seen_at', '2027-01-04T09:00:00.000Z'],
    ]);
  });

  it('and is written as property by property, whatever the names and values are', () => {
    const value = fc.oneof(
      fc.jsonValue(),
      fc.date({ noInvalidDate: true }),
      fc.constant(undefined),
      fc.array(fc.date({ noInvalidDate: true }), { maxLength: 2 }),
    );
    const names = fc.uniqueArray(
      fc.oneof(fc.string(), fc.constantFrom('"', "'", '\\', '__proto__', '${row}', '\n', '1')),
      {
        minLength: 1,
        maxLength: 12,
      },
    );
    fc.assert(
      fc.property(names, fc.array(fc.tuple(fc.boolean(), value), { minLength: 12, maxLength: 12 }), (keys, given) => {
        const row = Object.fromEntries(keys.map((name, index) => [name, given[index]?.[1]]));
        const fields = Object.fromEntries(
          keys.map((name, index) => [
            name,
            given[index]?.[0] ? from(wire.any(), (each: Record<string, unknown>) => each[name]) : wire.any(),
          ]),
        ) as Record<string, never>;
        const { serialize } = shapeOf<Record<string, unknown>>().with(fields);
        const expected = Object.entries(fields).map(([name]) => {
          const own = row[name];
          return [name, own instanceof Date ? isoTime(own) : own];
        });
        expect(Object.entries(serialize(row))).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  it('and describes it', () => {
    expect(parcel.schema).toEqual({
      title: 'Parcel',
      type: 'object',
      properties: {
        id: { type: 'integer' },
        owner: { type: ['integer', 'null'], description: 'Id of a member.' },
        title: { type: 'string' },
        seen_at: { type: ['string', 'null'], format: 'date-time' },
      },
      required: ['id', 'owner', 'title', 'seen_at'],
      additionalProperties: false,
    });
  });

  it('whose types follow', () => {
    const written: { readonly id: number; readonly owner: number | null; readonly seen_at: string | null } =
      parcel.serialize(stored);
    expect(written.owner).toBeNull();
  });

  it('and that does not compile where the row has no such property, or one of another type', () => {
    const judged: readonly [
      Same<Fits<Row, { id: Wire<number> }>['id'], unknown>,
      // It takes a reader.
      Same<Fits<Row, { owner: Wire<number> }>['owner'], unknown>,
      Same<Fits<Row, { title: Wire<number> }>['title'], unknown>,
      // It may be null.
      Same<Fits<Row, { seen_at: Wire<Date> }>['seen_at'], unknown>,
    ] = [true, false, false, false];
    expect(judged).toHaveLength(4);
  });
});
