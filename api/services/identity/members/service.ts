import { literal, Op, Transaction } from 'sequelize';
import { cut } from '../../../core/text/cut';
import { allScopes, isScope, keyScopes, memberScopes, type Scope } from '../../../core/http/access';
import type { Ctx } from '../../../core/context';
import { isUniqueViolation } from '../../../core/db/database';
import { AppError, conflict, invalid, invalidField, notFound } from '../../../core/http/errors';
import { showInvisible } from '../../../core/http/invisible';
import { domainOfEmail, email as emailField, Fault, parseWith } from '../../../core/http/fields';
import type { Page } from '../../../core/http/operations';
import { listPage, type PagingInput } from '../../../core/http/paging';
import type { Runtime } from '../../../core/runtime';
import { of } from '../../../core/db/scoped';
import { hashPassword } from '../../../core/secrets';
import { refuseWeakPassword } from './passwordStrength';
import { dropMail } from '../mails/queue';
import { userColumnNames, type UserColumns } from './userObject';
import { reason } from '../reasons';

export const memberRoles = ['owner', 'admin', 'agent'] as const;
export type MemberRole = (typeof memberRoles)[number];

/** A member with the ids of its team inboxes; never with the hash of the password. */
export interface MemberRecord extends UserColumns {
  readonly workspace_id: number;
  readonly role: MemberRole;
  readonly permissions: readonly string[];
  readonly is_active: boolean;
  readonly undo_send: boolean;
  readonly opens_next: boolean;
  readonly takes_answered: boolean;
  readonly is_away: boolean;
  readonly team_inboxes: readonly number[];
}

interface MemberInput {
  readonly email: string;
  readonly name?: string | undefined;
  /** Absent: they choose one by a link. */
  readonly password?: string | undefined;
  readonly role: MemberRole;
  readonly permissions?: readonly string[] | undefined;
}

export interface MemberChanges {
  readonly name?: string | undefined;
  readonly password?: string | undefined;
  readonly role?: MemberRole | undefined;
  /** Replaces all of them. */
  readonly permissions?: readonly string[] | undefined;
  readonly isActive?: boolean | undefined;
}

// Each inbox is looked up by its id: joined, the inboxes of the workspace would be a way to those of a member.
const teamInboxes = `ARRAY(
  SELECT tm.team_inbox_id FROM team_inbox_members tm
  WHERE tm.member_id = m.id
    AND (SELECT ti.workspace_id FROM team_inboxes ti WHERE ti.id = tm.team_inbox_id) = m.workspace_id
  ORDER BY tm.team_inbox_id)`;
const columnsWithoutId = `${userColumnNames
  .filter((column) => column !== 'id')
  .map((column) => `m.${column}`)
  .join(', ')}, m.workspace_id, m.role, m.permissions, m.is_active, m.undo_send, m.opens_next, m.takes_answered,
  m.is_away, ${teamInboxes} AS team_inboxes`;

const members = (ctx: Ctx) => of(ctx, ctx.runtime.db.models.Member);

/**
 * Adds a person to the workspace. Where mail can be sent, their email counts once they have used the link in it; what
 * the operator says is true, and without mail nothing could prove it.
 */
export async function createMember(ctx: Ctx, input: MemberInput): Promise<MemberRecord> {
  const address = checkEmail(input.email);
  await refuseDomainTakenAnywhere(ctx, address);
  const permissions = checkPermissions(input.permissions ?? []);
  const name = checkName(input.name ?? nameFrom(address));
  if (input.password !== undefined) await refuseWeakPassword(input.password, { email: address, name });
  const passwordHash = input.password === undefined ? null : await hashPassword(input.password);
  const isProved = !ctx.runtime.mail || ctx.actor.type === 'system';
  try {
    const row = await ctx.runtime.db.models.Member.create({
      workspace_id: ctx.workspaceId,
      email: address,
      name,
      email_proved_at: isProved ? (literal('now()') as unknown as Date) : null,
      password_hash: passwordHash,
      role: input.role,
      permissions,
    });
    return await getMember(ctx, row.id);
  } catch (error) {
    if (isUniqueViolation(error, 'members_email') || isUniqueViolation(error, 'members_email_in_workspace'))
      throw invalidField('email', reason('memberTaken'));
    throw error;
  }
}

