import {
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  log,
  setCurrentDetails,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import { irreversible, irreversibleLocal } from './activities';
import type { DeliveryOutcome, MessageDeliveryInput } from './contract';
import { failsOnErrors, refusalOf } from './failures';

/** Something was queued; which message it is, the rows know. */
export const deliverSignal = defineSignal('deliver');

/** How many messages one run brought to an end, at least: an answer that was lost with its task is not counted. */
export interface DeliverySummary {
  settled: number;
}

const firstPauseMs = 1_000;
const longestPauseMs = 30_000;
/** Keeps an answer of "wait no time" from becoming a spin. */
const shortestWaitMs = 200;

/**
 * The outbound actor of a conversation: one message at a time, in the order of acceptance. It asks the rows what is
 * next until nothing is queued, and never gives up: what an attempt left behind is settled by the row's claim.
 */
export async function messageDelivery(input: MessageDeliveryInput): Promise<DeliverySummary> {
  let dirty = false;
  setHandler(deliverSignal, () => {
    dirty = true;
  });

  let settled = 0;
  let failures = 0;
  for (;;) {
    dirty = false;
    try {
      const outcome = await deliver(input);
      failures = 0;
      if (outcome.kind === 'idle') {
        // A message may have been queued after the rows were read.
        if (!dirty) return { settled };
      } else if (outcome.kind === 'held') {
        setCurrentDetails(`${settled} settled; the number or account is stopped`);
        // Lifting the stop signals, so nothing is asked again until then.
        if (!dirty) return { settled };
      } else if (outcome.kind === 'progress') {
        settled += 1;
        setCurrentDetails(`${settled} settled; message ${outcome.messageId} ${outcome.status}`);
        // The usual case, one message: ending here saves an activity that would only find nothing.
        if (outcome.more === false && !dirty) return { settled };
      } else {
        setCurrentDetails(`${settled} settled; the next one waits ${outcome.waitMs} ms`);
        // A signal only makes it look again: the row keeps a first message that is not due from being passed.
        await condition(() => dirty, Math.max(outcome.waitMs, shortestWaitMs), {
          summary: 'The first message may not be sent yet',
        });
      }
    } catch (error) {
      if (isCancellation(error)) throw error;
      const refusal = refusalOf(error);
      if (refusal !== null && !dirty) {
        log.warn('delivery was refused', { ...input, refusal });
        return { settled };
      }
      // The worker died, or the database is away. Whether a call was made, the row's claim says when its lease is over.
      failures += 1;
      setCurrentDetails(`${settled} settled; attempt failed ${failures} times in a row`);
      await sleep(Math.min(firstPauseMs * 2 ** Math.min(failures - 1, 10), longestPauseMs), {
        summary: 'The attempt failed',
      });
    }
    // Between rows only. The new run begins by looking, so a signal that came just now is not lost.
    if (workflowInfo().continueAsNewSuggested) return await continueAsNew<typeof messageDelivery>(input);
  }
}
failsOnErrors(messageDelivery);

/** Here and now when the worker has room; queued like any activity when a slow upstream holds all of it. */
async function deliver(input: MessageDeliveryInput): Promise<DeliveryOutcome> {
  const outcome = await irreversibleLocal.deliverNextMessageLocally(input);
  return outcome.kind === 'busy' ? irreversible.deliverNextMessage(input) : outcome;
}
