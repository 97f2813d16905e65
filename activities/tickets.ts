import { systemCtx, type Ctx } from '../api/core/context';
import type { Runtime } from '../api/core/runtime';
import { breachIfDue } from '../api/services/resources/sla/breaches';
import { completeMove, openMove } from '../api/services/processes/stageMoves/service';
import { notifyRecipient } from '../api/services/processes/stageMoves/recipient';
import type { Activities } from '../workflows/contract';

type Names = 'breachSla' | 'openStageMove' | 'notifyStageRecipient' | 'completeStageMove';

/** Activities for stage notifications and service level deadlines. */
export function ticketActivities(runtime: Runtime): Pick<Activities, Names> {
  const moveCtx = (input: { workspaceId: number; moveId: number }): Ctx =>
    systemCtx(runtime, input.workspaceId, `stage-move/${input.moveId}`);
  return {
    breachSla: (input) =>
      breachIfDue(systemCtx(runtime, input.workspaceId, `sla/${input.subject}/${input.subjectId}`), input),
    openStageMove: (input) => openMove(moveCtx(input), input),
    notifyStageRecipient: (input) => notifyRecipient(moveCtx(input), input),
    completeStageMove: (input) => completeMove(moveCtx(input), input.moveId),
  };
}
