import {
  literal,
  Op,
  type CountOptions,
  type FindOptions,
  type IncludeOptions,
  type Model,
  type ModelAttributes,
  type ModelStatic,
  type Sequelize,
  type WhereOptions,
} from 'sequelize';
import type { Column } from './columns';

type Columns = Readonly<Record<string, Column<unknown, boolean>>>;

type ValueIn<C> = C extends Column<infer T, boolean> ? T : never;

/** The columns of a row, by the declaration of its table. */
export type RowOf<C extends Columns> = { [K in keyof C]: ValueIn<C[K]> };

/** What a row is made of: columns with a value of the database's own may be left out. */
type NewRowOf<C extends Columns> = {
  [K in keyof C]: C[K] extends Column<unknown, true> ? ValueIn<C[K]> | undefined : ValueIn<C[K]>;
};

/** A row as Sequelize gives it, perhaps with what it includes. */
export type ModelOf<C extends Columns, Included = unknown> = Model<RowOf<C>, NewRowOf<C>> & RowOf<C> & Included;

/** Binds a table to a connection; knows the name of its model, and those of its columns. */
interface Table<Name extends string, M extends Model> {
  (sequelize: Sequelize): ModelStatic<M>;
  readonly model: Name;
  readonly columns: readonly string[];
}

/** What rows of a table may be read with, as `defineTable` takes it: a type alone. */
export function including<Included>(): Included {
  return {} as Included;
}

/**
 * Declares a table. Attribute names are the column names, so that a row is the same whichever way it was read;
 * timestamps are the database's own. A table with `workspace_id` gets the scope `workspace`, which limits every query
 * and what it includes to one tenant (`of` in api/core/db/scoped.ts). The model stays unbound until it is given a
 * connection: one process may hold several.
 */
export function defineTable<Name extends string, C extends Columns, Included = unknown>(
  modelName: Name,
  tableName: string,
  columns: C,
  _included?: Included,
): Table<Name, ModelOf<C, Included>> {
  type M = ModelOf<C, Included>;
  const bind = (sequelize: Sequelize): ModelStatic<M> =>
    sequelize.define<M>(modelName, { ...columns } as unknown as ModelAttributes<M, M['_attributes']>, {
      tableName,
      timestamps: false,
      freezeTableName: true,
      // A condition on the same column narrows the scope's; it must never replace it.
      whereMergeStrategy: 'and',
      scopes: 'workspace_id' in columns ? { workspace: limitToWorkspace } : {},
      hooks: { beforeFindAfterExpandIncludeAll: limitIncluded, beforeCount: refuseIncluded },
    });
  return Object.assign(bind, { model: modelName, columns: Object.keys(columns) });
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
 * Limits what a query includes to the workspace that the query itself is limited to, however deep. Throws when the
 * query is not limited to a workspace: a row may point to one of another workspace, and no caller should have to
 * remember that.
 */
function limitIncluded(options: FindOptions & Partial<Scope>): void {
  for (const include of includedBy(options)) limitOne(include, options.workspaceId, '');
}

function limitOne(include: IncludeOptions, workspaceId: number | undefined, above: string): void {
  const model = include.model as ModelStatic<Model>;
  const alias = `${above}${include.as ?? ''}`;
  if ('workspace_id' in model.getAttributes()) {
    if (workspaceId === undefined)
      throw new Error(`${model.name} is included by a query of no workspace: find through of(ctx, …)`);
    // Not made an inner join by a condition that was not asked for.
    include.required ??= include.where !== undefined;
    // A check and never the way to the rows, which are found by what names them (docs/decisions/0002).
    const check = literal(`("${include.separate ? model.name : alias}"."workspace_id" = ${workspaceId}) IS TRUE`);
    include.where = { [Op.and]: [include.where ?? {}, check] };
  }
  // A separate query limits what it includes itself.
  if (!include.separate) for (const nested of includedBy(include)) limitOne(nested, workspaceId, `${alias}->`);
}

/** Sequelize has brought them into one form by then. */
function includedBy({ include }: { readonly include?: unknown }): readonly IncludeOptions[] {
  return (include ?? []) as readonly IncludeOptions[];
}

/** A count is not told its scope when it begins. */
function refuseIncluded({ include }: CountOptions): void {
  if (include !== undefined) throw new Error('A count includes nothing: count the table itself.');
}
