import { ActivityFailure, continueAsNew, isCancellation, log, setCurrentDetails } from '@temporalio/workflow';
import { activities, withSummary } from './activities';
import type { StageNotifyInput, StageNotifySummary } from './contract';
import { failsOnErrors } from './failures';

/** Recipients whose activities run or wait for a worker at the same time. */
const inFlight = 200;
/** Recipients of one run: about 1,500 events, well below what the server takes. */
const pageSize = 500;

/**
 * Tells the contacts of a ticket that it moved: one activity per recipient, each retried by itself, so that none waits
 * for another one's trouble. What is sent was frozen with the move; the rows remember who has had theirs.
 */
export async function stageNotify(input: StageNotifyInput): Promise<StageNotifySummary> {
  const { workspaceId, ticketId, moveId } = input;
  const settled = { ...(input.settled ?? (await activities.prepareStageMove({ workspaceId, moveId }))) };
  const show = (): void =>
    setCurrentDetails(
      `${settled.sent} sent, ${settled.skipped} skipped, ${settled.failed} failed, ${settled.unknown} not known`,
    );
  show();
  const page = await activities.listStageRecipients({
    workspaceId,
    moveId,
    afterPlace: input.afterPlace ?? 0,
    limit: pageSize,
  });
  const queue = [...page.contactIds];

  async function lane(): Promise<void> {
    for (let contactId = queue.shift(); contactId !== undefined; contactId = queue.shift()) {
      try {
        const notify = withSummary('notifyStageRecipient', `Contact ${contactId}`);
        const { state } = await notify({ workspaceId, moveId, contactId });
        if (state !== 'gone' && state !== 'held') settled[state] += 1;
      } catch (error) {
        if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
        // Refused for good: the row stays as it is, a later look at the move takes it up. The others go on.
        settled.failed += 1;
        log.warn('a recipient could not be notified', { workspaceId, ticketId, moveId, contactId });
      }
      show();
    }
  }
  await Promise.all(Array.from({ length: Math.min(inFlight, queue.length) }, lane));

  if (page.lastPlace !== null && page.contactIds.length === pageSize) {
    return await continueAsNew<typeof stageNotify>({
      workspaceId,
      ticketId,
      moveId,
      afterPlace: page.lastPlace,
      settled,
    });
  }
  await activities.completeStageMove({ workspaceId, moveId });
  return settled;
}
failsOnErrors(stageNotify);
