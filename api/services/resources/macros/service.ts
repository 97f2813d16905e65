import type { Ctx } from '../../../core/context';
import { notFound } from '../../../core/errors';
import { recordEvent } from '../../../core/events';
import type { Action } from './actions';
import { macroColumns, type MacroView } from './serializer';

/** All macros of the workspace, by name. */
export async function listMacros(ctx: Ctx): Promise<MacroView[]> {
  return ctx.runtime.db.rows<MacroView>(
    `SELECT ${macroColumns} FROM macros WHERE workspace_id = $workspaceId ORDER BY lower(name), id`,
    { workspaceId: ctx.workspaceId },
  );
}

/** One macro. Throws 404. */
export async function findMacro(ctx: Ctx, id: number): Promise<MacroView> {
  const row = await ctx.runtime.db.row<MacroView>(
    `SELECT ${macroColumns} FROM macros WHERE workspace_id = $workspaceId AND id = $id`,
    { workspaceId: ctx.workspaceId, id },
  );
  if (!row) throw notFound();
  return row;
}

export interface MacroInput {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly actions?: readonly Action[] | undefined;
}

/** Saves a macro. */
export async function createMacro(
  ctx: Ctx,
  values: MacroInput & { readonly name: string; readonly actions: readonly Action[] },
): Promise<MacroView> {
  const { db } = ctx.runtime;
  return db.transaction(async () => {
    const row = await db.row<MacroView>(
      `INSERT INTO macros (workspace_id, name, description, actions, created_by_id) VALUES ($workspaceId, $name, $description, $actions::jsonb, $memberId) RETURNING ${macroColumns}`,
      {
        workspaceId: ctx.workspaceId,
        name: values.name,
        description: values.description ?? '',
        actions: JSON.stringify(values.actions),
        memberId: ctx.actor.memberId,
      },
    );
    if (!row) throw new Error('the macro was not inserted');
    await recordEvent(ctx, { subjectType: 'macro', subjectId: row.id, kind: 'macro_created' });
    return row;
  });
}

/** Changes a macro. Runs that were asked for before keep the actions they had. Throws 404. */
export async function updateMacro(ctx: Ctx, id: number, values: MacroInput): Promise<MacroView> {
  const { db } = ctx.runtime;
  return db.transaction(async () => {
    const row = await db.row<MacroView>(
      `UPDATE macros SET name = coalesce($name::text, name), description = coalesce($description::text, description), actions = coalesce($actions::jsonb, actions), updated_at = now()
       WHERE workspace_id = $workspaceId AND id = $id RETURNING ${macroColumns}`,
      {
        workspaceId: ctx.workspaceId,
        id,
        name: values.name ?? null,
        description: values.description ?? null,
        actions: values.actions ? JSON.stringify(values.actions) : null,
      },
    );
    if (!row) throw notFound();
    await recordEvent(ctx, { subjectType: 'macro', subjectId: id, kind: 'macro_updated' });
    return row;
  });
}

/** Deletes a macro; the records of its runs stay. Throws 404. */
export async function deleteMacro(ctx: Ctx, id: number): Promise<void> {
  const { db } = ctx.runtime;
  await db.transaction(async () => {
    const row = await db.row('DELETE FROM macros WHERE workspace_id = $workspaceId AND id = $id RETURNING id', {
      workspaceId: ctx.workspaceId,
      id,
    });
    if (!row) throw notFound();
    await recordEvent(ctx, { subjectType: 'macro', subjectId: id, kind: 'macro_deleted' });
  });
}
