import { activities } from './activities';
import type { ApprovalExpiryState } from './contract';
import { Deadline, type DeadlineEnd } from './deadline';
import { failsOnErrors } from './failures';

/** How the wait for a decision ended; `cancelled`: a member has decided. */
type ApprovalEnd = 'expired' | Exclude<DeadlineEnd, 'done'>;

/** Expires one parked call of an agent that is not decided in time (contract 11). */
export async function approvalExpiry(initial: ApprovalExpiryState): Promise<ApprovalEnd> {
  const { workspaceId, approvalId } = initial;
  const end = await new Deadline<ApprovalExpiryState>(initial).wait({
    ask: () => activities.expireApproval({ workspaceId, approvalId }),
    show: (time) => ({ summary: `Expires at ${time}`, details: `Waits for a member's decision until ${time}` }),
  });
  return end === 'done' ? 'expired' : end;
}
failsOnErrors(approvalExpiry);
