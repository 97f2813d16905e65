import type { Runtime } from '../api/core/runtime';
import type { Activities } from '../workflows/contract';
import { accountActivities } from './accounts';
import { approvalActivities } from './approvals';
import { bounded } from './boundary';
import { broadcastActivities } from './broadcasts';
import { conversationActivities } from './conversations';
import { macroActivities } from './macros';
import { maintenanceActivities } from './maintenance';
import { messageActivities } from './messages';
import { ticketActivities } from './tickets';
import { webhookActivities } from './webhooks';

/** Every activity of the deployment: each calls one service function and translates its errors. */
export function createActivities(runtime: Runtime): Activities {
  const conversations = conversationActivities(runtime);
  const messages = messageActivities(runtime);
  const accounts = accountActivities(runtime);
  const approvals = approvalActivities(runtime);
  const macros = macroActivities(runtime);
  const maintenance = maintenanceActivities(runtime);
  const tickets = ticketActivities(runtime);
  const broadcasts = broadcastActivities(runtime);
  const webhooks = webhookActivities(runtime);
  return {
    wakeConversation: bounded(conversations.wakeConversation),
    reopenConversation: bounded(conversations.reopenConversation),
    wakeOverdueConversations: bounded(conversations.wakeOverdueConversations),
    expireApproval: bounded(approvals.expireApproval),
    deliverNextMessage: bounded(messages.deliverNextMessage),
    deliverNextMessageLocally: bounded(messages.deliverNextMessageLocally),
    applyMacroRun: bounded(macros.applyMacroRun),
    settleStaleClaims: bounded(messages.settleStaleClaims),
    settleUnknownDeliveries: bounded(messages.settleUnknownDeliveries),
    rearmLostIntents: bounded(messages.rearmLostIntents),
    breachSla: bounded(tickets.breachSla),
    prepareStageMove: bounded(tickets.prepareStageMove),
    listStageRecipients: bounded(tickets.listStageRecipients),
    notifyStageRecipient: bounded(tickets.notifyStageRecipient),
    completeStageMove: bounded(tickets.completeStageMove),
    syncUpstream: bounded(accounts.syncUpstream),
    removeExpiredRows: bounded(maintenance.removeExpiredRows),
    openBroadcast: bounded(broadcasts.openBroadcast),
    planBroadcast: bounded(broadcasts.planBroadcast),
    sendBroadcastChunk: bounded(broadcasts.sendBroadcastChunk),
    endBroadcast: bounded(broadcasts.endBroadcast),
    unscheduleBroadcast: bounded(broadcasts.unscheduleBroadcast),
    confirmBroadcast: bounded(broadcasts.confirmBroadcast),
    deliverWebhooks: bounded(webhooks.deliverWebhooks),
  };
}
