import type { Ctx } from '../../../core/context';
import { invalidField } from '../../../core/errors';
import { verifyPassword } from '../../../core/secrets';
import { revokeKeysOf } from '../apiKeys/service';
import { countPasswordChange } from '../members/attempts';
import { passwordOf, updateMember, type MemberChanges, type MemberRecord } from '../members/service';
import { endSessions } from '../members/sessions';
import { disconnectGrantsOf } from '../oauth/connections';

interface PasswordInput {
  readonly current_password: string;
  readonly new_password: string;
  readonly revoke_api_keys: boolean;
  readonly disconnect_agents: boolean;
}

/** How much a new password ended. */
interface Ended {
  readonly sessions_ended: number;
  readonly api_keys_revoked: number;
  readonly agents_disconnected: number;
}

/** What becomes of the member's keys and connected agents. */
interface Consequences {
  readonly revokeKeys: boolean;
  readonly disconnectAgents: boolean;
}

/**
 * Gives the acting member a new password, which ends all of their sessions. Wrong current passwords are counted, so
 * that it cannot be guessed from a browser that was left open; apart from sign-ins, whose failures may be a stranger's.
 */
export async function changePassword(ctx: Ctx, values: PasswordInput): Promise<Ended> {
  const memberId = ctx.actor.memberId ?? 0;
  const stored = await passwordOf(ctx, memberId);
  const attempt = await countPasswordChange(ctx.runtime, memberId);
  let matches: boolean;
  try {
    matches = await verifyPassword(values.current_password, stored.password_hash);
  } catch (error) {
    await attempt.forgive();
    throw error;
  }
  if (!matches) throw invalidField('current_password', 'The current password is wrong.');
  await attempt.forgive();

  if (values.new_password === values.current_password)
    throw invalidField('new_password', 'The new password is the current one.');
  const { ended } = await setPassword(
    ctx,
    memberId,
    { password: values.new_password },
    { revokeKeys: values.revoke_api_keys, disconnectAgents: values.disconnect_agents },
    { passwordField: 'new_password' },
  );
  return ended;
}

/** Changes a member together with what becomes of their credentials; `check` runs first and may refuse. */
export async function setPassword(
  ctx: Ctx,
  memberId: number,
  changes: MemberChanges,
  consequences: Consequences,
  how: { readonly passwordField?: string; readonly check?: () => Promise<void> } = {},
): Promise<{ member: MemberRecord; ended: Ended }> {
  let ended: Ended = { sessions_ended: 0, api_keys_revoked: 0, agents_disconnected: 0 };
  const member = await updateMember(ctx, memberId, changes, {
    ...(how.passwordField === undefined ? {} : { passwordField: how.passwordField }),
    alongside: async () => {
      await how.check?.();
      ended = {
        sessions_ended: changes.password === undefined ? 0 : await endSessions(ctx, memberId),
        api_keys_revoked: consequences.revokeKeys ? await revokeKeysOf(ctx, memberId) : 0,
        agents_disconnected: consequences.disconnectAgents ? await disconnectGrantsOf(ctx, memberId) : 0,
      };
    },
  });
  return { member, ended };
}