/** Throws the 400 of an email whose domain the operator has given to another workspace. */
async function refuseDomainTakenAnywhere({ runtime, workspaceId }: Ctx, address: string): Promise<void> {
  const domain = domainOfEmail(address);
  // Crosses workspaces: a domain belongs to one of them.
  const where = { domain, workspace_id: { [Op.ne]: workspaceId } };
  if (await runtime.db.models.SsoProvider.count({ where }))
    throw invalidField('email', reason('domainElsewhere', { domain }));
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
    readonly before?: () => Promise<void>;
    /** Runs in the same transaction, with the changed member. */
    readonly after?: (member: MemberRecord) => Promise<void>;
  } = {},
): Promise<MemberRecord> {
  const permissions = changes.permissions && checkPermissions(changes.permissions);
  // Derived before: a transaction that waited for it would hold a connection for seconds.
  let passwordHash: string | undefined;
  if (changes.password !== undefined) {
    await refuseWeakPassword(changes.password, await getMember(ctx, memberId), how.passwordField);
    passwordHash = await hashPassword(changes.password);
  }

  return ctx.runtime.db.transaction(async () => {
    await how.before?.();
    const [changed] = await members(ctx).update(
      {
        name: changes.name === undefined ? undefined : checkName(changes.name),
        password_hash: passwordHash,
        role: changes.role,
        permissions,
        is_active: changes.isActive,
        updated_at: literal('now()'),
      },
      { where: { id: memberId } },
    );
    if (changed === 0) throw notFound();
    if (changes.isActive === false || passwordHash !== undefined) await endAccess(ctx, memberId);
    const member = await getMember(ctx, memberId);
    await how.after?.(member);
    return member;
  });
}

/** Ends the member's sessions, and the link by which a password could be chosen, mailed or not. */
async function endAccess({ runtime }: Ctx, memberId: number): Promise<void> {
  const { MemberLink, Session } = runtime.db.models;
  await Session.destroy({ where: { member_id: memberId } });
  await MemberLink.destroy({ where: { member_id: memberId } });
  await dropMail(runtime, { member_id: memberId, kind: 'link' });
}

/** Returns what a member signs in with: for the password check alone. Throws 404. */
export async function passwordOf(
  ctx: Ctx,
  memberId: number,
): Promise<{ readonly email: string; readonly password_hash: string | null }> {
  const row = await members(ctx).findOne({
    attributes: ['email', 'password_hash'],
    where: { id: memberId, is_active: true },
    raw: true,
  });
  if (!row) throw notFound();
  return row;
}

/** Returns one member of the workspace with the ids of its inboxes, in one statement. Throws 404. */
export async function getMember(ctx: Ctx, memberId: number): Promise<MemberRecord> {
  const row = await ctx.runtime.db.row<MemberRecord>(
    `SELECT m.id, ${columnsWithoutId} FROM members m WHERE m.workspace_id = $workspaceId AND m.id = $memberId`,
    { workspaceId: ctx.workspaceId, memberId },
  );
  if (!row) throw notFound();
  return row;
}

/** Changes how the pages of the acting member behave, and which conversations become theirs. */
export async function changeOwnSettings(
  ctx: Ctx,
  settings: Partial<Pick<MemberRecord, 'undo_send' | 'opens_next' | 'takes_answered' | 'is_away' | 'locale'>>,
): Promise<MemberRecord> {
  const id = ctx.actor.memberId ?? 0;
  await members(ctx).update({ ...settings, updated_at: literal('now()') }, { where: { id } });
  return getMember(ctx, id);
}

