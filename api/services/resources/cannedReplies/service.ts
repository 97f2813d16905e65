import { col, fn, literal, Op, where, type WhereOptions } from 'sequelize';
import type { CannedReplyRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { requireScope } from '../../../core/http/access';
import { invalidField, notFound } from '../../../core/http/errors';
import type { InputOf } from '../../../core/http/fields';
import { refuseAboveCeiling } from '../../identity/workspaces/objectLimits';
import { lockWorkspace } from '../../identity/workspaces/service';
import { contactValue } from '../contacts/contactValues';
import { findContact } from '../contacts/service';
import { takeUpload } from '../files/references';
import { filledFor, type createReplyInput, type updateReplyInput } from './schema';
import type { ReplyFile, ReplyView } from './serializer';
import { reason } from '../reasons';

const replies = (ctx: Ctx) => of(ctx, ctx.runtime.db.models.CannedReply);
/** Those that a member sees: the team's, and their own. */
const seen = (ctx: Ctx): WhereOptions => ({ member_id: { [Op.or]: [null, ctx.actor.memberId] } });

/** Returns the team's replies and the member's own, by shortcut; filled in for a contact where one is named. */
export async function listReplies(ctx: Ctx, handle?: string): Promise<ReplyView[]> {
  const rows = await replies(ctx).findAll({
    where: seen(ctx),
    // Of two with one shortcut the member's own comes first.
    order: [[fn('lower', col('shortcut')), 'ASC'], literal('member_id NULLS LAST'), 'id'],
    raw: true,
  });
  const views = await withFiles(ctx, rows);
  if (handle === undefined || handle === '') return views;
  const contact = await findContact(ctx, handle);
  return views.map((view) => ({ ...view, filled: filledFor(view.body, (name) => contactValue(name, contact)) }));
}

/** Returns one of the replies that the member sees. Throws 404. */
export async function findReply(ctx: Ctx, id: number): Promise<ReplyView> {
  const row = await replies(ctx).findOne({ where: { [Op.and]: [{ id }, seen(ctx)] }, raw: true });
  const [view] = await withFiles(ctx, row ? [row] : []);
  if (!view) throw notFound();
  return view;
}

/** Adds to replies their files, in the order in which they are sent. */
async function withFiles(ctx: Ctx, rows: readonly CannedReplyRow[]): Promise<ReplyView[]> {
  const ids = rows.flatMap(({ media_ids: own }) => own);
  const files: ReplyFile[] =
    ids.length === 0
      ? []
      : await of(ctx, ctx.runtime.db.models.StoredFile).findAll({ where: { public_id: ids }, raw: true });
  const byId = new Map(files.map((file) => [file.public_id, file]));
  return rows.map((row) => ({ ...row, files: row.media_ids.flatMap((id) => byId.get(id) ?? []), filled: null }));
}

/** Saves a reply. Throws 403 where the team's is not the member's to write, 400 by shortcut and files. */
export async function createReply(ctx: Ctx, values: InputOf<typeof createReplyInput>): Promise<ReplyView> {
  const { db } = ctx.runtime;
  const owner = values.is_shared === true ? null : ctx.actor.memberId;
  requireRight(ctx, owner);
  return db.transaction(async () => {
    await refuseAboveCeiling(ctx, 'canned replies', () => countSeen(ctx, owner));
    await refuseTaken(ctx, owner, values.shortcut);
    const mediaIds = await takeFiles(ctx, values.media_ids ?? []);
    const { id } = await db.models.CannedReply.create({
      workspace_id: ctx.workspaceId,
      member_id: owner,
      shortcut: values.shortcut,
      body: values.body,
      media_ids: mediaIds,
    });
    return findReply(ctx, id);
  });
}

/** Counts what the owner of a reply sees; where it is the team's, what the member sees who sees most. */
async function countSeen(ctx: Ctx, owner: number | null): Promise<number> {
  const groups = await replies(ctx).count({ group: ['member_id'] });
  const shared = groups.find(({ member_id: member }) => member === null)?.count ?? 0;
  const own = groups.filter(({ member_id: member }) => member !== null && member === (owner ?? member));
  return shared + Math.max(0, ...own.map(({ count }) => count));
}

/** Changes a reply. Throws 403, 404, and 400 by shortcut and files. */
export async function updateReply(ctx: Ctx, id: number, values: InputOf<typeof updateReplyInput>): Promise<ReplyView> {
  const { shortcut, body, media_ids: given } = values;
  return ctx.runtime.db.transaction(async () => {
    // Of two at once that take one shortcut, the second sees the first.
    await lockWorkspace(ctx);
    const owner = await lockReply(ctx, id);
    if (shortcut !== undefined) await refuseTaken(ctx, owner, shortcut, id);
    const mediaIds = given && (await takeFiles(ctx, given));
    await replies(ctx).update({ shortcut, body, media_ids: mediaIds, updated_at: literal('now()') }, { where: { id } });
    return findReply(ctx, id);
  });
}

/** Deletes a reply. Throws 403 and 404. */
export async function deleteReply(ctx: Ctx, id: number): Promise<void> {
  await ctx.runtime.db.transaction(async () => {
    await lockReply(ctx, id);
    await replies(ctx).destroy({ where: { id } });
  });
}

/**
 * Locks a reply until the transaction ends, and judges what the request asks of it. Returns the member whose own it is.
 * Throws 403, 404 and 412.
 */
async function lockReply(ctx: Ctx, id: number): Promise<number | null> {
  await replies(ctx).findOne({ attributes: ['id'], where: { id }, lock: true, raw: true });
  const { member_id: owner } = await findReply(ctx, id);
  requireRight(ctx, owner);
  await ctx.precondition?.();
  return owner;
}

/** Every member may use the team's replies; changing them needs the right to manage the workspace. */
function requireRight(ctx: Ctx, owner: number | null): void {
  if (owner === null) requireScope(ctx, 'workspace.manage');
}

/** Takes the files of a reply for use, each once, in the surrounding transaction. Throws 400. */
async function takeFiles(ctx: Ctx, given: readonly string[]): Promise<string[]> {
  const ids = [...new Set(given)];
  // In one order always: two members who save the same files must not wait for each other.
  for (const id of [...ids].sort()) await takeUpload(ctx, id, (problem) => invalidField('media_ids', problem));
  return ids;
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
  if (taken > 0) throw invalidField('shortcut', reason('replyTaken'));
}
