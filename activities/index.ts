import { systemCtx, type Ctx } from '../api/core/context';
import type { Runtime } from '../api/core/runtime';
import { deliverNext } from '../api/services/delivery/sends';
import { expireIfDue } from '../api/services/processes/approvals/service';
import { assignWaiting } from '../api/services/resources/inboxes/assignment/service';
import { applyMacroRun } from '../api/services/processes/macroRuns/apply';
import { decideByOperator, sendIfDue } from '../api/services/processes/outbound/sendLater';
import { applyRule } from '../api/services/processes/ruleRuns/apply';
import { judgeDue } from '../api/services/processes/ruleTimers/dueWaits';
import { notifyRecipient } from '../api/services/delivery/stageNotification';
import { completeMove, openMove } from '../api/services/resources/tickets/stageMoves/service';
import { deliverRound } from '../api/services/processes/webhookDelivery/deliver';
import { reopenByOperator, wakeIfDue } from '../api/services/resources/conversations/snooze';
import { breachIfDue } from '../api/services/resources/sla/breaches';
import type { Activities } from '../workflows/activityTypes';
import { translated } from './boundary';
import { broadcastActivities } from './broadcasts';
import { withHeartbeat } from './heartbeat';
import { sweepActivities } from './sweeps';

/**
 * Returns every activity of the deployment: each calls one service function, with its errors translated. What the
 * activity changes carries the name of its context as the request id.
 */
export function createActivities(runtime: Runtime): Activities {
  const ctxOf = ({ workspaceId }: { readonly workspaceId: number }, name: string): Ctx =>
    systemCtx(runtime, workspaceId, name);
  const snoozeOf = (input: { readonly workspaceId: number; readonly conversationId: number }): Ctx =>
    ctxOf(input, `snooze/${input.conversationId}`);
  const moveOf = (input: { readonly workspaceId: number; readonly moveId: number }): Ctx =>
    ctxOf(input, `stage-move/${input.moveId}`);

  const laterCtx = (input: { readonly workspaceId: number; readonly messageId: number }): Ctx =>
    ctxOf(input, `send-later/${input.messageId}`);

  return translated<Activities>({
    wakeConversation: (input) => wakeIfDue(snoozeOf(input), input),
    reopenConversation: (input) => reopenByOperator(snoozeOf(input), input.conversationId),
    assignConversations: (input) => assignWaiting(ctxOf(input, `assignment/${input.inboxId}`), input.inboxId),
    deliverNextMessage: (input) => deliverNext(runtime, input),
    expireApproval: (input) => expireIfDue(ctxOf(input, `approval/${input.approvalId}`), input.approvalId),
    sendScheduledMessage: (input) => sendIfDue(laterCtx(input), input),
    decideScheduledMessage: (input) => decideByOperator(laterCtx(input), input),
    judgeRules: (input) => judgeDue(ctxOf(input, `rules/${input.conversationId}`), input.conversationId),
    applyMacroRun: ({ ruleRunId, ...input }) => {
      const ctx = ctxOf(input, `macro-run/${input.runId}`);
      return ruleRunId === undefined
        ? applyMacroRun(ctx, input.runId)
        : applyRule(ctx, { runId: input.runId, ruleRunId });
    },
    breachSla: (input) => breachIfDue(ctxOf(input, `sla/${input.subject}/${input.subjectId}`), input),
    openStageMove: (input) => openMove(moveOf(input), input),
    notifyStageRecipient: (input) => notifyRecipient(moveOf(input), input),
    completeStageMove: (input) => completeMove(moveOf(input), input.moveId),
    deliverWebhooks: (input) =>
      withHeartbeat(({ cancellationSignal }) => {
        const ctx = ctxOf(input, `webhook/${input.subscriptionId}`);
        return deliverRound(ctx, input.subscriptionId, () => cancellationSignal.aborted);
      }),
    ...broadcastActivities(runtime),
    ...sweepActivities(runtime),
  });
}
