import { maxRules } from '../../../../models/ruleParts';
import type { WorkspaceCtx } from '../../../core/context';
import { conflict } from '../../../core/http/errors';
import type { Reason } from '../../../core/http/reasons';
import { reason } from '../reasons';
import { lockWorkspace } from './service';

/** How much of a kind a workspace takes (contract 12): these lists are never paged, and pages load all of them. */
export const ceilings = {
  subscriptions: { owner: 'workspace', max: 50 },
  'custom fields': { owner: 'workspace', max: 200 },
  pipelines: { owner: 'workspace', max: 50 },
  stages: { owner: 'pipeline', max: 50 },
  macros: { owner: 'workspace', max: 500 },
  rules: { owner: 'workspace', max: maxRules },
  calendars: { owner: 'workspace', max: 50 },
  'canned replies': { owner: 'member', max: 500 },
  views: { owner: 'member', max: 50 },
  browsers: { owner: 'member', max: 20 },
  'API keys': { owner: 'workspace', max: 500 },
};
type Kind = keyof typeof ceilings;

/**
 * Refuses one more of a kind where there are as many as there may be: 409. In a transaction: the workspace stays locked
 * until its end, so that two at once do not both find the last place free. Returns how many there are.
 */
export async function refuseAboveCeiling(ctx: WorkspaceCtx, kind: Kind, count: () => Promise<number>): Promise<number> {
  await lockWorkspace(ctx);
  const known = await count();
  if (known >= ceilings[kind].max) throw conflict(refusalOf(kind));
  return known;
}

/** Returns the 409 of a ceiling as the API's description tells it, after another one that the operation has. */
export function ceilingConflict(kind: Kind, other?: string): { readonly when: string; readonly example: string } {
  const { owner, max } = ceilings[kind];
  const when = `The ${owner} has ${max} ${kind} already.`;
  return { when: other === undefined ? when : `${when} ${other}`, example: String(refusalOf(kind)) };
}

function refusalOf(kind: Kind): Reason {
  const { owner, max } = ceilings[kind];
  return reason('ceiling', { owner, max, kind });
}
