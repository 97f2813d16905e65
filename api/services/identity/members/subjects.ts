import { col, fn, literal, Op, where } from 'sequelize';
import type { Ctx } from '../../../core/context';
import { isUniqueViolation } from '../../../core/db/database';
import { of } from '../../../core/db/scoped';
import { AppError } from '../../../core/http/errors';
import { recordSecurity } from '../securityLog/service';
import { createMember, getMember, type MemberRecord } from './service';
import { reason } from '../reasons';

/** A person as their company's provider knows them: the subject stays when the email changes. */
interface Person {
  readonly subject: string;
  readonly email: string;
  readonly name: string;
}

const refused = (key: Parameters<typeof reason>[0]): AppError => new AppError('forbidden', reason(key));
const members = (ctx: Ctx) => of(ctx, ctx.runtime.db.models.Member);

/**
 * Returns the member of the workspace whom its provider vouches for: by the subject, at first by the email. Who is no
 * member yet becomes one where `newMember` says as what. Throws the 403 of who may not come in.
 */
export async function memberOfSubject(
  ctx: Ctx,
  person: Person,
  newMember: { readonly role: 'admin' | 'agent'; readonly permissions: readonly string[] } | null,
): Promise<MemberRecord> {
  const { subject, email, name } = person;
  const isNamed = [{ sso_subject: subject }, where(fn('lower', col('email')), email)];
  const known = await members(ctx).findAll({ where: { [Op.or]: isNamed }, raw: true });
  const row = known.find((one) => one.sso_subject === subject) ?? known[0];
  if (row && !row.is_active) throw refused('membershipEnded');
  if (row?.sso_subject === subject) return getMember(ctx, row.id);
  // An address that was given to another person must not give them the membership of the first.
  if (row?.sso_subject) throw refused('otherAccount');
  if (!row && !newMember) throw refused('noMember');
  try {
    return await ctx.runtime.db.transaction(async () => {
      await takeEmailAnywhere(ctx, email);
      const made = row ?? (newMember && (await createMember(ctx, { ...newMember, email, name })));
      if (!made) throw refused('noMemberYet');
      if (!row) await recordSecurity(ctx, { action: 'sso.memberMade', subjectId: made.id, given: { ...newMember } });
      await members(ctx).update(
        { sso_subject: subject, email_proved_at: literal('coalesce(email_proved_at, now())') as unknown as Date },
        { where: { id: made.id } },
      );
      return getMember(ctx, made.id);
    });
  } catch (error) {
    const isTaken = isUniqueViolation(error, 'members_email') || (error instanceof AppError && error.status === 400);
    if (isTaken) throw refused('emailInUse');
    throw error;
  }
}

/**
 * Takes an email of the workspace's domain from members elsewhere who never proved that they read it: without mail an
 * email counts by the word of whoever wrote it, and the word of the domain's provider is better.
 */
async function takeEmailAnywhere(ctx: Ctx, email: string): Promise<void> {
  if (ctx.runtime.mail) return;
  // Crosses workspaces, and ends the sessions of whom it meets in the same statement.
  const taken = await ctx.runtime.db.rows<{ id: number; workspace_id: number }>(
    `WITH taken AS (
       UPDATE members SET email_proved_at = NULL
       WHERE lower(email) = $email AND workspace_id <> $workspaceId AND sso_subject IS NULL
         AND email_proved_at IS NOT NULL
       RETURNING id, workspace_id
     ), ended AS (DELETE FROM sessions WHERE member_id IN (SELECT id FROM taken))
     SELECT id, workspace_id FROM taken`,
    { email, workspaceId: ctx.workspaceId },
  );
  for (const { id, workspace_id: workspaceId } of taken)
    await recordSecurity({ ...ctx, workspaceId }, { action: 'sso.emailTaken', subjectId: id });
}

/** Returns members of other workspaces whose emails are of the domain, for the operator to look at. */
export async function membersOfDomainAnywhere(
  ctx: Ctx,
  domain: string,
): Promise<{ workspace_id: number; id: number; email: string }[]> {
  // Crosses workspaces: the operator asks who has emails of a domain that belongs to one.
  return ctx.runtime.db.models.Member.findAll({
    attributes: ['workspace_id', 'id', 'email'],
    where: {
      workspace_id: { [Op.ne]: ctx.workspaceId },
      [Op.and]: [where(fn('lower', fn('split_part', col('email'), '@', 2)), domain)],
    },
    order: ['id'],
    limit: 100,
    raw: true,
  });
}

/** Returns whether the acting member has signed in by the provider of the workspace. */
export async function hasSubject(ctx: Ctx): Promise<boolean> {
  return (await members(ctx).count({ where: { id: ctx.actor.memberId ?? 0, sso_subject: { [Op.ne]: null } } })) > 0;
}

/** Forgets whom the provider knows, one or all: what another provider calls them is another name. */
export async function forgetSubjects(ctx: Ctx, memberId?: number): Promise<void> {
  await members(ctx).update(
    { sso_subject: null },
    { where: { sso_subject: { [Op.ne]: null }, ...(memberId === undefined ? {} : { id: memberId }) } },
  );
}