/** Returns what members are called, by their ids: of some, or of all. */
export async function namesOf(ctx: Ctx, ids?: readonly number[]): Promise<ReadonlyMap<number, string>> {
  if (ids?.length === 0) return new Map();
  const where = ids === undefined ? {} : { id: [...ids] };
  const rows = await members(ctx).findAll({ attributes: ['id', 'name', 'email'], where, raw: true });
  return new Map(rows.map(({ id, name, email }) => [id, name || email]));
}

/** Returns all members in the order of their ids, with whether each is active and may then do what a scope allows. */
export async function allMembers(
  ctx: Ctx,
  scope: Scope,
): Promise<readonly (Pick<MemberRecord, 'id' | 'name' | 'email' | 'is_active'> & { readonly holds: boolean })[]> {
  const rows = await members(ctx).findAll({
    attributes: ['id', 'name', 'email', 'is_active', 'role', 'permissions'],
    order: ['id'],
    raw: true,
  });
  return rows.map(({ role, permissions, ...member }) => ({
    ...member,
    holds: member.is_active && memberScopes(role, permissions).includes(scope),
  }));
}

/** Returns a page of the workspace's members, the inactive ones included. */
export async function listMembers(ctx: Ctx, input: PagingInput): Promise<Page<MemberRecord>> {
  return listPage<Omit<MemberRecord, 'id'>>(
    ctx,
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

/** Returns the workspace of a member, whichever it is: for the provisioning CLI, which is given the id alone. */
export async function workspaceOfMemberAnywhere(runtime: Runtime, memberId: number): Promise<number> {
  const row = await runtime.db.models.Member.findByPk(memberId, { attributes: ['workspace_id'], raw: true });
  if (!row) throw notFound(`Member ${memberId} does not exist.`);
  return row.workspace_id;
}

function checkEmail(value: string): string {
  const parsed = parseWith(emailField(), value);
  if (parsed instanceof Fault) throw invalid({ email: parsed.reasons });
  if (parsed === '') throw invalidField('email', reason('blank'));
  return parsed;
}

function checkName(value: string): string {
  const name = showInvisible(value.trim());
  if ([...name].length > 255) throw invalidField('name', reason('tooLong', { max: 255 }));
  return name;
}

/** Returns permissions, each once. `all` stands for everything that a key can carry, `none` for nothing. */
export function checkPermissions(names: readonly string[]): Scope[] {
  const chosen = new Set<Scope>();
  for (const name of names) {
    if (name === 'none') continue;
    if (name === 'all') for (const scope of keyScopes) chosen.add(scope);
    else if (isScope(name)) chosen.add(name);
    else
      throw invalidField('permissions', reason('noPermission', { name: cut(name, 100), known: allScopes.join(', ') }));
  }
  return [...chosen];
}

/** Returns the name shown until a better one is given: "Anna Maria" for "anna.maria@example.com". */
function nameFrom(address: string): string {
  const words = (address.split('@')[0] ?? '').split(/[._+-]+/).filter((word) => word !== '');
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ');
}

/**
 * Throws 403 when the acting member would change a member with more rights, or give a role or permission that they do
 * not hold themselves. Throws 409 when no active owner would be left.
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
    throw new AppError('forbidden', reason('beyond'));
  if (beyond !== undefined) throw new AppError('forbidden', reason('notHeld', { name: beyond }));

  const leaves = changes.isActive === false || (changes.role !== undefined && changes.role !== 'owner');
  if (target?.role !== 'owner' || !target.is_active || !leaves) return;
  // Locked, so that two owners cannot remove one another at the same moment.
  const owners = await members(ctx).findAll({
    attributes: ['id'],
    where: { role: 'owner', is_active: true },
    order: ['id'],
    lock: Transaction.LOCK.UPDATE,
    raw: true,
  });
  if (owners.every((owner) => owner.id === target.id)) throw conflict(reason('lastOwner'));
}
