import {
  Op,
  type CountOptions,
  type FindOptions,
  type IncludeOptions,
  type InferAttributes,
  type Model,
  type ModelAttributes,
  type ModelStatic,
  type Sequelize,
  type WhereOptions,
} from 'sequelize';

/** Binds a table to a connection, and knows the names of its columns. */
interface Table<M extends Model> {
  (sequelize: Sequelize): ModelStatic<M>;
  readonly columns: readonly string[];
}

/**
 * Declares a table. Attribute names are the column names, so that a row is the same whichever way it was read;
 * timestamps are the database's own. A table with `workspace_id` gets the scope `workspace`, which limits every query
 * and what it includes to one tenant (`of` in api/core/db/scoped.ts). The model stays unbound until it is given a
 * connection: one process may hold several.
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
      hooks: { beforeFindAfterExpandIncludeAll: limitIncluded, beforeCount: refuseIncluded },
    });
  return Object.assign(bind, { columns: Object.keys(attributes) });
}

/** The scope of one workspace; the hooks read its id beside the condition. */
interface Scope {
  readonly where: WhereOptions;
  readonly workspaceId: number;
}

function limitToWorkspace(workspaceId: number): Scope {
  return { where: { workspace_id: workspaceId }, workspaceId };
}

/**
 * Limits what a query includes to the workspace that the query itself is limited to, however deep. Throws where it is
 * limited to none: a row may point to one of another workspace, and nobody shall have to remember that.
 */
function limitIncluded(options: FindOptions & Partial<Scope>): void {
  for (const include of includedBy(options)) limitOne(include, options.workspaceId);
}

function limitOne(include: IncludeOptions, workspaceId: number | undefined): void {
  const model = include.model as ModelStatic<Model>;
  if ('workspace_id' in model.getAttributes()) {
    if (workspaceId === undefined)
      throw new Error(`${model.name} is included by a query of no workspace: find through of(ctx, …)`);
    // Not made an inner join by a condition that nobody asked for.
    include.required ??= include.where !== undefined;
    include.where = { [Op.and]: [include.where ?? {}, { workspace_id: workspaceId }] };
  }
  for (const nested of includedBy(include)) limitOne(nested, workspaceId);
}

/** Sequelize has brought them into one form by then. */
function includedBy({ include }: { readonly include?: unknown }): readonly IncludeOptions[] {
  return (include ?? []) as readonly IncludeOptions[];
}

/** A count is not told its scope when it begins. */
function refuseIncluded({ include }: CountOptions): void {
  if (include !== undefined) throw new Error('A count includes nothing: count the table itself.');
}
