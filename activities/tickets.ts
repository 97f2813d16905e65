import { Context } from '@temporalio/activity';
import { systemCtx, type Ctx } from '../api/core/context';
import { reasonOf } from '../api/core/faults';
import type { Runtime } from '../api/core/runtime';
import { Places } from '../api/services/delivery/places';
import { breachIfDue } from '../api/services/resources/sla/breaches';
import { completeMove, listRecipients, openMove, prepareMove } from '../api/services/processes/stageMoves/service';
import { notifyRecipient, notifyRecipients } from '../api/services/processes/stageMoves/recipient';
import { withHeartbeat } from './heartbeat';
import type { Activities, BatchOutcome } from '../workflows/contract';

const maxLocalMoves = 20;

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
  const places = new Places(maxLocalMoves);

  /** Notifies the recipients of a move here and now; null where they are too many, there is no room, or it failed. */
  async function notifyFew(
    ctx: Ctx,
    { moveId, notifyUpTo }: { readonly moveId: number; readonly notifyUpTo: number },
    contactIds: number[],
  ): Promise<BatchOutcome | null> {
    if (contactIds.length === 0 || contactIds.length > notifyUpTo || !places.take(ctx.workspaceId)) return null;
    try {
      const { cancellationSignal } = Context.current();
      return await notifyRecipients(ctx, { moveId, contactIds }, () => cancellationSignal.aborted);
    } catch (error) {
      // From the queue they are tried again, which finds those that are settled.
      const reason = reasonOf(error);
      runtime.logger.debug(
        { event: 'stage_move.left_to_queue', moveId, reason },
        'recipients could not be told at once',
      );
      return null;
    } finally {
      places.giveBack(ctx.workspaceId);
    }
  }

  return {
    breachSla: (input) =>
      breachIfDue(systemCtx(runtime, input.workspaceId, `sla/${input.subject}/${input.subjectId}`), input),
    prepareStageMove: (input) => prepareMove(moveCtx(input), input.moveId),
    listStageRecipients: (input) => listRecipients(moveCtx(input), input),
    async openStageMove(input) {
      const ctx = moveCtx(input);
      const opened = await openMove(ctx, input);
      const notified = await notifyFew(ctx, input, opened.contactIds);
      return { ...opened, ...(notified && { notified }) };
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
