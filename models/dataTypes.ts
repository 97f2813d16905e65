import { DataTypes as Types, type DataType } from 'sequelize';

declare const value: unique symbol;

/** A type of PostgreSQL; the driver gives its values as T. */
export type Typed<T> = DataType & { readonly [value]?: T };

const typed = <T>(type: DataType): Typed<T> => type as Typed<T>;

/** Sequelize's types as far as columns use them, each with the type of its values. */
export const DataTypes = {
  SMALLINT: typed<number>(Types.SMALLINT),
  INTEGER: typed<number>(Types.INTEGER),
  // Counters and sequence numbers, far below 2^53.
  BIGINT: typed<number>(Types.BIGINT),
  REAL: typed<number>(Types.REAL),
  BOOLEAN: typed<boolean>(Types.BOOLEAN),
  TEXT: typed<string>(Types.TEXT),
  STRING: (length: number): Typed<string> => typed(Types.STRING(length)),
  UUID: typed<string>(Types.UUID),
  DATEONLY: typed<string>(Types.DATEONLY),
  DECIMAL: (precision: number, scale: number): Typed<string> => typed(Types.DECIMAL(precision, scale)),
  DATE: (digits: number): Typed<Date> => typed(Types.DATE(digits)),
  BLOB: typed<Buffer>(Types.BLOB),
  JSON: typed<unknown>(Types.JSON),
  JSONB: typed<unknown>(Types.JSONB),
  ARRAY: <T>(of: Typed<T>): Typed<T[]> => typed(Types.ARRAY(of as typeof Types.TEXT)),
};
