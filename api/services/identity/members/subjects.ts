import { col, fn, literal, Op, where } from 'sequelize';
import type { Ctx } from '../../../core/context';
import { isUniqueViolation } from '../../../core/db/database';
import { of } from '../../../core/db/scoped';
import { AppError } from '../../../core/http/errors';
import { recordSecurity } from '../securityLog/service';
import { createMember, getMember, type MemberRecord } from './service';

/** A person as their company's provider knows them: the subject stays when the email changes. */
interface Person {
  readonly subject: string;
  readonly email: string;
  readonly name: string;
}

const refused = (message: string): AppError => new AppError('forbidden', message);
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
  if (row && !row.is_active) throw refused('Your membership was ended. Ask an owner of your workspace.');
  if (row?.sso_subject === subject) return getMember(ctx, row.id);
  // An address that was given to another person must not give them the membership of the first.
  if (row?.sso_subject)
    throw refused('Your email belongs to another account of your company. Ask an owner of your workspace.');
  if (!row && !newMember) throw refused('You are no member of the workspace. Ask an owner to add you.');
  try {
    return await ctx.runtime.db.transaction(async () => {
      const made = row ?? (newMember && (await createMember(ctx, { ...newMember, email, name })));
      if (!made) throw refused('You are no member of the workspace.');
      if (!row) await recordSecurity(ctx, { action: 'sso.memberMade', subjectId: made.id, given: { ...newMember } });
      await members(ctx).update(
        { sso_subject: subject, email_proved_at: literal('coalesce(email_proved_at, now())') as unknown as Date },
        { where: { id: made.id } },
      );
      return getMember(ctx, made.id);
    });
  } catch (error) {
    const isTaken = isUniqueViolation(error, 'members_email') || (error instanceof AppError && error.status === 400);
    if (isTaken) throw refused('Your email is in use elsewhere in this installation. Ask its operator.');
    throw error;
  }
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
