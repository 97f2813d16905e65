import type { InferAttributes, Model, ModelAttributes, ModelStatic, Sequelize, WhereOptions } from 'sequelize';

/** Binds a table to a connection, and knows the names of its columns. */
interface Table<M extends Model> {
  (sequelize: Sequelize): ModelStatic<M>;
  readonly columns: readonly string[];
}

/**
 * Declares a table. Attribute names are the column names, so that a row is the same whichever way it was read;
 * timestamps are the database's own. A table with `workspace_id` gets the scope `workspace`, which limits every query
 * to one tenant (`of` in api/core/db/scoped.ts). The model stays unbound until it is given a connection: one process
 * may hold several.
 */
export function defineTable<M extends Model>(
  modelName: string,
  tableName: string,
  attributes: ModelAttributes<M, InferAttributes<M>>,
): Table<M> {
  const bind = (sequelize: Sequelize): ModelStatic<M> =>
    sequelize.define<M>(modelName, attributes as ModelAttributes<M, M['_attributes']>, {
      tableName,
      timestamps: false,
      freezeTableName: true,
      // A condition on the same column narrows the scope's; it must never replace it.
      whereMergeStrategy: 'and',
      scopes: 'workspace_id' in attributes ? { workspace: limitToWorkspace } : {},
    });
  return Object.assign(bind, { columns: Object.keys(attributes) });
}

function limitToWorkspace(workspaceId: number): { where: WhereOptions } {
  return { where: { workspace_id: workspaceId } };
}
