import { condition, defineSignal, log, setCurrentDetails, setHandler } from '@temporalio/workflow';
import { idempotentLocal } from './activities';
import type { ApprovalExpiryInput } from './contract';
import { failsOnErrors, refusalOf } from './failures';

/** A member has decided; also what an operator sends to end the timer: the row decides whether that is so. */
export const decidedSignal = defineSignal('decided');

/** How the wait for a decision ended. */
export type ApprovalEnd = 'expired' | 'decided' | 'refused';

/** Expires one parked call of an agent when nobody decides in time (contract 11). */
export async function approvalExpiry(input: ApprovalExpiryInput): Promise<ApprovalEnd> {
  let decided = false;
  setHandler(decidedSignal, () => {
    decided = true;
  });
  const target = { workspaceId: input.workspaceId, approvalId: input.approvalId };
  let dueMs = input.expiresAtMs;
  for (;;) {
    const waitMs = dueMs - Date.now();
    if (waitMs > 0 && !decided) {
      setCurrentDetails(`Waits for a decision until ${new Date(dueMs).toISOString()}`);
      await condition(() => decided, waitMs, { summary: 'Expiry' });
    }
    try {
      const outcome = await idempotentLocal.expireApproval(target);
      if (outcome.kind === 'done') return 'expired';
      if (outcome.kind === 'superseded') return 'decided';
      decided = false;
      dueMs = Date.now() + Math.max(outcome.waitMs, 100);
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === null) throw error;
      log.warn('the approval cannot be expired', { ...target, refusal });
      return 'refused';
    }
  }
}
failsOnErrors(approvalExpiry);
