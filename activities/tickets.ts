import { systemCtx, type Ctx } from '../api/core/context';
import type { Runtime } from '../api/core/runtime';
import { breachIfDue } from '../api/services/resources/sla/breaches';
import { completeMove, listRecipients, prepareMove } from '../api/services/processes/stageMoves/service';
import { notifyRecipient, notifyRecipients } from '../api/services/processes/stageMoves/recipient';
import { withHeartbeat } from './heartbeat';
import type { Activities } from '../workflows/contract';

type Names =
  | 'breachSla'
  | 'prepareStageMove'
  | 'listStageRecipients'
  | 'openStageMove'
  | 'notifyStageRecipients'
  | 'notifyStageRecipient'
  | 'completeStageMove'
  | 'completeStageMoveLocally';

/** Stage notifications and service level deadlines. */
export function ticketActivities(runtime: Runtime): Pick<Activities, Names> {
  const moveCtx = (input: { workspaceId: number; moveId: number }): Ctx =>
    systemCtx(runtime, input.workspaceId, `stage-move/${input.moveId}`);
  return {
    breachSla: (input) =>
      breachIfDue(systemCtx(runtime, input.workspaceId, `sla/${input.subject}/${input.subjectId}`), input),
    prepareStageMove: (input) => prepareMove(moveCtx(input), input.moveId),
    listStageRecipients: (input) => listRecipients(moveCtx(input), input),
    async openStageMove(input) {
      const ctx = moveCtx(input);
      const settled = await prepareMove(ctx, input.moveId);
      return { settled, ...(await listRecipients(ctx, { ...input, afterPlace: 0 })) };
    },
    notifyStageRecipients: (input) =>
      withHeartbeat(({ cancellationSignal }) =>
        notifyRecipients(moveCtx(input), input, () => cancellationSignal.aborted),
      ),
    notifyStageRecipient: (input) => notifyRecipient(moveCtx(input), input),
    completeStageMove: (input) => completeMove(moveCtx(input), input.moveId),
    completeStageMoveLocally: (input) => completeMove(moveCtx(input), input.moveId),
  };
}
