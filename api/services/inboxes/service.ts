import type { Ctx } from '../../core/context';
import { isUniqueViolation } from '../../core/db';
import { invalidField, invalidPk } from '../../core/errors';

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

const columns = `i.id, i.workspace_id, i.name, i.description, i.is_default, i.created_at,
  ARRAY(SELECT tm.member_id FROM team_inbox_members tm WHERE tm.team_inbox_id = i.id ORDER BY tm.member_id) AS member_ids`;

/** Makes a team inbox; a workspace's first one is its default. */
export async function createInbox(ctx: Ctx, input: TeamInboxInput): Promise<TeamInboxRecord> {
  const name = input.name.trim();
  if (name === '') throw invalidField('name', 'This field may not be blank.');
  if ([...name].length > 255) throw invalidField('name', 'Ensure this field has no more than 255 characters.');
  const memberIds = [...new Set(input.memberIds ?? [])];
  const { db } = ctx.runtime;
  return db.transaction(async () => {
    const found = await db.rows<{ id: number }>(
      'SELECT id FROM members WHERE workspace_id = $workspaceId AND id = ANY($memberIds::integer[])',
      { workspaceId: ctx.workspaceId, memberIds },
    );
    const stranger = memberIds.find((id) => !found.some((row) => row.id === id));
    if (stranger !== undefined) throw invalidPk('member_ids', stranger);
    const inbox = await insert(ctx, name, input.description ?? '');
    await db.rows(
      'INSERT INTO team_inbox_members (team_inbox_id, member_id) SELECT $inboxId, unnest($memberIds::integer[])',
      { inboxId: inbox.id, memberIds },
    );
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
