import type { Ctx } from '../../../core/context';
import { invalidField } from '../../../core/http/errors';
import { verifyPassword } from '../../../core/secrets';
import { countPasswordChange } from '../attempts/attempts';
import { passwordOf } from './service';
import { reason } from '../reasons';

/**
 * Throws the 400 of a password that is not the acting member's. Wrong ones are counted, so that it cannot be guessed
 * from a browser that was left open; apart from sign-ins, whose failures may be a stranger's.
 */
export async function checkOwnPassword(ctx: Ctx, password: string, field: string): Promise<void> {
  const memberId = ctx.actor.memberId ?? 0;
  const stored = await passwordOf(ctx, memberId);
  const attempt = await countPasswordChange(ctx.runtime, memberId);
  let matches: boolean;
  try {
    matches = await verifyPassword(password, stored.password_hash);
  } catch (error) {
    await attempt.forgive();
    throw error;
  }
  if (!matches) throw invalidField(field, reason('passwordWrong'));
  await attempt.forgive();
}
