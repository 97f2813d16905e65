import type { CreationOptional, Model, ModelStatic } from 'sequelize';
import type { Ctx } from '../context';

/** A model whose rows belong to a workspace. */
type OwnedModel = Model & { workspace_id: number | CreationOptional<number> };

/**
 * Returns the model limited to the workspace of `ctx`: whatever is found, counted, updated or destroyed through it
 * carries `workspace_id = ctx.workspaceId`. Rows that are created name their workspace themselves; the types demand it.
 */
export function of<M extends OwnedModel>(ctx: Pick<Ctx, 'workspaceId'>, model: ModelStatic<M>): ModelStatic<M> {
  return model.scope({ method: ['workspace', ctx.workspaceId] }) as ModelStatic<M>;
}
