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
  return {
    breachSla: (input) => breachIfDue(runtime, input),
    prepareStageMove: (input) => prepareMove(runtime, input),
    listStageRecipients: (input) => listRecipients(runtime, input),
    notifyStageRecipient: (input) => notifyRecipient(runtime, input),
    completeStageMove: (input) => completeMove(runtime, input),
  };
}
