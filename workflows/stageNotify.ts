import {
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  log,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { activities, withSummary } from './activities';
import { signals, type StageNotifyInput, type StageNotifySummary } from './contract';
import { failsOnErrors } from './failures';
import { tellWaits } from './waits';

/** A stop or hold was lifted: waiting recipients are tried at once. */
const tryAgainSignal = defineSignal(signals.deliver);

/** Recipients whose activities run, or wait for another try, at the same time. */
const maxInFlight = 200;
/**
 * The most recipients of one page: their history events, about 1,500, are well below the number at which Temporal
 * suggests a new run.
 */
const maxOfPage = 500;
/**
 * How long a run with a long history waits for the recipients in flight before it continues as new; if one takes
 * longer, the history grows on.
 */
const maxEdgeMs = 10_000;

/**
 * Tells the contacts of a ticket that it moved, each by an activity of their own, so that a recipient's failure delays
 * no other. Those whose number is stopped wait once nobody is left to be tried. What is sent was frozen with the
 * move; the rows record who has got it.
 */
export async function stageNotify({
  workspaceId,
  ticketId,
  moveId,
  afterPlace = 0,
  held = [],
}: StageNotifyInput): Promise<StageNotifySummary> {
  let waits = new CancellationScope();
  let told: StageNotifySummary = { sent: 0, skipped: 0, failed: 0, unknown: 0 };
  let inFlight = 0;
  /** Of those, how many wait for the end of a stop. */
  let holding = 0;
  /** Recipients that are tried next. */
  const left: number[] = [];
  /** Recipients whose number is stopped: they wait once nobody is left to be tried. */
  const stopped = [...held];
  let isLastPage = false;
  /** Whether this run ends as soon as nothing is under way, because its history is long. */
  let isEnding = false;

  // Callbacks instead of awaiting loops: the SDK keeps a stack for each promise, which is most of the cost of a
  // recipient here.
  function tell(contactId: number, mayWaitForStop: boolean): void {
    const scope = waits;
    const notify = withSummary('notifyStageRecipient', `Contact ${contactId}`);
    inFlight += 1;
    if (mayWaitForStop) holding += 1;
    void scope
      .run(() => notify({ workspaceId, moveId, contactId, mayWaitForStop }))
      .then(
        ({ state }) => {
          if (state === 'held') stopped.push(contactId);
          else if (state !== 'gone') told[state] += 1;
          goOn(mayWaitForStop);
        },
        (error: unknown) => {
          if (!isCancellation(error)) {
            // Refused for good: the row is not changed, and a later run of the move tries it again. The others go on.
            told.failed += 1;
            log.warn('a recipient could not be notified', { workspaceId, ticketId, moveId, contactId });
          } else if (scope !== waits) left.unshift(contactId);
          goOn(mayWaitForStop);
        },
      );
  }

  function goOn(hasWaited: boolean): void {
    inFlight -= 1;
    if (hasWaited) holding -= 1;
    tellMore();
    const { sent, skipped, failed, unknown } = told;
    setCurrentDetails(
      `${sent} sent, ${skipped} skipped, ${failed} failed, ${unknown} not known. ` +
        `${inFlight} under way or waiting: their pending activities say why. ` +
        `${left.length + stopped.length} come after them, ${stopped.length} of these because their number is stopped.`,
    );
  }

  function tellMore(): void {
    if (isEnding) return;
    for (let next; inFlight < maxInFlight && (next = left.shift()) !== undefined;) tell(next, false);
    if (!isLastPage) return;
    for (let next; inFlight < maxInFlight && (next = stopped.shift()) !== undefined;) tell(next, true);
    tellWaits(holding > 0 ? 'hold' : 'nothing');
  }

  setHandler(tryAgainSignal, () => {
    const before = waits;
    waits = new CancellationScope();
    left.push(...stopped.splice(0));
    // All who wait are tried again: a few thousand events of history, each time.
    isEnding = workflowInfo().continueAsNewSuggested;
    before.cancel();
    tellMore();
  });

  let place = afterPlace;
  const nextRun = (): Promise<never> =>
    continueAsNew<typeof stageNotify>({
      workspaceId,
      ticketId,
      moveId,
      afterPlace: place,
      held: [...left, ...stopped],
    });
  while (!isLastPage && !isEnding) {
    const page = await activities.openStageMove({ workspaceId, moveId, afterPlace: place, limit: maxOfPage });
    if (place === afterPlace) told = { ...page.settled };
    left.push(...page.contactIds);
    isLastPage = page.contactIds.length < maxOfPage;
    tellMore();
    place = page.lastPlace ?? place;
    await condition(() => left.length === 0 || isEnding);
    if (!isLastPage && workflowInfo().continueAsNewSuggested && (await condition(() => inFlight === 0, maxEdgeMs)))
      return await nextRun();
  }
  await condition(() => inFlight === 0);
  if (isEnding && (left.length > 0 || stopped.length > 0 || !isLastPage)) return await nextRun();
  await activities.completeStageMove({ workspaceId, moveId });
  return told;
}
failsOnErrors(stageNotify);
