import { systemCtx } from '../api/core/context';
import type { Runtime } from '../api/core/runtime';
import { expireIfDue } from '../api/services/processes/approvals/service';
import type { Activities } from '../workflows/contract';

/** Activities that end parked calls which were not decided in time. */
export function approvalActivities(runtime: Runtime): Pick<Activities, 'expireApproval'> {
  return {
    expireApproval: (input) =>
      expireIfDue(systemCtx(runtime, input.workspaceId, `approval/${input.approvalId}`), input.approvalId),
  };
}
