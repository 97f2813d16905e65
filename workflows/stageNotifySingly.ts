import { ActivityFailure, continueAsNew, isCancellation, log, setCurrentDetails } from '@temporalio/workflow';
import { activities, withSummary } from './activities';
import type { StageNotifyInput, StageNotifySummary } from './contract';

/** Recipients whose activities run or wait for a worker at the same time. */
const inFlight = 200;
/** Recipients of one run: about 1,500 events, well below what the server takes. */
const pageSize = 500;

/** Does what the workflow did before recipients were notified together; for runs that began then. */
export async function notifyOneByOne(input: StageNotifyInput): Promise<StageNotifySummary> {
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
    return await continueAsNew<typeof notifyOneByOne>({
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
