import type { SavedViewRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { invalidField, notFound } from '../../../core/http/errors';
import { runSchema, type InputOf } from '../../../core/http/fields';
import { refuseAboveCeiling } from '../../identity/workspaces/objectLimits';
import { listConversationsQuery } from '../conversations/schema';
import type { createViewInput } from './schema';

const own = (ctx: Ctx) => ({ member_id: ctx.actor.memberId ?? 0 });
const views = (ctx: Ctx) => of(ctx, ctx.runtime.db.models.SavedView);

/** Returns the member's own views, the oldest first. */
export async function listViews(ctx: Ctx): Promise<SavedViewRow[]> {
  return views(ctx).findAll({ where: own(ctx), order: ['id'], raw: true });
}

/** Saves a view of the member's own. Throws 400 where a filter could not be used. */
export async function createView(ctx: Ctx, { name, filters }: InputOf<typeof createViewInput>): Promise<SavedViewRow> {
  const { db } = ctx.runtime;
  const { view: _view, assigned_member: member, ...others } = filters;
  const checked = runSchema(listConversationsQuery, {
    ...others,
    ...(member === undefined || member === 'me' ? {} : { assigned_member: member }),
  });
  if ('errors' in checked) {
    const [[filter, messages] = ['', []]] = Object.entries(checked.errors);
    throw invalidField('filters', `${filter}: ${messages.join(' ')}`);
  }
  return db.transaction(async () => {
    await refuseAboveCeiling(ctx, 'views', () => views(ctx).count({ where: own(ctx) }));
    const row = await db.models.SavedView.create({
      workspace_id: ctx.workspaceId,
      ...own(ctx),
      name,
      filters: Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)),
    });
    await row.reload();
    return row.get({ plain: true });
  });
}

/** Deletes a view of the member's own. Throws 404. */
export async function deleteView(ctx: Ctx, id: number): Promise<void> {
  if ((await views(ctx).destroy({ where: { ...own(ctx), id } })) === 0) throw notFound();
}
