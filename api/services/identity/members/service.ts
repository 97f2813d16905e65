import { allScopes, isScope, keyScopes, memberScopes, type Scope } from '../../../core/access';
import type { Ctx } from '../../../core/context';
import { isUniqueViolation } from '../../../core/db';
import { AppError, conflict, invalidField, notFound } from '../../../core/errors';
import { email as emailField, Fault, parseWith } from '../../../core/fields';
import type { Page } from '../../../core/operations';
import { listPage, type PagingInput } from '../../../core/paging';
import type { Runtime } from '../../../core/runtime';
import { hashPassword, randomToken } from '../../../core/secrets';
import { userColumnNames, type UserColumns } from './userObject';

export const memberRoles = ['owner', 'admin', 'agent'] as const;
export type MemberRole = (typeof memberRoles)[number];

const minPasswordLength = 8;

export interface MemberRecord extends UserColumns {
  readonly workspace_id: number;
  readonly role: MemberRole;
  readonly permissions: readonly string[];
  readonly is_active: boolean;
  readonly team_inboxes: readonly number[];
}

export interface MemberInput {
  readonly email: string;
  readonly name?: string;
  /** Absent: one is generated and given back once. */
  readonly password?: string;
  readonly role: MemberRole;
  readonly permissions?: readonly string[];
}

export interface MemberChanges {
  readonly name?: string;
  readonly password?: string;
  readonly role?: MemberRole;
  /** Replaces all of them. */
  readonly permissions?: readonly string[];
  readonly isActive?: boolean;
}

// Each inbox is looked up by its id: joined, the inboxes of the workspace would be a way to those of a member.
const teamInboxes = `ARRAY(
  SELECT tm.team_inbox_id FROM team_inbox_members tm
  WHERE tm.member_id = m.id AND (SELECT ti.workspace_id FROM team_inboxes ti WHERE ti.id = tm.team_inbox_id) = m.workspace_id
  ORDER BY tm.team_inbox_id)`;
const columnsWithoutId = `${userColumnNames
  .filter((column) => column !== 'id')
  .map((column) => `m.${column}`)
  .join(', ')}, m.workspace_id, m.role, m.permissions, m.is_active, ${teamInboxes} AS team_inboxes`;

/** Adds a person to the workspace; `password` is set only where it was generated. */
export async function createMember(
  ctx: Ctx,
  input: MemberInput,
): Promise<{ member: MemberRecord; password: string | null }> {
  const address = checkEmail(input.email);
  const permissions = checkPermissions(input.permissions ?? []);
  const generated = input.password === undefined ? randomToken(12) : null;
  const passwordHash = await hashPassword(generated ?? checkPassword(input.password ?? ''));
  try {
    const row = await ctx.runtime.db.row<{ id: number }>(
      `INSERT INTO members (workspace_id, email, name, password_hash, role, permissions)
       VALUES ($workspaceId, $email, $name, $passwordHash, $role, $permissions::text[]) RETURNING id`,
      {
        workspaceId: ctx.workspaceId,
        email: address,
        name: checkName(input.name ?? nameFrom(address)),
        passwordHash,
        role: input.role,
        permissions,
      },
    );
    return { member: await getMember(ctx, row?.id ?? 0), password: generated };
  } catch (error) {
    if (isUniqueViolation(error, 'members_email'))
      throw invalidField('email', 'member with this email already exists.');
    throw error;
  }
}

/** Changes what is given; a deactivation or a new password ends the member's sessions. */
export async function updateMember(
  ctx: Ctx,
  memberId: number,
  changes: MemberChanges,
  how: {
    /** What the input calls the password. */
    readonly passwordField?: string;
    /** Runs in the same transaction, before anything is changed. */
    readonly alongside?: () => Promise<void>;
  } = {},
): Promise<MemberRecord> {
  const permissions = changes.permissions ? checkPermissions(changes.permissions) : null;
  const passwordHash =
    changes.password === undefined ? null : await hashPassword(checkPassword(changes.password, how.passwordField));
  // Derived before: a transaction that waited for it would hold a connection for seconds.
  return ctx.runtime.db.transaction(async () => {
    await how.alongside?.();
    const row = await ctx.runtime.db.row<{ id: number }>(
      `UPDATE members SET name = coalesce($name, name), password_hash = coalesce($passwordHash, password_hash), role = coalesce($role, role),
         permissions = coalesce($permissions::text[], permissions), is_active = coalesce($isActive, is_active), updated_at = now()
       WHERE workspace_id = $workspaceId AND id = $memberId RETURNING id`,
      {
        workspaceId: ctx.workspaceId,
        memberId,
        name: changes.name === undefined ? null : checkName(changes.name),
        passwordHash,
        role: changes.role ?? null,
        permissions,
        isActive: changes.isActive ?? null,
      },
    );
    if (!row) throw notFound();
    if (changes.isActive === false || passwordHash !== null)
      await ctx.runtime.db.rows('DELETE FROM sessions WHERE member_id = $memberId', { memberId });
    return getMember(ctx, memberId);
  });
}

/** What a member signs in with: for the password check alone. Throws 404. */
export async function passwordOf(
  ctx: Ctx,
  memberId: number,
): Promise<{ readonly email: string; readonly password_hash: string | null }> {
  const row = await ctx.runtime.db.row<{ email: string; password_hash: string | null }>(
    'SELECT email, password_hash FROM members WHERE workspace_id = $workspaceId AND id = $memberId AND is_active',
    { workspaceId: ctx.workspaceId, memberId },
  );
  if (!row) throw notFound();
  return row;
}

