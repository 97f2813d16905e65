import { literal, type Utils } from 'sequelize';
import type * as yup from 'yup';
import { sameValue } from './changes';
import type { InputOf } from '../http/fields';

/** The JSON value null, for a JSONB column that holds any JSON: plain null would be SQL's own. */
export const jsonNull: Utils.Literal = literal(`'null'::jsonb`);

/** The time of the transaction; Sequelize takes SQL for a value, which the types of a create do not say. */
export const dbNow = literal('now()') as unknown as Date;

/** The time of the statement, for rows of one transaction that keep their order. */
export const dbClock = literal('clock_timestamp()') as unknown as Date;

type ColumnOf<Renamed, F> = F extends keyof Renamed ? Renamed[F] : F;

/** Fields with no column of the right type, under their own name or a new one, that are not kept elsewhere either. */
export type FieldsWithoutColumn<Row, Input, Renamed, Elsewhere> = {
  [F in Exclude<keyof Input, Elsewhere>]-?: ColumnOf<Renamed, F> extends infer C extends keyof Row
    ? [Exclude<Input[F], undefined>] extends [Row[C]]
      ? never
      : F
    : F;
}[Exclude<keyof Input, Elsewhere>];

/** How the fields of an input are stored. */
interface StoredFields<Row, Input> {
  /** Each field that is a column, with that column. */
  readonly fields: readonly (readonly [field: keyof Input & string, column: keyof Row & string])[];
  /** Returns the columns of an input; fields that it leaves out are left out. */
  columnsOf(values: Input): Partial<Row>;
  /** Returns the columns of an input that differ from the row, and the differences under the names of the fields. */
  changesOf(before: Row, values: Input): { readonly columns: Partial<Row>; readonly changes: Changes };
}

/** Old and new values under the names that callers use. */
export type Changes = Record<string, { from: unknown; to: unknown }>;

/**
 * Declares how an input is stored in a row. A field is the column of its own name unless `renamed` names another or
 * `elsewhere` says that the service does something else with it. A field of the input that has no column, or one of
 * another type, does not compile: so none is ever taken and dropped. The error names it as `fieldWithoutColumn`.
 */
export function storedIn<Row>() {
  return function <
    S extends yup.AnyObjectSchema,
    const Renamed extends { readonly [F in keyof InputOf<S>]?: keyof Row } = Record<never, never>,
    const Elsewhere extends keyof InputOf<S> = never,
  >(
    schema: S,
    declared: { readonly renamed?: Renamed; readonly elsewhere?: readonly Elsewhere[] } & ([
      FieldsWithoutColumn<Row, InputOf<S>, Renamed, Elsewhere>,
    ] extends [never]
      ? unknown
      : { readonly fieldWithoutColumn: FieldsWithoutColumn<Row, InputOf<S>, Renamed, Elsewhere> }),
  ): StoredFields<Row, Partial<InputOf<S>>> {
    const { renamed, elsewhere = [] } = declared;
    const kept: ReadonlySet<unknown> = new Set(elsewhere);
    const fields = Object.keys(schema.fields)
      .filter((field) => !kept.has(field))
      .map(
        (field) =>
          [field, renamed?.[field as keyof Renamed] ?? field] as [keyof InputOf<S> & string, keyof Row & string],
      );

    function columnsOf(values: Partial<InputOf<S>>): Partial<Row> {
      const given = fields.filter(([field]) => values[field] !== undefined);
      return Object.fromEntries(given.map(([field, column]) => [column, values[field]])) as Partial<Row>;
    }

    function changesOf(before: Row, values: Partial<InputOf<S>>): { columns: Partial<Row>; changes: Changes } {
      const differing = fields.filter(
        ([field, column]) => values[field] !== undefined && !sameValue(values[field], before[column]),
      );
      const changes = differing.map(([field, column]) => [field, { from: before[column], to: values[field] }] as const);
      return {
        columns: Object.fromEntries(differing.map(([field, column]) => [column, values[field]])) as Partial<Row>,
        changes: Object.fromEntries(changes),
      };
    }

    return { fields, columnsOf, changesOf };
  };
}
