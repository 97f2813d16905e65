import type { Ctx } from '../../../core/context';
import { invalidField } from '../../../core/http/errors';
import { endKey, endKeysOf, getKey, type ApiKeyRecord } from '../../identity/apiKeys/service';
import { forgetFactors } from '../../identity/factors/service';
import { checkOwnPassword } from '../../identity/members/ownPassword';
import { mailLater } from '../../identity/mails/queue';
import { getMember, updateMember, type MemberChanges, type MemberRecord } from '../../identity/members/service';
import { endSessions } from '../../identity/members/sessions';
import { forgetSubjects } from '../../identity/members/subjects';
import { releaseFromRules } from '../../resources/rules/naming';
import { disconnectGrantsOf } from '../../identity/oauth/connections';
import { leftByKeys, leftByMember, nothingLeft, together, type Kept, type LeftBehind } from './ownedByMember';
import { reason } from '../../resources/reasons';

interface PasswordInput {
  readonly current_password: string;
  readonly new_password: string;
  readonly revoke_api_keys: boolean;
  readonly disconnect_agents: boolean;
  readonly keep_webhooks?: boolean | undefined;
  readonly keep_broadcasts?: boolean | undefined;
}

/** How much a change of a member ended. */
interface Ended extends LeftBehind {
  readonly sessions: number;
  readonly keys: number;
  readonly agents: number;
}

/** What a change of a member does to their keys and agents, and to what they created with rights that they lose. */
interface Consequences extends Kept {
  /** Rules that name the member are paused where they leave; without it they forbid that. */
  readonly pauseRules?: boolean;
  readonly revokeKeys: boolean;
  readonly disconnectAgents: boolean;
}

/** Gives the acting member a new password, which ends all of their sessions. */
export async function changePassword(ctx: Ctx, values: PasswordInput): Promise<Ended> {
  const memberId = ctx.actor.memberId ?? 0;
  await checkOwnPassword(ctx, values.current_password, 'current_password');
  if (values.new_password === values.current_password) throw invalidField('new_password', reason('passwordSame'));
  const { ended } = await changeMember(
    ctx,
    memberId,
    { password: values.new_password },
    {
      revokeKeys: values.revoke_api_keys,
      disconnectAgents: values.disconnect_agents,
      keepWebhooks: values.keep_webhooks ?? false,
      keepBroadcasts: values.keep_broadcasts ?? false,
    },
    { passwordField: 'new_password' },
  );
  return ended;
}

/**
 * Changes a member, and ends their credentials and what they created with rights that they lose. `check` runs first and
 * may refuse.
 */
export async function changeMember(
  ctx: Ctx,
  memberId: number,
  changes: MemberChanges,
  consequences: Consequences,
  how: { readonly passwordField?: string; readonly check?: (known: MemberRecord) => Promise<void> } = {},
): Promise<{ member: MemberRecord; ended: Ended }> {
  let known: MemberRecord | null = null;
  let sessions = 0;
  let ended: Ended = { sessions, keys: 0, agents: 0, ...nothingLeft };
  const member = await updateMember(ctx, memberId, changes, {
    ...(how.passwordField === undefined ? {} : { passwordField: how.passwordField }),
    before: async () => {
      known = await getMember(ctx, memberId);
      await how.check?.(known);
      if (changes.isActive === false && known.is_active)
        await releaseFromRules(ctx, { kind: 'member', id: memberId }, consequences.pauseRules ?? false);
      if (changes.password !== undefined) sessions = await endSessions(ctx, memberId);
    },
    after: async (changed) => {
      const keys = consequences.revokeKeys ? await endKeysOf(ctx, memberId) : [];
      const byKeys = await leftByKeys(ctx, keys, consequences);
      const byMember = known ? await leftByMember(ctx, known, changed, consequences) : nothingLeft;
      ended = {
        sessions,
        keys: keys.length,
        agents: consequences.disconnectAgents ? await disconnectGrantsOf(ctx, memberId) : 0,
        ...together(byKeys, byMember),
      };
    },
  });
  return { member, ended };
}

/** Revokes a key and stops what was created with it, except for what `kept` names. A second call changes nothing. */
export async function revokeKey(
  ctx: Ctx,
  keyId: number,
  kept: Kept,
): Promise<{ readonly key: ApiKeyRecord; readonly left: LeftBehind }> {
  return ctx.runtime.db.transaction(async () => {
    const left = (await endKey(ctx, keyId)) ? await leftByKeys(ctx, [keyId], kept) : nothingLeft;
    return { key: await getKey(ctx, keyId), left };
  });
}

/** Removes the second factors of a member who has lost them, ends their sessions and tells them. */
export async function loseFactors(ctx: Ctx, { id }: Pick<MemberRecord, 'id'>): Promise<void> {
  await ctx.runtime.db.transaction(async () => {
    await forgetFactors(ctx.runtime, id);
    await forgetSubjects(ctx, id);
    await endSessions(ctx, id);
    await mailLater(ctx, id, 'factorsLost');
  });
}
