import { isDeepStrictEqual } from 'node:util';
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
import { retimeWaits } from '../../resources/rules/waits';
import { reason } from '../../resources/reasons';

/**
 * Changes the workspace for a member. Where other words opt customers out, or it demands a second factor, or no more,
 * the member is asked again who they are; with the latter sessions without one end: also those that were shut out
 * meanwhile.
 */
export async function changeSettings(ctx: Ctx, changes: WorkspaceChanges): Promise<WorkspaceRecord> {
  const { optOutWords, requireFactor } = changes;
  const isPlain = optOutWords === undefined && requireFactor === undefined;
  if (isPlain && changes.timezone === undefined) return updateWorkspace(ctx, changes);
  return ctx.runtime.db.transaction(async () => {
    await lockWorkspace(ctx);
    // A form, and what a GET showed, send them along as they are.
    const before = await getWorkspace(ctx);
    const isDemandNew = requireFactor !== undefined && requireFactor !== before.require_factor;
    if (isDemandNew || (optOutWords && !isDeepStrictEqual(optOutWords, before.opt_out_words))) requireRecent(ctx.actor);
    if (!isDemandNew) return changed(ctx, changes);
    if (requireFactor && !(await hasFactor(ctx.runtime, ctx.actor.memberId ?? 0))) throw conflict(reason('ownFactor'));
    await endSessionsOf(ctx, 'noFactor');
    return changed(ctx, changes);
  });
}

/** Makes the changes; in another zone the hours of the team are others, and what waits in them. */
async function changed(ctx: Ctx, changes: WorkspaceChanges): Promise<WorkspaceRecord> {
  const workspace = await updateWorkspace(ctx, changes);
  if (changes.timezone !== undefined) await retimeWaits(ctx);
  return workspace;
}
