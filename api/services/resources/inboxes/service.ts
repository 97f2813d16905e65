import { Op } from 'sequelize';
import type { TeamInboxRow } from '../../../../models';
import type { AssignmentMode } from '../../../../models/enums';
import type { Ctx } from '../../../core/context';
import { isUniqueViolation } from '../../../core/db/database';
import { conflict, invalidField, invalidPk, notFound } from '../../../core/http/errors';
import { of } from '../../../core/db/scoped';
import { releaseFromRules } from '../rules/naming';
import { reason } from '../reasons';

/** A team inbox with the ids of its members. */
export type TeamInboxRecord = Readonly<TeamInboxRow> & { readonly member_ids: readonly number[] };

interface TeamInboxInput {
  readonly name: string;
  readonly description?: string | undefined;
  readonly memberIds?: readonly number[] | undefined;
}

interface TeamInboxChanges {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly memberIds?: readonly number[] | undefined;
  readonly isDefault?: boolean | undefined;
}

const teamInboxes = (ctx: Ctx) => of(ctx, ctx.runtime.db.models.TeamInbox);

/** Makes a team inbox; a workspace's first one is its default. */
export async function createInbox(ctx: Ctx, input: TeamInboxInput): Promise<TeamInboxRecord> {
  const name = checkName(input.name);
  return ctx.runtime.db.transaction(async () => {
    const memberIds = await checkMembers(ctx, input.memberIds ?? []);
    const hasDefault = (await teamInboxes(ctx).count({ where: { is_default: true } })) > 0;
    const inbox = await unlessTaken(() =>
      ctx.runtime.db.models.TeamInbox.create({
        workspace_id: ctx.workspaceId,
        name,
        description: input.description ?? '',
        is_default: !hasDefault,
      }),
    );
    await seat(ctx, inbox.id, memberIds);
    return { ...inbox.get({ plain: true }), member_ids: memberIds.toSorted((left, right) => left - right) };
  });
}

/** Returns all team inboxes of the workspace with their members in one statement, the oldest first. */
export async function listInboxes(ctx: Ctx, only?: number): Promise<TeamInboxRecord[]> {
  const rows = await teamInboxes(ctx).findAll({
    where: only === undefined ? {} : { id: only },
    include: ['seats'],
    order: ['id', ['seats', 'member_id', 'ASC']],
  });
  return rows.map(({ id, workspace_id, name, description, is_default, assignment, created_at, seats = [] }) => ({
    id,
    workspace_id,
    name,
    description,
    is_default,
    assignment,
    created_at,
    member_ids: seats.map(({ member_id: memberId }) => memberId),
  }));
}

/** Returns what team inboxes are called, by their ids. */
export async function inboxNames(ctx: Ctx): Promise<ReadonlyMap<number, string>> {
  const rows = await teamInboxes(ctx).findAll({ attributes: ['id', 'name'], order: ['id'], raw: true });
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Returns one team inbox of the workspace with its members. Throws 404. */
export async function getInbox(ctx: Ctx, inboxId: number): Promise<TeamInboxRecord> {
  const [inbox] = await listInboxes(ctx, inboxId);
  if (!inbox) throw notFound();
  return inbox;
}

/** Changes what is given; `memberIds` replaces all, and a new default takes the place of the old one. */
export async function updateInbox(ctx: Ctx, inboxId: number, changes: TeamInboxChanges): Promise<TeamInboxRecord> {
  return ctx.runtime.db.transaction(async () => {
    const before = await getInbox(ctx, inboxId);
    if (changes.isDefault === false && before.is_default) throw invalidField('is_default', reason('otherDefaultInbox'));
    const memberIds = changes.memberIds && (await checkMembers(ctx, changes.memberIds));

    if (changes.isDefault === true)
      await teamInboxes(ctx).update({ is_default: false }, { where: { is_default: true, id: { [Op.ne]: inboxId } } });
    const values = {
      name: changes.name === undefined ? undefined : checkName(changes.name),
      description: changes.description,
      is_default: changes.isDefault,
    };
    await unlessTaken(() => teamInboxes(ctx).update(values, { where: { id: inboxId } }));

    if (memberIds) {
      // Who stays keeps their capacity and turn.
      await ctx.runtime.db.models.TeamInboxMember.destroy({
        where: { team_inbox_id: inboxId, member_id: { [Op.notIn]: memberIds } },
      });
      await seat(ctx, inboxId, memberIds);
    }
    return getInbox(ctx, inboxId);
  });
}

/** Says how the conversations of a locked team inbox find a member. */
export async function setAssignment(ctx: Ctx, inboxId: number, assignment: AssignmentMode): Promise<void> {
  await teamInboxes(ctx).update({ assignment }, { where: { id: inboxId } });
}

/**
 * Deletes a team inbox; conversations and tickets of it are assigned to none. The default one stays, and one that rules
 * name unless they are to be paused (409).
 */
export async function deleteInbox(ctx: Ctx, inboxId: number, pauseRules = false): Promise<void> {
  await ctx.runtime.db.transaction(async () => {
    const inbox = await getInbox(ctx, inboxId);
    if (inbox.is_default) throw conflict(reason('defaultInbox'));
    await releaseFromRules(ctx, { kind: 'inbox', id: inboxId }, pauseRules);
    await teamInboxes(ctx).destroy({ where: { id: inboxId } });
  });
}

/** Writes a name; throws the 400 of one that another inbox has. */
async function unlessTaken<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isUniqueViolation(error)) throw invalidField('name', reason('inboxTaken'));
    throw error;
  }
}

function checkName(value: string): string {
  const name = value.trim();
  if (name === '') throw invalidField('name', reason('blank'));
  if ([...name].length > 255) throw invalidField('name', reason('tooLong', { max: 255 }));
  return name;
}

async function checkMembers(ctx: Ctx, ids: readonly number[]): Promise<number[]> {
  const memberIds = [...new Set(ids)];
  const found = await of(ctx, ctx.runtime.db.models.Member).findAll({
    attributes: ['id'],
    where: { id: memberIds },
    raw: true,
  });
  const unknown = memberIds.find((id) => !found.some((row) => row.id === id));
  if (unknown !== undefined) throw invalidPk('member_ids', unknown);
  return memberIds;
}

async function seat(ctx: Ctx, inboxId: number, memberIds: readonly number[]): Promise<void> {
  await ctx.runtime.db.models.TeamInboxMember.bulkCreate(
    memberIds.map((memberId) => ({ team_inbox_id: inboxId, member_id: memberId })),
    { ignoreDuplicates: true },
  );
}
