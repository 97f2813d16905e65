import { col, fn, literal, Op, where, type WhereOptions } from 'sequelize';
import type { CannedReplyRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { requireScope } from '../../../core/http/access';
import { invalidField, notFound } from '../../../core/http/errors';
import type { InputOf } from '../../../core/http/fields';
import { refuseAboveCeiling } from '../../identity/workspaces/ceilings';
import { phoneOrBsuid } from '../contacts/serializer';
import { findContact } from '../contacts/service';
import { filledFor, type createReplyInput, type updateReplyInput } from './schema';
import type { ReplyView } from './serializer';

const replies = (ctx: Ctx) => of(ctx, ctx.runtime.db.models.CannedReply);
/** Those that a member sees: the team's, and their own. */
const seen = (ctx: Ctx): WhereOptions => ({ member_id: { [Op.or]: [null, ctx.actor.memberId] } });
const unfilled = (row: CannedReplyRow): ReplyView => ({ ...row, filled: null });

/** Returns the team's replies and the member's own, by shortcut; filled in for a contact where one is named. */
export async function listReplies(ctx: Ctx, handle?: string): Promise<ReplyView[]> {
  const rows = await replies(ctx).findAll({
    where: seen(ctx),
    // Of two with one shortcut the member's own comes first.
    order: [[fn('lower', col('shortcut')), 'ASC'], literal('member_id NULLS LAST'), 'id'],
    raw: true,
  });
  if (handle === undefined || handle === '') return rows.map(unfilled);
  const contact = await findContact(ctx, handle);
  const valueOf = (name: Parameters<Parameters<typeof filledFor>[1]>[0]): string =>
    name === 'phone' ? phoneOrBsuid(contact) : contact[name];
  return rows.map((row) => ({ ...row, filled: filledFor(row.body, valueOf) }));
}

/** Returns one of the replies that the member sees. Throws 404. */
export async function findReply(ctx: Ctx, id: number): Promise<ReplyView> {
  const row = await replies(ctx).findOne({ where: { [Op.and]: [{ id }, seen(ctx)] }, raw: true });
  if (!row) throw notFound();
  return unfilled(row);
}

/** Saves a reply. Throws 403 where the team's is not the member's to write, 400 where the shortcut is taken. */
export async function createReply(ctx: Ctx, values: InputOf<typeof createReplyInput>): Promise<ReplyView> {
  const { db } = ctx.runtime;
  const owner = values.is_shared === true ? null : ctx.actor.memberId;
  requireRight(ctx, owner);
  return db.transaction(async () => {
    await refuseAboveCeiling(ctx, 'canned replies', () => replies(ctx).count({ where: seen(ctx) }));
    await refuseTaken(ctx, owner, values.shortcut);
    const { id } = await db.models.CannedReply.create({
      workspace_id: ctx.workspaceId,
      member_id: owner,
      shortcut: values.shortcut,
      body: values.body,
    });
    return findReply(ctx, id);
  });
}

/** Changes a reply. Throws 403, 404, and 400 where the shortcut is taken. */
export async function updateReply(ctx: Ctx, id: number, values: InputOf<typeof updateReplyInput>): Promise<ReplyView> {
  const { shortcut, body } = values;
  return ctx.runtime.db.transaction(async () => {
    const { member_id: owner } = await findReply(ctx, id);
    requireRight(ctx, owner);
    if (shortcut !== undefined) await refuseTaken(ctx, owner, shortcut, id);
    await replies(ctx).update({ shortcut, body, updated_at: literal('now()') }, { where: { id } });
    return findReply(ctx, id);
  });
}

/** Deletes a reply. Throws 403 and 404. */
export async function deleteReply(ctx: Ctx, id: number): Promise<void> {
  const { member_id: owner } = await findReply(ctx, id);
  requireRight(ctx, owner);
  await replies(ctx).destroy({ where: { id } });
}

/** Every member may use the team's replies; changing them needs the right to manage the workspace. */
function requireRight(ctx: Ctx, owner: number | null): void {
  if (owner === null) requireScope(ctx, 'workspace.manage');
}

/** A unique index enforces this; the check here has the better message. */
async function refuseTaken(ctx: Ctx, owner: number | null, shortcut: string, but = 0): Promise<void> {
  const taken = await replies(ctx).count({
    where: {
      [Op.and]: [
        { member_id: owner, id: { [Op.ne]: but } },
        where(fn('lower', col('shortcut')), shortcut.toLowerCase()),
      ],
    },
  });
  if (taken > 0) throw invalidField('shortcut', 'canned reply with this shortcut already exists.');
}
