import type { ApprovalRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { conflict, trialExpired } from '../../../core/http/errors';
import type { Runtime } from '../../../core/runtime';
import { credentialCtx, credentialOfKey, type Credential } from '../../identity/apiKeys/authenticate';
import { credentialOfGrant } from '../../identity/oauth/grants';
import { reason } from '../../resources/reasons';

/** Returns the context of the agent that has parked a call. Throws 409 where its connection is not active any more. */
export async function agentCtxOf(
  ctx: Ctx,
  approval: Pick<ApprovalRow, 'connection_kind' | 'connection_id'>,
): Promise<Ctx> {
  const agent = await connectionOf(ctx.runtime, approval);
  if (!agent || agent.workspaceId !== ctx.workspaceId) throw conflict(reason('connectionGone'));
  const base = credentialCtx(ctx.runtime, agent, ctx.requestId);
  return {
    ...base,
    actor: { ...base.actor, type: 'agent', approvedBy: ctx.actor.memberId },
    // A member has said yes to this call.
    autonomy: 'autonomous',
  };
}

async function connectionOf(
  runtime: Runtime,
  approval: Pick<ApprovalRow, 'connection_kind' | 'connection_id'>,
): Promise<Credential | null> {
  const credential =
    approval.connection_kind === 'api_key'
      ? await credentialOfKey(runtime, approval.connection_id)
      : await credentialOfGrant(runtime, approval.connection_id);
  if (credential?.trialExpired) throw trialExpired();
  return credential;
}
