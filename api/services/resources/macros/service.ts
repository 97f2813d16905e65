import { col, fn, literal } from 'sequelize';
import type { MacroRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { notFound } from '../../../core/http/errors';
import { recordEvent } from '../../../core/queue/events';
import { Fault, type InputOf } from '../../../core/http/fields';
import { of } from '../../../core/db/scoped';
import { requireRecent } from '../../identity/apiKeys/authenticate';
import { refuseAboveCeiling } from '../../identity/workspaces/objectLimits';
import { releaseFromRules } from '../rules/naming';
import { pauseWithoutRights, rulesThatAreOn } from '../rules/rights';
import { parseActions, reachesCustomer, scopeOf, type Action } from './actions';
import type { createMacroInput, updateMacroInput } from './schema';

const macros = (ctx: Ctx) => of(ctx, ctx.runtime.db.models.Macro);

/** Returns all macros of the workspace, by name. */
export async function listMacros(ctx: Ctx): Promise<MacroRow[]> {
  return macros(ctx).findAll({ order: [[fn('lower', col('name')), 'ASC'], 'id'], raw: true });
}

/** Returns one macro. Throws 404. */
export async function findMacro(ctx: Ctx, id: number): Promise<MacroRow> {
  const row = await macros(ctx).findOne({ where: { id }, raw: true });
  if (!row) throw notFound();
  return row;
}

/** Saves a macro. */
export async function createMacro(ctx: Ctx, values: InputOf<typeof createMacroInput>): Promise<MacroRow> {
  const { db } = ctx.runtime;
  return db.transaction(async () => {
    await refuseAboveCeiling(ctx, 'macros', () => macros(ctx).count());
    const row = await db.models.Macro.create({
      workspace_id: ctx.workspaceId,
      name: values.name,
      description: values.description ?? '',
      actions: values.actions,
      created_by_id: ctx.actor.memberId,
    });
    await recordEvent(ctx, { subjectType: 'macro', subjectId: row.id, kind: 'macro_created' });
    return row.get({ plain: true });
  });
}

/** Changes a macro. Runs that were requested earlier keep their actions. Throws 404. */
export async function updateMacro(ctx: Ctx, id: number, values: InputOf<typeof updateMacroInput>): Promise<MacroRow> {
  return ctx.runtime.db.transaction(async () => {
    const { name, description, actions } = values;
    await lockMacro(ctx, id);
    if (actions) await followMacro(ctx, id, actions);
    await macros(ctx).update({ name, description, actions, updated_at: literal('now()') }, { where: { id } });
    await recordEvent(ctx, { subjectType: 'macro', subjectId: id, kind: 'macro_updated' });
    return findMacro(ctx, id);
  });
}

/** Deletes a macro; the records of its runs stay. Throws 404, and 409 where rules run it and are not to be paused. */
export async function deleteMacro(ctx: Ctx, id: number, pauseRules = false): Promise<void> {
  await ctx.runtime.db.transaction(async () => {
    await lockMacro(ctx, id);
    await releaseFromRules(ctx, { kind: 'macro', id }, pauseRules);
    await macros(ctx).destroy({ where: { id } });
    await recordEvent(ctx, { subjectType: 'macro', subjectId: id, kind: 'macro_deleted' });
  });
}

/** Locks a macro until the transaction ends, and judges what the request asks of it. Throws 404 and 412. */
async function lockMacro(ctx: Ctx, id: number): Promise<void> {
  if (!(await macros(ctx).findOne({ attributes: ['id'], where: { id }, lock: true, raw: true }))) throw notFound();
  await ctx.precondition?.();
}

/**
 * Lets rules follow another list of steps: one whose member may not do all of it is paused (contract 21), and where one
 * that is on sends from now on, who asks for it shows again who they are (contract 12.4).
 */
async function followMacro(ctx: Ctx, id: number, actions: readonly Action[]): Promise<void> {
  const before = parseActions((await findMacro(ctx, id)).actions);
  const needed = [...new Set(actions.map(({ type }) => scopeOf(type, 'chat')))];
  const all = await rulesThatAreOn(ctx, { macro_id: id });
  const paused = new Set((await pauseWithoutRights(ctx, all, () => needed)).map((rule) => rule.id));
  const on = all.filter((rule) => !paused.has(rule.id));
  const sent = !(before instanceof Fault) && before.some(reachesCustomer);
  const opens = !sent && actions.some(reachesCustomer) && on.some(({ autonomy }) => autonomy === 'autonomous');
  if (opens) requireRecent(ctx.actor);
}
