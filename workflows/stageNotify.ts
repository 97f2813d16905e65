import {
  ActivityFailure,
  condition,
  continueAsNew,
  isCancellation,
  log,
  patched,
  setCurrentDetails,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import { activities, withSummary } from './activities';
import type { BatchOutcome, RecipientPage, StageNotifyInput, StageNotifySummary } from './contract';
import { failsOnErrors } from './failures';
import { notifyOneByOne } from './stageNotifySingly';

/** Marks runs that notify recipients together. */
const togetherPatch = 'recipients-together';

/** Recipients of one activity, and such activities at the same time: 200 recipients are in flight. */
const batchSize = 50;
const lanes = 4;
/** Recipients who wait each by an activity of its own; with more of them nobody else is begun. */
const mostAlone = 200;
/** Recipients of one look at the rows. */
const pageSize = 1_000;
/** A number without throughput is not asked again at once: its slots come some hundred milliseconds ahead. */
const restMs = 500;

/**
 * Tells the contacts of a ticket that it moved: the usual few inside of the first task, others some fifty by each
 * activity. Who has to wait, for another attempt or because something failed, gets an activity alone, so that none
 * waits for another one's trouble. What is sent was frozen with the move; the rows remember who has had theirs.
 */
export async function stageNotify(input: StageNotifyInput): Promise<StageNotifySummary> {
  return patched(togetherPatch) ? new Notification(input).run() : notifyOneByOne(input);
}
failsOnErrors(stageNotify);

/** One run of the workflow. */
class Notification {
  private settled: StageNotifySummary = { sent: 0, skipped: 0, failed: 0, unknown: 0 };
  private readonly queue: number[] = [];
  /** Recipients whose own activity is under way. */
  private alone = 0;
  private fault: unknown = null;

  constructor(private readonly input: StageNotifyInput) {}

  async run(): Promise<StageNotifySummary> {
    const { workspaceId, ticketId, moveId } = this.input;
    let afterPlace = this.input.afterPlace ?? 0;
    for (let page = await this.begin(); ; page = await this.list(afterPlace)) {
      this.queue.push(...page.contactIds);
      await Promise.all(Array.from({ length: lanes }, () => this.lane()));
      const isLast = page.lastPlace === null || page.contactIds.length < pageSize;
      if (isLast && this.queue.length === 0) break;
      // With a queue left, the history is long: the same stretch of the rows is looked at again.
      if (this.queue.length === 0) afterPlace = page.lastPlace ?? afterPlace;
      if (!workflowInfo().continueAsNewSuggested) continue;
      await this.everyoneAlone();
      return await continueAsNew<typeof stageNotify>({
        workspaceId,
        ticketId,
        moveId,
        afterPlace,
        settled: this.settled,
      });
    }
    await this.everyoneAlone();
    await activities.completeStageMoveLocally({ workspaceId, moveId });
    return this.settled;
  }

  private async begin(): Promise<RecipientPage> {
    const { workspaceId, moveId, afterPlace = 0, settled } = this.input;
    if (settled) {
      this.settled = { ...settled };
      this.show();
      return this.list(afterPlace);
    }
    const opened = await activities.openStageMove({ workspaceId, moveId, limit: pageSize, notifyUpTo: batchSize });
    this.settled = { ...opened.settled };
    this.show();
    if (!opened.notified) return opened;
    await this.take(opened.notified);
    return { contactIds: [], lastPlace: opened.lastPlace };
  }

  private list(afterPlace: number): Promise<RecipientPage> {
    const { workspaceId, moveId } = this.input;
    return activities.listStageRecipients({ workspaceId, moveId, afterPlace, limit: pageSize });
  }

  private async lane(): Promise<void> {
    while (this.queue.length > 0 && !workflowInfo().continueAsNewSuggested) {
      await condition(() => this.alone < mostAlone || this.fault !== null);
      if (this.fault !== null) throw this.fault;
      const batch = this.queue.splice(0, batchSize);
      if (batch.length === 0) return;
      await this.take(await this.together(batch));
    }
  }

  /** Takes up what became of recipients; whoever is left is next, after a rest. */
  private async take({ settled, alone, left }: BatchOutcome): Promise<void> {
    for (const state of Object.keys(settled) as (keyof StageNotifySummary)[]) this.settled[state] += settled[state];
    this.show();
    for (const contactId of alone) this.waitAlone(contactId);
    this.queue.unshift(...left);
    if (left.length > 0) await sleep(restMs, { summary: 'The number has no throughput left' });
  }

  private async together(contactIds: number[]): Promise<BatchOutcome> {
    const { workspaceId, moveId } = this.input;
    const notify = withSummary('notifyStageRecipients', `${contactIds.length} contacts from ${contactIds[0]}`);
    try {
      return await notify({ workspaceId, moveId, contactIds });
    } catch (error) {
      if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
      // Refused for good: whom it concerns shows when each is tried alone.
      return { settled: { sent: 0, skipped: 0, failed: 0, unknown: 0 }, alone: contactIds, left: [] };
    }
  }

  /** Begins a recipient's own activity; what makes the run fail is kept for whoever waits. */
  private waitAlone(contactId: number): void {
    this.alone += 1;
    void this.one(contactId)
      .catch((error: unknown) => {
        this.fault ??= error;
      })
      .finally(() => {
        this.alone -= 1;
      });
  }

  private async one(contactId: number): Promise<void> {
    const { workspaceId, ticketId, moveId } = this.input;
    try {
      const notify = withSummary('notifyStageRecipient', `Contact ${contactId}`);
      const { state } = await notify({ workspaceId, moveId, contactId });
      if (state !== 'gone' && state !== 'held') this.settled[state] += 1;
    } catch (error) {
      if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
      // Refused for good: the row stays as it is, a later look at the move takes it up. The others go on.
      this.settled.failed += 1;
      log.warn('a recipient could not be notified', { workspaceId, ticketId, moveId, contactId });
    }
    this.show();
  }

  private async everyoneAlone(): Promise<void> {
    await condition(() => this.alone === 0 || this.fault !== null);
    if (this.fault !== null) throw this.fault;
  }

  private show(): void {
    const { sent, skipped, failed, unknown } = this.settled;
    setCurrentDetails(`${sent} sent, ${skipped} skipped, ${failed} failed, ${unknown} not known`);
  }
}
