import { DataTypes, literal, type DataType, type ModelAttributeColumnOptions } from 'sequelize';

declare const told: unique symbol;

/**
 * A column: what the database has, and by it the type of its values in a row. `Given`: whether the database has a value
 * for a row that is made without one.
 */
export type Column<T, Given extends boolean> = ModelAttributeColumnOptions & { readonly [told]?: readonly [T, Given] };

type Default<T> = T | ReturnType<typeof literal>;

/** Declares a column that takes no null; `T` where it holds less than its type could. */
interface Make<Base> {
  <T extends Base = Base>(): Column<T, false>;
  <T extends Base = Base>(byDefault: Default<NoInfer<T>>): Column<T, true>;
}

function columnOf(type: DataType, byDefault: readonly unknown[]): ModelAttributeColumnOptions {
  return { type, allowNull: false, ...(byDefault.length > 0 ? { defaultValue: byDefault[0] } : {}) };
}

function make<Base>(type: DataType): Make<Base> {
  return (...byDefault: unknown[]) => columnOf(type, byDefault);
}

export const smallint = make<number>(DataTypes.SMALLINT);
export const integer = make<number>(DataTypes.INTEGER);
/** Counters, ids and sequence numbers, far below 2^53. */
export const bigint = make<number>(DataTypes.BIGINT);
export const real = make<number>(DataTypes.REAL);
/** A sum of money: text, as no number of JavaScript holds it. */
export const amount = make<string>(DataTypes.DECIMAL(12, 6));
export const boolean = make<boolean>(DataTypes.BOOLEAN);
/** Text whose length the service bounds. */
export const longText = make<string>(DataTypes.TEXT);
export const texts = make<string[]>(DataTypes.ARRAY(DataTypes.TEXT));
export const bigints = make<number[]>(DataTypes.ARRAY(DataTypes.BIGINT));
export const uuid = make<string>(DataTypes.UUID);
export const bytes = make<Buffer>(DataTypes.BLOB);
export const json = make<unknown>(DataTypes.JSONB);
/** JSON as it was written, with its order and spelling. */
export const plainJson = make<unknown>(DataTypes.JSON);
/** A day, YYYY-MM-DD. */
export const date = make<string>(DataTypes.DATEONLY);
/** A moment, to the millisecond. */
export const time = make<Date>(DataTypes.DATE(3));
/** A moment, to the microsecond. */
export const exactTime = make<Date>(DataTypes.DATE(6));

/** Declares a column of at most so many characters. */
export function text<T extends string = string>(length: number): Column<T, false>;
export function text<T extends string = string>(length: number, byDefault: Default<NoInfer<T>>): Column<T, true>;
export function text(length: number, ...byDefault: unknown[]): ModelAttributeColumnOptions {
  return columnOf(DataTypes.STRING(length), byDefault);
}

/** Declares the moment at which a row was made. */
export function now(): Column<Date, true> {
  return time(literal('now()'));
}

/** Declares the key that the database counts up. */
export function id(): Column<number, true> {
  return { ...columnOf(DataTypes.BIGINT, []), primaryKey: true, autoIncrement: true };
}

/** Declares the id of a row of another table, and what becomes of this one when that one is deleted. */
export function ref(table: string, onDelete?: 'cascade' | 'set null' | 'restrict'): Column<number, false> {
  return {
    ...columnOf(DataTypes.BIGINT, []),
    references: { model: table, key: 'id' },
    ...(onDelete ? { onDelete: onDelete.toUpperCase() } : {}),
  };
}

/** Declares that a column is of the primary key. */
export function key<T, Given extends boolean>(column: Column<T, Given>): Column<T, Given> {
  return { ...column, primaryKey: true };
}

/** Declares that a column may be null. */
export function orNull<T, Given extends boolean>(column: Column<T, Given>): Column<T | null, Given> {
  return { ...(column as ModelAttributeColumnOptions), allowNull: true };
}
