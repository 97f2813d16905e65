import { systemCtx, type Ctx } from '../api/core/context';
import type { Runtime } from '../api/core/runtime';
import { breachIfDue } from '../api/services/resources/sla/breaches';
import { completeMove, listRecipients, prepareMove } from '../api/services/processes/stageMoves/service';
import { notifyRecipient } from '../api/services/processes/stageMoves/recipient';
import type { Activities } from '../workflows/contract';

/** Stage notifications and service level deadlines. */
export function ticketActivities(
  runtime: Runtime,
): Pick<
  Activities,
  'breachSla' | 'prepareStageMove' | 'listStageRecipients' | 'notifyStageRecipient' | 'completeStageMove'
> {
  const moveCtx = (input: { workspaceId: number; moveId: number }): Ctx =>
    systemCtx(runtime, input.workspaceId, `stage-move/${input.moveId}`);
  return {
    breachSla: (input) =>
      breachIfDue(systemCtx(runtime, input.workspaceId, `sla/${input.subject}/${input.subjectId}`), input),
    prepareStageMove: (input) => prepareMove(moveCtx(input), input.moveId),
    listStageRecipients: (input) => listRecipients(moveCtx(input), input),
    notifyStageRecipient: (input) => notifyRecipient(moveCtx(input), input),
    completeStageMove: (input) => completeMove(moveCtx(input), input.moveId),
  };
}
