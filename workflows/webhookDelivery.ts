import {
  condition,
  continueAsNew,
  defineSignal,
  log,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { activities } from './activities';
import { signals, type WebhookDeliveryInput, type WebhookRound } from './contract';
import { failsOnErrors, refusalOf } from './failures';
import { isoTime, minWaitMs } from './time';

/** A delivery may be due; the rows tell which one. */
const webhookDeliverSignal = defineSignal(signals.deliver);

/** The result of one run. */
interface WebhookDeliverySummary {
  rounds: number;
}

/**
 * Delivers the events of a subscription in rounds until none is pending. The rows say when each delivery is tried again
 * and whether the receiver answers at all; a silent receiver costs one timer.
 */
export async function webhookDelivery(input: WebhookDeliveryInput): Promise<WebhookDeliverySummary> {
  let dirty = false;
  setHandler(webhookDeliverSignal, () => {
    dirty = true;
  });

  let rounds = 0;
  for (;;) {
    dirty = false;
    try {
      const { waitMs, waiting } = await activities.deliverWebhooks(input);
      rounds += 1;
      if (waitMs === null) {
        // An event may have come after the rows were read.
        if (!dirty) return { rounds };
      } else if (waitMs > 0) {
        const why = describeWait(waiting, isoTime(Date.now() + waitMs));
        setCurrentDetails(why);
        await condition(() => dirty, Math.max(waitMs, minWaitMs), { summary: why });
      }
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === null) throw error;
      log.warn('the deliveries of a subscription were refused', { ...input, refusal });
      if (!dirty) return { rounds };
    }
    // Between rounds only. The new run begins by looking, so a signal that came just now is not lost.
    if (workflowInfo().continueAsNewSuggested) return await continueAsNew<typeof webhookDelivery>(input);
  }
}
failsOnErrors(webhookDelivery);

/** Says in one line which delivery waits, why, after how many attempts and until when. */
function describeWait(waiting: WebhookRound['waiting'], until: string): string {
  if (!waiting) return `Next attempt ${until}.`;
  const { deliveryId, attempts, status } = waiting;
  const answered = status === null ? 'the receiver gave no answer' : `the receiver answered ${status}`;
  const why = attempts === 0 ? 'waits for the receiver to recover' : `${answered}, after attempt ${attempts}`;
  return `Delivery ${deliveryId}: ${why}; next attempt ${until}.`;
}
