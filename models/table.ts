import type { Model, ModelAttributes, ModelStatic, Sequelize } from 'sequelize';

/** A Sequelize model whose attributes are exactly the columns of its row type. */
export type Table<Row extends object> = ModelStatic<Model<Row, Partial<Row>>>;

/**
 * Declares a table: rows carry the column names as they are, timestamps are the
 * database's own, and the model stays unbound until it is given a connection.
 */
export function defineTable<Row extends object>(
  modelName: string,
  tableName: string,
  columns: ModelAttributes<Model<Row, Partial<Row>>, Row>,
): (sequelize: Sequelize) => Table<Row> {
  return (sequelize) =>
    sequelize.define<Model<Row, Partial<Row>>>(modelName, columns, {
      tableName,
      timestamps: false,
      freezeTableName: true,
    });
}