/** One member of the workspace, or the 404. */
export async function getMember(ctx: Ctx, memberId: number): Promise<MemberRecord> {
  const row = await ctx.runtime.db.row<MemberRecord>(
    `SELECT m.id, ${columnsWithoutId} FROM members m WHERE m.workspace_id = $workspaceId AND m.id = $memberId`,
    { workspaceId: ctx.workspaceId, memberId },
  );
  if (!row) throw notFound();
  return row;
}

/** The people behind these ids, for serializers that show user objects; strangers' ids are left out. */
export async function loadMembers(
  ctx: Ctx,
  ids: readonly (number | null)[],
): Promise<ReadonlyMap<number, MemberRecord>> {
  const wanted = [...new Set(ids.filter((id) => id !== null))];
  if (wanted.length === 0) return new Map();
  const rows = await ctx.runtime.db.rows<MemberRecord>(
    `SELECT m.id, ${columnsWithoutId} FROM members m WHERE m.workspace_id = $workspaceId AND m.id = ANY($wanted::bigint[])`,
    { workspaceId: ctx.workspaceId, wanted },
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** A page of the workspace's members, the inactive ones included. */
export async function listMembers(ctx: Ctx, input: PagingInput): Promise<Page<MemberRecord>> {
  return listPage<Omit<MemberRecord, 'id'>>(
    ctx.runtime.db,
    {
      select: columnsWithoutId,
      from: 'members m',
      where: ['m.workspace_id = $workspaceId'],
      bind: { workspaceId: ctx.workspaceId },
      idSql: 'm.id',
      columns: { id: { sql: 'm.id', type: 'integer' } },
      defaultOrdering: 'id',
    },
    input,
  );
}

/** The workspace of a member, whichever it is: for the provisioning CLI, which is given the id alone. */
export async function workspaceOfMemberAnywhere(runtime: Runtime, memberId: number): Promise<number> {
  const row = await runtime.db.row<{ workspace_id: number }>('SELECT workspace_id FROM members WHERE id = $memberId', {
    memberId,
  });
  if (!row) throw notFound(`Member ${memberId} does not exist.`);
  return row.workspace_id;
}

function checkEmail(value: string): string {
  const parsed = parseWith(emailField(), value);
  if (parsed instanceof Fault) throw invalidField('email', parsed.messages.join(' '));
  if (parsed === '') throw invalidField('email', 'This field may not be blank.');
  return parsed;
}

function checkName(value: string): string {
  if ([...value].length > 255) throw invalidField('name', 'Ensure this field has no more than 255 characters.');
  return value.trim();
}

function checkPassword(value: string, field = 'password'): string {
  if ([...value].length < minPasswordLength)
    throw invalidField(field, `Ensure this field has at least ${minPasswordLength} characters.`);
  if ([...value].length > 1_024) throw invalidField(field, 'Ensure this field has no more than 1024 characters.');
  return value;
}

/** The names of permissions, each once. `all` stands for everything that a key can carry, `none` for nothing. */
export function checkPermissions(names: readonly string[]): Scope[] {
  const chosen = new Set<Scope>();
  for (const name of names) {
    if (name === 'none') continue;
    if (name === 'all') for (const scope of keyScopes) chosen.add(scope);
    else if (isScope(name)) chosen.add(name);
    else
      throw invalidField(
        'permissions',
        `"${name.slice(0, 100)}" is not a valid choice. The permissions are ${allScopes.join(', ')}.`,
      );
  }
  return [...chosen];
}

/** "anna.maria@example.com" is shown as "Anna Maria" until somebody says better. */
function nameFrom(address: string): string {
  const words = (address.split('@')[0] ?? '').split(/[._+-]+/).filter((word) => word !== '');
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ');
}

/**
 * Throws the 403 of a member who would raise somebody above themselves: nobody changes a member who may do more, gives
 * a role or permission that they do not hold, and the last active owner stays one.
 */
export async function refuseEscalation(ctx: Ctx, target: MemberRecord | null, changes: MemberChanges): Promise<void> {
  const actor = await getMember(ctx, ctx.actor.memberId ?? 0);
  const rank = (role: MemberRole): number => memberRoles.length - memberRoles.indexOf(role);
  const held = memberScopes(actor.role, actor.permissions);
  const asked = changes.permissions ? checkPermissions(changes.permissions) : [];
  const beyond = [...asked, ...(target ? memberScopes(target.role, target.permissions) : [])].find(
    (scope) => !held.includes(scope),
  );
  if ((target && rank(target.role) > rank(actor.role)) || (changes.role && rank(changes.role) > rank(actor.role)))
    throw new AppError('forbidden', 'This member may do more than you, or would: ask an owner.');
  if (beyond !== undefined)
    throw new AppError('forbidden', `You do not hold the permission ${beyond}, so you cannot decide about it.`);
  const leaves = changes.isActive === false || (changes.role !== undefined && changes.role !== 'owner');
  if (target?.role !== 'owner' || !target.is_active || !leaves) return;
  // Locked, so that two owners cannot remove one another at the same moment.
  const owners = await ctx.runtime.db.rows<{ id: number }>(
    `SELECT id FROM members WHERE workspace_id = $workspaceId AND role = 'owner' AND is_active ORDER BY id FOR UPDATE`,
    { workspaceId: ctx.workspaceId },
  );
  if (owners.every((owner) => owner.id === target.id))
    throw conflict('This is the last active owner of the workspace. Make somebody else an owner first.');
}
