import type { Ctx } from '../../../core/context';
import { conflict } from '../../../core/http/errors';
import { requireRecent } from '../../identity/apiKeys/authenticate';
import { hasFactor } from '../../identity/factors/service';
import { endSessionsOf } from '../../identity/members/sessions';
import {
  getWorkspace,
  lockWorkspace,
  updateWorkspace,
  type WorkspaceChanges,
  type WorkspaceRecord,
} from '../../identity/workspaces/service';

/**
 * Changes the workspace for a member. Where that makes it demand a second factor, or no more, the member is asked again
 * who they are, and sessions without one end: also those that were shut out meanwhile.
 */
export async function changeSettings(ctx: Ctx, changes: WorkspaceChanges): Promise<WorkspaceRecord> {
  if (changes.requireFactor === undefined) return updateWorkspace(ctx, changes);
  return ctx.runtime.db.transaction(async () => {
    await lockWorkspace(ctx);
    // A form, and what a GET showed, send it along as it is.
    if (changes.requireFactor === (await getWorkspace(ctx)).require_factor) return updateWorkspace(ctx, changes);
    requireRecent(ctx.actor);
    if (changes.requireFactor && !(await hasFactor(ctx.runtime, ctx.actor.memberId ?? 0)))
      throw conflict('Set up your own second factor first.');
    await endSessionsOf(ctx, 'noFactor');
    return updateWorkspace(ctx, changes);
  });
}
