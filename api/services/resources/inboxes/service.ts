import type { Ctx } from '../../../core/context';
import { isUniqueViolation } from '../../../core/db';
import { conflict, invalidField, invalidPk, notFound } from '../../../core/errors';

export interface TeamInboxRecord {
  readonly id: number;
  readonly workspace_id: number;
  readonly name: string;
  readonly description: string;
  readonly is_default: boolean;
  readonly created_at: Date;
  readonly member_ids: readonly number[];
}

export interface TeamInboxInput {
  readonly name: string;
  readonly description?: string;
  readonly memberIds?: readonly number[];
}

export interface TeamInboxChanges {
  readonly name?: string;
  readonly description?: string;
  readonly memberIds?: readonly number[];
  readonly isDefault?: boolean;
}

const columns = `i.id, i.workspace_id, i.name, i.description, i.is_default, i.created_at,
  ARRAY(SELECT tm.member_id FROM team_inbox_members tm WHERE tm.team_inbox_id = i.id ORDER BY tm.member_id) AS member_ids`;

/** Makes a team inbox; a workspace's first one is its default. */
export async function createInbox(ctx: Ctx, input: TeamInboxInput): Promise<TeamInboxRecord> {
  const name = checkName(input.name);
  return ctx.runtime.db.transaction(async () => {
    const memberIds = await checkMembers(ctx, input.memberIds ?? []);
    const inbox = await insert(ctx, name, input.description ?? '');
    await seat(ctx, inbox.id, memberIds);
    return { ...inbox, member_ids: memberIds.toSorted((left, right) => left - right) };
  });
}

async function insert(ctx: Ctx, name: string, description: string): Promise<Omit<TeamInboxRecord, 'member_ids'>> {
  try {
    const row = await ctx.runtime.db.row<Omit<TeamInboxRecord, 'member_ids'>>(
      `INSERT INTO team_inboxes (workspace_id, name, description, is_default)
       VALUES ($workspaceId, $name, $description, NOT EXISTS (SELECT 1 FROM team_inboxes WHERE workspace_id = $workspaceId AND is_default))
       RETURNING id, workspace_id, name, description, is_default, created_at`,
      { workspaceId: ctx.workspaceId, name, description },
    );
    if (!row) throw new Error('the team inbox was not stored');
    return row;
  } catch (error) {
    if (isUniqueViolation(error)) throw invalidField('name', 'team inbox with this name already exists.');
    throw error;
  }
}

/** All team inboxes of the workspace, the oldest first. */
export async function listInboxes(ctx: Ctx): Promise<TeamInboxRecord[]> {
  return ctx.runtime.db.rows<TeamInboxRecord>(
    `SELECT ${columns} FROM team_inboxes i WHERE i.workspace_id = $workspaceId ORDER BY i.id`,
    { workspaceId: ctx.workspaceId },
  );
}

/** One team inbox of the workspace. Throws 404. */
export async function getInbox(ctx: Ctx, inboxId: number): Promise<TeamInboxRecord> {
  const row = await ctx.runtime.db.row<TeamInboxRecord>(
    `SELECT ${columns} FROM team_inboxes i WHERE i.workspace_id = $workspaceId AND i.id = $inboxId`,
    { workspaceId: ctx.workspaceId, inboxId },
  );
  if (!row) throw notFound();
  return row;
}

/** Changes what is given; `memberIds` replaces all, and a new default takes the place of the old one. */
export async function updateInbox(ctx: Ctx, inboxId: number, changes: TeamInboxChanges): Promise<TeamInboxRecord> {
  const { db } = ctx.runtime;
  const bind = { workspaceId: ctx.workspaceId, inboxId };
  return db.transaction(async () => {
    const before = await getInbox(ctx, inboxId);
    if (changes.isDefault === false && before.is_default)
      throw invalidField('is_default', 'Make another team inbox the default instead.');
    const memberIds = changes.memberIds && (await checkMembers(ctx, changes.memberIds));
    if (changes.isDefault === true)
      await db.rows(
        `UPDATE team_inboxes SET is_default = id = $inboxId WHERE workspace_id = $workspaceId
           AND is_default <> (id = $inboxId)`,
        bind,
      );
    try {
      await db.rows(
        `UPDATE team_inboxes SET name = coalesce($name, name), description = coalesce($description, description)
         WHERE workspace_id = $workspaceId AND id = $inboxId`,
        {
          ...bind,
          name: changes.name === undefined ? null : checkName(changes.name),
          description: changes.description ?? null,
        },
      );
    } catch (error) {
      if (isUniqueViolation(error)) throw invalidField('name', 'team inbox with this name already exists.');
      throw error;
    }
    if (memberIds) {
      await db.rows(
        `DELETE FROM team_inbox_members tm USING team_inboxes i WHERE i.id = tm.team_inbox_id
           AND i.workspace_id = $workspaceId AND i.id = $inboxId`,
        bind,
      );
      await seat(ctx, inboxId, memberIds);
    }
    return getInbox(ctx, inboxId);
  });
}

/** Deletes a team inbox; conversations and tickets of it are assigned to none. The default one stays (409). */
export async function deleteInbox(ctx: Ctx, inboxId: number): Promise<void> {
  await ctx.runtime.db.transaction(async () => {
    const inbox = await getInbox(ctx, inboxId);
    if (inbox.is_default)
      throw conflict('The default team inbox cannot be deleted. Make another one the default first.');
    await ctx.runtime.db.rows('DELETE FROM team_inboxes WHERE workspace_id = $workspaceId AND id = $inboxId', {
      workspaceId: ctx.workspaceId,
      inboxId,
    });
  });
}

function checkName(value: string): string {
  const name = value.trim();
  if (name === '') throw invalidField('name', 'This field may not be blank.');
  if ([...name].length > 255) throw invalidField('name', 'Ensure this field has no more than 255 characters.');
  return name;
}

async function checkMembers(ctx: Ctx, ids: readonly number[]): Promise<number[]> {
  const memberIds = [...new Set(ids)];
  const found = await ctx.runtime.db.rows<{ id: number }>(
    'SELECT id FROM members WHERE workspace_id = $workspaceId AND id = ANY($memberIds::bigint[])',
    { workspaceId: ctx.workspaceId, memberIds },
  );
  const stranger = memberIds.find((id) => !found.some((row) => row.id === id));
  if (stranger !== undefined) throw invalidPk('member_ids', stranger);
  return memberIds;
}

async function seat(ctx: Ctx, inboxId: number, memberIds: readonly number[]): Promise<void> {
  await ctx.runtime.db.rows(
    'INSERT INTO team_inbox_members (team_inbox_id, member_id) SELECT $inboxId, unnest($memberIds::bigint[])',
    { inboxId, memberIds },
  );
}
