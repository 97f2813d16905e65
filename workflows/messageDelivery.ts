import {
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  log,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { activities } from './activities';
import { signals, type DeliveryWait, type MessageDeliveryInput, type WaitsFor } from './contract';
import { failsOnErrors, refusalOf } from './failures';
import { isoTime, minWaitMs } from './time';
import { tellWaits } from './waits';

/** A message was queued; the rows tell which one. */
const deliverSignal = defineSignal(signals.deliver);
const deliveryQuery = defineQuery<DeliveryView>('state');

/** The number of messages that one run settled, or fewer: an answer that was lost with its task is not counted. */
interface DeliverySummary {
  settled: number;
}

/** What operators see of a delivery. */
interface DeliveryView extends DeliverySummary {
  /** The first message while it may not be sent yet. */
  waiting: (Partial<DeliveryWait> & { until: string }) | null;
}

/** The platform's answer to the last attempt of a message, which the rows do not store. */
type Refused = Required<Pick<DeliveryWait, 'messageId' | 'answer'>>;

/**
 * Delivers the messages of a conversation that had to wait, one at a time, in the order of acceptance. It asks the rows
 * for the next one until none is queued. An attempt that was interrupted is settled by the claim in its row.
 */
export async function messageDelivery(
  input: MessageDeliveryInput,
  known: Refused | null = null,
): Promise<DeliverySummary> {
  let dirty = false;
  let settled = 0;
  let waiting: DeliveryView['waiting'] = null;
  let refused = known;
  setHandler(deliverSignal, () => {
    dirty = true;
  });
  setHandler(deliveryQuery, () => ({ settled, waiting }), {
    description: 'Which message waits, why, after how many attempts and until when.',
  });

  for (;;) {
    dirty = false;
    try {
      const outcome = await activities.deliverNextMessage(input);
      waiting = null;
      if (outcome.kind === 'idle') {
        // A message may have been queued after the rows were read.
        if (!dirty) return { settled };
      } else if (outcome.kind === 'held') {
        setCurrentDetails(
          `Sending is held, or the platform has stopped the number or account. A new run starts when that ends. ` +
            settledText(settled),
        );
        // The workers' look finds the row when the stop is lifted, so this run ends.
        if (!dirty) return { settled };
      } else if (outcome.kind === 'progress') {
        settled += 1;
        setCurrentDetails(`Message ${outcome.messageId}: ${outcome.status}. ${settledText(settled)}`);
        // The usual case, one message: ending here saves an activity that would only find nothing.
        if (outcome.more === false && !dirty) return { settled };
      } else {
        const waitMs = Math.max(outcome.waitMs, minWaitMs);
        const { messageId, attempts, why, answer } = outcome;
        if (messageId !== undefined && answer) refused = { messageId, answer };
        const last = refused?.messageId === messageId ? refused?.answer : undefined;
        waiting = { messageId, attempts, why, answer: last, until: isoTime(Date.now() + waitMs) };
        setCurrentDetails(`${describeWait(waiting)} ${settledText(settled)}`);
        tellWaits(waitsFor(why));
        // A signal only makes it look again: the row keeps a first message that is not due from being passed.
        await condition(() => dirty, waitMs, { summary: describeWait(waiting) });
      }
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === null) throw error;
      log.warn('delivery was refused', { ...input, refusal });
      if (!dirty) return { settled };
    }
    // Between rows only. The new run begins by looking, so a signal that came just now is not lost.
    if (workflowInfo().continueAsNewSuggested) return await continueAsNew<typeof messageDelivery>(input, refused);
  }
}
failsOnErrors(messageDelivery);

function settledText(settled: number): string {
  return `Messages done so far: ${settled}.`;
}

/** Says in one line which message waits, why, after how many attempts and until when. */
function describeWait({ messageId, why, attempts = 0, answer, until }: NonNullable<DeliveryView['waiting']>): string {
  const after = attempts === 0 ? '' : `, after attempt ${attempts}`;
  return `Message ${messageId ?? ''}: ${reasonOf(why, answer)}${after}; next attempt ${until}.`;
}

function waitsFor(why: DeliveryWait['why'] | undefined): WaitsFor {
  if (why === 'pair_rate' || why === 'number_rate' || why === 'room') return 'rate';
  return why === 'file' ? 'file' : 'platform';
}

function reasonOf(why: DeliveryWait['why'] | undefined, answer: DeliveryWait['answer']): string {
  switch (why) {
    case 'pair_rate':
      return "waits for the customer's rate limit";
    case 'number_rate':
      return "waits for the number's rate limit";
    case 'room':
      return 'waits for a connection to the platform';
    case 'file':
      return 'its file is not at the platform yet';
    case 'attempt':
      return 'another attempt is under way';
    default:
      if (!answer) return 'waits for its next attempt';
      if (answer.status === null) return 'the platform could not be reached';
      return `the platform answered ${answer.status} (code ${answer.code})`;
  }
}
