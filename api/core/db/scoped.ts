import type { CreationOptional, FindOptions, IncludeOptions, Model, ModelStatic } from 'sequelize';
import type { Ctx } from '../context';

/** A model whose rows belong to a workspace. */
type OwnedModel = Model & { workspace_id: number | CreationOptional<number> };

/**
 * Returns the model limited to the workspace of `ctx`: finding, counting, updating and destroying through it carries
 * `workspace_id = ctx.workspaceId`. Rows that are created name their workspace themselves; the types demand it.
 */
export function of<M extends OwnedModel>(ctx: Pick<Ctx, 'workspaceId'>, model: ModelStatic<M>): ModelStatic<M> {
  return model.scope({ method: ['workspace', ctx.workspaceId] }) as ModelStatic<M>;
}

/** Joins what a row belongs to, for `recordsOf`; the joined columns are named in the row's `attributes`. */
export const joined = (association: string, required = false): IncludeOptions => ({
  association,
  attributes: [],
  required,
});

/**
 * Finds rows of the workspace as plain records, with columns of what they belong to. `attributes` must name each
 * property of the record's type.
 */
export async function recordsOf<Found, M extends OwnedModel = OwnedModel>(
  ctx: Pick<Ctx, 'workspaceId'>,
  model: ModelStatic<M>,
  options: FindOptions & Required<Pick<FindOptions, 'attributes'>>,
): Promise<Found[]> {
  const rows: unknown = await of(ctx, model).findAll({ ...options, raw: true });
  return rows as Found[];
}
