import { datetime, input, list, nullable, pk, text, type InputOf } from '../../api/core/http/fields';
import { storedIn, type FieldsWithoutColumn } from '../../api/core/db/columnValues';

/** Whether two types are the same. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

interface Row {
  readonly title: string;
  readonly owner_id: number | null;
  readonly due_at: Date | null;
}

const schema = input({ title: text(), owner: nullable(pk()), due_at: nullable(datetime()), watchers: list(pk()) });
const stored = storedIn<Row>()(schema, { renamed: { owner: 'owner_id' }, elsewhere: ['watchers'] });
const at = new Date('2027-01-04T09:00:00Z');

describe('an input is stored by what schema and row say', () => {
  it('each field in its column; what is left out stays out', () => {
    expect(stored.columnsOf({ title: 'x', owner: null, watchers: [1] })).toEqual({ title: 'x', owner_id: null });
    expect(stored.columnsOf({ title: undefined })).toEqual({});
  });

  it('and a change is what differs, under the names of the fields', () => {
    const before = { title: 'x', owner_id: 3, due_at: at };
    expect(stored.changesOf(before, { title: 'x', owner: 4, due_at: new Date(at) })).toEqual({
      columns: { owner_id: 4 },
      changes: { owner: { from: 3, to: 4 } },
    });
  });

  it('a field without a column does not compile, nor one of another type', () => {
    type Input = InputOf<typeof schema>;
    const missing: readonly [
      Same<FieldsWithoutColumn<Row, Input, { owner: 'owner_id' }, 'watchers'>, never>,
      Same<FieldsWithoutColumn<Row, Input, { owner: 'owner_id' }, never>, 'watchers'>,
      Same<FieldsWithoutColumn<Row, Input, { owner: 'title' }, 'watchers'>, 'owner'>,
      Same<FieldsWithoutColumn<Row, Input, { owner: 'owner_pk' }, 'watchers'>, 'owner'>,
    ] = [true, true, true, true];
    expect(missing).toHaveLength(4);
  });
});
